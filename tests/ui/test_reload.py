"""A page that is loaded anew shows what lives, and leaves nothing behind in the kernel."""

from __future__ import annotations

import time

from tests.fixtures.limits import HANG
from tests.ui.lab import Lab
from tests.ui.test_following import at
from tests.ui.test_life import SETUP, panel_of
from tests.ui.test_tour import press

#: Held by its view alone, and by views that nobody sees any more.
SHOW = "show(vg.debug(loss, display=False))"
IMPATIENT = """
from vizgrad.debugger.jupyter.widget import commtarget
commtarget.PATIENCE, commtarget.HEARS_ALL = 1.0, 0.5
"""
ATTACHED = """
from vizgrad.debugger.jupyter.widget.controller import controllers
print(sum(controller._attached is not None for controller in controllers()))
"""


def test_sessions_live_on_in_a_page_that_is_reloaded_and_its_old_views_let_go(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, SHOW, "s = vg.debug((x * 2).exp().sum())")
    notebook.run()
    at(notebook.output(1), 0)
    press(notebook.output(2), "Step")
    at(notebook.output(2), 1)
    assert notebook.execute(ATTACHED) == "2\n"
    lab.execute("docmanager:save")
    lab.load("lab?reset")
    notebook = lab.open("test.ipynb")
    for cell, position in ((1, 0), (2, 1)):
        at(notebook.output(cell), position)
    # Not before: until its views are there, a slow page needs longer than the kernel waits from here on.
    notebook.execute(IMPATIENT)
    at(panel_of(lab), 1)  # a view comes, and the others are called
    deadline = time.monotonic() + HANG
    while (attached := notebook.execute(ATTACHED)) != "3\n":
        assert time.monotonic() < deadline, f"{attached} views are attached"
        lab.page.wait_for_timeout(3000)  # longer than the kernel waits for a time without cells
    for cell, position in ((1, 1), (2, 2)):
        press(notebook.output(cell), "Step")
        at(notebook.output(cell), position)
    assert notebook.execute("print(s.position)") == "2\n"
