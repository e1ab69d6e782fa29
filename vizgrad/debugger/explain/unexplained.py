"""Values and gradients that are not finite, or still to come, of which nobody noted more: the text says so,
and how to learn more.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from vizgrad.core.errors import Link
from vizgrad.debugger import model
from vizgrad.debugger.explain.cause import HEALTHY, NOTHING, Cause, Phrase, cause, given
from vizgrad.debugger.explain.evidence import Brought, Deliverer, Facts, Recorded, Waiting
from vizgrad.debugger.explain.wording import AN_UNNAMED_TENSOR, ITSELF, THE_GRAD
from vizgrad.debugger.watch.grad_history import Leaf

_INF = float("inf")


def of_unread(name: str) -> Cause:
    """For a tensor called `name` whose elements cannot be read."""
    return cause("healthy", "unread", None, name, shown=name or AN_UNNAMED_TENSOR)


def of_no_gradient(name: str) -> Cause:
    """For a leaf called `name` that takes a gradient and has none, about which nobody noted anything."""
    return cause(
        "healthy", "gradient-not-there", None, name,
        shown=f"{name}.grad" if name else THE_GRAD, name=name or ITSELF,
    )  # fmt: skip


def of_value(facts: Facts, name: str) -> Cause | None:
    """None where the value is finite."""
    if facts.value.finite:
        return None
    return cause(
        "nonfinite-forward", "value-not-noted", None, name,
        shown=name or AN_UNNAMED_TENSOR, count=counted(facts.value.summary),
    )  # fmt: skip


def of_gradient(
    facts: Facts, name: str, leaf: Leaf | None, listened: Brought | None
) -> Cause | None:
    """The cause of a non-finite `.grad`; None where it is finite. `listened`: the last backward of a watch
    that is known to have reached it.
    """
    if facts.grad is None or facts.grad.finite:
        return None
    since, run = NOTHING, None
    if listened is None:
        case = "gradient-not-noted" if leaf is None else "gradient-made-elsewhere"
    else:
        run = listened.run
        visit = run.visits.get(listened.key)
        if visit is None or not visit.incoming < _INF:
            case = "gradient-passed-through"
        else:
            case = "gradient-written"
            several = leaf is not None and leaf.kept > 1
            since = Phrase("since-or-before" if several else "since")
    shown = f"{name}.grad" if name else ".grad"
    return cause(
        "nonfinite-backward", case, None, shown,
        shown=shown, count=counted(facts.grad.summary), since=since, at=None if run is None else run.site,
    )  # fmt: skip


def of_records(found: Recorded, name: str) -> Cause:
    """As the records of steps tell it."""
    if found.came is not None:
        return came_in(found.came, name)
    told = cause(
        "nonfinite-backward", "step-made", found.place, found.name,
        birth=found.text,
        came=Phrase("came-into", name=name) if found.name != name else NOTHING,
    )  # fmt: skip
    return replace(told, path=(Link(found.name, found.place),))


def came_in(summary: model.TensorSummary, name: str) -> Cause:
    """No step that is kept made it."""
    return cause("nonfinite-backward", "came-in", None, name, name=name, count=counted(summary))


def counted(summary: model.TensorSummary | None) -> Phrase:
    """The same, of what is known of a tensor."""
    if summary is None or not (summary.nans or summary.infs):
        return Phrase("not-finite")
    nans, infs, count = summary.nans, summary.infs, prod(summary.shape)
    which = Phrase("both" if nans and infs else "nans" if nans else "infs", nans=nans, infs=infs)
    return Phrase("one-element" if count == 1 else "elements", which=which, count=count)


# --- still to come ---------------------------------------------------------------------------------------


#: Nodes that are named at most.
_NAMED = 3


def of_waiting(found: Waiting, name: str) -> Cause:
    """For a tensor called `name`: the reason why its gradient waits."""
    if found.source:
        return HEALTHY
    if found.failed is not None:
        return given(found.failed)
    return cause(
        "healthy", "waits", None, name,
        shown=f"{name}.grad" if name else THE_GRAD,
        holds=Phrase("earlier" if found.earlier else "empty"),
        loss=Phrase("of-loss", title=found.title) if found.title else NOTHING,
        before=Phrase("before-node", node=found.before) if found.before else NOTHING,
        done=found.done,
        total=found.total,
        what=Phrase("stores") if found.stores else _delivered(found.by),
    )  # fmt: skip


def _delivered(by: tuple[Deliverer, ...]) -> Phrase:
    """The nodes on whose steps it waits."""
    if not by:
        return Phrase("stored-later")
    named = [_with_line(each) for each in by[:_NAMED]]
    who: Any = named[0]
    if len(by) > _NAMED:
        who = Phrase("and-more", first=_listed(named), more=len(by) - _NAMED)
    elif len(named) > 1:
        who = Phrase("and", first=_listed(named[:-1]), last=named[-1])
    return Phrase("several-deliver" if len(by) > 1 else "one-delivers", who=who)


def _listed(parts: list[Phrase]) -> Phrase:
    found = parts[0]
    for part in parts[1:]:
        found = Phrase("comma", first=found, last=part)
    return found


def _with_line(node: Deliverer) -> Phrase:
    if node.place is None:
        return Phrase("name", name=node.name)
    return Phrase("name-line", name=node.name, at=node.place)
