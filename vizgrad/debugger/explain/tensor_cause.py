"""The cause of how one tensor is: who is asked about it, and what they tell."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.explain.cause import HEALTHY, Cause
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.evidence import Evidence, Question, Together
from vizgrad.debugger.explain.from_graph import GraphReader
from vizgrad.debugger.explain.from_records import RecordsReader
from vizgrad.debugger.explain.from_session import SessionReader
from vizgrad.debugger.explain.from_watch import TensorItself, WatchReader
from vizgrad.debugger.explain.unexplained import of_unread
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.tensor_adapter import UNREADABLE, look_of


def cause_of(noting: Noting | None, tensor: Any, name: str) -> Cause:
    """Why the value and the `.grad` of `tensor` are as they are."""
    found = diagnose(Question("tensor", name), evidence_of(noting, tensor))
    look = look_of(tensor)
    if found is HEALTHY and (look is None or look.kind(tensor) == UNREADABLE):
        return of_unread(name)
    return found


def evidence_of(noting: Noting | None, tensor: Any) -> Evidence:
    """The facts on a tensor: open sessions are asked first, which know what holds now, then a watch."""
    look = look_of(tensor)
    if look is None:
        return Evidence()
    watch = () if noting is None else (WatchReader(noting, tensor),)
    return Together(
        TensorItself(tensor, look),
        SessionReader(tensor, look, noting),
        *watch,
        GraphReader(tensor, look),
        RecordsReader(tensor, look),
    )
