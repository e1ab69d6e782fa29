"""Sites and writes of the engine, as model data."""

from __future__ import annotations

from vizgrad.core.errors import place_of
from vizgrad.core.tensor.source_location import written_name
from vizgrad.core.tensor.storage import Written
from vizgrad.debugger.model import Write


def write_of(written: Written | None) -> Write | None:
    """A write of the storage's log, with the variable's name read from the source line; None if it is
    not known exactly.
    """
    if written is None or written.version is None or written.clock is None:
        return None
    return Write(
        version=written.version,
        clock=written.clock,
        op=written.op,
        place=place_of(written.site),
        alias=written.alias or written_name(written.site),
    )
