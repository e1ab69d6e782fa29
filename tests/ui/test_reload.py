"""A page that is loaded anew leaves nothing behind in the kernel."""

from __future__ import annotations

import time

from tests.fixtures.limits import HANG
from tests.ui.lab import Lab
from tests.ui.test_following import at
from tests.ui.test_life import SETUP
from tests.ui.test_tour import press

#: Held by its view alone, and by views that nobody sees any more.
SHOW = "show(vg.debug(loss, display=False))"
IMPATIENT = """
from vizgrad.widgets import presence
presence.PATIENCE, presence.HEARS_ALL = 1.0, 0.5
"""
ATTACHED = """
from vizgrad.widgets.controller import controllers
print(sum(controller._attached is not None for controller in controllers()))
"""


def test_views_of_a_page_that_is_gone_let_go_of_their_session(lab: Lab) -> None:
    notebook = lab.open_notebook(SETUP, SHOW)
    notebook.run()
    at(notebook.output(1), 0)
    notebook.execute(IMPATIENT)
    assert notebook.execute(ATTACHED) == "1\n"
    lab.execute("docmanager:save")
    lab.load("lab?reset")
    notebook = lab.open("test.ipynb")
    view = notebook.output(1)
    at(view, 0)
    deadline = time.monotonic() + HANG
    while (attached := notebook.execute(ATTACHED)) != "1\n":
        assert time.monotonic() < deadline, f"{attached} views are attached"
        lab.page.wait_for_timeout(3000)  # longer than the kernel waits for a time without cells
    press(view, "Step")
    at(view, 1)
