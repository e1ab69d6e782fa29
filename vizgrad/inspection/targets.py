"""From what a person calls a node to the visit that is meant."""

from __future__ import annotations

from typing import Any

from vizgrad.inspection.breakpoints import make_breakpoint
from vizgrad.inspection.history import History
from vizgrad.inspection.protocols import Backward, GraphSource


def find_visit(target: Any, source: GraphSource, history: History, backward: Backward) -> int:
    """The number of the node that `Session.run_to(target)` goes to; ValueError if there is none.

    Of several nodes with a name, the first ahead that was visited before and is redone; else the one
    that will run first; else the last one behind.
    """
    where = {"op": target} if isinstance(target, str) else {"node": target}
    skipped = frozenset(history.start.skipped)
    wanted = {i for i in make_breakpoint(source, **where).nodes if i not in skipped}
    if not wanted:
        raise ValueError(
            f"{target!r} is not run by this backward: no tensor that was asked for (inputs=) is "
            "reachable from it"
        )
    order = {step.node: index for index, step in enumerate(history.steps)}
    redone = [i for i in wanted if order.get(i, -1) >= history.position]
    if redone:
        return min(redone, key=lambda i: order[i])
    ahead = wanted - order.keys()
    if len(ahead) == 1 or (ahead and backward.planned is None):
        return min(ahead)
    if ahead and backward.planned is not None:
        for number in backward.planned():
            if number in ahead:
                return number
    return max(wanted, key=lambda i: order.get(i, -1))
