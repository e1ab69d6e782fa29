"""Views that went without a word: the page was reloaded, or the browser was ended.

The kernel is not told: their comms stay open, and would hold the sessions that they showed. So when a view
comes, the others are called (`RollCall`). Who says nothing, though the kernel had time to hear it, is told
nothing more and holds nothing. A view that only slept is attached again when it asks for something.
"""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.debugger.jupyter.widget.controller import Controller, controllers
from vizgrad.debugger.jupyter.widget.request_worker import MAIN

#: Seconds that a view has to answer.
PATIENCE = 60.0
#: Seconds without a cell, in which the kernel hears what was said while cells ran.
HEARS_ALL = 5.0


def call_others(come: Controller) -> None:
    """`come` is of a view that has just come."""
    called = [each for each in controllers() if each is not come and each.call()]
    if called and MAIN.call_later is not None:
        MAIN.call_later(PATIENCE, lambda: _end_silent(called, -1))


def _end_silent(called: Sequence[Controller], cells: int) -> None:
    """`cells`: how many had begun when this was called last."""
    if (MAIN.busy or MAIN.cells != cells) and MAIN.call_later is not None:
        now = MAIN.cells
        MAIN.call_later(HEARS_ALL, lambda: _end_silent(called, now))
        return
    for controller in called:
        controller.end_silent()
