"""The messages that the kernel sends without a request (beside `Sessions`)."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.model import LineMark, LineRun, LineStop, Name
from vizgrad.debugger.session.run_control import Update


@dataclass(frozen=True, slots=True)
class Updated:
    """Event: the session changed. With status "closed" it is the last: what is shown stays, to be read."""

    session: str
    update: Update


@dataclass(frozen=True, slots=True)
class AtRevision:
    """Event: the number of the latest update. Sent when an event may have been lost on the way."""

    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Working:
    """Event: what the session is busy with, told several times a second when that takes long, and when it is
    over (`what` is empty).

    - "running": `done` of `total` steps are done, and `node` has been running for `seconds`.
    - "reading": the graph is read, to be shown.
    """

    session: str
    what: str
    done: int = 0
    total: int = 0
    node: Name | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LinesMoved:
    """Event, to views that follow lines: how they changed since what was told before (`number` rises by one),
    and where the run stands. Whose lines they do not know, or who missed a number, asks anew
    (`FollowLines`). `session` is empty where the session whose lines were told is closed. `stops` are None
    where they are as they were.
    """

    session: str
    number: int
    runs: tuple[LineRun, ...] = ()
    stops: tuple[LineStop, ...] | None = None
    mark: LineMark | None = None


@dataclass(frozen=True, slots=True)
class RollCall:
    """Event: another view has come. Who is there says so, with any request: views go without a word."""
