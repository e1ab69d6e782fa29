"""Views follow their session, whatever happens to messages and to the views."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.ui.lab import Lab, Notebook
from tests.ui.test_tour import press, root

SETUP = """
import vizgrad as vg
from vizgrad.debugger.session import registry
from vizgrad.debugger.api import show
x = vg.ones(3, requires_grad=True)
loss = (x.exp() * x).tanh().sum()
"""
#: The next message of this class does not get through, for any view.
LOSE = """
from vizgrad.debugger.jupyter.widget import controller
encode = controller.encode_message
lost = []
def encode_message(message):
    if type(message).__name__ == {name!r} and not lost:
        lost.append(message)
        raise OSError("the connection was reset")
    return encode(message)
controller.encode_message = encode_message
"""


def at(view: Locator, position: int) -> None:
    expect(root(view)).to_have_attribute("data-position", str(position))


def printed(notebook: Notebook, code: str, text: str) -> None:
    """The kernel prints this, sooner or later."""
    for _ in range(1000):
        if notebook.execute(code) == text:
            return
        notebook.lab.page.wait_for_timeout(100)
    raise AssertionError(f"{code} prints {notebook.execute(code)}, never {text}")


def test_two_views_follow_each_other_and_the_cells(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP + "session = vg.debug(loss)", "show(session)")
    notebook.run()
    one, other = notebook.output(0), notebook.output(1)
    at(one, 0)
    at(other, 0)
    press(one, "Step")
    at(one, 1)
    at(other, 1)
    press(other, "Step back")
    at(one, 0)
    notebook.execute("session.step(3)")
    at(one, 3)
    at(other, 3)
    states = [
        [node.get_attribute("data-state") for node in view.locator("[data-node-id]").all()]
        for view in (one, other)
    ]
    assert states[0] == states[1]
    assert states[0].count("done") == 3


def test_a_message_that_is_lost_leaves_no_view_deaf(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP + "session = vg.debug(loss)", "pass")
    notebook.run()
    view = notebook.output(0)
    at(view, 0)
    for position, name in enumerate(("Updated", "Done", "Inspection"), start=1):
        notebook.execute(LOSE.format(name=name))
        press(view, "Step")
        at(view, position)
        # what the view asks for of itself may come after the picture of the step
        printed(notebook, "print(len(lost))", "1\n")
        notebook.execute("controller.encode_message = encode")
    press(view, "Step back")
    at(view, 2)
    expect(root(view)).to_have_attribute("aria-busy", "false")


def test_a_session_that_nobody_shows_any_more_is_let_go(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP + "show(vg.debug(loss, display=False)); None")
    notebook.run()
    at(notebook.output(0), 0)
    assert notebook.execute("print(len(registry.sessions()))") == "1\n"
    lab.execute("notebook:clear-all-cell-outputs")
    expect(notebook.output(0).locator(".vg-root")).to_have_count(0)
    gone = "import gc; gc.collect(); print(len(registry.sessions()))"
    printed(notebook, gone, "0\n")
