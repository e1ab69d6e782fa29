"""From what a person calls a node to the visit that is meant."""

from __future__ import annotations

from typing import Any

from vizgrad.engine.plan import planned_order
from vizgrad.inspection.breakpoints import make_breakpoint
from vizgrad.inspection.stepper import Stepper


def find_visit(target: Any, stepper: Stepper) -> int:
    """The number of the node that `Session.run_to(target)` goes to; ValueError if there is none.

    Of several nodes with a name, the first ahead that was visited before and is redone; else the one
    that will run first; else the last one behind.
    """
    nodes, ids = stepper.reader.nodes, stepper.reader.ids
    named = isinstance(target, str)
    where = {"op": target} if named else {"node": target}
    wanted = {i for i in make_breakpoint(nodes, ids, **where).nodes if stepper.will_run(i)}
    if not wanted:
        raise ValueError(
            f"{target!r} is not run by this backward: no tensor that was asked for (inputs=) is "
            "reachable from it"
        )
    order = {e.node: i for i, e in enumerate(stepper.entries)}
    redone = [i for i in wanted if order.get(i, -1) >= stepper.position]
    if redone:
        return min(redone, key=lambda i: order[i])
    for node in planned_order(stepper.task):
        number = ids[node]
        if number in wanted and number not in order:
            return number
    return max(wanted, key=lambda i: order[i])
