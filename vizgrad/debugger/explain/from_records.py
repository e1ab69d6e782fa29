"""Reads the records of a session's steps: of engines that do not let their nodes be read, and of values that
are no longer kept.
"""

from __future__ import annotations

from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.protocols import Step
from vizgrad.debugger.explain.evidence import Evidence, Recorded, Waiting
from vizgrad.debugger.explain.from_session import is_due, opened, step_of, still_to_come
from vizgrad.debugger.session.breakpoints.breakpoints import birth_at
from vizgrad.debugger.session.breakpoints.stop_reason import birth_text
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.watch.tensor_adapter import Look


class RecordsReader(Evidence):
    """The records of open sessions on the `.grad` of a leaf."""

    def __init__(self, tensor: Any, look: Look) -> None:
        self._tensor, self._look = tensor, look

    def recorded(self) -> Recorded | None:
        """A session has stored the `.grad` as it is now, and it is not finite."""
        grad = self._look.grad(self._tensor)
        if grad is None or self._look.finite(grad):
            return None
        now = summarizer.summarize(grad)
        for _, look in opened():
            number = look.source.number(self._tensor)
            step = None if number is None else step_of(look, number)
            done = None if step is None else step.record.visit.accumulate
            after = None if done is None else done.after
            if number is not None and after is not None and _alike(after, now):
                return recorded_of(look, number)
        return None


class RecordedNode(Evidence):
    """The records of a session on one of its nodes."""

    def __init__(self, look: Live, number: int) -> None:
        self._session, self._number = look, number

    def recorded(self) -> Recorded | None:
        return recorded_of(self._session, self._number)

    def waiting(self) -> Waiting | None:
        due = is_due(self._session, self._number)
        return still_to_come(self._session, self._number) if due else None


def _alike(after: model.TensorSummary, now: model.TensorSummary | None) -> bool:
    return now is not None and (after.nans, after.infs) == (now.nans, now.infs)


def recorded_of(look: Live, number: int) -> Recorded | None:
    """Where what came to a node, or what it made, became other than finite; None where all is finite."""
    source, history = look.source, look.history
    own = step_of(look, number)
    steps: list[Step] = list(history.steps[: history.position])
    births = [(step, birth) for step in steps if (birth := birth_at(step)) is not None]
    behind = {number}
    births.sort(key=lambda each: each[0].node != number)  # what it made itself is asked for first
    for step, birth in births:
        if step.node == number or _leads(look, step.node, number, behind):
            return Recorded(
                birth_text(birth, source), source.name(step.node), source.describe(step.node).place,
                step.node, None, step.record.visit.index + 1,
            )  # fmt: skip
    if own is None:
        return None
    visit = own.record.visit
    done = [] if visit.accumulate is None else [visit.accumulate.after]
    for summary in (*visit.incoming, *done):
        if summary is not None and (summary.nans or summary.infs):
            return Recorded(came=summary, position=visit.index + 1)
    return None


def _leads(look: Live, start: int, goal: int, known: set[int]) -> bool:
    """Is there a way from a node to `goal`? `known`: nodes of which that is so."""
    before: dict[int, int] = {start: start}
    todo = [start]
    for node in todo:
        if node in known:
            while node != start:
                known.add(node)
                node = before[node]  # noqa: PLW2901  back along the way
            known.add(start)
            return True
        for target in look.source.targets(node):
            if target is not None and target not in before:
                before[target] = node
                todo.append(target)
    return False
