"""The view in Notebook 7: what JupyterLab's tests look at closely, walked through once."""

from __future__ import annotations

import re

import nbformat
from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_access import axe
from tests.ui.test_following import at
from tests.ui.test_inside import CUBE, LOSS, choose
from tests.ui.test_life import DEBUG, RESTARTED, SETUP, restart, run_cell, says
from tests.ui.test_picture import LEAST_TYPE, canvas_of, nodes_of, settled
from tests.ui.test_rooms import inside, no_wider_than_its_room, region
from tests.ui.test_saved import save_where_it_is, shows_the_picture
from tests.ui.test_sources import OPEN, TRAIN, USE, chooser, line_of
from tests.ui.test_story import FIRST, SECOND, THIRD, story
from tests.ui.test_tour import press, root

MODEL = """
import vizgrad as vg
from vizgrad import nn
vg.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
x, y = vg.randn(5, 4), vg.tensor([0, 1, 2, 0, 1])
loss = nn.functional.cross_entropy(model(x), y)
"""
MASKED = """
a = vg.tensor([0.0, 1.0, 4.0], requires_grad=True)
masked = vg.where(a > 0, a.sqrt(), vg.zeros(3)).sum()
session = vg.debug(masked)
"""
STALE = """
w = vg.ones(3, requires_grad=True)
h = w.exp()
stale = h.sin().sum()
h.detach().mul_(3.0)
session = vg.debug(stale)
"""
SLOW = """
import time
class Slow(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, grad):
        time.sleep(600)
        return grad
slow = Slow.apply(vg.ones(3, requires_grad=True)).sum()
session = vg.debug(slow)
"""


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


def with_cells(lab: Lab, *cells: str) -> Notebook:
    """A notebook of these cells, with a new kernel: in the page that is there, or loaded for it."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(made, lab.server.root / "test.ipynb")
    if lab.page.url == "about:blank":
        return in_notebook_7(lab)
    panel = lab.call(
        """async app => {
          const [panel] = app.shell.widgets('main');
          await panel.context.revert();
          await panel.sessionContext.changeKernel({ name: 'python3' });
          await panel.sessionContext.session.kernel.info;
          return panel.id;
        }"""
    )
    return Notebook(lab, panel)


def test_notebook_7_steps_restarts_reloads_and_reopens(notebook_7: Lab) -> None:
    lab = notebook_7
    notebook = with_cells(lab, SETUP, DEBUG, CUBE, LOSS)
    notebook.run()
    for position in (1, 2):
        press(notebook.output(1), "Step")
        at(notebook.output(1), position)
    picture(lab, "notebook7")
    save_where_it_is(lab)

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
    goes_inside(lab, notebook)


def goes_inside(lab: Lab, notebook: Notebook) -> None:
    """Into a custom Function, whose line is marked in its cell."""
    view = notebook.output(3)
    press(view, "Step")
    at(view, 1)
    choose(view, "Step in")
    inner = view.get_by_role("region", name="Inside")
    expect(inner.locator("[aria-current='step']")).to_contain_text("square = x * x")
    marked = notebook.editor(2).locator(".vg-current-line")
    expect(marked).to_contain_text("next within CubeBackward")
    assert axe(view) == []
    picture(lab, "notebook7-inside")


def test_the_story_in_cells_and_in_a_file(notebook_7: Lab) -> None:
    lab = notebook_7
    story(lab, with_cells(lab, FIRST, SECOND, THIRD))
    picture(lab, "notebook7-story")

    (lab.server.root / "train.py").write_text(TRAIN)
    lab.shut_down_kernels()
    notebook = with_cells(lab, USE, OPEN)
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    press(view, "Continue")
    at(view, 3)
    # Below the notebook, where a person sees it, and with no focus.
    source = lab.page.get_by_role("tabpanel", name="train.py")
    red = source.locator(".vg-current-line.vg-mark-nonfinite")
    expect(red).to_contain_text("return square.sqrt()")
    expect(red).to_be_in_viewport()
    assert not source.evaluate("element => element.contains(document.activeElement)")
    picture(lab, "notebook7-source")
    press(view, "Zoom to fit")  # the node may be above what is seen
    view.locator('[data-node-id="1"]').first.click()
    expect(source.locator(".vg-selected-line")).to_contain_text("return distance(x) * x")
    expect(source.locator(".vg-selected-line")).to_be_in_viewport()
    line_of(source, "x = x * 1.5").click()
    expect(chooser(source).locator("option")).to_have_count(2)
    control = source.get_by_role("button", name="Breakpoint, line 92", exact=True)
    control.click()
    expect(control).to_have_attribute("aria-pressed", "true")
    press(view, "Continue")
    at(view, 4)
    expect(source.locator(".vg-current-line")).to_contain_text("Stopped: breakpoint before")


def drawn(notebook: Notebook, cell: int) -> Locator:
    run_cell(notebook, cell)
    view = notebook.output(cell)
    at(view, 0)
    root(view).scroll_into_view_if_needed()
    settled(view)
    return view


def test_a_walk_through_the_view(notebook_7: Lab) -> None:
    lab = notebook_7
    lab.page.set_viewport_size({"width": 1366, "height": 900})
    notebook = with_cells(lab, MODEL, "session = vg.debug(loss)", MASKED, STALE, SLOW)

    run_cell(notebook, 0)
    view = drawn(notebook, 1)
    _reading(view)
    _following(view)
    _arrays(view)
    _rooms(lab, view)
    _names(notebook, view)
    _nonfinite(lab, drawn(notebook, 2))
    _error(lab, drawn(notebook, 3))
    _pausing(lab, drawn(notebook, 4))


def _reading(view: Locator) -> None:
    """Type that can be read, boxes that hold it, and a spine that goes straight down."""
    nodes = nodes_of(view)
    assert len(nodes) == 11
    assert view.evaluate(LEAST_TYPE) >= 11 - 0.01
    for node in nodes:
        assert node["text"]["left"] >= node["box"]["left"]
        assert node["text"]["right"] <= node["box"]["right"]
    spine = [n for n in nodes if re.match("NllLoss|LogSoftmax|Addmm|Tanh", n["name"])]
    middles = [(n["box"]["left"] + n["box"]["right"]) / 2 for n in spine]
    assert len(spine) == 5
    assert max(middles) - min(middles) < 1
    for label in ("Run to here", "Add breakpoint"):
        expect(view.get_by_role("button", name=label, exact=True)).to_contain_text(label)


def _following(view: Locator) -> None:
    view.locator("[data-node-id]").nth(1).click()
    expect(view.get_by_text("Selected: LogSoftmaxBackward0")).to_be_visible()
    view.get_by_role("button", name="Back to current").click()
    expect(view.get_by_text("Selected: ")).to_have_count(0)


def _arrays(view: Locator) -> None:
    press(view, "Step", times=2)
    at(view, 2)
    inspector = region(view, "Inspector")
    arriving = inspector.locator(".vg-card").first
    expect(arriving.get_by_role("application")).to_be_visible()  # 15 values are drawn
    arriving.get_by_role("button", name="Values").click()
    expect(arriving.get_by_role("button", name="Copy as numpy")).to_be_visible()
    expect(inspector.locator("math").first).to_be_visible()


def _rooms(lab: Lab, view: Locator) -> None:
    view.get_by_role("button", name="Help").click()
    dialog = view.get_by_role("dialog")
    expect(dialog).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    view.get_by_role("button", name="Teach layout").click()
    expect(root(view)).to_have_class(re.compile(r"\bvg-present\b"))
    no_wider_than_its_room(view)
    view.get_by_role("button", name="Teach layout").click()

    lab.page.set_viewport_size({"width": 760, "height": 900})
    expect(root(view)).not_to_have_class(re.compile(r"\bvg-wide\b"))
    for name in ("Graph", "Inspector"):
        inside(region(view, name), view)
    no_wider_than_its_room(view)
    picture(lab, "notebook7-narrow")
    lab.page.set_viewport_size({"width": 1366, "height": 900})

    with lab.page.context.expect_page() as opening:
        view.get_by_role("button", name="Open in a window").click()
    window = opening.value.locator("main")
    press(window, "Step")
    at(view, 3)
    picture(lab, "notebook7-window")
    opening.value.close()


def _names(notebook: Notebook, view: Locator) -> None:
    """The debug cell is run again: the session before is over, the view shows the new one, with its name."""
    notebook.execute("before = session")
    run_cell(notebook, 1)
    at(view, 0)
    assert notebook.execute("print(before.closed, session is before)") == "True False\n"
    expect(region(view, "Graph")).to_contain_text(re.compile(r"loss, In \[\d+\]"))


def _nonfinite(lab: Lab, view: Locator) -> None:
    press(view, "Continue")
    at(view, 3)
    said = "Stopped: SqrtBackward0 made 1 NaN of 3, at [0], where result = 0"
    expect(view.locator(".vg-banner")).to_contain_text(said)
    expect(view.locator('[data-node-id]:has-text("SqrtBackward0")')).to_contain_text("made NaN")
    picture(lab, "notebook7-nan")


def _error(lab: Lab, view: Locator) -> None:
    stale = part(view, "Versions").locator(".vg-timeline.vg-is-stale")
    expect(stale).to_contain_text("h")
    press(view, "Continue")
    alert = view.get_by_role("alert")
    expect(alert.locator(".vg-fault-what")).to_contain_text("changed it in place")
    expect(alert.get_by_text("Where")).to_be_visible()
    expect(alert.get_by_text("write out of place there")).to_be_visible()
    picture(lab, "notebook7-error")


def _pausing(lab: Lab, view: Locator) -> None:
    press(view, "Continue")
    expect(view.locator(".vg-status")).to_have_text(re.compile(r"running SlowBackward · \d+ s"))
    press(view, "Pause")
    at(view, 1)
    expect(view.locator(".vg-banner")).to_contain_text("paused within SlowBackward")
    press(view, "Continue")
    expect(view.locator(".vg-status")).to_have_text(re.compile(r"running SlowBackward · \d+ s"))
    lab.execute("notebook:interrupt-kernel")
    expect(view.locator(".vg-banner")).to_contain_text("interrupted within SlowBackward")
    assert canvas_of(view)["height"] > 200
