"""Why? of a node in the view, and what `why` and `findings` show in an output; in light and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.fixtures.raising_backward import RAISING_BACKWARD
from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_access import COLOURS, STALE, axe, axe_in
from tests.ui.test_following import at
from tests.ui.test_life import run_cell
from tests.ui.test_looks import box_of, resized
from tests.ui.test_rooms import SHOW
from tests.ui.test_tour import press, root
from tests.ui.themes import DARK, LIGHT, themed

NAN = """\
%load_ext vizgrad
import vizgrad as vg

w = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
square = w * w
distance = square.sqrt()
loss = (distance * 2).sum()
session = vg.debug(loss)"""

TOLD = """\
%%vizgrad watch seen
a = vg.tensor([0.0, 1.0], requires_grad=True)
p = a * a
h = p.log()
total = -h.sum()
for _ in range(3):
    (a * a).sum().backward()
    with vg.no_grad():
        a -= 0.1 * a.grad"""


def opened(lab: Lab, *cells: str) -> tuple[Notebook, Locator]:
    notebook = lab.open_notebook(*cells)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    return notebook, view


def test_the_banner_of_a_nan_offers_why_and_so_does_a_leaf(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1000})
    _, view = opened(lab, NAN)
    press(view, "Continue")
    banner = view.get_by_role("alert").first
    expect(banner).to_contain_text("SqrtBackward0 made")
    # The banner asks: the Inspector does not offer the same once more.
    inspector = view.get_by_role("region", name="Inspector", exact=True)
    expect(inspector).to_contain_text("SqrtBackward0")
    expect(inspector.get_by_role("button", name="Why?", exact=True)).to_have_count(0)
    stopped = int(root(view).get_attribute("data-position") or 0)
    banner.get_by_role("button", name="Why?").click()
    why = view.get_by_role("region", name="Why", exact=True)
    expect(why).to_contain_text("NaN or Inf in the backward pass")
    expect(why.locator("[data-blamed=true]")).to_contain_text("distance = square.sqrt()")
    expect(why.locator("ins")).to_have_text("+ distance = square.clamp(min=1e-12).sqrt()")
    change = why.get_by_label("The fix as a changed line")
    # It is read without scrolling where there is less room than the line takes.
    change.evaluate("box => { box.style.width = '220px'; }")
    assert change.evaluate("box => box.scrollWidth <= box.clientWidth")
    cause = view.locator("[data-why=cause]")
    expect(cause).to_have_attribute(
        "aria-label", re.compile("^SqrtBackward0, done.*made inf, the cause$")
    )
    expect(view.locator("[data-why=seen]")).to_have_count(1)
    picture(lab, "why-banner")
    # From anywhere Show me comes to the step where it happened, and its line is marked.
    press(view, "Restart")
    at(view, 0)
    why.get_by_role("button", name="Show me").click()
    at(view, stopped)
    expect(cause).to_have_attribute("aria-selected", "true")
    why.get_by_role("button", name="Close Why").click()
    expect(why).to_have_count(0)
    expect(view.locator("[data-why]")).to_have_count(0)
    _a_leaf_is_asked_by_key_and_menu(lab, view)


def _a_leaf_is_asked_by_key_and_menu(lab: Lab, view: Locator) -> None:
    """The way leads through the graph."""
    press(view, "Pause on NaN")
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "finished")
    leaf = view.locator("[data-node-id][data-kind=leaf]").first
    leaf.click()
    leaf.press("w")
    why = view.get_by_role("region", name="Why", exact=True)
    chain = why.get_by_role("list", name="From the symptom to its cause")
    expect(chain.get_by_role("listitem")).to_have_count(3)
    expect(view.locator("[data-link][data-why]").first).to_be_attached()
    picture(lab, "why-leaf")
    leaf.click(button="right")
    expect(view.get_by_role("menuitem", name="Why?")).to_be_visible()


def test_a_stale_value_is_asked_from_the_palette_and_when_it_has_raised(lab: Lab) -> None:
    """In a narrow view the answer is a tab, which comes to the front, and goes."""
    _, view = opened(lab, STALE + SHOW)
    resized(view, 500)
    view.locator("[data-node-id]").first.click()  # commands are for the view that has the keyboard
    lab.execute("vizgrad:next-problem")
    expect(view.locator("[data-node-id][aria-selected=true]")).to_contain_text("SinBackward0")
    lab.execute("vizgrad:why")
    why = view.get_by_role("tabpanel").get_by_role("region", name="Why")
    expect(why).to_contain_text("Saved value modified in place")
    expect(why.locator("[data-blamed=true]")).to_contain_text("h.detach().mul_(3.0)")
    expect(view.locator("[data-why]")).to_have_attribute(
        "data-why", "seen"
    )  # a line wrote, no node
    assert box_of(view.locator(".vg-tabs-row"))["height"] <= 58  # ten tabs: two rows
    picture(lab, "why-narrow")
    press(view, "Close Why")
    expect(view.get_by_role("tab", name="Why")).to_have_count(0)
    press(view, "Continue")
    view.get_by_role("alert").first.get_by_role("button", name="Why?").click()
    expect(why).to_contain_text("Saved value modified in place")
    expect(why.locator("[data-blamed=true]")).to_contain_text("h.detach().mul_(3.0)")
    picture(lab, "why-failed")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_axe_finds_nothing_in_what_is_explained(lab: Lab, theme: str) -> None:
    rules = () if theme == LIGHT else COLOURS
    name = "light" if theme == LIGHT else "dark"
    with themed(lab, theme):
        lab.page.set_viewport_size({"width": 1600, "height": 1000})
        notebook, view = opened(lab, NAN, TOLD, "vg.why(total)", "seen.findings")
        press(view, "Continue")
        view.get_by_role("alert").first.get_by_role("button", name="Why?").click()
        expect(view.get_by_role("region", name="Why", exact=True)).to_be_visible()
        found = axe(view, *rules)
        picture(lab, f"why-view-{name}")
        for number in (2, 3):
            output = notebook.output(number)
            shown = output.locator(".vizgrad-why")
            expect(shown.locator(".culprit")).to_have_count(1)
            shown.scroll_into_view_if_needed()
            found += axe_in(output, "vizgrad-why", *rules)
            picture(lab, f"why-output-{number}-{name}")
        assert found == []
        changed = notebook.output(2).locator("ins")
        expect(changed).to_have_text("+ h = p.clamp(min=1e-12).log()")


LATE = """\
%%vizgrad watch seen
w = vg.ones(3, requires_grad=True)
for i in range(6):
    loss = (w * 2).sum()
    if i > 2:
        loss = loss + ((w * 0).sqrt() * 0).sum()
    loss.backward()"""


def test_a_finding_makes_the_cell_that_debugs_it(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1000})
    notebook = lab.open_notebook("%load_ext vizgrad\nimport vizgrad as vg", LATE)
    notebook.run()
    shown = notebook.output(1).locator(".vizgrad-why")
    expect(shown).to_contain_text("first in round 4 of for i in range(6), last in round 6")
    shown.get_by_role("button", name="Debug there").click()
    made = notebook.editor(2)
    expect(made).to_contain_text("%%vizgrad debug --at 4")
    expect(made).to_contain_text("loss.backward()")
    expect(made).not_to_contain_text("watch")
    picture(lab, "debug-there")
    run_cell(notebook, 2)
    expect(notebook.output(2)).to_contain_text("Stopped before backward 4 of this cell")


BROKEN = f"""\
%load_ext vizgrad
import vizgrad as vg

{RAISING_BACKWARD.format("vg")}
w = vg.ones(3, requires_grad=True)
loss = Broken.apply(w).sum()
session = vg.debug(loss)"""


def test_the_line_of_a_custom_backward_that_raised_is_marked(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1000})
    notebook, view = opened(lab, BROKEN)
    press(view, "Continue")
    banner = view.get_by_role("alert").first
    expect(banner).to_contain_text("ValueError: mine")
    expect(banner).to_contain_text('line 11: raise ValueError("mine")')
    line = notebook.editor(0).locator(".cm-line.vg-current-line.vg-mark-error")
    expect(line).to_have_count(1)
    expect(line).to_contain_text('raise ValueError("mine")')
    expect(view.locator(".vg-position")).to_have_text("1 of 3 done")
    picture(lab, "raised-in-backward")
