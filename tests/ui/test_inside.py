"""Going into a node: by stages, and line by line through the Python that it runs."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.pictures import picture
from tests.ui.test_access import COLOURS, axe
from tests.ui.test_code import cell
from tests.ui.test_following import at
from tests.ui.test_tour import press
from tests.ui.themes import DARK, dark_picture, themed

CUBE = """\
import vizgrad as vg

class Cube(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        square = x * x
        slope = square * 3
        return grad * slope"""
LOSS = """\
x = vg.tensor([1.0, 2.0], requires_grad=True)
y = Cube.apply(x.exp())
session = vg.debug(y.sum())"""


def choose(view: Locator, item: str) -> None:
    """Of the menu beside Step."""
    view.get_by_role("button", name="More steps").click()
    view.get_by_role("menuitem", name=item).click()


def follow_is_beside_the_tools(view: Locator) -> None:
    """Also where lanes leave the graph little room."""
    follow = view.get_by_role("button", name="Back to current")
    expect(follow).to_be_visible()
    ends = follow.bounding_box()
    begins = view.get_by_role("toolbar", name="Graph view").bounding_box()
    assert ends is not None
    assert begins is not None
    assert ends["x"] + ends["width"] <= begins["x"]


def test_a_node_is_gone_into_by_stages_and_lines(lab: Lab) -> None:
    notebook = lab.open_notebook(CUBE, LOSS)
    notebook.run()
    view = notebook.output(1)
    at(view, 0)
    view.get_by_role("button", name="More steps").click()
    into = view.get_by_role("menuitem", name="Step in")
    expect(into).to_have_attribute("aria-disabled", "true")
    expect(into).to_have_attribute(
        "aria-description", "Not now: SumBackward0 runs none of your Python code."
    )
    picture(lab, "inside-menu")
    dark_picture(lab, lab, "inside-menu-dark")
    lab.page.keyboard.press("Escape")

    # By stage: the region says what is done, and stepping back by stage takes it back.
    choose(view, "Step one stage")
    inside = view.get_by_role("region", name="Inside")
    expect(inside).to_contain_text("1 of 3 stages done")
    press(view, "Step")
    at(view, 1)
    expect(inside).to_have_count(0)

    # Line by line, in the cell as well.
    choose(view, "Step in")
    following = inside.locator("[aria-current='step']")
    expect(following).to_contain_text("square = x * x")
    marked = cell(notebook, 0).locator(".vg-current-line")
    expect(marked).to_contain_text("square = x * x")
    expect(marked).to_contain_text("next within CubeBackward")
    view.locator(".vg-canvas [tabindex='0']").first.focus()
    lab.page.keyboard.press("F11")
    expect(following).to_contain_text("slope = square * 3")
    lab.page.keyboard.press("F11")
    expect(marked).to_contain_text("return grad * slope")
    # The operations of the lines are a lane of their own.
    lane = inside.get_by_role("list", name="Operations, as they ran")
    expect(lane.get_by_role("listitem", name="slope = mul, done")).to_have_count(1)
    expect(lane.get_by_role("listitem", name="mul, next")).to_have_count(1)
    picture(lab, "inside-lines")
    assert axe(view) == []
    with themed(lab, DARK):
        picture(lab, "inside-lines-dark")
        assert axe(view, *COLOURS) == []
    view.locator(".vg-canvas [tabindex='0']").first.focus()  # another theme has drawn the page anew
    lab.page.keyboard.press(",")
    expect(marked).to_contain_text("slope = square * 3")
    expect(lane.get_by_role("listitem", name="slope = mul, next")).to_have_count(1)
    lab.page.keyboard.press("Shift+F11")
    expect(inside).to_contain_text("1 of 3 stages done")
    lab.page.keyboard.press("Shift+F11")
    at(view, 2)
    expect(inside).to_have_count(0)

    to_leaf_and_cursor(lab, notebook, view)


def to_leaf_and_cursor(lab: Lab, notebook: Notebook, view: Locator) -> None:
    """To the next leaf, and to the line with the cursor."""
    lab.page.keyboard.press("l")
    at(view, 3)
    expect(view.locator("[data-state='current']").first).to_have_attribute(
        "aria-label", re.compile("AccumulateGrad")
    )
    press(view, "Restart")
    at(view, 0)
    lab.call(
        """(app, id) => {
          const { content } = [...app.shell.widgets('main')].find(widget => widget.id === id);
          content.activeCellIndex = 1;
          content.activeCell.editor.setCursorPosition({ line: 1, column: 0 });
        }""",
        notebook.panel,
    )
    choose(view, "Run to cursor")
    at(view, 1)
    choose(view, "Run to cursor")
    at(view, 2)
    # Refused, it says why.
    choose(view, "Run to cursor")
    toast = lab.page.locator(".Toastify__toast")
    expect(toast).to_contain_text("the run is at", timeout=20_000)
    at(view, 2)


SECOND = """\
import vizgrad as vg
x = vg.tensor([1.0, 2.0], requires_grad=True)
session = vg.debug((x.exp() * x).tanh().sum(), create_graph=True)"""


AGAIN = """\
from vizgrad.utils.checkpoint import checkpoint
w = vg.tensor([2.0, 3.0], requires_grad=True)
block = lambda x: (x * w).sin()
again = vg.debug(checkpoint(block, x.exp(), use_reentrant=False).sum())"""


def test_the_graph_of_second_order_grows_beside_the_first_and_is_debugged(lab: Lab) -> None:
    notebook = lab.open_notebook(SECOND, AGAIN)
    notebook.run()
    again = notebook.output(1)
    at(again, 0)
    lane = again.get_by_role("region", name="Recomputation")
    expect(lane).to_contain_text("appear here")
    press(again, "Continue")
    expect(again.locator(".vg-root")).to_have_attribute("data-status", "finished")
    block = lane.get_by_role("listitem", name=re.compile("^(Mul|Sin)Backward0, done"))
    expect(block).to_have_count(2)
    expect(lane).to_contain_text("2 nodes so far")
    picture(lab, "recomputation")
    dark_picture(lab, lab, "recomputation-dark")
    view = notebook.output(0)
    at(view, 0)
    lane = view.get_by_role("region", name="Second order")
    expect(lane).to_contain_text("to the second-order graph here")
    for _ in range(3):
        press(view, "Step")
    at(view, 3)
    done = lane.locator(".vg-made[data-state='done']")
    expect(
        lane.get_by_role("listitem", name=re.compile("^TanhBackwardBackward0, done"))
    ).to_have_count(1)
    expect(done).to_have_count(6)
    press(view, "Step back")
    at(view, 2)
    expect(done).to_have_count(2)
    expect(lane.locator(".vg-made")).to_have_count(6)  # nothing moves
    press(view, "Continue")
    at(view, 5)
    expect(lane.get_by_role("listitem", name=re.compile(r"^x\.grad = .*, done"))).to_have_count(1)
    view.get_by_role("region", name="Graph").locator(".vg-node[data-state=done]").first.click()
    follow_is_beside_the_tools(view)
    picture(lab, "second")
    assert axe(view) == []
    dark_picture(lab, lab, "second-dark")
    lane.get_by_role("button", name="Debug second order").click()
    expect(view.locator(".vg-root")).to_have_attribute("data-status", "paused")
    at(view, 0)
    expect(view.get_by_role("region", name="Graph")).to_contain_text("x.grad")
    picture(lab, "second-opened")
    press(view, "Continue")
    expect(view.locator(".vg-root")).to_have_attribute("data-status", "finished")
    # And back to the first.
    sessions = view.get_by_role("combobox", name="Session")
    first = sessions.locator("option").filter(has_text="5 of 5").get_attribute("value")
    sessions.select_option(first)
    at(view, 5)
    expect(lane).to_contain_text("6 nodes so far")


NESTED = """\
import vizgrad as vg
w = vg.tensor([3.0], requires_grad=True)

class Again(vg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with vg.enable_grad():
            z = x.detach().requires_grad_()
            y = (z * w).sum()
            y.backward()
        return z.grad * grad

x = vg.tensor([1.0, 2.0], requires_grad=True)
session = vg.debug(Again.apply(x).sum())"""


def test_a_backward_within_a_node_is_gone_into_or_over(lab: Lab) -> None:
    notebook = lab.open_notebook(NESTED)
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    press(view, "Step")
    at(view, 1)
    choose(view, "Step in")
    inside = view.get_by_role("region", name="Inside")
    following = inside.locator("[aria-current='step']")
    for _ in range(3):
        inside.get_by_role("button", name="Step one stage").click()
    expect(following).to_contain_text("y.backward()")
    inside.get_by_role("button", name="Step in").click()
    lane = inside.get_by_role("list", name="Operations, as they ran")
    expect(lane.get_by_role("listitem", name="SumBackward0, done")).to_have_count(1)
    expect(lane.get_by_role("listitem", name="MulBackward0, next")).to_have_count(1)
    expect(following).to_contain_text("y.backward()")
    picture(lab, "nested")
    assert axe(view) == []
    dark_picture(lab, lab, "nested-dark")
    inside.get_by_role("button", name="Step out").click()
    expect(lane.get_by_role("listitem", name="AccumulateGrad w, done")).to_have_count(1)
    press(view, "Step")
    at(view, 2)
    assert notebook.execute("print(w.grad.item())") == "3.0\n"
    press(view, "Step back")
    at(view, 1)
    assert notebook.execute("print(w.grad)") == "None\n"
