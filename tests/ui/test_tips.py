"""Each button of the toolbars says its name and its key: to the pointer, and while the keyboard is on it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_rooms import opened
from tests.ui.test_tour import root

BARS = ("Debugger", "Graph view", "View")

#: [name, title, keys] of each button in a toolbar.
BUTTONS = """bar => [...bar.querySelectorAll('button')].map(each => [
  each.getAttribute('aria-label'), each.title, each.getAttribute('aria-keyshortcuts') ?? ''
])"""


def bars(view: Locator) -> list[Locator]:
    return [view.get_by_role("toolbar", name=name, exact=True) for name in BARS]


@pytest.mark.parametrize("width", [1600, 1280])
def test_each_button_has_a_title_with_its_name_and_its_key(lab: Lab, width: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": 720})
    _, view = opened(lab)
    found = [tuple(each) for bar in bars(view) for each in bar.evaluate(BUTTONS)]
    assert len(found) >= 15
    for name, title, keys in found:
        assert title.startswith(name), (name, title)
        assert len(title) > len(name) + 5, (name, title)
        if keys:
            key = keys.replace("Shift+", "Shift ").split()
            assert title.endswith(")"), title
            assert all(part in title.rpartition("(")[2] for part in key), title
    with_keys = [name for name, _, keys in found if keys]
    assert {"Step", "Step back", "Continue", "Zoom to fit"} <= set(with_keys)


def test_the_keyboard_shows_the_title_of_each_button_and_cuts_none(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    _, view = opened(lab)
    root(view).scroll_into_view_if_needed()
    tip = view.locator(".vg-tip")
    bars(view)[0].get_by_role("button").first.focus()
    lab.page.keyboard.press("Shift+Tab")  # only what the keyboard comes to shows it
    lab.page.keyboard.press("Tab")
    seen = set[str]()
    for _ in range(60):
        button = lab.page.evaluate_handle("document.activeElement")
        name, title = button.evaluate("e => [e.getAttribute('aria-label') ?? '', e.title]")
        bar = button.evaluate("e => e.closest('[role=toolbar]')?.getAttribute('aria-label') ?? ''")
        if bar in BARS:
            expect(tip).to_have_text(title)
            box, room = tip.bounding_box(), root(view).bounding_box()
            assert box is not None
            assert room is not None
            assert room["x"] <= box["x"]
            assert box["x"] + box["width"] <= room["x"] + room["width"]
            assert box["y"] + box["height"] <= room["y"] + room["height"]
            seen.add(name)
            if name in ("Stop at NaN", "Colour by gradient", "Help", "Pause on NaN or Inf"):
                picture(lab, "tip-" + re.sub(r"\W+", "-", name.lower()))
        if seen and bar == "" and button.evaluate("e => e.closest('.vg-root') === null"):
            break
        lab.page.keyboard.press("Tab")
    wanted = {name for bar in bars(view) for name, *_ in bar.evaluate(BUTTONS)}
    assert seen == wanted
    # A key that is pressed, or the pointer, takes it away.
    bars(view)[0].get_by_role("button").first.focus()
    lab.page.keyboard.press("Tab")
    expect(tip).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
