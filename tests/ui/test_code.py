"""The debugger in a person's own cells: the line that comes next, and norms beside the lines."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_following import at
from tests.ui.test_tour import press

SETUP = "import vizgrad as vg\nw = vg.tensor([0.5, 1.0], requires_grad=True)"
MODEL = "def model(x):\n    for _ in range(3):\n        x = x.tanh()\n    return x * 2"
LOSS = "\n\ny = model(w)  # first\nloss = (y.exp() * y).sum()\nsession = vg.debug(loss)"


RUN = """async (app, id, index) => {
  const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
  content.activeCellIndex = index;
  await app.commands.execute('notebook:run-cell');
}"""


def cell(notebook: Notebook, number: int) -> Locator:
    return notebook.editor(number)


def norms(editor: Locator) -> dict[int, str]:
    """By line."""
    found = editor.locator(".vg-line-norm").all()
    return {int(each.get_attribute("data-line") or 0): each.inner_text() for each in found}


def test_the_line_that_comes_next_is_marked_in_its_cell(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, MODEL, LOSS)
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    current = lab.page.locator(".vg-current-line")
    expect(current).to_have_count(1)
    expect(current).to_contain_text("loss = (y.exp() * y).sum()")
    expect(current).to_contain_text("next: SumBackward0")
    assert current.get_attribute("data-node") == "0"
    expect(lab.page.locator(".vg-current-call")).to_have_text("(y.exp() * y).sum()")
    picture(lab, "code-start")
    told = []
    for _ in range(4):
        press(view, "Step")
    at(view, 4)
    expect(cell(notebook, 1).locator(".vg-current-line")).to_contain_text("x = x.tanh()")
    picture(lab, "code-model")
    expect(cell(notebook, 2).locator(".vg-line-norm")).to_have_text(["‖g‖ 1"])
    told.append((norms(cell(notebook, 1)), norms(cell(notebook, 2))))
    press(view, "Step")
    press(view, "Step")
    at(view, 6)
    expect(cell(notebook, 1).locator(".vg-line-norm").first).to_contain_text("2 of 3")
    picture(lab, "code-loop")
    press(view, "Step back")
    press(view, "Step back")
    at(view, 4)
    expect(current).to_have_attribute("data-node", "4")
    assert (norms(cell(notebook, 1)), norms(cell(notebook, 2))) == told[0]
    _an_edited_cell_is_not_marked_and_says_so(lab, notebook, view)


def _an_edited_cell_is_not_marked_and_says_so(lab: Lab, notebook: Notebook, view: Locator) -> None:
    editor = cell(notebook, 1)
    expect(editor.locator(".vg-current-line")).to_have_count(1)
    edit = """(app, id, text) => {
      const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
      content.widgets[1].model.sharedModel.setSource(text);
    }"""
    lab.call(edit, notebook.panel, "# new\n" + MODEL)
    expect(editor.locator(".vg-cell-changed")).to_contain_text("Edited since it ran")
    expect(editor.locator(".vg-current-line, .vg-line-norm")).to_have_count(0)
    expect(editor.get_by_role("button")).to_have_count(0)
    picture(lab, "code-changed")
    lab.call(edit, notebook.panel, MODEL)
    expect(editor.locator(".vg-cell-changed")).to_have_count(0)
    expect(editor.locator(".vg-current-line")).to_have_count(1)
    # Ending the session ends the marks.
    press(view, "Stop")
    expect(lab.page.locator(".vg-current-line, .vg-line-norm")).to_have_count(0)
    expect(lab.page.get_by_role("button", name="Breakpoint, line")).to_have_count(0)


def breakpoint_(editor: Locator, line: int) -> Locator:
    return editor.get_by_role("button", name=f"Breakpoint, line {line}", exact=True)


def test_a_click_beside_a_line_stops_the_run_there(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, MODEL, LOSS)
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    control = breakpoint_(cell(notebook, 1), 3)
    expect(control).to_have_attribute("aria-pressed", "false")
    expect(cell(notebook, 1).get_by_role("button")).to_have_count(
        2
    )  # lines that recorded nothing have none
    control.click()
    expect(control).to_have_attribute("aria-pressed", "true")
    picture(lab, "code-breakpoint")
    press(view, "Continue")
    at(view, 4)
    expect(cell(notebook, 1).locator(".vg-current-line")).to_contain_text(
        "Stopped: breakpoint before TanhBackward0"
    )
    # The line can be read in the view, too, however the page is scrolled.
    line = view.get_by_role("region", name="Inspector").locator(".vg-place")
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text("In [2], line 3")
    picture(lab, "code-stopped")
    # The cell that debugs is run again: the breakpoint is set in the session that comes.
    assert notebook.execute("print(len(session.breakpoints))") == "1\n"
    lab.call(RUN, notebook.panel, 2)
    at(view, 0)
    expect(control).to_have_attribute("aria-pressed", "true")
    press(view, "Continue")
    at(view, 4)
    control.click()
    expect(control).to_have_attribute("aria-pressed", "false")
    assert notebook.execute("print(len(session.breakpoints))") == "0\n"
    press(view, "Continue")
    at(view, 8)
    lab.call(RUN, notebook.panel, 2)
    at(view, 0)
    _breakpoints_of_all_kinds_are_listed_and_set(lab, notebook, view)


def _breakpoints_of_all_kinds_are_listed_and_set(
    lab: Lab, notebook: Notebook, view: Locator
) -> None:
    region = part(view, "Breakpoints")
    rows = region.locator("[data-breakpoint]")
    expect(rows).to_have_count(0)
    breakpoint_(cell(notebook, 1), 4).click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("In [2], line 4")
    region.get_by_role("button", name="New breakpoint").click()
    region.get_by_label("Kind of breakpoint").select_option("Node name")
    region.get_by_label("Where to pause").fill("Tanh*")
    region.get_by_label("Condition").fill("iteration == 1")
    region.get_by_role("button", name="Add", exact=True).click()
    expect(rows).to_have_count(2)
    notebook.execute("session.break_at(written=w)")
    expect(rows).to_have_count(3)
    picture(lab, "breakpoints-region")
    # Switched off it stays in the list, and beside its line.
    stops = region.get_by_label("Pause at line 4 of In [2]")
    stops.click()  # and not uncheck(), which looks before the kernel has answered
    expect(stops).not_to_be_checked()
    expect(breakpoint_(cell(notebook, 1), 4)).to_have_attribute("aria-pressed", "false")
    expect(breakpoint_(cell(notebook, 1), 4)).to_have_class(re.compile("vg-stop-off"))
    press(view, "Continue")
    at(view, 5)
    expect(rows.nth(1)).to_contain_text("1 time")
    expect(lab.page.locator(".vg-current-line")).to_contain_text("TanhBackward0")
    region.get_by_role("button", name="Remove breakpoint line 4 of In [2]").click()
    expect(rows).to_have_count(2)
    # What is not understood is said.
    region.get_by_label("Where to pause").fill("Nothing*")
    region.get_by_role("button", name="Add", exact=True).click()
    expect(view.get_by_text("no node is named 'Nothing*'").first).to_be_visible()


def toggle_at(lab: Lab, notebook: Notebook, number: int, line: int) -> None:
    """Sets a breakpoint at a line of a cell, or takes it away, by the command."""
    lab.call(
        """(app, id, index, line) => {
          const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
          content.activeCellIndex = index;
          content.activeCell.editor.setCursorPosition({ line: line - 1, column: 0 });
        }""",
        notebook.panel,
        number,
        line,
    )
    lab.execute("vizgrad:toggle-line-breakpoint")


#: The lines of a session are told late: its view is there long before the breakpoints that the page keeps.
LATE = """
from time import sleep
from vizgrad.debugger.jupyter.widget.line_messages import LinesFollower
whole = LinesFollower.whole
def late(self, request):
    sleep(3)
    return whole(self, request)
LinesFollower.whole = late
"""


def test_who_continues_at_once_is_stopped_by_what_is_kept(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP + LATE, MODEL, LOSS)
    toggle_at(lab, notebook, 1, 3)
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    press(view, "Continue")
    at(view, 4)
    expect(cell(notebook, 1).locator(".vg-current-line")).to_contain_text(
        "Stopped: breakpoint before TanhBackward0"
    )
    lab.call(RUN, notebook.panel, 2)
    at(view, 0)
    press(view, "Continue")
    at(view, 4)
    # Also what was set a moment before.
    breakpoint_(cell(notebook, 1), 3).click()
    press(view, "Continue")
    at(view, 8)


def test_a_breakpoint_waits_for_the_session_that_comes_in_the_dark_too(lab: Lab) -> None:
    lab.execute("apputils:change-theme", theme="JupyterLab Dark")
    notebook = lab.open_notebook(SETUP, MODEL, LOSS)
    toggle_at(lab, notebook, 1, 4)
    control = breakpoint_(cell(notebook, 1), 4)
    expect(control).to_have_attribute("aria-pressed", "true")
    expect(control).to_have_attribute("title", re.compile("waits"))
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    expect(control).to_have_attribute("title", re.compile("Continue pauses"))
    press(view, "Continue")
    at(view, 3)
    expect(lab.page.locator(".vg-current-line")).to_contain_text("return x * 2")
    picture(lab, "code-dark")


STALE = """\
import vizgrad as vg
w = vg.ones(3, requires_grad=True)
h = w.exp()
loss = (h * 2).tanh().sum() + h.sin().sum()
h.detach().mul_(3.0)
session = vg.debug(loss)"""
#: Keeps the kernel busy, as a loop that trains does.
BUSY = """\
import time
end = time.monotonic() + 600
while time.monotonic() < end:
    vg.ones(3).sum()"""


def test_a_line_that_raises_is_red_at_once_while_another_cell_runs(lab: Lab) -> None:
    notebook = lab.open_notebook(STALE)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    notebook.start(BUSY)
    raised = cell(notebook, 0).locator(".vg-current-line.vg-mark-error")
    for _ in range(3):
        press(view, "Step", 2)
        at(view, 2)
        expect(raised).to_have_count(0)
        press(view, "Step")
        expect(view.get_by_role("alert").first).to_contain_text("saved self for its backward")
        expect(raised).to_contain_text("loss = (h * 2).tanh().sum() + h.sin().sum()")
        expect(raised.locator(".vg-line-note")).to_contain_text("line 5 changed `h` in place")
        wrote = cell(notebook, 0).locator(".vg-blamed-line")
        expect(wrote).to_contain_text("h.detach().mul_(3.0)")
        expect(wrote).to_contain_text("changes `h` in place, which SinBackward0 saved on line 4")
        picture(lab, "raised-while-busy")
        press(view, "Restart")
        at(view, 0)
    lab.execute("notebook:interrupt-kernel")


def test_the_session_that_was_moved_or_looked_at_last_is_marked(lab: Lab) -> None:
    notebook = lab.open_notebook(
        SETUP,
        "one = vg.debug(w.tanh().sum())",
        "two = vg.debug(w.exp().sum(), display=False)",
    )
    notebook.run()
    marked = lab.page.locator(".vg-current-line")
    expect(marked).to_contain_text("two = ")
    notebook.execute("one.step()")
    expect(marked).to_contain_text("one = ")
    notebook.execute("two.step()")
    expect(marked).to_contain_text("two = ")
    notebook.output(1).locator('[data-node-id="0"]').first.click()
    expect(marked).to_contain_text("one = ")
    expect(lab.page.locator(".vg-selected-line")).to_contain_text("selected: SumBackward0")
    notebook.execute("two.back()")
    expect(marked).to_contain_text("two = ")
    notebook.execute("two.close()")
    expect(marked).to_have_count(0)


LAYERS = """
import vizgrad as vg
norm, head = vg.nn.LayerNorm(4), vg.nn.Linear(4, 3)
def model(x):
    return head(norm(x))
loss = model(vg.ones(2, 4)).sum()
session = vg.debug(loss)"""


def test_a_line_that_only_calls_modules_is_as_any_other(lab: Lab) -> None:
    notebook = lab.open_notebook(LAYERS.lstrip())
    notebook.run()
    view, editor = notebook.output(0), cell(notebook, 0)
    at(view, 0)
    press(view, "Step")
    marked = editor.locator(".vg-current-line")
    expect(marked).to_contain_text("return head(norm(x))")
    expect(editor.locator(".vg-current-call")).to_have_text("head(norm(x))")
    expect(marked).not_to_contain_text("‖g‖")
    press(view, "Step")
    at(view, 2)
    expect(editor.locator(".vg-line-norm")).to_have_text(["‖g‖ 2.45", "‖g‖ 1"])
    press(view, "Restart")
    at(view, 0)
    breakpoint_(editor, 4).click()
    # One dot for one arrival, of all the nodes that the modules recorded; and one stop.
    expect(view.locator("[data-breakpoint=on]")).to_have_count(1)
    press(view, "Continue")
    at(view, 1)
    expect(marked).to_contain_text("Stopped: breakpoint before ")
    picture(lab, "code-modules")
    press(view, "Continue")
    expect(view.locator(".vg-status")).to_have_text("finished")
