"""Reads an open session, of any engine: what its graph keeps and its steps did, though nobody listened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.magnitude import finite
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import Explanation, Link, place_of
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Step
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.engines.common.nonfinite_origin import made_by
from vizgrad.debugger.explain.answers import way
from vizgrad.debugger.explain.evidence import (
    Brought,
    Deliverer,
    Evidence,
    Origin,
    Raised,
    Waiting,
)
from vizgrad.debugger.explain.stepped import Stepped, roots_in
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session import Session, SessionBusy
from vizgrad.debugger.session.session_reader import SessionClosed
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.tensor_adapter import Look

# --- a tensor --------------------------------------------------------------------------------------------


def opened() -> Iterator[tuple[Session, Live]]:
    """The open sessions that stand still, the newest first."""
    for session in reversed(registry.sessions()):
        with suppress(SessionClosed, SessionBusy), session.at_rest() as (_, look):
            if isinstance(look, Live):
                yield session, look


def readable(look: Live) -> GraphBase[Any] | None:
    """Its graph, if its engine lets the nodes be read."""
    source: Any = look.source
    return source if isinstance(source, GraphBase) else None


def step_of(look: Live, number: int) -> Step | None:
    """The step that ran a node, among those that are done."""
    order = look.history.past.orders.get(number)
    return None if order is None or order >= look.position else look.history.steps[order]


class SessionReader(Evidence):
    """The open sessions on a tensor."""

    def __init__(self, tensor: Any, look: Look, noting: Noting | None) -> None:
        self._tensor, self._look, self._noting = tensor, look, noting

    def brought_by(self) -> Brought | None:
        """The steps that have stored what the `.grad` of a leaf holds now."""
        tensor = self._tensor
        grad = self._look.grad(tensor) if tensor.is_leaf else None
        if grad is None:
            return None
        for _, live in opened():
            source = readable(live)
            leaf = None if source is None else live.source.number(tensor)
            if source is None or leaf is None:
                continue
            step: Any = step_of(live, leaf)
            done = None if step is None else step.accumulated
            if done is None or done.after is None:
                continue
            after, now = source.reader.array(done.after.array), source.reader.array(grad)
            if after is not None and now is not None and _equal(after, now):
                return Brought(Stepped(source, live.history, self._noting), -id(tensor))
        return None

    def losses(self) -> tuple[Note, ...] | None:
        if self._noting is None:
            return None
        found: list[Note] = []
        for _, live in opened():
            source = readable(live)
            if source is not None:
                found += roots_in(source, self._noting)
        return tuple(found)

    def origin(self) -> Origin | None:
        """By what its graph had saved before the run of a session let go of it."""
        node = self._look.node(self._tensor)
        for _, live in () if node is None else opened():
            source = readable(live)
            if source is not None and node in source.ids:
                origin = made_by(node, source.reader)
                return None if origin is None else origin_in(source, source.ids[node], origin)
        return None

    def waiting(self) -> Waiting | None:
        """An open backward that brings its gradient is paused before it, or has failed."""
        tensor = self._tensor
        if not tensor.requires_grad:
            return None
        for session, look in opened():
            number = look.source.number(tensor)
            if number is None:
                continue
            if not tensor.is_leaf and not tensor.retains_grad:
                if any(number == root for root, _ in look.source.roots):
                    return Waiting(source=True)
                continue
            found = _waiting(session, look, number)
            if found is not None:
                return found
        return None


def _equal(array: Any, now: Any) -> bool:
    if array is now:
        return True
    if is_sparse(array) or is_sparse(now) or array.shape != now.shape or array.dtype != now.dtype:
        return False
    return bool(xp.array_equal(array, now, equal_nan=True))


def origin_in(source: GraphBase[Any], seen: int, origin: Any) -> Origin:
    """`origin` in a graph, and the way there from node `seen`."""
    goal = source.ids.get(origin)
    if goal is None:
        return Origin(origin, source.reader)
    numbers = way(seen, goal, lambda n: [nr for nr in source.targets(n) if nr is not None])
    path = tuple(link(source, nr) for nr in numbers)
    return Origin(origin, source.reader, True, path, source.label(goal))


def link(source: GraphBase[Any], nr: int) -> Link:
    reader, node = source.reader, source.nodes[nr]
    leaf = reader.variable(node) is not None
    text = (source.label(nr) or "a leaf") if leaf else reader.name(node)
    return Link(text, place_of(reader.site(node)), None if leaf else reader.key(node))


# --- gradients that are still to come ---------------------------------------------------------------------


def _waiting(session: Session, look: Live, number: int) -> Waiting | None:
    if look.status == "finished" or has_run(look, number):
        return None
    told = getattr(look.history.error, "explanation", None)
    if look.status == "failed" and isinstance(told, Explanation):
        return Waiting(failed=told)
    if look.status == "paused" and number not in look.history.start.skipped:
        return still_to_come(look, number, session.title)
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


def still_to_come(look: Live, number: int, title: str = "backward") -> Waiting:
    """For the node that stores the gradient, which has not run."""
    current, source = look.current, look.source
    skipped = set(look.history.start.skipped)
    by = [
        Deliverer(source.name(node), source.describe(node).place)
        for node in range(len(source))
        if number in source.targets(node) and node not in skipped and not has_run(look, node)
    ]
    label = "" if current is None else f"{source.name(current)} {source.label(current)}".strip()
    return Waiting(
        title="" if title == "backward" else title,
        earlier=source.grad(number) is not None,
        before=label,
        done=look.position,
        total=look.total,
        stores=current == number,
        by=tuple(by),
    )


# --- a node ----------------------------------------------------------------------------------------------


class SessionNode(Evidence):
    """A session on one of its nodes. `noting`: what a watch noted of the forward pass."""

    def __init__(
        self, look: Live, source: GraphBase[Any], number: int, noting: Noting | None
    ) -> None:
        self._look, self._source, self._number = look, source, number
        self._node = source.nodes[number]
        self._run = Stepped(source, look.history, noting)

    def stepped(self) -> Stepped:
        return self._run

    def key(self) -> int:
        return self._run.key_at(self._number)

    def kind(self) -> str:
        return self._source.reader.name(self._node)

    def raised(self) -> Raised | None:
        step: Any = self._run.steps.get(self.key())
        if step is None or not step.error:
            return None
        error = self._look.history.error
        told = getattr(error, "explanation", None)
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Raised(type(error).__name__, text, told if isinstance(told, Explanation) else None)

    def stale(self) -> model.Saved | None:
        saved = self._source.saved(self._number)
        return next((each for each in saved if each.state == "stale"), None)

    def origin(self) -> Origin | None:
        """The origin of a saved value, if one is not finite."""
        reader = self._source.reader
        arrays = reader.saved(self._node).values()
        if all(a is None or a.dtype.kind not in "fcV" or finite(a) for a in arrays):
            return None
        origin = made_by(self._node, reader)
        return None if origin is None else origin_in(self._source, self._number, origin)

    def skipped(self) -> bool:
        return self._number in self._look.history.start.skipped

    def waiting(self) -> Waiting | None:
        due = is_due(self._look, self._number)
        return still_to_come(self._look, self._number) if due else None

    def link(self) -> tuple[Link, ...]:
        return (link(self._source, self._number),)
