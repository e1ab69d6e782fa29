"""The facts of tensors of every engine: from the records of open sessions, or that nothing was noted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import Any

from vizgrad.core.errors import Explanation, Link
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.protocols import GraphSource, Step
from vizgrad.debugger.explain.cause import HEALTHY, NOTHING, Cause, Phrase, cause, given
from vizgrad.debugger.explain.wording import AN_UNNAMED_TENSOR, THE_GRAD
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.breakpoints.breakpoints import birth_at
from vizgrad.debugger.session.breakpoints.stop_reason import birth_text
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session import Session, SessionBusy
from vizgrad.debugger.session.session_reader import SessionClosed
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.tensor_adapter import Look

# --- pending gradients -----------------------------------------------------------------------------------
# Gradients that are still to come: the backward that brings them is open in a session, of any engine.


#: Nodes that are named at most.
_NAMED = 3


def opened() -> Iterator[tuple[Session, Live]]:
    """The open sessions that stand still, the newest first."""
    for session in reversed(registry.sessions()):
        with suppress(SessionClosed, SessionBusy), session.at_rest() as (_, look):
            if isinstance(look, Live):
                yield session, look


def of_tensor(tensor: Any, name: str) -> Cause | None:
    """Why a tensor has no gradient: an open backward that brings it is paused before it, or has failed.
    HEALTHY for what such a backward starts from, which need not have one; None where no session tells.
    """
    if not tensor.requires_grad:
        return None
    for session, look in opened():
        number = look.source.number(tensor)
        if number is None:
            continue
        if not tensor.is_leaf and not tensor.retains_grad:
            if any(number == root for root, _ in look.source.roots):
                return HEALTHY
            continue
        found = _of_session(session, look, number, name)
        if found is not None:
            return found
    return None


def _of_session(session: Session, look: Live, number: int, name: str) -> Cause | None:
    if look.status == "finished" or has_run(look, number):
        return None
    told = getattr(look.history.error, "explanation", None)
    if look.status == "failed" and isinstance(told, Explanation):
        return given(told)
    if look.status == "paused" and number not in look.history.start.skipped:
        return still_to_come(look, number, name, session.title)
    return None


def has_run(look: Live, number: int) -> bool:
    """Is the step of a node among those that are done?"""
    order = look.history.past.orders.get(number)
    return order is not None and order < look.position


def is_due(look: Live, number: int) -> bool:
    """Is a node a leaf whose step is still to come in a backward that is paused?"""
    leaf = number >= look.source.inner
    skipped = number in look.history.start.skipped
    return leaf and look.status == "paused" and not skipped and not has_run(look, number)


def still_to_come(look: Live, number: int, name: str, title: str = "backward") -> Cause:
    """For a tensor called `name`, whose node has not run: the reason why its gradient waits."""
    current, source = look.current, look.source
    label = "" if current is None else f"{source.name(current)} {source.label(current)}".strip()
    return cause(
        "healthy", "waits", None, name,
        shown=f"{name}.grad" if name else THE_GRAD,
        holds=Phrase("empty" if source.grad(number) is None else "earlier"),
        loss=NOTHING if title == "backward" else Phrase("of-loss", title=title),
        before=Phrase("before-node", node=label) if label else NOTHING,
        done=look.position,
        total=look.total,
        what=Phrase("stores") if current == number else _delivered_by(look, number),
    )  # fmt: skip


def _delivered_by(look: Live, number: int) -> Phrase:
    """The nodes on whose steps it waits."""
    source, skipped = look.source, set(look.history.start.skipped)
    before = [
        node
        for node in range(len(source))
        if number in source.targets(node) and node not in skipped and not has_run(look, node)
    ]
    if not before:
        return Phrase("stored-later")
    named = [_with_line(source, node) for node in before[:_NAMED]]
    who: Any = named[0]
    if len(before) > _NAMED:
        who = Phrase("and-more", first=_listed(named), more=len(before) - _NAMED)
    elif len(named) > 1:
        who = Phrase("and", first=_listed(named[:-1]), last=named[-1])
    return Phrase("several-deliver" if len(before) > 1 else "one-delivers", who=who)


def _listed(parts: list[Phrase]) -> Phrase:
    found = parts[0]
    for part in parts[1:]:
        found = Phrase("comma", first=found, last=part)
    return found


def _with_line(source: GraphSource, node: int) -> Phrase:
    place = source.describe(node).place
    name = source.name(node)
    return Phrase("name", name=name) if place is None else Phrase("name-line", name=name, at=place)


# --- unnoted ---------------------------------------------------------------------------------------------
# A non-finite value without a noted cause: the text says so, and how to learn more.


_INF = float("inf")


def of_value(look: Look, tensor: Any, name: str) -> Cause | None:
    """None where the value is finite."""
    if look.finite(tensor):
        return None
    return cause(
        "nonfinite-forward", "value-not-noted", None, name,
        shown=name or AN_UNNAMED_TENSOR, count=counted_in(tensor),
    )  # fmt: skip


def of_gradient(
    noting: Noting | None, look: Look, tensor: Any, name: str, run: Run | None, key: int
) -> Cause | None:
    """The cause of a non-finite `.grad` of a tensor; None where it is finite. `run`: the last backward
    that is known to have reached it, under the number `key`.
    """
    grad = look.grad(tensor)
    if grad is None or look.finite(grad):
        return None
    leaf = None if noting is None else noting.gradients.known(tensor)
    since = NOTHING
    if run is None:
        case = "gradient-not-noted" if leaf is None else "gradient-made-elsewhere"
    else:
        visit = run.visits.get(key)
        if visit is None or not visit.incoming < _INF:
            case = "gradient-passed-through"
        else:
            case = "gradient-written"
            several = leaf is not None and leaf.kept > 1
            since = Phrase("since-or-before" if several else "since")
    shown = f"{name}.grad" if name else ".grad"
    return cause(
        "nonfinite-backward", case, None, shown,
        shown=shown, count=counted_in(grad), since=since, at=None if run is None else run.site,
    )  # fmt: skip


def counted_in(tensor: Any) -> Phrase:
    """As in: 1 NaN of 2 elements."""
    return counted(summarizer.summarize(tensor))


def counted(summary: model.TensorSummary | None) -> Phrase:
    """The same, of what is known of a tensor."""
    if summary is None or not (summary.nans or summary.infs):
        return Phrase("not-finite")
    nans, infs, count = summary.nans, summary.infs, prod(summary.shape)
    which = Phrase("both" if nans and infs else "nans" if nans else "infs", nans=nans, infs=infs)
    return Phrase("one-element" if count == 1 else "elements", which=which, count=count)


# --- recorded --------------------------------------------------------------------------------------------
# Explanations of non-finite gradients from the records of a session's steps: the same for every engine.


def of_leaf(tensor: Any, grad: Any, name: str) -> Cause | None:
    """The `.grad` of a leaf that a session has stored as it is now, and that is not finite."""
    now = summarizer.summarize(grad)
    for _, look in opened():
        number = look.source.number(tensor)
        step = None if number is None else step_of(look, number)
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
    own = step_of(look, number)
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
            return came_in(summary, name), None, visit.index + 1
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


def came_in(summary: model.TensorSummary, name: str) -> Cause:
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


def step_of(look: Live, number: int) -> Step | None:
    """The step that ran a node, among those that are done."""
    order = look.history.past.orders.get(number)
    return None if order is None or order >= look.position else look.history.steps[order]
