"""Why a program was stopped, and the exception that ends it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.shell.frames import UserFrame

Reason = Literal["nonfinite", "error", "finding", "at", "pause"]


@dataclass(frozen=True, slots=True)
class Backward:
    """A call of backward and its arguments, the `number`-th of the program. `ran`: it has run, or failed;
    `released`: its graph holds no values since.
    """

    tensors: Any
    gradient: Any = None
    retain_graph: bool | None = None
    create_graph: bool = False
    inputs: Any = None
    number: int = 0
    ran: bool = False
    released: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """A program was stopped: `headline` says where and why in a line, `explanation` more, if there is more.

    `frames` are the user's, the innermost first; `error` is what the program raised.
    """

    reason: Reason
    headline: str
    explanation: Explanation | None = None
    frames: tuple[UserFrame, ...] = field(default=(), repr=False)
    backward: Backward | None = field(default=None, repr=False)
    error: BaseException | None = field(default=None, repr=False)

    @property
    def place(self) -> Place | None:
        """The line to edit, or, where that is not known, the one that ran."""
        if self.explanation is not None and self.explanation.culprit is not None:
            return self.explanation.culprit
        own = [frame for frame in self.frames if not frame.installed]
        return next((frame.place for frame in own or self.frames), None)


class Stopped(BaseException):
    """Ends the program. It is no Exception: a training loop may catch these. `finally` blocks run."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(f"vizgrad stopped the program: {stop.headline}")
        self.stop = stop
