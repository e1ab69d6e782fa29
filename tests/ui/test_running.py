"""A run that takes long: what runs is said, it is paused and interrupted, and a NaN stops it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press, root

SLOW = """\
import time
import vizgrad as vg
class Slow(vg.autograd.Function):
    calls = []
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, grad):
        Slow.calls.append(1)
        if len(Slow.calls) < 3:
            time.sleep(600)
        return grad
x = vg.ones(3, requires_grad=True)
loss = (Slow.apply(x.exp()) * 2).sum()
session = vg.debug(loss)
"""
MASKED = """\
import vizgrad as vg
x = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
mask = vg.tensor([False, True, True])
loss = vg.where(mask, x.sqrt(), vg.zeros(3)).sum()
session = vg.debug(loss)
"""

#: What JupyterLab takes the kernel of a notebook to do, from now on.
WATCH = """
async (app, id) => {
  const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
  const { kernel } = panel.sessionContext.session;
  window.statuses = [kernel.status];
  kernel.statusChanged.connect((_, status) => window.statuses.push(status));
}
"""


def test_steps_do_not_make_the_kernel_look_busy_nor_one_that_is_busy_idle(lab: Lab) -> None:
    notebook = lab.open_notebook(MASKED)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    inspected = view.get_by_role("region", name="Inspector").locator(".vg-inspector-title")
    lab.page.wait_for_timeout(1500)  # a picture for the file is asked for, once
    lab.call(WATCH, notebook.panel)
    press(view, "Step", 2)
    at(view, 2)
    expect(inspected).to_contain_text("SqrtBackward0runs next")
    assert lab.page.evaluate("window.statuses") == ["idle"]

    # What is told from the cell does not draw the view's messages to where the cell runs.
    notebook.start("import threading\nsession.step()\nwaits = threading.Event()\nwaits.wait(600)")
    lab.page.wait_for_function("window.statuses.length === 2")
    at(view, 3)
    press(view, "Step back", 2)
    at(view, 1)
    press(view, "Step")
    at(view, 2)
    assert lab.page.evaluate("window.statuses") == ["idle", "busy"]
    lab.execute("notebook:interrupt-kernel")
    lab.page.wait_for_function("window.statuses.length === 3")
    assert lab.page.evaluate("window.statuses") == ["idle", "busy", "idle"]


LONG = """\
import time
import vizgrad as vg
class Slow(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, grad):
        time.sleep(0.3)
        return grad
x = h = vg.ones(3, requires_grad=True)
for _ in range(16):
    h = Slow.apply(h)
loss = h.sum()
session = vg.debug(loss)
"""


def test_the_picture_moves_while_a_run_goes_on(lab: Lab) -> None:
    notebook = lab.open_notebook(LONG)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-position", re.compile(r"^([4-9]|1\d)$"))
    expect(view.locator(".vg-status")).to_have_text(re.compile("running"))
    expect(view.locator('.vg-node[data-state="done"]').first).to_be_visible()
    picture(lab, "on-its-way")
    press(view, "Pause")
    expect(view.locator(".vg-banner")).to_contain_text("Stopped: paused")
    press(view, "Continue")
    at(view, 18)
    expect(root(view)).to_have_attribute("data-status", "finished")


def test_a_run_is_paused_and_interrupted_within_a_slow_node(lab: Lab) -> None:
    notebook = lab.open_notebook(SLOW)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    press(view, "Continue")
    status = view.locator(".vg-status")
    expect(status).to_have_text(re.compile(r"running SlowBackward · \d+ s"))
    expect(view.locator(".vg-position")).to_have_text("2 of 5 done")
    expect(view.get_by_role("button", name="Continue", exact=True)).to_have_count(0)
    expect(view.get_by_text("Waiting for the kernel")).to_have_count(0)
    slow = view.locator("[data-node-id]").filter(has_text="SlowBackward")
    expect(slow).to_have_attribute("aria-label", "SlowBackward, running")
    expect(slow.locator(".vg-words")).to_have_text("running")
    part(view, "Engine")
    expect(view.locator(".vg-why")).to_have_text("Running SlowBackward")
    expect(view.get_by_text("runs next")).to_have_count(0)
    engine = view.locator(".vg-engine")
    expect(engine).to_contain_text("shown when the run pauses or ends")
    expect(engine.get_by_role("heading")).to_have_count(0)
    picture(lab, "running")
    press(view, "Pause")
    at(view, 2)
    said = "Stopped: paused within SlowBackward; stepping restarts it"
    expect(view.locator(".vg-banner")).to_contain_text(said)
    expect(status).to_have_text("paused")
    expect(engine.get_by_role("list", name="Input buffers")).to_contain_text("SlowBackward")
    picture(lab, "paused")

    press(view, "Continue")
    expect(status).to_have_text(re.compile(r"running SlowBackward · \d+ s"))
    lab.execute("notebook:interrupt-kernel")
    interrupted = view.locator(".vg-banner").filter(has_text="interrupted within SlowBackward")
    expect(interrupted).to_be_visible()
    at(view, 2)

    press(view, "Continue")
    at(view, 5)
    assert notebook.execute("print(session.status, len(Slow.calls))") == "finished 3\n"


def test_a_nan_stops_the_run_where_it_is_born_and_the_view_says_why(lab: Lab) -> None:
    notebook = lab.open_notebook(MASKED)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    press(view, "Continue")
    at(view, 3)
    said = "Stopped: SqrtBackward0 made 1 NaN of 3, at [0], where result = 0"
    banner = view.locator(".vg-banner")
    expect(banner).to_contain_text(said)
    expect(banner).to_have_attribute("data-level", "error")
    picture(lab, "nan")
    assert notebook.execute("print(session.stopped)") == said + "\n"
    title = view.get_by_role("region", name="Inspector").locator(".vg-inspector-title")
    expect(title.locator(".vg-badge")).to_contain_text("made NaN")
    expect(title.locator('.vg-tone[data-tone="error"]')).to_have_count(1)
    events = part(view, "Events")
    expect(events.locator('[data-event="2"]')).to_contain_text("made NaN")
    expect(events.locator('[data-event="1"]')).not_to_contain_text("made")
    press(view, "Continue")
    at(view, 4)
    expect(banner).to_have_count(0)

    press(view, "Restart")
    at(view, 0)
    button = view.get_by_role("button", name="Pause on NaN")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    press(view, "Continue")
    at(view, 4)
