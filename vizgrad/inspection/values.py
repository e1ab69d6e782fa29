"""The arrays of a session that somebody may go through."""

from __future__ import annotations

from typing import Any

from vizgrad.inspection.history import History
from vizgrad.inspection.model import ArrayName
from vizgrad.inspection.protocols import GraphSource


def value_of(of: ArrayName, history: History, source: GraphSource) -> Any:
    """The engine's own array, as it is or was. LookupError, with the reason, where there is none."""
    if not 0 <= of.node < len(source):
        raise LookupError(f"there is no node {of.node} in this graph")
    if of.kind in ("grad", "saved"):
        found = source.value(of.node, of.name if of.kind == "saved" else None)
        if found is None:
            raise LookupError("it is not there any more" if of.kind == "saved" else ".grad is None")
        return found
    if of.kind == "waiting":
        found = _waiting(of, history, source)
    else:
        visited = history.fold.visited.get(of.node)
        if visited is None:
            raise LookupError("this node has not been run")
        found = history.steps[visited.order].value(of.kind, of.nr)
    if found is None:
        raise LookupError("it is not kept any more, or was undefined")
    return found


def _waiting(of: ArrayName, history: History, source: GraphSource) -> Any:
    """What the latest delivery to the slot left there. Goes back over the steps: only a person asks."""
    for index in reversed(range(history.position)):
        step = history.steps[index]
        if of.node not in source.targets(step.node):
            continue
        for nr, arrival in reversed(list(enumerate(step.record.arrived))):
            if (arrival.node, arrival.input_nr) == (of.node, of.nr):
                return step.value("waiting", nr)
    raise LookupError("what a run starts with is not kept")
