"""Two branches compared: the colours are calm, and what is written on them can be read in each theme."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_access import CONTRAST, LIGHT_OF
from tests.ui.test_following import at
from tests.ui.test_rooms import opened
from tests.ui.test_tour import press, root
from tests.ui.themes import DARK, HIGH_CONTRAST, LIGHT, themed

#: Titles of groups with their contrast to the frames that they stand in, which lie over each other.
TITLES = (
    "view => {"
    + LIGHT_OF
    + """
  const page = getComputedStyle(view.querySelector('.vg-root')).backgroundColor;
  const frames = [...view.querySelectorAll('.vg-cluster .vg-frame')];
  const titles = [...view.querySelectorAll(':is(.vg-cluster-title, .vg-far-titles) text')];
  return titles.filter(each => each.textContent).map(title => {
    const { left, top, width, height } = title.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const around = frames.filter(frame => {
      const box = frame.getBoundingClientRect();
      return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    }).map(frame => getComputedStyle(frame).fill);
    const below = light([page, ...around]);
    const own = light([page, ...around, getComputedStyle(title).fill]);
    const ratio = (Math.max(own, below) + 0.05) / (Math.min(own, below) + 0.05);
    return [title.textContent, Math.round(ratio * 100) / 100];
  });
}"""
)


def with_comparison(lab: Lab) -> Locator:
    """The view of a session in which a branch is compared with the original, where both have ended."""
    notebook, view = opened(lab)
    notebook.execute("session.step(2); session.set_grad(session.node, 'g * 1.5')")
    notebook.execute("session.continue_(); session.switch('original'); session.continue_()")
    at(view, 11)
    part(view, "Branches")
    press(view, "Compare branch 1 with original")
    expect(view.get_by_role("note", name="Colours: difference")).to_be_visible()
    return view


def compared(lab: Lab) -> Locator:
    """The same, with the list of branches closed."""
    view = with_comparison(lab)
    press(view, "Close Branches")
    root(view).scroll_into_view_if_needed()
    return view


@pytest.mark.parametrize("theme", [LIGHT, DARK, HIGH_CONTRAST])
def test_what_is_written_on_differences_can_be_read(lab: Lab, theme: str) -> None:
    with themed(lab, theme):
        view = compared(lab)
        found = dict[str, list[tuple[str, float]]]()
        press(view, "Zoom to fit")
        for detail, by in (("full", "Zoom in"), ("name", "Zoom out")):
            _zoom(lab, view, by, detail)
            found[f"boxes, {detail}"] = view.evaluate(CONTRAST)
            found[f"titles, {detail}"] = view.evaluate(TITLES)
            # No halo: the fill of its box is behind a name, and nothing else.
            names = view.locator("[data-differs] .vg-name")
            halos = names.evaluate_all("all => all.map(each => getComputedStyle(each).stroke)")
            assert set(halos) == {"none"}
            picture(lab, f"compared-{detail}-{theme.replace(' ', '-').lower()}")
        assert all(found.values()), found
        low = {where: [each for each in texts if each[1] < 4.5] for where, texts in found.items()}
        assert {where: texts for where, texts in low.items() if texts} == {}


def _zoom(lab: Lab, view: Locator, by: str, detail: str) -> None:
    """Until nodes are drawn so; at most six times."""
    for _ in range(6):
        lab.page.wait_for_timeout(200)  # the zoom settles
        if f"vg-detail-{detail}" in (view.locator(".vg-canvas").get_attribute("class") or ""):
            return
        press(view, by)
    raise AssertionError(f"no {detail} in sight")


def test_the_head_of_the_graph_cuts_no_words_while_branches_are_compared(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    view = compared(lab)
    pinned = view.locator(".vg-pinned")
    expect(pinned).to_be_visible()
    name, back = pinned.locator(".vg-pinned-name"), pinned.get_by_role("button")
    left, right = name.bounding_box(), back.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    words = name.locator(".vg-pinned-words")
    assert words.evaluate("e => e.getBoundingClientRect().right") <= right["x"]
