"""What wrote this value: one click goes to the step that did, or shows the line."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.pictures import picture
from tests.ui.test_watch_list import MODEL


def test_a_click_goes_to_the_step_that_sent_the_gradient_or_names_the_line(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 1100})
    notebook = lab.open_notebook(MODEL, "session = vg.debug(loss)")
    notebook.run()
    view = notebook.output(1)
    root = view.locator("[data-revision]")
    expect(root).to_have_attribute("data-layout", "done")
    view.get_by_role("button", name="Continue", exact=True).click()
    expect(root).to_have_attribute("data-status", "finished")
    inspector = view.get_by_role("region", name="Inspector")
    expect(inspector).to_contain_text("net.0.weight")
    arrived = inspector.locator('[data-array="incoming 0"]')
    arrived.get_by_role("button", name="What wrote this?").click()
    # The gradient of the last leaf was sent by the step before.
    expect(root).to_have_attribute("data-position", "10")
    expect(inspector.locator(".vg-inspector-name")).to_have_text("TBackward0")
    view.get_by_role("button", name="Restart", exact=True).click()
    expect(root).to_have_attribute("data-position", "0")
    view.get_by_role("button", name="Step", exact=True).click()
    view.locator('[data-node-id="1"]').click()  # what was gone to stays selected
    expect(inspector.locator(".vg-inspector-name")).to_have_text("LogSoftmaxBackward0")
    saved = inspector.locator('[data-array="saved 0result"]')
    saved.get_by_role("button", name="What wrote this?").click()
    expect(saved.get_by_role("status")).to_contain_text(
        "the operation of this node made it, In [1]"
    )
    saved.scroll_into_view_if_needed()
    picture(lab, "who-wrote")
    expect(root).to_have_attribute("data-position", "1")
