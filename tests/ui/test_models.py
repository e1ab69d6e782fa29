"""The models of the course in the view: a transformer collapsed to its blocks, and stepped there."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode
from playwright.sync_api import Locator, expect

from tests.notebooks.setting import shortened
from tests.ui.lab import Lab
from tests.ui.test_tour import cell_of, press, root

MODELS = Path(__file__).parents[2] / "notebooks" / "02_models.ipynb"

#: Words of the cells that the transformer needs. All of them run in tests/notebooks.
NEEDED = ("FULL =", "def some_text", "class CharTransformer", "loss_transformer")

BLOCKS = [f"blocks.{number}: TransformerEncoderLayer" for number in range(4)]


def of_the_transformer(notebook: NotebookNode) -> None:
    """Leaves out the other models, and the story around them."""
    shortened(notebook)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and any(word in cell.source for word in NEEDED)
    ]


def group(view: Locator, title: str) -> Locator:
    """The box of a folded module."""
    return view.get_by_role("treeitem", name=f"{title}, group,", exact=False)


def done(box: Locator) -> int:
    """How many of its nodes a folded module says are done."""
    said = re.search(r"(\d+) of \d+ nodes done", box.get_attribute("aria-label") or "")
    assert said, "a folded module says how far it is"
    return int(said[1])


def test_the_models(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1500, "height": 1100})
    notebook = lab.open_copy(MODELS, of_the_transformer)
    notebook.run()

    drawing = cell_of(notebook, "vg.graph(loss_transformer")
    picture = notebook.output(drawing).locator("img")  # JupyterLab shows an SVG file as an image
    picture.scroll_into_view_if_needed()
    height = picture.evaluate(
        "async image => { await image.decode(); return image.naturalHeight; }"
    )
    assert 1000 < height < 2500, "four blocks, not what is in them"
    (output,) = notebook.cells()[drawing]["outputs"]
    svg = "".join(output["data"]["image/svg+xml"])
    assert [svg.count(f">{block}</text>") for block in BLOCKS] == [1, 1, 1, 1]
    attention = "ScaledDotProductFlashAttentionForCpuBackward0"
    assert f">{attention}</text>" not in svg, "what is in the blocks is folded away"

    view = notebook.output(cell_of(notebook, "session = vg.debug(loss_transformer)"))
    root(view).scroll_into_view_if_needed()
    expect(root(view)).to_have_attribute("data-layout", "done")
    current = view.locator('[data-node-id][data-state="current"]')
    expect(current).to_be_in_viewport(ratio=1)  # 40 nodes down, in the middle of 233

    press(view, "Collapse all groups")
    model = group(view, "CharTransformer")
    expect(model).to_have_attribute("data-group-state", "current")
    model.locator("[data-toggle]").click()
    group(view, "for block in self.blocks × 4").locator("[data-toggle]").click()
    last, first = group(view, BLOCKS[3]), group(view, BLOCKS[0])
    expect(last).to_have_attribute("data-group-state", "current")
    expect(first).to_have_attribute("data-group-state", "waiting")
    before = done(last)

    position = int(root(view).get_attribute("data-position") or "")
    press(view, "Step", times=3)
    expect(root(view)).to_have_attribute("data-position", str(position + 3))
    assert before < done(last) <= before + 3
    assert done(first) == 0
    said = notebook.execute("print(session.run.position, *session.node.scope)").split(" ", 1)
    assert int(said[0]) == position + 3
    assert BLOCKS[3] in said[1]

    press(view, "Step back", times=3)
    expect(root(view)).to_have_attribute("data-position", str(position))
    assert done(last) == before

    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "finished")
    for block in BLOCKS:
        expect(group(view, block)).to_have_attribute("data-group-state", "done")
