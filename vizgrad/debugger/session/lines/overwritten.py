"""A write in place to a value that a node has saved, in words that are short enough for the end of a line."""

from __future__ import annotations

from typing import NamedTuple

from vizgrad.core.errors import Explanation, Place, short_place


class Overwritten(NamedTuple):
    """`what` is for the line that recorded the node, `done` for the line that wrote (`by`)."""

    what: str
    by: Place | None
    done: str


def overwritten(
    error: BaseException | None, name: str, recorded: Place | None
) -> Overwritten | None:
    """None for another error. `name` is that of the node which raised it, `recorded` its line."""
    told: Explanation | None = getattr(error, "explanation", None)
    if told is None or told.kind != "saved-overwritten":
        return None
    by, tensor = told.culprit, told.tensor or "a tensor"
    if by is None:
        return Overwritten(f"`{tensor}`, saved by {name}, was changed in place since", None, "")
    same = recorded is not None and (recorded.file, recorded.cell) == (by.file, by.cell)
    where = f"line {by.line}" if same else short_place(by)
    text = f": {by.text}" if by.text else ""
    saved = "" if recorded is None or not same else f" on line {recorded.line}"
    return Overwritten(
        f"{where} changed `{tensor}` in place, which {name} saved{text}",
        by,
        f"changes `{tensor}` in place, which {name} saved{saved}",
    )
