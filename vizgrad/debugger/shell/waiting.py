"""One of several ranks that waits for long: where, said while it waits.

A rank that never reaches a collective keeps the others waiting until the timeout of their group, which is 10
or 30 minutes. Each says where it stands: those that wait in the collective, and the one that is elsewhere.
The lowest of those that wait then says where all ranks are.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from types import FrameType
from typing import Protocol

from vizgrad.core.errors import Place, place_at
from vizgrad.debugger.engines.api.process_groups import process_store, running_collective
from vizgrad.debugger.shell.frames import is_installed, is_users
from vizgrad.debugger.shell.rank_places import RankPlace, RankPlaces

#: Seconds at one place, without computing, after which it is said; and between two looks.
LONG, EVERY = 10.0, 1.0
#: Looks in which the other ranks answer a question.
LOOKS = 3
#: A thread that takes less than this part of the time does not compute.
IDLE = 0.05

#: The frames of a thread and the instruction in each.
_Stack = tuple[tuple[int, int], ...]


class Hearer(Protocol):
    """Its methods are called on another thread."""

    def where(self, place: Place | None) -> str:
        """``train.py:9: time.sleep(1000)``; empty for None."""
        ...

    def waits(self, collective: str, place: Place | None, seconds: float) -> None:
        """Once for each wait. The collective is empty where none is known."""
        ...

    def all_ranks(self, places: Mapping[int, RankPlace | None]) -> None:
        """Where all ranks are, a few seconds later; None for one that does not answer. Not called where a
        lower rank waits, too, and where the ranks have no store.
        """
        ...


class Waiting:
    """From `begin` to `end` looks at the thread that has called `begin`. Where the system does not know the
    time of a thread, nothing is looked at.
    """

    def __init__(self, hearer: Hearer) -> None:
        self._hearer = hearer
        self._over = threading.Event()
        #: None before the program has a process group.
        self._places: RankPlaces | None = None
        #: Looks until the answers to a question are read; 0: nothing was asked.
        self._until_heard = 0

    def begin(self) -> None:
        thread = threading.current_thread().ident
        clock_of = getattr(time, "pthread_getcpuclockid", None)
        if thread is None or clock_of is None:
            return
        clock = clock_of(thread)
        threading.Thread(
            target=self._look, args=(thread, clock), name="waiting ranks", daemon=True
        ).start()

    def end(self) -> None:
        self._over.set()

    def _look(self, thread: int, clock: int) -> None:
        stack: _Stack = ()
        since = computed = 0.0
        told = False
        while not self._over.wait(EVERY):
            frame = sys._current_frames().get(thread)
            if frame is None:
                return
            now, spent, here = time.monotonic(), time.clock_gettime(clock), _stack(frame)
            if here != stack:
                stack, since, computed, told = here, now, spent, False
            place = _place(frame)
            idle = spent - computed <= IDLE * (now - since)
            begins = not told and now - since >= LONG
            if begins and idle:
                told = True
                self._hearer.waits(running_collective(), place, now - since)
            elif begins:
                since, computed = now, spent  # it computes, at this place
            stands = told or (idle and now - since > EVERY)
            collective = running_collective() if stands else ""
            self._exchange(
                RankPlace(stands, collective, self._hearer.where(place), told), ask=begins and told
            )

    def _exchange(self, place: RankPlace, *, ask: bool) -> None:
        """Answers other ranks, and asks them; not before there is a process group, nor after it."""
        try:
            if self._places is None:
                if (found := process_store()) is None:
                    return
                self._places = RankPlaces(*found)
            if ask:
                self._places.ask()
                self._until_heard = LOOKS
            self._places.answer(place)
            if self._until_heard:
                self._until_heard -= 1
                if not self._until_heard and (heard := self._places.heard()) is not None:
                    self._hearer.all_ranks(heard)
        except (RuntimeError, OSError):  # the group has ended, or the rank that has its store
            self._places, self._until_heard = None, 0


def _stack(frame: FrameType | None) -> _Stack:
    found: list[tuple[int, int]] = []
    while frame is not None:
        found.append((id(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def _place(frame: FrameType | None) -> Place | None:
    """The innermost line of the user's own."""
    while frame is not None:
        if is_users(frame) and not is_installed(frame.f_code.co_filename):
            return place_at(frame.f_code, frame.f_lineno)
        frame = frame.f_back
    return None
