"""What is seen at first and while stepping, measured in pixels of a laptop's screen."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_tour import TOUR, cell_of, press, root

TORCH = "import vizgrad as torch\nfrom vizgrad import nn\nfrom vizgrad.nn import functional as F\n"
RNN = (
    TORCH
    + """
torch.manual_seed(0)
cell, head, h = nn.RNNCell(4, 6), nn.Linear(6, 2), torch.zeros(3, 6)
for x in torch.randn(8, 3, 4):
    h = cell(x, h)
loss = F.mse_loss(head(h), torch.zeros(3, 2))
"""
)
MASKED = (
    TORCH
    + """
x = torch.tensor([0.0, 1.0, 4.0], requires_grad=True)
loss = torch.where(torch.tensor([False, True, True]), x.sqrt(), torch.zeros(3)).sum()
"""
)
CHAIN = (
    TORCH
    + """
x = y = torch.ones(3, requires_grad=True)
for _ in range(40):
    y = y * 1.01 + 1
loss = y.sum()
"""
)

#: Of every node drawn: its name, the name's type on the screen, and where its box and its name are.
NODES = """
view => [...view.querySelectorAll('[data-node-id]')].map(node => {
  const name = node.querySelector('.vg-name');
  const rect = element => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return {left, top, right, bottom};
  };
  return {
    spoken: node.getAttribute('aria-label'),
    name: name?.textContent ?? '',
    px: name ? parseFloat(getComputedStyle(name).fontSize) * name.getScreenCTM().a : 0,
    height: name ? name.getBoundingClientRect().height : 0,
    box: rect(node.querySelector('.vg-box')),
    text: name ? rect(name) : null,
  };
})
"""
#: The smallest type in the picture, on the screen, of texts that are there to be read.
LEAST_TYPE = """
view => Math.min(...[...view.querySelectorAll('.vg-canvas text')].map(
  text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))
"""


def debugged(lab: Lab, program: str, size: tuple[int, int] = (1366, 768)) -> Locator:
    lab.page.set_viewport_size({"width": size[0], "height": size[1]})
    notebook = lab.open_notebook(program, "session = torch.debug(loss)")
    notebook.run()
    return shown(notebook.output(1))


def shown(view: Locator) -> Locator:
    root(view).scroll_into_view_if_needed()
    expect(root(view)).to_have_attribute("data-layout", "done")
    expect(view.locator("[data-node-id]").first).to_be_visible()
    settled(view)
    return view


def settled(view: Locator) -> None:
    """What is drawn suits the zoom: that follows a moment after a move."""
    view.page.wait_for_function(
        """view => {
          const texts = [...view.querySelectorAll('.vg-canvas text')];
          const zoom = view.querySelector('.vg-canvas > g').getScreenCTM().a;
          const least = parseFloat(
            getComputedStyle(view.querySelector('.vg-canvas')).getPropertyValue('--vg-least'));
          const type = least * Math.min(zoom, 1); // see typeAt in viewport.ts
          return texts.length > 0 && type >= 10.99 && type < 11.5;
        }""",
        arg=view.element_handle(),
    )


def canvas_of(view: Locator) -> dict[str, float]:
    box = view.locator(".vg-graph").bounding_box()
    assert box is not None
    x, y, width, height = box["x"], box["y"], box["width"], box["height"]
    return {
        "x": x, "y": y, "width": width, "height": height, "right": x + width, "bottom": y + height
    }  # fmt: skip


def nodes_of(view: Locator) -> list[dict[str, Any]]:
    return view.evaluate(NODES)


def stepping_only(notebook: NotebookNode) -> None:
    """The tour up to its session, after one epoch of training."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    end = next(i for i, cell in enumerate(code) if "session = vg.debug(loss)" in cell.source)
    notebook.cells = code[: end + 1]
    for cell in notebook.cells:
        cell.source = cell.source.replace("range(30)", "range(1)").replace(
            "assert accuracy >= 0.95", ""
        )


def test_the_tour_is_read_without_zooming_and_is_at_most_one_scroll_away(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    notebook = lab.open_copy(TOUR, stepping_only)
    notebook.run()
    view = shown(notebook.output(cell_of(notebook, "session = vg.debug(loss)")))
    picture(lab, "tour_1366")
    nodes = nodes_of(view)
    assert len(nodes) == 16
    for node in nodes:
        assert node["px"] >= 11, node["name"]
        assert node["height"] >= 11, node["name"]
        assert "…" not in node["name"]
        label = node["name"]
        assert node["spoken"].startswith(label) or f" {label}" in node["spoken"]
        assert node["text"]["left"] >= node["box"]["left"]
        assert node["text"]["right"] <= node["box"]["right"]
    assert view.evaluate(LEAST_TYPE) >= 11 - 0.01
    canvas = canvas_of(view)
    boxes = [node["box"] for node in nodes]
    assert min(box["left"] for box in boxes) >= canvas["x"]
    assert max(box["right"] for box in boxes) <= canvas["right"]
    height = max(box["bottom"] for box in boxes) - min(box["top"] for box in boxes)
    assert height <= 2 * canvas["height"]

    # One scroll, with the wheel in the graph, and its other half is there.
    current = view.locator('[data-state="current"]').first
    current.click()
    view.evaluate(
        "view => view.scrollIntoView({ block: 'end' })"
    )  # all of it, wherever the notebook was
    canvas = canvas_of(view)
    lab.page.mouse.move(canvas["x"] + 30, canvas["bottom"] - 30)
    lab.page.mouse.wheel(0, canvas["height"])
    last = max(nodes, key=lambda node: node["box"]["bottom"])["name"]
    label = view.locator("[data-node-id]").filter(has_text=last).last
    expect(label).to_be_in_viewport(ratio=0.9)
    picture(lab, "tour_1366_scrolled")


def test_a_recurrent_network_uses_more_than_half_of_its_canvas(lab: Lab) -> None:
    view = debugged(lab, RNN)
    picture(lab, "rnn_8")
    canvas = canvas_of(view)
    frames: list[dict[str, float]] = view.evaluate(
        """view => [...view.querySelectorAll('.vg-frame, .vg-box, .vg-result')].map(each => {
          const {left, top, right, bottom} = each.getBoundingClientRect();
          return {left, top, right, bottom};
        })"""
    )
    width = min(canvas["right"], max(f["right"] for f in frames)) - max(
        canvas["x"], min(f["left"] for f in frames)
    )
    height = min(canvas["bottom"], max(f["bottom"] for f in frames)) - max(
        canvas["y"], min(f["top"] for f in frames)
    )
    assert width * height > canvas["width"] * canvas["height"] / 2
    assert view.evaluate(LEAST_TYPE) >= 11 - 0.01
    press(view, "Zoom to fit")
    settled(view)
    picture(lab, "rnn_8_fit")
    assert view.evaluate(LEAST_TYPE) >= 11 - 0.01


def test_whom_the_view_looks_at_is_said_and_what_runs_next_is_pointed_to(lab: Lab) -> None:
    view = debugged(lab, CHAIN)
    first = view.locator('[data-state="current"]').first
    name = (first.get_attribute("aria-label") or "").split(",")[0]
    first.click()
    yours = view.get_by_text("Selected:")
    expect(yours).to_have_count(0)  # it is what the run is about anyway
    for _ in range(3):
        press(view, "Step")
    expect(root(view)).to_have_attribute("data-position", "3")
    view.locator('[data-state="done"]').first.click()
    expect(view.get_by_text(f"Selected: {name}")).to_be_visible()
    arrow = view.get_by_role("button", name="current:")
    canvas = canvas_of(view)
    x, y = (
        canvas["x"] + 30,
        canvas["y"] + canvas["height"] / 2,
    )  # its lower edge may be out of sight
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    lab.page.mouse.move(x, y - 1200, steps=4)
    lab.page.mouse.up()
    expect(arrow).to_be_visible()
    picture(lab, "pinned")
    arrow.click()
    expect(arrow).to_have_count(0)
    expect(
        view.locator('[data-state="current"], [data-group-state="current"]').first
    ).to_be_in_viewport()
    view.get_by_role("button", name="Back to current").click()
    expect(yours).to_have_count(0)


def test_a_picture_while_a_run_is_stepped_to_a_nan(lab: Lab) -> None:
    view = debugged(lab, MASKED)
    _names_in_code_are_not_broken_in_the_middle(view)
    _what_has_the_focus_has_one_ring(lab, view)
    _a_step_moves_along_the_edges_that_delivered(lab, view)
    press(view, "Step back")
    expect(root(view)).to_have_attribute("data-position", "0")
    _what_is_not_finite_is_loud_where_it_was_made_and_where_it_went(lab, view)
    press(view, "Step back", times=3)
    expect(root(view)).to_have_attribute("data-position", "0")
    _a_node_that_made_a_nan_has_the_same_sign_in_lists(lab, view)


def _a_step_moves_along_the_edges_that_delivered(lab: Lab, view: Locator) -> None:
    """Unless less motion is wanted."""
    press(view, "Step")
    expect(root(view)).to_have_attribute("data-position", "1")
    running = (
        "view => [...view.querySelectorAll('.vg-delivery')].map(e => e.getAnimations().length)"
    )
    assert set(view.evaluate(running)) <= {0}
    expect(view.locator(".vg-delivery").first).to_be_hidden()
    lab.page.emulate_media(reduced_motion="no-preference")
    press(view, "Step")
    expect(root(view)).to_have_attribute("data-position", "2")
    expect(view.locator(".vg-delivery")).to_have_count(1)
    names = view.locator(".vg-delivery").evaluate("e => getComputedStyle(e).animationName")
    assert names == "vg-deliver"
    press(view, "Step back")
    expect(root(view)).to_have_attribute("data-position", "1")
    expect(view.locator(".vg-delivery")).to_have_count(0)
    lab.page.emulate_media(reduced_motion="reduce")


def _what_is_not_finite_is_loud_where_it_was_made_and_where_it_went(
    lab: Lab, view: Locator
) -> None:
    for position in (1, 2, 3):
        press(view, "Step")
        expect(root(view)).to_have_attribute("data-position", str(position))
    picture(lab, "nan")
    maker = view.locator('[data-node-id]:has-text("SqrtBackward0")')
    assert "made NaN" in (maker.get_attribute("aria-label") or "")
    expect(maker).to_contain_text("made NaN")
    leaf = view.locator('[data-kind="leaf"]')
    colours = {
        element.locator(".vg-box").evaluate("e => getComputedStyle(e).stroke")
        for element in (maker, leaf)
    }
    line = view.locator(".vg-link.vg-nonfinite .vg-line")
    expect(line).to_have_count(1)
    colours.add(line.evaluate("e => getComputedStyle(e).stroke"))
    healthy = view.locator('[data-node-id]:has-text("SumBackward0") .vg-box')
    assert len(colours) == 1
    assert healthy.evaluate("e => getComputedStyle(e).stroke") not in colours


def _a_node_that_made_a_nan_has_the_same_sign_in_lists(lab: Lab, view: Locator) -> None:
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-position", "3")
    saved = part(view, "Saved tensors")
    for name, tone in (("SqrtBackward0", "error"), ("WhereBackward0", "done")):
        sign = saved.locator(".vg-node-link").filter(has_text=name.removesuffix("Backward0"))
        expect(sign.first.locator(".vg-tone")).to_have_attribute("data-tone", tone)
        drawn = view.locator(f'[data-node-id]:has-text("{name}")')
        assert ("made NaN" in (drawn.get_attribute("aria-label") or "")) == (tone == "error")
    picture(lab, "nan-in-a-list")


def _what_has_the_focus_has_one_ring(lab: Lab, view: Locator) -> None:
    view.get_by_role("button", name="Step", exact=True).focus()
    node = view.locator('[data-state="current"]').first
    node.focus()
    lab.page.keyboard.press("ArrowDown")
    focused = view.locator(".vg-node:focus-visible")
    expect(focused).to_have_count(1)
    assert focused.evaluate("e => getComputedStyle(e).outlineStyle") == "none"
    assert focused.locator(".vg-ring").evaluate("e => getComputedStyle(e).strokeWidth") == "3px"


def _names_in_code_are_not_broken_in_the_middle(view: Locator) -> None:
    code = view.locator(".vg-code:visible").first
    expect(code).to_be_visible()
    assert code.evaluate("e => getComputedStyle(e).wordBreak") == "normal"
