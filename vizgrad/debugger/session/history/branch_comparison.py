"""How two lines of a run differ, node by node, or a run and another that is laid beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite

from vizgrad.debugger import model
from vizgrad.debugger.model.trace_files import filing
from vizgrad.debugger.session.history.branches import Branches, Line

#: Behind all that ran.
_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one line of a run, or another run, differs from a line of this one. `first` is the first node that
    differs, in the order in which they ran; `text` says of nodes that only one of two runs has.
    """

    differences: tuple[model.Difference, ...]
    first: int | None = None
    text: str = ""


def comparison(
    branches: Branches, name: str, other: str, trace: Callable[[], model.Trace]
) -> Comparison:
    """Of the line or trace `name`, beside the line `other` (empty: the one that it left; for a trace the one
    that the run is on). `trace()` is the run so far.
    """
    beside = branches.traces.get(name)
    if beside is not None:
        if other and branches.of(other) is not branches.current:
            raise ValueError(f"the run is on {branches.current.name!r}: go to {other!r} first")
        tolerance = branches.tolerances.get(name, 0.0)
        return filing().diff(trace(), beside, tolerance).comparison(name)
    there = branches.of(name)
    here = branches.of(other) if other else there.parent or there
    found = differences(branches, here, there)
    orders = (here.history.past.orders, there.history.past.orders)

    def order(difference: model.Difference) -> int:
        return min(own.get(difference.node, _NEVER) for own in orders)

    apart = [each for each in found if differs(each)]
    first = min(apart, key=order, default=None)
    return Comparison(found, None if first is None else first.node)


def name_beside(title: str, trace: model.Trace) -> str:
    """What a trace is called beside a run of this title."""
    return trace.title if trace.title not in ("", title) else "the other run"


def differs(found: model.Difference) -> bool:
    """Is there a difference, as far as something arrived?"""
    return (found.here, found.there) != (None, None) and found.relative != 0


def differences(branches: Branches, here: Line, there: Line) -> tuple[model.Difference, ...]:
    """Of what arrived at each node that one of them has run since they parted."""
    common, _ = branches.common(here, there)
    mine, others = _since(here, common), _since(there, common)
    known = branches.compared.setdefault((here, there), {})
    for node in mine.keys() | others.keys():
        at, beside = mine.get(node), others.get(node)
        # A step that a line has made stays as it is: it is compared once.
        if node not in known or known[node][:2] != (at, beside):
            norms = here.run.apart(at, there.run, beside)
            difference = model.Difference(node, _relative(*norms), norms[0], norms[1])
            known[node] = (at, beside, difference)
    return tuple(known[node][2] for node in sorted(mine.keys() | others.keys()))


def _since(line: Line, common: int) -> dict[int, int]:
    """The steps by node, of those of this line alone, if they are undone now."""
    return {n: index for n, index in line.history.past.orders.items() if index >= common}


def _relative(here: float | None, there: float | None, apart: float | None) -> float | None:
    if here is None or there is None or apart is None:
        return None
    if not (isfinite(here) and isfinite(apart)):
        return inf
    if here == 0:
        return inf if apart else 0.0
    return apart / here
