"""The arrays of a session that somebody may go through."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.model import ArrayName
from vizgrad.debugger.session.history.history import History


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
        spot = history.fold.spot(of.node, of.nr)
        if spot is None:
            raise LookupError(
                "nothing waits there, or what the run started with, which is not kept"
            )
        found = history.value_at(spot)
    else:
        order = history.fold.order(of.node)
        if order is None:
            raise LookupError("this node has not been run")
        found = history.steps[order].value(of.kind, of.nr)
    if found is None:
        raise LookupError("it is not kept any more, or was undefined")
    return found
