"""What the run is about stays in sight: in the Teach layout, and where the page scrolls to a line of code."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_rooms import MODEL, SHOW, opened_panel, widened
from tests.ui.test_tour import press, root

#: Lines between what is stepped and its view, so that the page has to be scrolled for the first of them.
FAR = (
    """
import vizgrad as vg
def deep(x):
    for _ in range(3):
        x = (x * 1.1).tanh()
    return x
w = vg.ones(4, requires_grad=True)
"""
    + "#\n" * 12
    + "loss = deep(w).sum()\n"
)

#: All of the box of a node, as far as it is not cut by anything around it.
WHOLE = """node => {
  const box = node?.querySelector('.vg-box');
  if (!box) return false;
  const {left, right, top, bottom} = box.getBoundingClientRect();
  let area = {left: 0, right: innerWidth, top: 0, bottom: innerHeight};
  for (let each = box.closest('.vg-graph'); each !== document.body; each = each.parentElement) {
    if (getComputedStyle(each).overflow === 'visible') continue;
    const room = each.getBoundingClientRect();
    area = {
      left: Math.max(area.left, room.left), right: Math.min(area.right, room.right),
      top: Math.max(area.top, room.top), bottom: Math.min(area.bottom, room.bottom)
    };
  }
  return left >= area.left && right <= area.right && top >= area.top && bottom <= area.bottom;
}"""
#: The same, of the node that is next.
SEEN = f"""view => ({WHOLE})(view.querySelector("[data-state='current']"))"""


def seen(view: Locator) -> None:
    """It is, or comes to be, when what moves has come to rest."""
    handle = root(view).element_handle()
    view.page.wait_for_function(SEEN, arg=handle, timeout=20_000)
    view.page.evaluate("() => new Promise(done => setTimeout(done, 400))")
    view.page.wait_for_function(SEEN, arg=handle, timeout=20_000)


def first_look(lab: Lab, code: str, width: int, height: int) -> tuple[Notebook, Locator]:
    lab.page.set_viewport_size({"width": width, "height": height})
    notebook = lab.open_notebook(code + SHOW)
    lab.execute("application:toggle-left-area")
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    root(view).scroll_into_view_if_needed()
    return notebook, view


def test_the_teach_layout_shows_the_node_that_is_next(lab: Lab) -> None:
    notebook, view = first_look(lab, MODEL, 1280, 720)
    _shows_the_node_that_is_next(lab, view, 720)
    lab.page.set_viewport_size({"width": 1920, "height": 1080})
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    root(view).scroll_into_view_if_needed()
    _shows_the_node_that_is_next(lab, view, 1080)


def _shows_the_node_that_is_next(lab: Lab, view: Locator, height: int) -> None:
    view.locator(".vg-node").first.focus()
    lab.page.keyboard.press("p")
    seen(view)
    picture(lab, f"in-sight-teach-{height}")
    for position in range(1, 9):
        lab.page.keyboard.press("PageDown")
        at(view, position)
        seen(view)
    picture(lab, f"in-sight-teach-{height}-8")
    # Recorded by a module of the library: the line that called the model is marked.
    lab.page.keyboard.press("PageUp")
    at(view, 7)
    expect(lab.page.locator(".vg-current-line")).to_contain_text("next: AddmmBackward0")
    expect(lab.page.locator(".vg-current-line")).to_contain_text("cross_entropy(model(x), y)")
    picture(lab, f"in-sight-teach-{height}-7")
    lab.page.keyboard.press("p")
    seen(view)


def test_a_page_that_is_scrolled_to_the_line_shows_the_node_too(lab: Lab) -> None:
    _, view = first_look(lab, FAR, 1280, 720)
    for position in range(1, 6):
        view.locator(".vg-node").first.press("F10")
        at(view, position)
        seen(view)
    picture(lab, "in-sight-scrolled")


def test_a_panel_that_becomes_narrow_shows_it_still(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    notebook = lab.open_notebook(MODEL + SHOW)
    notebook.run()
    panel = opened_panel(lab, 480)
    for _ in range(4):
        panel.locator(".vg-node").first.press("F10")
    at(panel, 4)
    widened(lab, 320)
    seen(panel)
    picture(lab, "in-sight-narrow")


#: The square root of 0 has an infinite derivative: a run stops after the third of six nodes.
INFINITE = """
import vizgrad as vg
w = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
square = (w * w).clone()
loss = (square.sqrt() * 2).sum()
"""


def test_enlarged_to_200_percent_the_node_of_the_banner_is_seen(lab: Lab) -> None:
    _, view = first_look(lab, INFINITE, 640, 360)
    root(view).evaluate("view => view.scrollIntoView({ block: 'start' })")
    view.get_by_role("button", name="Continue").click()
    expect(view.get_by_role("alert").first).to_contain_text("SqrtBackward0 made")
    made = view.locator(".vg-node").filter(has_text="SqrtBackward0")
    expect(made).to_have_attribute("data-state", "done")
    handle = made.element_handle()
    assert handle is not None
    view.page.wait_for_function(WHOLE, arg=handle, timeout=20_000)
    picture(lab, "in-sight-200-percent")


def test_a_clicker_steps_after_the_button_of_the_teach_layout(lab: Lab) -> None:
    _, view = first_look(lab, MODEL, 1280, 720)
    view.locator(".vg-node").first.focus()
    for on in (True, False):
        press(view, "Teach layout")
        expect(root(view)).to_have_class(re.compile("vg-present") if on else re.compile("vg-root"))
        lab.page.wait_for_function(
            "view => view.contains(document.activeElement)", arg=root(view).element_handle()
        )
        lab.page.keyboard.press("PageDown" if on else "F10")
        at(view, 1 if on else 2)
        seen(view)
        picture(lab, f"in-sight-teach-by-button-{on}")


def test_why_scrolls_to_its_answer(lab: Lab) -> None:
    _, view = first_look(lab, INFINITE, 800, 500)
    root(view).evaluate("view => view.scrollIntoView({ block: 'start' })")
    view.get_by_role("button", name="Continue").click()
    view.get_by_role("alert").first.get_by_role("button", name="Why?").click()
    story = view.locator(".vg-explained p").filter(has_text="The derivative of")
    expect(story).to_contain_text("square.sqrt()")
    expect(story).to_be_in_viewport(ratio=1)
    picture(lab, "in-sight-why")


def test_a_button_that_goes_when_it_is_pressed_leaves_keys_with_the_view(lab: Lab) -> None:
    _, view = first_look(lab, INFINITE, 1280, 720)
    view.get_by_role("button", name="Continue").click()
    at(view, 3)
    view.locator(".vg-node").filter(has_text="SumBackward0").click()
    why = view.get_by_role("region", name="Inspector", exact=True).get_by_role("button", name="Why")
    why.click()
    expect(view.locator(".vg-explained")).to_contain_text("SumBackward0")
    expect(why).to_have_count(0)
    lab.page.keyboard.press("F10")
    at(view, 4)


def test_keys_that_mean_nothing_in_the_view_do_nothing_in_the_notebook(lab: Lab) -> None:
    notebook, view = first_look(lab, MODEL, 1280, 720)
    inside = "view => view.contains(document.activeElement)"
    handle = root(view).element_handle()
    view.locator(".vg-node").first.focus()
    for _ in range(3):  # in each of the first parts
        lab.page.keyboard.press("F6")
        for key in ("ArrowDown", "ArrowUp", "m", "a", "d", "d"):
            lab.page.keyboard.press(key)
            assert lab.page.evaluate(inside, handle)
    assert [cell["cell_type"] for cell in notebook.cells()] == ["code"]
