"""Breakpoints that log: set in the view, written below the visits in Events, and printed for code."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_watch_list import MODEL


def test_a_message_is_written_and_the_run_goes_on(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1100})
    notebook = lab.open_notebook(MODEL, "session = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    expect(view.locator("[data-revision]")).to_have_attribute("data-layout", "done")
    region = part(view, "Breakpoints")
    region.get_by_role("button", name="New breakpoint").click()
    region.get_by_role("textbox", name="Where to pause").fill("Addmm*")
    message = region.get_by_role("textbox", name="Log message")
    message.fill("norm {grad.norm:.3g")
    message.press("Enter")
    expect(region.get_by_role("alert")).to_contain_text("a brace without its partner")
    message.fill("norm {grad.norm:.3g} of {name}")
    message.press("Enter")
    expect(region.get_by_role("checkbox", name="Log at Addmm*")).to_be_checked()
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(view.locator("[data-revision]")).to_have_attribute("data-status", "finished")
    expect(view.get_by_role("tab", name="Events, 2 logged")).to_be_visible()
    events = part(view, "Events")
    lines = events.locator("[data-logged]")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("of AddmmBackward0")
    picture(lab, "logpoints")
    lines.first.click()
    inspector = view.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text("AddmmBackward0")
    # Moved by code it is printed there.
    said = notebook.execute("session.restart(); _ = session.continue_()")
    assert said.count("AddmmBackward0: norm ") == 2


def test_each_message_stands_below_its_step_and_all_can_be_cleared(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1100})
    notebook = lab.open_notebook(MODEL, "session = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    expect(view.locator("[data-revision]")).to_have_attribute("data-layout", "done")
    notebook.execute("_ = session.break_at('*', log='{name} gets {grad.norm:.3g}')")
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(view.locator("[data-revision]")).to_have_attribute("data-status", "finished")
    events = part(view, "Events")
    steps = notebook.execute("print(*(line.step for line in session.logged))").split()
    lines = events.locator("[data-logged]")
    expect(lines).to_have_count(len(steps))
    expect(events).to_contain_text(f"{len(steps)} messages, oldest first")
    rows = [row.inner_text() for row in events.locator("li").all()]
    for step in steps:
        above, own = next(
            (rows[at - 1], row) for at, row in enumerate(rows) if row.startswith(f"#{step} ")
        )
        assert above.split()[0] == step
        assert above.split()[1] in own or "AccumulateGrad" in own  # a leaf has its own name there
    picture(lab, "log")
    events.get_by_role("button", name="Messages only").click()
    expect(events.locator("[data-event]")).to_have_count(0)
    said = [line.inner_text() for line in lines.all()]
    assert [text.split()[0] for text in said] == [f"#{step}" for step in steps]
    picture(lab, "log-messages-only")
    events.get_by_role("button", name="Clear messages").click()
    expect(lines).to_have_count(0)
    expect(view.get_by_role("tab", name="Events", exact=True)).to_be_visible()
    expect(events.locator("[data-event]").first).to_be_visible()
    assert notebook.execute("print(session.logged)") == "()\n"
