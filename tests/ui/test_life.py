"""The life of a notebook: cells run again, pages reloaded, kernels restarted, notebooks closed and opened."""

from __future__ import annotations

import base64
import os
import re
import shutil
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from playwright.sync_api import Locator, WebSocketRoute, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.test_following import at
from tests.ui.test_tour import press, root
from vizgrad.widgets.saved import MIME

SETUP = """
import vizgrad as vg
from vizgrad.interactive import show
x = vg.ones(3, requires_grad=True)
loss = (x.exp() * x).tanh().sum()
"""
DEBUG = "s = vg.debug(loss)"


def picture(lab: Lab, name: str) -> None:
    """Saves a screenshot to look at, where somebody asks for some."""
    folder = os.environ.get("VIZGRAD_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        lab.page.screenshot(path=Path(folder) / f"{name}.png")


def says(view: Locator, text: str) -> None:
    """A banner says it, and nothing can be pressed."""
    expect(view.locator(".vg-banner").filter(has_text=text)).to_be_visible()
    for name in ("Step", "Step back", "Continue", "Restart", "Stop"):
        button = view.get_by_role("button", name=name, exact=True)
        expect(button).to_have_attribute("aria-disabled", "true")
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
    )


def test_the_debug_cell_can_be_run_again(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, DEBUG, "show(s)")
    notebook.run()
    view, other = notebook.output(1), notebook.output(2)
    at(other, 0)
    for position in (1, 2, 3):
        press(view, "Step")
        at(view, position)
    run_cell(notebook, 1)
    says(other, "This session is closed: it was debugged again in In [4].")
    at(other, 0)
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


RESTARTED = "The kernel was restarted, and its sessions are gone"


def test_a_restarted_kernel_is_said_in_output_widget_and_panel(lab: Lab) -> None:
    notebook = lab.open_notebook(
        SETUP, DEBUG, "import ipywidgets\nfrom vizgrad.widgets.debugview import DebugView\n"
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


def test_a_kernel_that_died_is_said(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    view, panel = notebook.output(1), panel_of(lab)
    at(view, 0)
    at(panel, 0)
    notebook.start("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    for each in (view, panel):
        says(each, "The kernel died and was restarted, and its sessions are gone")
    lab.page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    picture(lab, "died")


def test_a_kernel_that_is_shut_down_is_said(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    view, panel = notebook.output(1), panel_of(lab)
    at(view, 0)
    at(panel, 0)
    lab.shut_down_kernels()
    for each in (view, panel):
        says(each, "The kernel was shut down, and its sessions are gone")


def test_a_session_closed_in_a_cell_is_said(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, DEBUG, "pass")
    notebook.run()
    view, panel = notebook.output(1), panel_of(lab)
    at(view, 0)
    at(panel, 0)
    notebook.execute("s.close()")
    for each in (view, panel):
        says(each, "This session is closed.")


def test_a_lost_connection_is_said_and_heals(lab: Lab) -> None:
    sockets = []

    def through(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    lab.page.route_web_socket(re.compile(r"/api/kernels/"), through)
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


def reloaded(lab: Lab) -> Notebook:
    """The page is loaded anew, and the notebook in it as it was saved."""
    lab.execute("docmanager:save")
    lab.load("lab?reset")
    return lab.open("test.ipynb")


def test_a_page_that_is_reloaded_shows_the_living_session(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    press(notebook.output(1), "Step")
    at(notebook.output(1), 1)
    notebook = reloaded(lab)
    view = notebook.output(1)
    at(view, 1)
    press(view, "Step")
    at(view, 2)
    assert notebook.execute("print(s.position)") == "2\n"
    picture(lab, "reloaded")


def saved_svg(path: Path) -> str:
    """The picture in the output of the second cell."""
    output = nbformat.read(path, as_version=4).cells[1].outputs[0]
    return output["data"]["image/svg+xml"]


def run_and_save(lab: Lab) -> Path:
    """A notebook with a session that was stepped twice, as it lies on the disk; its kernel is gone."""
    notebook = lab.open_notebook(SETUP, DEBUG)
    notebook.run()
    view = notebook.output(1)
    for position in (1, 2):
        press(view, "Step")
        at(view, position)
    path = lab.server.root / "test.ipynb"
    for _ in range(100):
        lab.execute("docmanager:save")
        if "2 of 5" in saved_svg(path):
            break
        lab.page.wait_for_timeout(200)
    lab.shut_down_kernels()
    return path


def shows_the_picture(view: Locator) -> None:
    note = view.get_by_role("note")
    expect(note).to_contain_text("Saved picture of loss, In [2]: 2 of 5 nodes done.")
    expect(note).to_contain_text("Run the cell to step again.")
    image = view.locator("img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.complete && image.naturalWidth > 100")
    expect(view).not_to_contain_text("model not found")
    expect(view.locator(".vg-root")).to_have_count(0)


def is_trusted(notebook: Notebook) -> bool:
    return notebook.lab.call(
        """(app, id) => {
          const panel = [...app.shell.widgets('main')].find(widget => widget.id === id);
          return panel.content.model.cells.get(1).trusted;
        }""",
        notebook.panel,
    )


def test_a_reopened_notebook_shows_where_the_run_was_when_it_was_saved(lab: Lab) -> None:
    run_and_save(lab)
    lab.load("lab?reset")
    notebook = lab.open("test.ipynb")
    assert is_trusted(notebook)
    shows_the_picture(notebook.output(1))
    picture(lab, "reopened")
    notebook.run()
    at(notebook.output(1), 0)
    expect(notebook.output(1).get_by_role("note")).to_have_count(0)


def test_a_notebook_that_is_not_trusted_shows_it_too(lab: Lab) -> None:
    path = run_and_save(lab)
    shutil.copy(path, path.with_name("foreign.ipynb"))
    there = nbformat.read(path, as_version=4)
    there.cells[0].source += "\n# changed by somebody else"
    nbformat.write(there, path.with_name("foreign.ipynb"))
    notebook = lab.open("foreign.ipynb")
    assert not is_trusted(notebook)
    shows_the_picture(notebook.output(1))
    picture(lab, "untrusted")


def test_what_is_saved_is_small_and_says_its_state(lab: Lab) -> None:
    path = run_and_save(lab)
    output = nbformat.read(path, as_version=4).cells[1].outputs[0]
    assert output["data"][MIME]["position"] == 2
    assert "2 of 5 nodes done" in output["data"]["text/plain"]
    assert "2 of 5 nodes done" in output["data"]["image/svg+xml"]
    assert path.stat().st_size < 40_000


def test_html_of_a_saved_notebook_has_the_picture(lab: Lab, tmp_path: Path) -> None:
    html, _ = HTMLExporter().from_filename(str(run_and_save(lab)))
    page = lab.page.context.new_page()
    page.route(
        "**/*", lambda route: route.abort() if "http" in route.request.url else route.continue_()
    )
    (tmp_path / "saved.html").write_text(html)
    page.goto((tmp_path / "saved.html").as_uri(), wait_until="domcontentloaded")
    image = page.locator(".jp-OutputArea-output img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth > 100")
    _, _, encoded = (image.get_attribute("src") or "").partition("base64,")
    assert b"2 of 5 nodes done" in base64.b64decode(encoded)
    if folder := os.environ.get("VIZGRAD_PICTURES"):
        page.screenshot(path=Path(folder) / "html.png")
    expect(page.locator("body")).not_to_contain_text("model not found")
    page.close()


# --- Notebook 7 -----------------------------------------------------------------------------------------


def in_notebook_7(lab: Lab) -> Notebook:
    """The page of Notebook 7 for test.ipynb, with its kernel."""
    lab.load("notebooks/test.ipynb")
    panel = lab.call(
        """async app => {
          const panel = app.shell.currentWidget;
          await panel.context.ready;
          await panel.sessionContext.ready;
          await panel.sessionContext.session.kernel.info;
          return panel.id;
        }"""
    )
    return Notebook(lab, panel)


def write(lab: Lab, *cells: str) -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(made, lab.server.root / "test.ipynb")


def test_notebook_7_steps_restarts_reloads_and_reopens(lab: Lab) -> None:
    write(lab, SETUP, DEBUG)
    notebook = in_notebook_7(lab)
    notebook.run()
    for position in (1, 2):
        press(notebook.output(1), "Step")
        at(notebook.output(1), position)
    picture(lab, "notebook7")
    path = lab.server.root / "test.ipynb"
    for _ in range(100):
        lab.execute("docmanager:save")
        if "2 of 5" in saved_svg(path):
            break
        lab.page.wait_for_timeout(200)

    notebook = in_notebook_7(lab)  # the page is reloaded
    at(notebook.output(1), 2)
    press(notebook.output(1), "Step")
    at(notebook.output(1), 3)

    restart(notebook)
    says(notebook.output(1), RESTARTED)
    picture(lab, "notebook7-restarted")

    notebook = in_notebook_7(lab)
    shows_the_picture(notebook.output(1))
    picture(lab, "notebook7-reopened")
    notebook.run()
    at(notebook.output(1), 0)


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
