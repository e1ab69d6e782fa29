"""Nothing is cut, covered or out of sight, whatever the room, the font and the numbers."""

from __future__ import annotations

import re
from itertools import combinations

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_large import CHAIN, TRANSFORMER
from tests.ui.test_picture import RNN, debugged
from tests.ui.test_rooms import opened, opened_panel
from tests.ui.test_tour import press, root
from tests.ui.themes import written_in

STALE = """
import vizgrad as vg
w = vg.ones(3, requires_grad=True)
h = w.exp()
loss = h.sin().sum()
h.detach().mul_(3.0)
"""
#: A leaf with a name that says much, used several times.
PINS = """
import vizgrad as vg
from vizgrad import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding_projection = nn.Linear(6, 6)
        self.w = nn.Parameter(vg.ones(6, 6))
    def forward(self, x):
        for _ in range(3):
            x = self.embedding_projection(x) @ self.w
        return x
model = Model()
loss = model(vg.ones(12, 6)).sum()
"""

#: Heads of more than one line or cut, and tabs that stand above nothing of theirs.
CROOKED = """async view => {
  const most = e => e.matches('.vg-tabs-row') && view.clientWidth < 440 ? 58 : 30; // else tabs were cut
  const heads = [...view.querySelectorAll('.vg-region-head, .vg-tabs-row')].filter(
    e => e.getBoundingClientRect().height > most(e) || e.scrollWidth > e.clientWidth
  );
  const tabs = [...view.querySelectorAll('[role=tab]')];
  for (const tab of tabs) {
    tab.click();
    await new Promise(requestAnimationFrame);
    const room = view.querySelector('[role=tabpanel]').getBoundingClientRect();
    if (tab.getBoundingClientRect().bottom > room.y + 2) heads.push(tab);
  }
  return heads.map(each => each.textContent);
}"""
#: Titles at the edge and the map, as far as they are seen; and the boxes that they lie over.
FLOATING = """view => {
  const seen = e => Number(getComputedStyle(e).opacity) > 0 && e.getBoundingClientRect().width > 0;
  return [...view.querySelectorAll('.vg-minimap, .vg-stuck')].filter(seen);
}"""
COVERED = f"""view => {{
  const air = 1;
  const meet = (a, b) =>
    a.left < b.right - air && b.left < a.right - air && a.top < b.bottom - air && b.top < a.bottom - air;
  const canvas = view.querySelector('.vg-graph').getBoundingClientRect();
  const boxes = [...view.querySelectorAll('.vg-box')].filter(
    box => meet(box.getBoundingClientRect(), canvas)
  );
  return ({FLOATING})(view).flatMap(each => boxes
    .filter(box => meet(each.getBoundingClientRect(), box.getBoundingClientRect()))
    .map(box => `${{each.textContent || 'map'}} over ${{box.parentElement.textContent}}`));
}}"""
#: Words that end within a letter, without the sign that they are cut.
CUT_WORDS = """view => [...view.querySelectorAll('.vg-middle span')].filter(word => {
  if (word.dataset.part === undefined) return false;
  const room = word.closest('.vg-middle').getBoundingClientRect();
  const box = word.getBoundingClientRect();
  const isBelow = box.top >= room.bottom - 1; // all of it is left out
  const isCut = word.scrollWidth > word.clientWidth + 1;
  const hasSign = getComputedStyle(word).textOverflow === 'ellipsis' && word.clientWidth >= 9;
  return !isBelow && (box.right > room.right + 1 || (isCut && !hasSign));
}).map(word => word.dataset.part)"""
#: What is written outside of the box that it is of.
OUTSIDE = """view => [...view.querySelectorAll('.vg-node')].flatMap(node => {
  const box = node.querySelector('.vg-box').getBoundingClientRect();
  return [...node.querySelectorAll('text')].filter(text => {
    const {left, right, top, bottom} = text.getBoundingClientRect();
    const end = box.right + 1, start = box.left - 1;
    return left < start || right > end || top < box.top - 2 || bottom > box.bottom + 2;
  }).map(text => text.textContent);
})"""


def resized(view: Locator, width: int) -> Locator:
    """The view, so wide: whatever else is on the page."""
    all_of_it = root(view)
    all_of_it.evaluate(
        "(element, width) => { element.parentElement.style.width = `${width}px` }", width
    )
    view.page.wait_for_function(
        "([element, width]) => Math.abs(element.getBoundingClientRect().width - width) < 2",
        arg=[all_of_it.element_handle(), width],
    )
    return all_of_it


#: All at once, after the toolbar has put buttons away for its new width: one that goes meanwhile has no box.
BOXES = """async all => {
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  return all.filter(e => e.isConnected).map(e => e.getBoundingClientRect().toJSON());
}"""


def box_of(element: Locator) -> dict[str, float]:
    box = element.bounding_box()
    assert box is not None
    x, y, width, height = box["x"], box["y"], box["width"], box["height"]
    return {
        "x": x,
        "y": y,
        "width": width,
        "height": height,
        "right": x + width,
        "bottom": y + height,
    }


def cover(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        one["x"] < other["right"] - 0.5
        and other["x"] < one["right"] - 0.5
        and one["y"] < other["bottom"] - 0.5
        and other["y"] < one["bottom"] - 0.5
    )


def pan(view: Locator, across: int, down: int) -> None:
    canvas = box_of(view.locator(".vg-graph"))
    mouse = view.page.mouse
    x, y = canvas["x"] + canvas["width"] / 2, canvas["bottom"] - 8
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + across, y + down, steps=3)
    mouse.up()


def test_titles_of_groups_stay_in_sight_while_some_of_the_group_is(lab: Lab) -> None:
    view = debugged(lab, RNN)
    canvas = box_of(view.locator(".vg-graph"))
    title = view.locator(".vg-cluster-title").filter(has_text="for x in").first
    group = (title.get_attribute("data-key") or "").removeprefix("frame ")
    frame = view.locator(f'[data-frame="{group}"] .vg-frame')
    path = view.locator(".vg-path")
    expect(path).to_have_count(0)
    pan(view, -230, 0)
    place, around = box_of(title), box_of(frame)
    assert around["x"] < canvas["x"]
    assert place["x"] >= canvas["x"] - 1
    assert place["right"] <= around["right"]
    # Above the screen it is said in the head of the graph: it never comes down among the boxes.
    pan(view, 0, -450)
    place, around = box_of(title), box_of(frame)
    assert around["y"] < canvas["y"] - 20
    assert place["y"] - around["y"] < 22
    expect(path).to_contain_text("for x in")
    picture(lab, "titles-above")
    pan(view, 0, 450)
    expect(path).to_have_count(0)
    inner = [box_of(each) for each in view.locator(".vg-cluster-title").all()]
    assert not any(cover(one, other) for one, other in combinations(inner, 2))
    picture(lab, "titles-at-the-edge")
    # It does there what it did in its place.
    title.locator("rect").click()
    expect(view.locator(".vg-cluster-title").filter(has_text="for x in")).to_have_count(0)


def test_titles_at_the_edge_and_the_map_cover_no_node_while_a_run_is_stepped(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 800})
    notebook, view = opened(lab, TRANSFORMER.replace("layer, 12", "layer, 2"))
    lab.page.evaluate("() => { document.activeElement?.blur() }")
    said = mapped = 0
    for position in range(7, 92, 7):
        notebook.execute("session.step(7)")
        at(view, position)
        # the map is seen for a moment after each move
        lab.page.wait_for_function(
            f"view => ({COVERED})(view).length === 0", arg=view.element_handle()
        )
        floating = view.evaluate(f"view => ({FLOATING})(view).map(e => e.tagName + e.classList)")
        said += view.locator(".vg-path").count()
        mapped += any("vg-minimap" in each for each in floating)
        picture(lab, f"covered-{position}")
    assert said > 3
    assert mapped > 3


def test_names_are_cut_with_a_sign_and_not_within_a_letter(lab: Lab) -> None:
    notebook, view = opened(lab, TRANSFORMER.replace("layer, 12", "layer, 1"))
    notebook.execute("session.step(40)")
    at(view, 40)
    events = part(view, "Events")
    for width in (360, 250, 180):
        resized(view, width)
        part(view, "Events")
        expect(events.locator(".vg-event")).to_have_count(40)
        assert root(view).evaluate(CUT_WORDS) == []
        picture(lab, f"events-{width}")


def test_heads_are_one_line_and_the_slider_can_be_held(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 900})
    _, output = opened(lab)
    press(output, "Step")
    at(output, 1)
    output.locator("[data-node-id]").nth(3).click()
    press(output, "Colour by gradient")
    for font in ("", "DejaVu Sans"):
        with written_in(lab, font):
            for width in (1150, 1070, 934, 780, 600, 480, 358):
                _one_line(resized(output, width), width)
                _whole_and_uncovered(output)
                picture(lab, f"heads-{width}-{font or 'usual'}".replace(" ", "-"))


def _one_line(view: Locator, width: int) -> None:
    expect(view.get_by_text("Selected:")).to_be_attached()
    view.page.wait_for_function(  # what is beside it is drawn anew first, where it became narrow
        "view => view.querySelector('.vg-pinned .vg-middle')?.getBoundingClientRect().width > 60",
        arg=view.element_handle(),
    )
    # The Inspector is beside the graph, or the first of the tabs.
    expect(view.get_by_role("tab")).to_have_count(8 if width >= 900 else 9)
    assert view.evaluate(CROOKED) == []
    slider, toolbar = box_of(view.locator(".vg-scrubber")), box_of(view.locator(".vg-toolbar"))
    assert slider["width"] >= 100
    assert toolbar["height"] <= (100 if width < 480 else 66)


#: What is cut of these, and tabs that lie out of sight.
CUT = """view => [...view.querySelectorAll('.vg-stops > .vg-link, .vg-branch-ask, .vg-tabs')].filter(
  e => e.scrollWidth > e.clientWidth + 1 || e.closest('.vg-region-body')?.scrollWidth >
    e.closest('.vg-region-body')?.clientWidth
).map(e => e.textContent)"""


def _whole_and_uncovered(view: Locator) -> None:
    assert root(view).evaluate(CUT) == []
    legend = view.get_by_role("note", name="Colours: norm of the gradient")
    assert not cover(box_of(legend), box_of(view.locator(".vg-canvas")))


def test_numbers_of_five_digits_cover_nothing_in_the_toolbar(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 900})
    notebook, output = opened(lab, CHAIN.format(12_000))
    notebook.execute("session.step(10_234)")
    at(output, 10_234)
    for width in (1150, 934, 600, 358):
        view = resized(output, width)
        position = view.locator(".vg-position")
        expect(position).to_have_text("10,234 of 12,002 done")
        parts = view.locator(".vg-toolbar button, .vg-position, .vg-status, .vg-scrubber")
        boxes = parts.evaluate_all(BOXES)
        assert not any(cover(one, other) for one, other in combinations(boxes, 2))
        toolbar = box_of(view.locator(".vg-toolbar"))
        assert all(toolbar["x"] <= box["x"] and box["right"] <= toolbar["right"] for box in boxes)
        assert position.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
        picture(lab, f"five-digits-{width}")


def test_what_is_written_on_pins_and_boxes_stays_inside(lab: Lab) -> None:
    with written_in(lab, "DejaVu Sans"):
        notebook, view = opened(lab, PINS)
        _stays_inside(lab, view, "DejaVu")
    with written_in(lab, "Liberation Sans"):
        notebook.run()
        _stays_inside(lab, notebook.output(0), "Liberation")


def _stays_inside(lab: Lab, view: Locator, name: str) -> None:
    at(view, 0)
    for position in range(1, 8):
        press(view, "Step")
        at(view, position)
    press(view, "Expand one level")
    expect(root(view)).to_have_attribute("data-layout", "done")
    expect(view.locator(".vg-leaf").first).to_be_attached()
    for _ in range(4):
        assert root(view).evaluate(OUTSIDE) == []
        press(view, "Zoom out")
    press(view, "Zoom to fit")
    picture(lab, f"pins-{name}")


GLU = """
import vizgrad as vg
loss = vg.nn.functional.glu(vg.ones(2, requires_grad=True))
"""


def test_a_long_derivative_is_broken_and_not_scrolled(lab: Lab) -> None:
    opened(lab, GLU)
    panel = opened_panel(lab, 260)
    at(panel, 0)
    panel.get_by_role("tab", name="Inspector").click()
    formula = panel.get_by_role("math").first
    said = "∂L/∂x = cat(g * sigmoid(b), g * a * (1 - sigmoid(b)) * sigmoid(b))"
    expect(formula).to_have_attribute("aria-label", re.compile(re.escape(said)))
    expect(formula.locator(".vg-maths-line")).to_have_count(1)
    assert formula.evaluate("e => e.scrollWidth <= e.clientWidth")
    lines = formula.locator("math").evaluate_all(
        "all => new Set(all.map(e => Math.round(e.getBoundingClientRect().bottom / 8))).size"
    )
    assert lines >= 2
    formula.scroll_into_view_if_needed()
    picture(lab, "formula-broken")


def test_code_in_an_error_is_drawn_as_code(lab: Lab) -> None:
    _, view = opened(lab, STALE)
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "failed")
    banner = view.get_by_role("alert")
    expect(banner).to_contain_text("saved self for its backward")
    expect(banner).not_to_contain_text("`")
    assert "self" in banner.locator("code").all_inner_texts()
    assert "x = x + y" in banner.locator("code").all_inner_texts()
    picture(lab, "error-with-code")
