"""What happened at a line to a tensor: a hook was registered, a value was taken out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.watch.notes import Note, nothing


class Event:
    __slots__ = ("clock", "held", "note", "op", "rewritten", "site", "tensor")

    def __init__(
        self, op: str, site: Site | None, note: Note | None, *, held: bool = False
    ) -> None:
        self.op = op
        self.site = site
        self.note = note
        #: For a hook: does it refer to its tensor?
        self.held = held
        self.clock = tick()
        #: The tensor, weakly; and where that was written in place after.
        self.tensor: Callable[[], Any] = nothing if note is None else note.tensor
        self.rewritten: Site | None = None


def holds(function: Any, tensor: Any) -> bool:
    """Does a function refer to a tensor: in its closure, its defaults, or what it is bound to?"""
    held: list[Any] = [
        *(getattr(function, "__defaults__", None) or ()),
        *getattr(function, "args", ()),
    ]
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:
            continue
    return any(each is tensor for each in held)
