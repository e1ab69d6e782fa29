"""From a node to its line and back, in cells and in files; what is scrolled, and what is left where it is."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_code import LATE, LOSS, MODEL, RUN, SETUP, cell
from tests.ui.test_following import at
from tests.ui.test_rooms import opened_panel
from tests.ui.test_tour import press

PINNED = re.compile("Selected: ")


def line_of(editor: Locator, text: str) -> Locator:
    return editor.locator(".cm-line").filter(has_text=text)


def chooser(editor: Locator) -> Locator:
    return editor.get_by_role("combobox", name=re.compile("recorded"))


def test_a_node_shows_its_line_and_a_line_its_nodes(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, MODEL, LOSS)
    notebook.run()
    view = notebook.output(2)
    at(view, 0)
    model, loss = cell(notebook, 1), cell(notebook, 2)
    selected = lab.page.locator(".vg-selected-line")

    # A click on a node: its line, beside that which comes next.
    view.locator('[data-node-id="3"]').first.click()
    expect(selected).to_contain_text("return x * 2")
    expect(selected).to_contain_text("selected: MulBackward0")
    expect(selected).to_have_attribute("data-selected-node", "3")
    expect(model.locator(".vg-selected-call")).to_have_text("x * 2")
    expect(loss.locator(".vg-current-line")).to_have_count(1)
    expect(chooser(model)).to_have_count(0)
    picture(lab, "selected-line")
    view.get_by_role("button", name="Back to current").click()
    expect(selected).to_have_count(0)

    # The cursor on a line that was run three times: all of its nodes, one of them to look at.
    line_of(model, "x.tanh()").click()
    expect(chooser(model)).to_have_value("4")
    names = ["3 of 3: TanhBackward0", "2 of 3: TanhBackward0", "1 of 3: TanhBackward0"]
    expect(chooser(model).locator("option")).to_have_text(names)
    expect(view.get_by_text("Selected: TanhBackward0")).to_be_visible()
    expect(selected).to_contain_text("selected: TanhBackward0, 3 of 3")
    picture(lab, "chooser")

    # Another with the keyboard, and back to the text.
    lab.execute("vizgrad:choose-line-node")
    expect(chooser(model)).to_be_focused()
    lab.page.keyboard.press("ArrowDown")
    expect(chooser(model)).to_have_value("5")
    expect(selected).to_have_attribute("data-selected-node", "5")
    lab.page.keyboard.press("Escape")
    expect(model.locator(".cm-content")).to_be_focused()

    # That was a glance: with the next step the view goes along with the run again.
    notebook.execute("session.step()")
    at(view, 1)
    expect(view.get_by_text(PINNED)).to_have_count(0)
    expect(selected).to_have_count(0)
    expect(chooser(model)).to_have_count(0)
    lab.page.keyboard.press("ArrowDown")  # the line below, of one node
    expect(selected).to_contain_text("return x * 2")
    lab.page.keyboard.press("ArrowUp")
    lab.page.keyboard.press("ArrowUp")  # one that recorded nothing
    expect(selected).to_have_count(0)
    expect(view.get_by_text(PINNED)).to_have_count(0)


FAR = "# far\n" * 60
IN_SIGHT = """locator => {
  const { top, bottom } = locator.getBoundingClientRect();
  const area = locator.closest('.jp-NotebookPanel-notebook').getBoundingClientRect();
  return top >= area.top && bottom <= area.bottom;
}"""


def in_sight(line: Locator) -> bool:
    expect(line).to_have_count(1)
    return line.evaluate(IN_SIGHT)


def test_a_step_brings_its_line_into_sight_but_disturbs_nobody(lab: Lab) -> None:
    notebook = lab.open_notebook(
        SETUP, MODEL, FAR, LOSS.replace("vg.debug(loss)", "vg.debug(loss, display=False)")
    )
    notebook.run()
    panel = opened_panel(lab)
    at(panel, 0)
    current = lab.page.locator(".vg-current-line")
    loss, model = cell(notebook, 3), cell(notebook, 1)
    line_of(loss, "y = model").scroll_into_view_if_needed()
    for position in range(1, 4):
        press(panel, "Step")
        at(panel, position)
    expect(current).to_contain_text("return x * 2")
    assert in_sight(current)
    picture(lab, "scrolled")

    # Who types somewhere else stays there.
    line_of(loss, "y = model").click()
    top = line_of(loss, "y = model").bounding_box()
    notebook.execute("session.step()")
    at(panel, 4)
    expect(model.locator(".vg-current-line")).to_contain_text("x.tanh()")
    assert not in_sight(current)
    assert line_of(loss, "y = model").bounding_box() == top

    # So does who has just scrolled.
    press(panel, "Step")
    at(panel, 5)
    assert in_sight(current)
    loss.hover(force=True)
    lab.page.mouse.wheel(0, 5000)
    lab.page.wait_for_function(
        "() => document.querySelector('.vg-current-line').getBoundingClientRect().bottom < 0"
    )
    notebook.execute("session.step()")
    at(panel, 6)
    assert not in_sight(current)

    # A node that is selected in the panel is shown.
    panel.locator('[data-node-id="5"]').first.click()
    selected = lab.page.locator(".vg-selected-line")
    expect(selected).to_contain_text("x = x.tanh()")
    assert in_sight(selected)


WINDOWED = """(app, id) => {
  const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
  content.notebookConfig = { ...content.notebookConfig, windowingMode: 'full' };
}"""
LAST = """async (app, id) => {
  const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
  await content.scrollToItem(content.widgets.length - 1);
  return content.activeCellIndex;
}"""


def test_a_line_that_is_not_in_the_page_is_brought_there(lab: Lab) -> None:
    """Notebooks may leave out what is far away. No other cell is chosen for it."""
    loss = LOSS.replace("vg.debug(loss)", "vg.debug(loss, display=False)")
    notebook = lab.open_notebook(SETUP, MODEL, FAR, FAR, FAR, FAR, loss)
    lab.call(WINDOWED, notebook.panel)
    notebook.run()
    panel = opened_panel(lab)
    at(panel, 0)
    chosen = lab.call(LAST, notebook.panel)
    expect(lab.page.locator(".cm-line", has_text="def model")).to_have_count(0)
    press(panel, "Step", times=3)
    at(panel, 3)
    expect(lab.page.locator(".vg-current-line")).to_contain_text("return x * 2")
    expect(lab.page.locator(".vg-current-line")).to_be_in_viewport()
    assert lab.call(LAST, notebook.panel) == chosen


#: The first line that is shown is far down.
TRAIN = (
    "# far\n" * 80
    + """\
def scaled(x):
    return x * x


def distance(x):
    square = scaled(x)
    return square.sqrt()


def model(x):
    for _ in range(2):
        x = x * 1.5
    return distance(x) * x
"""
    + "# below\n" * 40
)
DOUBLE = """\
import vizgrad as vg
class Double(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        twice = grad * 2
        return twice
"""
USE = """\
import vizgrad as vg
from train import model
w = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
loss = model(w).sum()"""
OPEN = "session = vg.debug(loss)"


def write(lab: Lab, text: str) -> None:
    (lab.server.root / "train.py").write_text(text)


def test_files_are_shown_as_they_ran(lab: Lab) -> None:
    write(lab, TRAIN)
    notebook = lab.open_notebook(USE, OPEN)
    notebook.run()
    at(notebook.output(1), 0)
    source = lab.page.get_by_role("tabpanel", name="train.py")
    _opens_at_a_stop(lab, notebook.output(1), source)
    _follows(lab, notebook, source)
    _says_what_changed(lab, notebook, source)
    _is_let_go(lab, notebook, source)


def _opens_at_a_stop(lab: Lab, view: Locator, source: Locator) -> None:
    """Steps alone open nothing; a stop does, beside the notebook, and takes no focus."""
    press(view, "Step")
    at(view, 1)
    expect(source).to_have_count(0)
    press(view, "Continue")
    at(view, 3)
    red = source.locator(".vg-current-line.vg-mark-nonfinite")
    expect(red).to_contain_text("return square.sqrt()")
    expect(red).to_contain_text("Stopped: SqrtBackward0 made 1 NaN of 3")
    expect(red).to_be_in_viewport()
    assert not source.evaluate("element => element.contains(document.activeElement)")
    name = source.locator(".cm-content").get_attribute("aria-label")
    assert name == "train.py, read-only"
    picture(lab, "source-red")


def control_in(source: Locator) -> Locator:
    return source.get_by_role("button", name="Breakpoint, line 92", exact=True)


def _follows(lab: Lab, notebook: Notebook, source: Locator) -> None:
    """The same view goes along, forwards and backwards, with norms, breakpoints and what is selected."""
    view = notebook.output(1)
    press(view, "Step back", times=2)
    at(view, 1)
    expect(source.locator(".vg-current-line")).to_contain_text("return distance(x) * x")
    expect(source.locator(".vg-current-line")).to_be_in_viewport()
    expect(source).to_have_count(1)
    press(view, "Step")
    expect(source.locator(".vg-line-norm")).to_have_text(["‖g‖ 1.73"])
    line_of(source, "return distance").click()
    expect(source.locator(".vg-selected-line")).to_contain_text("selected: MulBackward0")
    expect(chooser(source)).to_have_count(0)  # one node
    line_of(source, "x = x * 1.5").click()
    expect(chooser(source).locator("option")).to_have_count(2)
    expect(source.locator(".vg-selected-line")).to_contain_text("of 2")
    lab.page.keyboard.type("not written")
    expect(source).not_to_contain_text("not written")
    control_in(source).click()
    expect(control_in(source)).to_have_attribute("aria-pressed", "true")
    assert notebook.execute("print(session.breakpoints[0].text)") == "line 92 of train.py\n"
    picture(lab, "source-followed")


def come_back(lab: Lab) -> None:
    """As from an editor in another window."""
    lab.page.evaluate("window.dispatchEvent(new Event('focus'))")


def _says_what_changed(lab: Lab, notebook: Notebook, source: Locator) -> None:
    """What ran stays and is marked; another session of a changed file is not marked, in the same view."""
    write(lab, "# new\n" + TRAIN)
    come_back(lab)
    expect(source).to_contain_text(
        "The file has changed since it ran. This is the version that ran."
    )
    expect(source.locator(".vg-line-norm").first).to_be_visible()
    lab.call(RUN, notebook.panel, 1)
    expect(source).to_contain_text("Edited since it ran. Run the cell to see line marks.")
    expect(source.locator(".vg-current-line, .vg-line-norm")).to_have_count(0)
    write(lab, TRAIN)
    come_back(lab)
    expect(source.locator(".vg-cell-changed")).to_have_count(0)
    expect(control_in(source)).to_have_attribute("aria-pressed", "true")


def _is_let_go(lab: Lab, notebook: Notebook, source: Locator) -> None:
    """With the session; and what a person closes stays closed until they ask for it."""
    notebook.execute("session.close()")
    expect(source).to_have_count(0)
    notebook.execute("loss = model(w).sum(); session = vg.debug(loss, display=False)")
    panel = opened_panel(lab)
    at(panel, 0)
    press(panel, "Continue")
    expect(source).to_be_visible()
    tab = lab.page.locator(".lm-TabBar-tab", has_text="train.py")
    tab.locator(".lm-TabBar-tabCloseIcon").click()
    expect(source).to_have_count(0)
    press(panel, "Continue")
    at(panel, 4)  # at the breakpoint, which is kept
    panel.get_by_role("tab", name="Inspector").click()
    press(panel, "Zoom to fit")  # the graph has followed the run
    panel.locator('[data-node-id="2"]').first.click()
    link = panel.get_by_role("button", name="train.py:87")
    expect(link).to_be_visible()
    expect(source).to_have_count(0)
    link.click()
    expect(source.locator(".vg-selected-line")).to_contain_text("return square.sqrt()")

    # So is the file that a node runs: a step into it goes there, also one that is made at once.
    (lab.server.root / "double.py").write_text(DOUBLE)
    notebook.execute(LATE)
    notebook.execute(
        "from double import Double\nsession = vg.debug(Double.apply(w).sum(), display=False)"
    )
    at(panel, 0)
    press(panel, "Step")
    at(panel, 1)
    lab.execute("vizgrad:step-in")
    inside = lab.page.get_by_role("tabpanel", name="double.py").locator(".vg-current-line")
    expect(inside).to_contain_text("return twice")

    # What cannot be read is said, where the text would be.
    (lab.server.root / "train.py").unlink()
    notebook.execute("loss = model(w).sum(); session = vg.debug(loss, display=False)")
    at(panel, 0)
    panel.locator('[data-node-id="1"]').first.click()
    expect(source).to_contain_text("is gone, or cannot be read")
    expect(source.locator(".vg-current-line, .vg-selected-line")).to_have_count(0)
    picture(lab, "source-gone")
