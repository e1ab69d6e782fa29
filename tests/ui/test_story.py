"""The story: a NaN that is planted in a function of three cells is found where it was born."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_code import cell, norms
from tests.ui.test_following import at
from tests.ui.test_tour import press

FIRST = """\
import vizgrad as vg

w = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)

def scaled(x):
    return x * x"""
SECOND = """\
def distance(x):
    square = scaled(x)
    return square.sqrt()"""
THIRD = """\
def model(x):
    d = distance(x)
    return d * x

loss = model(w).sum()
session = vg.debug(loss)"""


def beside(editors: list[Locator]) -> list[dict[int, str]]:
    """What stands beside the lines of each cell."""
    return [norms(editor) for editor in editors]


#: Titles at the edge stand elsewhere after the picture was moved.
STILL = """e => {
  const copy = e.cloneNode(true);
  copy.firstElementChild.removeAttribute('transform');
  for (const title of copy.querySelectorAll('.vg-sticky')) {
    title.classList.remove('vg-stuck');
    title.removeAttribute('transform');
  }
  return copy.innerHTML;
}"""


def drawn(graph: Locator) -> str:
    """The picture as it is in the page, wherever it was moved to keep the current node in sight."""
    return graph.evaluate(STILL)


def test_a_nan_is_found_on_the_line_where_it_was_born(lab: Lab) -> None:
    story(lab, lab.open_notebook(FIRST, SECOND, THIRD))


def story(lab: Lab, notebook: Notebook) -> None:
    """Of a notebook of these three cells."""
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    cells = [cell(notebook, number) for number in range(3)]
    marked = lab.page.locator(".vg-current-line")

    # Step by step up to there: beside each line that is done stands its norm.
    press(view, "Step")
    at(view, 1)
    expect(marked).to_contain_text("return d * x")
    expect(cells[2].locator(".vg-line-norm")).to_have_count(1)
    before = beside(cells)
    assert before == [{}, {}, {5: "‖g‖ 1"}]

    # It stops red on the line of the cell where the NaN was born, and says why.
    press(view, "Continue")
    at(view, 3)
    red = cells[1].locator(".vg-current-line.vg-mark-nonfinite")
    expect(red).to_contain_text("return square.sqrt()")
    expect(red).to_contain_text("Stopped: SqrtBackward0 made 1 NaN of 3, at [0], where result = 0")
    expect(marked).to_have_count(1)
    assert re.fullmatch(r"\d+", red.get_attribute("data-node") or "")
    picture(lab, "story-red")
    stopped = beside(cells)
    assert stopped == [{}, {3: "‖g‖ 4.12"}, {3: "‖g‖ 1.73", 5: "‖g‖ 1"}]

    # Two steps back, and beside the lines stands what stood there before.
    press(view, "Step back")
    at(view, 2)
    press(view, "Step back")
    at(view, 1)
    expect(cells[2].locator(".vg-current-line")).to_contain_text("return d * x")
    expect(cells[1].locator(".vg-line-norm")).to_have_count(0)
    assert beside(cells) == before
    expect(lab.page.locator(".vg-mark-nonfinite")).to_have_count(0)
    press(view, "Continue")
    at(view, 3)
    expect(red).to_have_count(1)
    assert beside(cells) == stopped

    edited(lab, notebook, view, cells)
    original(lab, notebook, view, cells[0])
    compared(lab, notebook, view)


def edited(lab: Lab, notebook: Notebook, view: Locator, cells: list[Locator]) -> None:
    """What if it were 0? The run goes on on a branch, and all is finite."""
    region = part(view, "Branches")
    graph = view.get_by_role("tree", name="Backward graph")
    odd = graph.get_by_role("treeitem", name="MulBackward0, runs next, not finite")
    expect(odd).to_have_count(1)
    what_if = view.get_by_role("region", name="Inspector").get_by_role("form", name="What if")
    what_if.get_by_label("New gradient of MulBackward0").fill("nan to 0")
    what_if.get_by_role("button", name="Apply").click()
    expect(region.get_by_role("button", name="branch 1", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(odd).to_have_count(0, timeout=20_000)
    picture(lab, "story-branch")
    press(view, "Continue")
    at(view, 5)
    expect(cells[0].locator(".vg-line-norm")).to_have_text("‖g‖ 0.707")
    expect(lab.page.locator(".vg-line-norm.vg-line-odd")).to_have_count(0)
    mended = view.get_by_role("treeitem", name=re.compile("^MulBackward0, done .*0.707"))
    expect(mended).to_have_count(1)
    expect(mended).not_to_have_class(re.compile("vg-nonfinite"))
    assert notebook.execute("print(bool(w.grad.isfinite().all()))") == "True\n"


def original(lab: Lab, notebook: Notebook, view: Locator, cell: Locator) -> None:
    """It is as it was: there the NaN is loud beside the lines that it comes to."""
    region = part(view, "Branches")
    region.get_by_role("button", name="original", exact=True).click()
    at(view, 3)
    assert notebook.execute("print(w.grad)") == "None\n"
    press(view, "Continue")
    expect(cell.locator(".vg-line-norm.vg-line-odd")).to_have_text("‖g‖ NaN")
    picture(lab, "story-nan")


def compared(lab: Lab, notebook: Notebook, view: Locator) -> None:
    """Beside each other: colours and numbers say how a branch differs, box by box; then all is as before."""
    region = part(view, "Branches")
    graph = view.get_by_role("tree", name="Backward graph")
    ordinary = drawn(graph)
    region.get_by_role("button", name="Compare branch 1 with original").click()
    legend = view.get_by_role("note", name="Colours: difference of branch 1 from original")
    legend.wait_for()
    odd = graph.locator("[data-node-id][data-differs=odd]")  # a leaf is drawn at each of its uses
    assert len(set(odd.evaluate_all("all => all.map(e => e.dataset.nodeId)"))) == 2
    expect(odd.first).to_contain_text("NaN → 0.707")
    expect(graph.get_by_role("treeitem", name="→ branch 1: NaN → 0.707").first).to_be_visible()
    expect(region).to_contain_text("branch 1 compared with original: 2 of 2 nodes differ. First:")
    expect(view.locator("[aria-live]")).to_have_text(re.compile("2 of 2 nodes differ"))
    picture(lab, "story-compared")
    legend.get_by_role("button", name="Stop comparing").click()
    expect(legend).to_have_count(0)
    assert drawn(graph) == ordinary

    # A third way, by half as much again from the first node on: in numbers, also in the Inspector.
    notebook.execute(
        "session.seek(1); session.set_grad(session.node, 'g * 1.5'); session.continue_()"
    )
    region.get_by_role("button", name="Compare branch 2 with original").click()
    half = graph.get_by_role("treeitem", name=re.compile("^SqrtBackward0, .*differs by 50 % from"))
    expect(half).to_contain_text("Δ 50 %")
    half.press(
        "Enter"
    )  # the picture is at the first node that differs, and this one may lie below it
    numbers = view.get_by_role("region", name="Inspector").locator(".vg-beside")
    expect(numbers).to_contain_text("50 %")
    region.get_by_label("Compare branch 2 with", exact=True).select_option("branch 1")
    view.get_by_role("note", name="Colours: difference of branch 2 from branch 1").wait_for()
    expect(region).to_contain_text(re.compile(r"branch 1.*: \d of \d nodes differ\. First:"))
    graph.click(button="right", position={"x": 3, "y": 3})
    picture(lab, "story-compared-half")
    view.get_by_role("menuitem", name="Stop comparing").click()
    expect(graph.locator("[data-differs]")).to_have_count(0)
