"""Breakpoints beside lines outlive their session, with all that was set of them."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_code import LOSS, MODEL, RUN, SETUP, breakpoint_, cell
from tests.ui.test_following import at
from tests.ui.test_tour import press

TOLD = """
for b in session.breakpoints:
    print(b.place.line, b.condition or '-', b.hits, b.log or '-', b.enabled, sep='; ')
"""


def _add(region: Locator, where: str, condition: str, hits: str, log: str) -> None:
    region.get_by_label("Where to pause").fill(where)
    region.get_by_label("Condition").fill(condition)
    region.get_by_label("Hit count").fill(hits)
    region.get_by_label("Log message").fill(log)
    region.get_by_role("button", name="Add", exact=True).click()


def _again(lab: Lab, notebook: Notebook) -> Locator:
    """The cell that debugs is run again."""
    lab.call(RUN, notebook.panel, 2)
    view = notebook.output(2)
    at(view, 0)
    return view


def test_condition_hits_message_and_what_is_off_are_kept(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1100})
    notebook = lab.open_notebook(f"{SETUP}\nlimit = 1", MODEL, LOSS)
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    region = part(view, "Breakpoints")
    rows = region.locator("[data-breakpoint]")
    region.get_by_role("button", name="New breakpoint").click()
    region.get_by_label("Kind of breakpoint").select_option("Line")
    _add(region, "In [2]:3", "limit > 0", "2", "")
    expect(rows).to_have_count(1)
    _add(region, "In [2]:4", "", "", "norm {grad.norm():.3g}")
    expect(rows).to_have_count(2)
    _add(region, "In [3]:4", "", "", "")
    expect(rows).to_have_count(3)
    off = region.get_by_label("Pause at line 4 of In [3]")
    off.click()
    expect(off).not_to_be_checked()
    before = notebook.execute(TOLD)
    assert before.splitlines() == [
        "3; limit > 0; 2; -; True",
        "4; -; 0; norm {grad.norm():.3g}; True",
        "4; -; 0; -; False",
    ]
    view = _again(lab, notebook)
    rows = part(view, "Breakpoints").locator("[data-breakpoint]")
    expect(rows).to_have_count(3)
    assert sorted(notebook.execute(TOLD).splitlines()) == sorted(before.splitlines())
    listed = part(view, "Breakpoints").get_by_role("list", name="Breakpoints set")
    expect(listed).to_contain_text("if limit > 0")
    expect(listed).to_contain_text("logs norm {grad.norm():.3g}")
    expect(listed.get_by_label("Pause at line 4 of In ")).not_to_be_checked()
    picture(lab, "kept")
    press(view, "Continue")
    at(view, 5)  # the second time that the run arrives at the line
    expect(view.get_by_role("tab", name="Events, 1 logged")).to_be_visible()
    _a_condition_that_is_refused_is_said_and_kept(lab, notebook)


def _a_condition_that_is_refused_is_said_and_kept(lab: Lab, notebook: Notebook) -> None:
    notebook.execute("del limit")
    view = _again(lab, notebook)
    toast = lab.page.locator(".Toastify__toast")
    expect(toast).to_contain_text("Kept breakpoint, line 3 of In [2]: the condition 'limit > 0'")
    expect(toast).to_contain_text("there is no 'limit' here")
    row = part(view, "Breakpoints").locator("[data-breakpoint]", has_text="if limit > 0")
    expect(row).to_contain_text("there is no 'limit' here")
    control = breakpoint_(cell(notebook, 1), 3)
    expect(control).to_have_attribute("aria-pressed", "false")
    picture(lab, "kept-refused")
    press(view, "Continue")
    expect(view.locator(".vg-status")).to_have_text("finished")
    # In a session that has the name again it stops, and its hits are counted anew.
    notebook.execute("limit = 2")
    view = _again(lab, notebook)
    expect(control).to_have_attribute("aria-pressed", "true")
    press(view, "Continue")
    at(view, 5)
