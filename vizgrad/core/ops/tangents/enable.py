"""How operations come to ask for tangents: when the first level is entered, and not before.

Programs that never use forward mode do not pay for the question. What is compiled of an operation is written
again with one line more (`vizgrad.core.function.compile_record`); what is written by hand asks by itself.
"""

from __future__ import annotations

from vizgrad.core.function.generated import write_again
from vizgrad.core.ops.tangents import by_hand
from vizgrad.core.ops.tangents import table as table
from vizgrad.core.ops.tangents.carrying import run, write
from vizgrad.core.tensor.duals import DUALS


def arm() -> None:
    """Makes operations ask for tangents from now on; does nothing the second time."""
    if DUALS.armed:
        return
    DUALS.run, DUALS.write, DUALS.by_hand = run, write, by_hand
    DUALS.armed = True
    write_again()
