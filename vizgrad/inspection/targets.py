"""From what a person calls a node to the visits that are meant."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from vizgrad.inspection.choosing import choose
from vizgrad.inspection.history import History
from vizgrad.inspection.protocols import GraphSource


def find_visit(target: Any, source: GraphSource, history: History) -> int | AbstractSet[int]:
    """Where `Session.run_to(target)` goes: the position before a node that was visited, or those nodes of
    which the engine has to run to the first. ValueError if there is none.

    Of several nodes with a name, the first ahead that was visited before and is redone; else the one
    that will run first; else the last one behind.
    """
    where = {"op": target} if isinstance(target, str) else {"node": target}
    skipped = frozenset(history.start.skipped)
    wanted = {i for i in choose(source, **where)[0].nodes if i not in skipped}
    if not wanted:
        raise ValueError(
            f"{target!r} is not run by this backward: no tensor that was asked for (inputs=) is "
            "reachable from it"
        )
    order = {step.node: index for index, step in enumerate(history.steps) if step.node in wanted}
    redone = [index for index in order.values() if index >= history.position]
    if redone:
        return min(redone)
    return wanted - order.keys() or max(order.values())
