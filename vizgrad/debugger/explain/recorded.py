"""What the records of a session's steps tell of gradients that are not finite: of every engine the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vizgrad.core.errors import Link
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.protocols import Step
from vizgrad.debugger.explain import pending_gradients
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.unnoted import counted
from vizgrad.debugger.session.breakpoints.breakpoints import birth_at
from vizgrad.debugger.session.breakpoints.stop_reason import birth_text
from vizgrad.debugger.session.open_session import Live


def of_leaf(tensor: Any, grad: Any, name: str) -> Cause | None:
    """The `.grad` of a leaf that a session has stored as it is now, and that is not finite."""
    now = summarizer.summarize(grad)
    for _, look in pending_gradients.opened():
        number = look.source.number(tensor)
        step = None if number is None else _step_of(look, number)
        done = None if step is None else step.record.visit.accumulate
        after = None if done is None else done.after
        if number is not None and after is not None and _alike(after, now):
            told = of_node(look, number, name)
            return None if told is None else told[0]
    return None


def _alike(after: model.TensorSummary, now: model.TensorSummary | None) -> bool:
    return now is not None and (after.nans, after.infs) == (now.nans, now.infs)


def of_node(look: Live, number: int, name: str) -> tuple[Cause, int | None, int] | None:
    """Why what came to a node, or what it made, is not finite; also the node that made it so, None if that is
    not known, and how many steps are done behind that. None where all is finite.
    """
    history: Any = look.history
    own = _step_of(look, number)
    births = [
        (step, birth)
        for step in history.steps[: history.position]
        if (birth := birth_at(step)) is not None
    ]
    behind = {number}
    births.sort(key=lambda each: each[0].node != number)  # what it made itself is asked for first
    for step, birth in births:
        if step.node == number or _leads(look, step.node, number, behind):
            return _born(look, birth, step, name), step.node, step.record.visit.index + 1
    if own is None:
        return None
    visit = own.record.visit
    done = [] if visit.accumulate is None else [visit.accumulate.after]
    for summary in (*visit.incoming, *done):
        if summary is not None and (summary.nans or summary.infs):
            return _came_in(summary, name), None, visit.index + 1
    return None


def _born(look: Live, birth: model.Birth, step: Step, name: str) -> Cause:
    source = look.source
    place, node = source.describe(step.node).place, source.name(step.node)
    found = cause(
        "nonfinite-backward", "step-made", place, node,
        birth=birth_text(birth, source),
        came=Phrase("came-into", name=name) if node != name else NOTHING,
    )  # fmt: skip
    return replace(found, path=(Link(node, place),))


def _came_in(summary: model.TensorSummary, name: str) -> Cause:
    return cause("nonfinite-backward", "came-in", None, name, name=name, count=counted(summary))


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


def _step_of(look: Live, number: int) -> Step | None:
    history: Any = look.history
    return next((s for s in history.steps[: history.position] if s.node == number), None)
