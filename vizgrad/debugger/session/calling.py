"""The frames that called a backward, as they stood there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vizgrad.core.errors import Place


@dataclass(frozen=True)
class CallingFrame:
    """A call of the person's own: the function it is in, the line, and its variables: `frame["loss"]`."""

    function: str
    place: Place | None
    locals: Mapping[str, Any] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.locals[name]


class Variables:
    """The variables that conditions of breakpoints may speak of, by name."""

    def __init__(self, known: Callable[[], Mapping[str, Any]]) -> None:
        """`known` by the engine that opened the backward; `loss` is always this one."""
        self._known = known
        #: The frames that called the backward, innermost first, where a cell was stopped.
        self.frames: tuple[CallingFrame, ...] = ()

    def __call__(self) -> Mapping[str, Any]:
        known = self._known()
        if not self.frames:
            return known
        found = dict(known)
        for frame in reversed(self.frames):
            found.update(frame.locals)
        if "loss" in known:
            found["loss"] = known["loss"]
        return found
