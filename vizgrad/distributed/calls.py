"""Calls of collectives, for who listens to a thread: what each carries, and when the parts of others came.

Nothing is noted where nobody listens.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, Protocol


class Group(Protocol):
    """The part of a ProcessGroup that is told of."""

    group_name: str
    ranks: tuple[int, ...]
    noted: dict[int, Call]


class Call:
    """One collective that this process has called. The thread that runs it fills in what is known later."""

    __slots__ = (
        "began",
        "carried",
        "error",
        "group",
        "name",
        "nbytes",
        "number",
        "seconds",
        "since",
        "waits",
    )

    def __init__(
        self, group: Group, number: int, name: str, nbytes: int, carried: Sequence[Any]
    ) -> None:
        self.group, self.number, self.name, self.nbytes = group, number, name, nbytes
        #: The parameters whose gradients it carries, where a reducer calls it.
        self.carried = carried
        #: When it was called: in seconds since 1970, and by the clock that measures.
        self.began, self.since = time.time(), time.monotonic()
        #: Until its end; None before.
        self.seconds: float | None = None
        #: By rank in the group: seconds after the call at which its part was here. Empty where the backend
        #: does not tell.
        self.waits: dict[int, float] = {}
        self.error = ""

    def came(self, source: int, at: float) -> None:
        """The part of rank `source` was here `at` this time."""
        self.waits[source] = max(0.0, at - self.since)


Listener = Callable[[Call], None]


class _Here(threading.local):
    listener: Listener | None = None
    carried: Sequence[Any] = ()


_HERE = _Here()


def set_listener(listener: Listener | None) -> Listener | None:
    """From now on `listener` is given each call of this thread, when it begins. Returns the one before."""
    before, _HERE.listener = _HERE.listener, listener
    return before


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """The same in the block."""
    before = set_listener(listener)
    try:
        yield
    finally:
        set_listener(before)


@contextmanager
def carrying(parameters: Sequence[Any]) -> Generator[None]:
    """Calls of this thread in the block carry the gradients of these."""
    if _HERE.listener is None:
        yield
        return
    before, _HERE.carried = _HERE.carried, parameters
    try:
        yield
    finally:
        _HERE.carried = before


def begun(
    group: Group, number: int, name: str, given: Iterable[Any], taken: Iterable[Any] = ()
) -> Call | None:
    """This thread calls the collective `number` of a group, with arrays that are `given` and those that are
    `taken` from the others. None where nobody listens.
    """
    listener = _HERE.listener
    if listener is None:
        return None
    nbytes = max(sum(each.nbytes for each in given), sum(each.nbytes for each in taken))
    call = Call(group, number, name, nbytes, _HERE.carried)
    group.noted[number] = call
    listener(call)
    return call


@contextmanager
def running(call: Call | None) -> Generator[None]:
    """The collective runs in the block, on any thread."""
    if call is None:
        yield
        return
    try:
        yield
    except BaseException as error:
        call.error = f"{type(error).__name__}: {error}"
        raise
    finally:
        call.seconds = time.monotonic() - call.since
        call.group.noted.pop(call.number, None)
