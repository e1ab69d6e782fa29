"""The life of a notebook: cells run again, pages reloaded, kernels restarted, notebooks closed and opened."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, WebSocketRoute, expect

from tests.ui.lab import CELL_LIMIT, Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press, root

SETUP = """
import vizgrad as vg
from vizgrad.debugger.api import show
x = vg.ones(3, requires_grad=True)
loss = (x.exp() * x).tanh().sum()
"""
DEBUG = "s = vg.debug(loss)"


def says(view: Locator, text: str) -> None:
    """A banner says it, and nothing can be pressed."""
    expect(view.locator(".vg-banner").filter(has_text=text)).to_be_visible()
    for name in ("Step", "Step back", "Continue"):
        button = view.get_by_role("button", name=name, exact=True)
        expect(button).to_have_attribute("aria-disabled", "true")
    more = view.get_by_role("button", name="More", exact=True)
    if more.count():
        more.evaluate("button => button.click()")  # a dialog of JupyterLab may lie over it
    for name in ("Restart", "Stop"):
        button = view.get_by_role("menuitem" if more.count() else "button", name=name, exact=True)
        expect(button).to_have_attribute("aria-disabled", "true")
    if more.count():
        more.evaluate("button => button.click()")
        expect(view.get_by_role("menu")).to_have_count(0)
    expect(view.get_by_role("slider")).to_be_disabled()


def run_cell(notebook: Notebook, cell: int) -> None:
    notebook.lab.call(
        """async (app, id, cell) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          panel.content.activeCellIndex = cell;
          await app.commands.execute('notebook:run-cell');
        }""",
        notebook.panel,
        cell,
        limit=CELL_LIMIT,
    )


def test_the_debug_cell_can_be_run_again(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, DEBUG, "show(s)")
    notebook.run()
    view, other = notebook.output(1), notebook.output(2)
    for position in (1, 2, 3):
        press(view, "Step")
        at(view, position)
        at(other, position)
    run_cell(notebook, 1)
    says(other, "This session is closed: it was debugged again in In [4].")
    at(other, 0)  # to be debugged again, the run was taken back first
    at(view, 0)
    picture(lab, "debugged-again")
    press(view, "Continue")
    expect(root(view)).to_have_attribute("data-status", "finished")
    assert notebook.execute("print(x.grad is not None)") == "True\n"
    expect(view.locator(".vg-banner")).to_have_count(0)


def restart(notebook: Notebook) -> None:
    notebook.lab.call(
        """async (app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          await panel.sessionContext.session.kernel.restart();
        }""",
        notebook.panel,
    )


def panel_of(lab: Lab) -> Locator:
    lab.execute("vizgrad:open-panel")
    return lab.page.locator("#vizgrad-panel")


def in_view_and_panel(lab: Lab) -> tuple[Notebook, list[Locator]]:
    """A new session, in the cell's output and in the side panel."""
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    views = [notebook.output(1), panel_of(lab)]
    for each in views:
        at(each, 0)
    return notebook, views


RESTARTED = "The kernel was restarted. Run %load_ext vizgrad or import vizgrad"


def test_a_restarted_kernel_is_said_in_output_widget_and_panel(lab: Lab) -> None:
    notebook = lab.open_notebook(
        SETUP, DEBUG, "import ipywidgets\nfrom vizgrad.debugger.jupyter.widget.debugview import DebugView\n"
        "ipywidgets.VBox([DebugView(s)])",
    )  # fmt: skip
    notebook.run()
    views = [notebook.output(1), notebook.output(2), panel_of(lab)]
    press(views[0], "Step")
    for view in views:
        at(view, 1)
    restart(notebook)
    for view in views:
        says(view, RESTARTED)
        at(view, 1)  # what was seen stays
    picture(lab, "restarted")
    notebook.run()
    at(notebook.output(1), 0)
    at(views[2], 0)
    expect(views[2].locator(".vg-banner")).to_have_count(0)
    press(views[2], "Step")
    at(notebook.output(1), 1)


def test_what_ends_a_session_is_said_in_view_and_panel(lab: Lab) -> None:
    notebook, views = in_view_and_panel(lab)

    def begun_again() -> None:
        notebook.run()
        for each in views:
            expect(each.locator(".vg-banner")).to_have_count(0)
            at(each, 0)

    press(views[0], "Step")
    for each in views:
        at(each, 1)
    notebook.execute("s.close()")
    for each in views:
        says(each, "This session is closed.")
        expect(each.get_by_role("button", name="Step", exact=True)).to_be_disabled()
        # what was seen stays: the graph, and the node that was done
        assert each.locator('[data-node-id][data-state="done"]').count() == 1
    said = notebook.execute(
        "try:\n    s.step()\nexcept RuntimeError as error:\n    print(type(error).__name__, error)"
    )
    assert "SessionClosed" in said
    assert "vizgrad.debug(loss)" in said

    begun_again()
    notebook.start("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    for each in views:
        says(each, "The kernel died and was restarted. Run %load_ext vizgrad or import vizgrad")
    lab.page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    picture(lab, "died")

    begun_again()
    lab.shut_down_kernels()
    for each in views:
        says(each, "The kernel was shut down. Run %load_ext vizgrad or import vizgrad")


def test_a_lost_connection_is_said_and_heals(lab: Lab) -> None:
    sockets = []

    def through(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    lab.page.route_web_socket(re.compile(r"/api/kernels/"), through)
    lab.usual = False
    lab.load("lab?reset")  # a page takes routes on when it is loaded
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    view, panel = notebook.output(1), panel_of(lab)
    press(view, "Step")
    at(view, 1)
    at(panel, 1)
    lab.page.route_web_socket(re.compile(r"/api/kernels/"), lambda socket: socket.close())
    for socket in sockets:
        socket.close()
    for each in (view, panel):
        says(each, "The connection to the kernel is lost.")
        at(each, 1)
    picture(lab, "lost")
    lab.page.route_web_socket(re.compile(r"/api/kernels/"), through)
    for each in (view, panel):
        expect(each.locator(".vg-banner")).to_have_count(0)
    press(view, "Step")
    at(view, 2)
    at(panel, 2)


SLOW = """
import pathlib, time
import vizgrad as vg
def slow(grad):
    calls.append(grad)
    if len(calls) == 3:
        pathlib.Path("started").touch()
    time.sleep(0.2)
calls = []
x = vg.ones(3, requires_grad=True)
h = x
for _ in range(60):
    h = h * 1.01
    h.register_hook(slow)
loss = h.sum()
"""


def test_an_interrupted_run_leaves_the_view_usable(lab: Lab) -> None:
    notebook = lab.open_notebook(SLOW, DEBUG)
    notebook.run()
    view, panel = notebook.output(1), panel_of(lab)
    at(view, 0)
    started = lab.server.root / "started"
    notebook.start("s.continue_()")
    for _ in range(600):
        if started.exists():
            break
        lab.page.wait_for_timeout(100)
    lab.call(
        """async (app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          await panel.sessionContext.session.kernel.interrupt();
        }""",
        notebook.panel,
    )
    where = int(notebook.execute("print(s.position)"))
    assert 2 <= where < 60
    for each in (view, panel):
        at(each, where)
        expect(root(each)).to_have_attribute("aria-busy", "false")
    press(view, "Step")
    at(panel, where + 1)
    press(panel, "Step back")
    at(view, where)
    picture(lab, "interrupted")


BUSY = """
import pathlib, time
s = vg.debug(loss)
while not pathlib.Path("enough").exists():
    time.sleep(0.05)
"""


def test_a_session_is_shown_and_stepped_while_its_cell_still_runs(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, BUSY)
    notebook.lab.call(
        """async (app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          app.shell.activateById(id);
          void app.commands.execute('notebook:run-all-cells');
        }""",
        notebook.panel,
    )
    view = notebook.output(1)
    try:
        at(view, 0)
        press(view, "Step")
        at(view, 1)
        panel = panel_of(lab)
        at(panel, 1)
    finally:
        (lab.server.root / "enough").touch()
