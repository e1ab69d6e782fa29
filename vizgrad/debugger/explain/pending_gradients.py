"""Gradients that are still to come: the backward that brings them is open in a session, of any engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.explain.cause import HEALTHY, NOTHING, Cause, Phrase, cause, given
from vizgrad.debugger.explain.wording import THE_GRAD
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session import Session, SessionBusy
from vizgrad.debugger.session.session_reader import SessionClosed

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
    """Of a tensor called `name`, whose node has not run: what its gradient waits for."""
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
