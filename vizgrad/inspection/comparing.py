"""How two lines of a run differ, node by node."""

from __future__ import annotations

from math import inf, isfinite

from vizgrad.inspection import model
from vizgrad.inspection.branches import Branches, Line


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
