"""The view in every room: narrow, beside a notebook, in a tab, in a window, on a projector, under fingers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press, root
from tests.ui.themes import DARK, themed

MODEL = """
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
x, y = vg.randn(5, 4), vg.tensor([0, 1, 2, 0, 1])
loss = nn.functional.cross_entropy(model(x), y)
"""
SHOW = "session = vg.debug(loss)"
PARTS = (
    "Inspector",
    "Saved tensors",
    "Engine",
    "Versions",
    "Memory",
    "Events",
    "Branches",
    "Breakpoints",
    "Watch",
)


def opened(lab: Lab, code: str = MODEL) -> tuple[Notebook, Locator]:
    """A notebook with a session, and its view, drawn."""
    notebook = lab.open_notebook(code + SHOW)
    notebook.run()
    view = notebook.output(0)
    expect(root(view)).to_have_attribute("data-layout", "done")
    return notebook, view


def opened_panel(lab: Lab, width: int = 400) -> Locator:
    """The side panel, so wide."""
    lab.execute("vizgrad:open-panel")
    panel = lab.page.locator("#vizgrad-panel")
    expect(root(panel)).to_have_attribute("data-layout", "done")
    now = panel.bounding_box()
    assert now is not None
    widened(lab, width)
    return panel


def widened(lab: Lab, width: int) -> None:
    """The right side of JupyterLab is so wide."""
    lab.call(
        """(app, width) => {
          const split = app.shell._hsplitPanel;
          const all = split.node.getBoundingClientRect().width;
          split.setRelativeSizes([0, (all - width) / all, width / all]);
        }""",
        width,
    )


def region(view: Locator, name: str) -> Locator:
    return view.get_by_role("region", name=name, exact=True)


def inside(part: Locator, view: Locator) -> None:
    """All of the part lies within the view, and enough of it to be read."""
    box, room = part.bounding_box(), root(view).bounding_box()
    assert box is not None
    assert room is not None
    assert box["width"] >= 120
    assert box["height"] >= 100
    assert room["x"] - 1 <= box["x"]
    assert box["x"] + box["width"] <= room["x"] + room["width"] + 1
    assert room["y"] - 1 <= box["y"]
    assert box["y"] + box["height"] <= room["y"] + room["height"] + 1


def no_wider_than_its_room(view: Locator) -> None:
    assert root(view).evaluate("e => e.scrollWidth - e.clientWidth") <= 0


def test_the_graph_has_half_of_the_view_and_all_else_a_tab(lab: Lab) -> None:
    notebook, view = opened(lab)
    lab.execute("application:toggle-left-area")
    for position, width in ((1, 1500), (3, 880), (5, 600)):
        # The output is narrower than the page by what the notebook keeps for itself.
        lab.page.set_viewport_size({"width": width + 160, "height": 1000})
        press(view, "Step")
        at(view, position)
        _seen_together(view, width)
        # What is said above the parts leaves the graph its height.
        graph = region(view, "Graph").bounding_box()
        notebook.execute(f"session.break_at(when='position == {position}'); session.continue_()")
        expect(view.locator(".vg-banner")).to_contain_text("Stopped")
        at(view, position + 1)
        after = region(view, "Graph").bounding_box()
        assert graph is not None
        assert after is not None
        assert after["height"] == pytest.approx(graph["height"], abs=1)
        view.get_by_role("button", name="Zoom to fit").click()
        picture(root(view), f"width-{width}")


def _seen_together(view: Locator, width: int) -> None:
    root(view).scroll_into_view_if_needed()
    room = root(view).bounding_box()
    assert room is not None
    assert abs(room["width"] - width) < 90
    for name in ("Graph", "Inspector"):
        inside(region(view, name), view)
    no_wider_than_its_room(view)
    graph = region(view, "Graph").bounding_box()
    assert graph is not None
    assert graph["width"] * graph["height"] >= room["width"] * room["height"] / 2
    tabs = [
        re.sub(",.*", "", t.get_attribute("aria-label") or "")
        for t in view.get_by_role("tab").all()
    ]
    assert tabs == list(PARTS[1:] if width >= 900 else PARTS)
    for name in tabs:
        view.get_by_role("tab", name=re.compile(f"^{name}")).click()
        inside(region(view, name), view)
        inside(region(view, "Graph"), view)
    if width >= 900:  # and closed again
        inside(region(view, "Inspector"), view)
        view.get_by_role("tab", name=re.compile(f"^{name}")).click()
        expect(region(view, name)).to_have_count(0)
    else:
        view.get_by_role("tab", name="Inspector").click()


def test_to_teach_all_is_larger_and_the_engine_stands_beside_the_graph(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.execute("application:toggle-left-area")
    notebook, view = opened(lab)
    press(view, "Step")
    at(view, 1)
    code = notebook.editor(0).locator(".cm-line").first
    parts = [region(view, "Graph").locator("h3"), view.locator("[data-node-id]").first, code]
    before = [each.bounding_box() for each in parts]
    view.get_by_role("button", name="Teach layout").click()
    expect(root(view)).to_have_class(re.compile(r"\bvg-present\b"))
    lab.page.wait_for_timeout(200)  # The picture has its own zoom, which settles.
    for small, each in zip(before, parts, strict=True):
        large = each.bounding_box()
        assert small is not None
        assert large is not None
        assert large["height"] > 1.3 * small["height"]
    root(view).scroll_into_view_if_needed()
    for name in ("Graph", "Engine", "Saved tensors"):
        inside(region(view, name), view)
    no_wider_than_its_room(view)
    # A clicker.
    view.get_by_role("button", name="Step", exact=True).focus()
    for key, position in (("PageDown", 2), ("PageDown", 3), ("PageUp", 2)):
        lab.page.keyboard.press(key)
        at(view, position)
    picture(lab, "teach")
    view.get_by_role("button", name="Teach layout").click()
    expect(root(view)).not_to_have_class(re.compile(r"\bvg-present\b"))
    expect(region(view, "Engine")).to_have_count(0)
    lab.page.wait_for_timeout(200)
    after = code.bounding_box()
    assert after is not None
    assert before[2] is not None
    assert after["height"] == pytest.approx(before[2]["height"], abs=1)


def test_beside_the_file_browser_the_graph_has_half_of_what_is_taught_with(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    notebook, view = opened(lab)
    expect(lab.page.get_by_role("region", name="File Browser Section")).to_be_visible()
    words = view.locator(".vg-toolbar .vg-labelled")
    expect(words).to_have_text(["Continue", "Step", "Step back"])
    press(view, "Step")
    at(view, 1)
    view.get_by_role("button", name="Teach layout").click()
    expect(root(view)).to_have_class(re.compile(r"\bvg-present\b"))
    root(view).scroll_into_view_if_needed()
    graph, room = region(view, "Graph").bounding_box(), root(view).bounding_box()
    assert graph is not None
    assert room is not None
    assert graph["height"] >= room["height"] / 2
    assert {"Step", "Step back"} <= set(words.all_inner_texts())
    for name in ("Graph", "Engine"):
        inside(region(view, name), view)
    no_wider_than_its_room(view)
    picture(lab, "teach-beside-files")
    _menus_lie_within_the_view(lab, view)
    notebook.run()  # a view that is drawn with the layout from the first
    view = notebook.output(0)
    expect(root(view)).to_have_attribute("data-layout", "done")
    _is_drawn_larger(view)
    picture(lab, "teach-from-the-first")
    for _ in range(2):
        lab.execute("application:toggle-left-area")
        _is_drawn_larger(view)
    picture(lab, "teach-after-toggling-files")


def _is_drawn_larger(view: Locator) -> None:
    """Names of nodes have type that is 1.4 times as large as what can be read at a desk: a zoom of 1.06."""
    world = view.locator(".vg-canvas > g").first
    expect(world).to_have_attribute("transform", re.compile(r"scale\((1\.(0[6-9]|[1-9])|[2-9])"))


def _menus_lie_within_the_view(lab: Lab, view: Locator) -> None:
    for name, item, width in (("More", "Save the trace", 1280), ("More parts", "Watch", 790)):
        lab.page.set_viewport_size({"width": width, "height": 720})
        button = view.get_by_role("button", name=name, exact=True)
        button.click()
        menu = view.get_by_role("menu", name=name, exact=True)
        inside(menu, view)
        assert menu.get_by_text(item, exact=True).evaluate("e => e.scrollWidth <= e.clientWidth")
        picture(lab, f"teach-beside-files-{name.replace(' ', '-').lower()}")
        lab.page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
    lab.page.set_viewport_size({"width": 1280, "height": 720})


#: The lower edges of the pieces of text in a line, from left to right.
BOTTOMS = """line => {
  const texts = line.ownerDocument.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const bottoms = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const range = line.ownerDocument.createRange();
    range.selectNode(text);
    const { bottom, width } = range.getBoundingClientRect();
    if (text.data.trim() && width > 0) bottoms.push(bottom);
  }
  return bottoms;
}"""


def test_the_words_of_a_line_have_one_baseline(lab: Lab) -> None:
    _, view = opened(lab)
    view.locator("[data-node-id]").filter(has_text="2.bias").first.click()
    line = view.locator(".vg-leaf-lines li").first
    expect(line).to_contain_text("AddmmBackward0")
    bottoms = line.evaluate(BOTTOMS)
    assert len(bottoms) >= 2
    assert max(bottoms) - min(bottoms) <= 1


def test_in_the_side_panel(lab: Lab) -> None:
    opened(lab)
    panel = _opens_wide_enough_to_be_read(lab)
    widened(lab, 400)
    _has_one_tab_below_the_graph(lab, panel)
    widened(lab, 250)
    _has_one_row_of_tabs_and_cuts_nothing(lab, panel)


def _opens_wide_enough_to_be_read(lab: Lab) -> Locator:
    lab.execute("vizgrad:open-panel")
    panel = lab.page.locator("#vizgrad-panel")
    expect(root(panel)).to_have_attribute("data-layout", "done")
    box = panel.bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(480, abs=12)
    toolbar = panel.locator(".vg-toolbar").bounding_box()
    assert toolbar is not None
    assert toolbar["height"] < 40
    status = panel.locator(".vg-status-word")
    assert status.evaluate("e => e.scrollWidth <= e.clientWidth")
    # What has no room in the row is in its menu.
    panel.get_by_role("button", name="More", exact=True).click()
    for name in ("Restart", "Add breakpoint", "Teach layout", "Help"):
        expect(panel.get_by_role("menuitem", name=name)).to_be_visible()
    picture(lab, "panel-480")
    lab.page.keyboard.press("Escape")
    return panel


def _has_one_tab_below_the_graph(lab: Lab, panel: Locator) -> None:
    press(panel, "Step")
    at(panel, 1)
    press(panel, "Zoom to fit")
    inside(region(panel, "Graph"), panel)
    inside(region(panel, "Inspector"), panel)
    no_wider_than_its_room(panel)
    picture(lab.page, "panel")
    # The tabs are one stop of the keyboard, and arrows go along them.
    panel.get_by_role("tab", name="Inspector").focus()
    for name in PARTS[1:]:
        lab.page.keyboard.press("ArrowRight")
        expect(panel.get_by_role("tab", name=re.compile(f"^{name}"))).to_be_focused()
        inside(region(panel, name), panel)
        inside(region(panel, "Graph"), panel)
    panel.get_by_role("tab", name="Engine").click()
    panel.locator("[data-node-id]").nth(2).click()  # Who chooses a node reads about it.
    inside(region(panel, "Inspector"), panel)
    picture(root(panel), "panel-inspector")


def _has_one_row_of_tabs_and_cuts_nothing(lab: Lab, panel: Locator) -> None:
    press(panel, "Step")
    at(panel, 2)
    no_wider_than_its_room(panel)
    inside_across(panel.locator(".vg-status"), panel)
    expect(panel.locator(".vg-status-word")).to_have_text("paused")
    for width in (400, 250):
        widened(lab, width)
        row = panel.locator(".vg-tabs-row")
        expect(panel.get_by_role("button", name="More parts")).to_be_visible()
        assert row.evaluate("e => e.getBoundingClientRect().height") < 40
        for name in ("Watch", "Inspector"):
            panel.get_by_role("button", name="More parts").click()
            panel.get_by_role("menuitemradio", name=name).click()
            # Its tab has come into the row.
            inside_across(panel.get_by_role("tab", name=name), panel)
            expect(panel.get_by_role("tab", name=name)).to_be_in_viewport(ratio=0.9)
            expect(panel.get_by_role("tab", selected=True)).to_have_text(name)
            expect(region(panel, name)).to_be_visible()
            picture(panel, f"panel-{width}-{name}")


def inside_across(part: Locator, view: Locator) -> None:
    """No part of it is cut at the left or the right."""
    box, room = part.bounding_box(), root(view).bounding_box()
    assert box is not None
    assert room is not None
    assert room["x"] - 1 <= box["x"]
    assert box["x"] + box["width"] <= room["x"] + room["width"] + 1


def test_over_the_output_in_a_tab_and_in_a_window(lab: Lab) -> None:
    notebook, view = opened(lab)
    _help_lies_over_the_view_and_escape_closes_it(lab, view)
    _a_tab_shows_the_session_of_the_widget_it_came_from(lab, notebook, view)
    again = _the_layout_is_remembered(notebook, view)
    _a_window_follows_and_is_closed(lab, notebook, again)


def _help_lies_over_the_view_and_escape_closes_it(lab: Lab, view: Locator) -> None:
    view.get_by_role("button", name="Help").click()
    dialog = view.get_by_role("dialog")
    box, room = dialog.bounding_box(), root(view).bounding_box()
    assert box is not None
    assert room is not None
    assert box["width"] > 0.8 * room["width"]
    picture(root(view), "help")
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(view.get_by_role("button", name="Help")).to_be_focused()
    view.locator("[data-node-id]").nth(1).click(button="right")
    expect(view.get_by_role("menuitem", name="Run to here")).to_be_visible()
    picture(root(view), "menu")
    lab.page.keyboard.press("Escape")
    expect(view.get_by_role("menu")).to_have_count(0)
    # Neither key went to JupyterLab: the cell is not in command mode, no cell was made.
    assert len(view.page.locator(".jp-Notebook .jp-Cell").all()) == 1


def _a_tab_shows_the_session_of_the_widget_it_came_from(
    lab: Lab, notebook: Notebook, view: Locator
) -> None:
    press(view, "Step")
    at(view, 1)
    view.get_by_role("button", name="Open in a tab").click()
    tab = lab.page.locator(".vg-panel[id^=vizgrad-tab]")
    expect(root(tab)).to_have_attribute("data-layout", "done")
    at(tab, 1)
    press(tab, "Step")
    at(view, 2)
    notebook.execute("session.step()")
    at(tab, 3)
    inside(region(tab, "Inspector"), tab)
    expect(tab.get_by_role("button", name="Open in a tab")).to_have_count(0)
    picture(lab.page, "tab")
    lab.execute("application:close")
    expect(tab).to_have_count(0)


def _the_layout_is_remembered(notebook: Notebook, view: Locator) -> Locator:
    """Gives the view of another session."""
    view.get_by_role("tab", name="Engine").click()
    inside(region(view, "Engine"), view)
    notebook.run()  # another view, of another session
    again = notebook.output(0)
    expect(root(again)).to_have_attribute("data-layout", "done")
    inside(region(again, "Engine"), again)
    again.get_by_role("button", name="Close Engine").click()
    expect(region(again, "Engine")).to_have_count(0)
    return again


def _a_window_follows_and_is_closed(lab: Lab, notebook: Notebook, view: Locator) -> None:
    with lab.page.context.expect_page() as opening:
        view.get_by_role("button", name="Open in a window").click()
    other = opening.value
    there = other.locator("main")
    expect(root(there)).to_have_attribute("data-layout", "done")
    expect(root(there)).to_be_focused()  # A clicker steps there without a click.
    other.keyboard.press("F10")
    at(view, 1)
    at(there, 1)
    notebook.execute("session.step()")
    at(there, 2)
    # What is drawn has the size of the window, also when that changes.
    for width, class_ in ((1180, "vg-wide"), (700, "vg-medium")):
        other.set_viewport_size({"width": width, "height": 780})
        expect(root(there)).to_have_class(re.compile(rf"\b{class_}\b"))
    other.set_viewport_size({"width": 1180, "height": 780})
    # Keys and clicks in the graph work there as here.
    node = there.locator("[data-node-id]").nth(3)
    node.click()
    expect(node).to_have_attribute("aria-selected", "true")
    other.keyboard.press("b")
    expect(node).to_have_attribute("data-breakpoint", "on")
    node.click(button="right")
    expect(there.get_by_role("menuitem", name="Remove breakpoint")).to_be_visible()
    picture(other, "window")
    other.keyboard.press("Escape")
    same = "e => getComputedStyle(e).backgroundColor"
    assert root(there).evaluate(same) == root(view).evaluate(same)
    with themed(lab, DARK):
        expect(root(there)).to_have_css("background-color", root(view).evaluate(same))
        picture(other, "window-dark")
    other.close()
    notebook.execute("session.step()")
    at(view, 3)


def test_a_part_that_only_the_teach_layout_has_leaves_no_room_behind(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1400, "height": 900})
    notebook, view = opened(lab)
    columns, body = view.locator(".vg-columns"), view.locator(".vg-body")

    def left_below() -> float:
        upper, whole = columns.bounding_box(), body.bounding_box()
        assert upper is not None
        assert whole is not None
        return whole["y"] + whole["height"] - upper["y"] - upper["height"]

    row = left_below()
    view.locator(".vg-node").first.press("p")
    expect(root(view)).to_have_class(re.compile("vg-present"))
    view.get_by_role("tab", name="Inspector").click()
    expect(view.locator(".vg-drawer.vg-open")).to_be_visible()
    assert left_below() > 2 * row
    view.locator(".vg-node").first.press("p")
    expect(root(view)).not_to_have_class(re.compile("vg-present"))
    expect(view.locator(".vg-drawer.vg-open")).to_have_count(0)
    assert abs(left_below() - row) < 2
    picture(lab, "room-after-teach")
    notebook.execute("session.close()")
