"""A window of 1280 x 720 with the file browser open, as many projectors and laptops have it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_rooms import inside, no_wider_than_its_room, opened, region
from tests.ui.test_tour import press, root


def on_a_laptop(lab: Lab) -> Locator:
    """The view of a session that has done a step."""
    lab.page.set_viewport_size({"width": 1280, "height": 720})
    _, view = opened(lab)
    expect(files(lab)).to_be_visible()
    press(view, "Step")
    at(view, 1)
    root(view).scroll_into_view_if_needed()
    return view


def files(lab: Lab) -> Locator:
    return lab.page.get_by_role("region", name="File Browser Section")


def share(part: Locator, view: Locator) -> float:
    """How much of the view a part has."""
    box, room = part.bounding_box(), root(view).bounding_box()
    assert box is not None
    assert room is not None
    return box["width"] * box["height"] / (room["width"] * room["height"])


def test_the_picture_has_half_of_the_view_and_the_inspector_stands_beside_it(lab: Lab) -> None:
    view = on_a_laptop(lab)
    graph, inspector = region(view, "Graph"), region(view, "Inspector")
    assert share(view.locator(".vg-canvas"), view) >= 0.5
    left, right = graph.bounding_box(), inspector.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"] + 1
    assert right["height"] >= 400
    for each in (graph, inspector):
        inside(each, view)
        expect(each).to_be_in_viewport(ratio=1)
    no_wider_than_its_room(view)
    cut = ".vg-inspector, .vg-status-word, .vg-tab, .vg-labelled"
    for each in view.locator(cut).all():
        assert each.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    picture(lab, "laptop")
    view.get_by_role("tab", name=re.compile("^Engine")).click()
    for name in ("Graph", "Inspector", "Engine"):
        inside(region(view, name), view)
    picture(lab, "laptop-engine")


def test_a_teacher_sees_graph_engine_and_saved_at_once(lab: Lab) -> None:
    view = on_a_laptop(lab)
    small = root(view).bounding_box()
    view.get_by_role("button", name="Teach layout").click()
    expect(root(view)).to_have_class(re.compile(r"\bvg-present\b"))
    expect(files(lab)).to_be_hidden()
    for name in ("Graph", "Engine", "Saved tensors"):
        inside(region(view, name), view)
        expect(region(view, name)).to_be_in_viewport(ratio=0.99)
    assert share(region(view, "Graph"), view) >= 0.5
    no_wider_than_its_room(view)
    # A state stands in a line with what it is the state of, not in one of its own.
    for each in region(view, "Saved tensors").locator(".vg-saved").all():
        assert each.evaluate("e => e.offsetHeight") < 50
    picture(lab, "laptop-teach")
    view.get_by_role("button", name="Teach layout").click()
    expect(files(lab)).to_be_visible()
    expect(region(view, "Engine")).to_have_count(0)
    after = root(view).bounding_box()
    assert small is not None
    assert after is not None
    assert after["width"] == pytest.approx(small["width"], abs=1)


def test_files_that_were_opened_while_it_was_taught_stay_open(lab: Lab) -> None:
    view = on_a_laptop(lab)
    view.get_by_role("button", name="Teach layout").click()
    expect(files(lab)).to_be_hidden()
    lab.execute("application:toggle-left-area")
    expect(files(lab)).to_be_visible()
    for name in ("Graph", "Engine"):
        inside(region(view, name), view)
    no_wider_than_its_room(view)
    picture(lab, "laptop-teach-with-files")
    view.get_by_role("button", name="Teach layout").click()
    expect(root(view)).not_to_have_class(re.compile(r"\bvg-present\b"))
    expect(files(lab)).to_be_visible()
