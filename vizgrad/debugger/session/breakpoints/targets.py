"""From what a person calls a node to the visits that are meant."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.session.breakpoints.node_selectors import choose
from vizgrad.debugger.session.history.history import Between, History
from vizgrad.debugger.session.history.stop_conditions import Until
from vizgrad.debugger.session.lines.line_nodes import nodes_at


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


def go_to(target: Any, source: GraphSource, history: History, between: Between) -> None:
    """Goes to where `target` is the next to run. ValueError if no visit of it comes or was made."""
    found = find_visit(target, source, history)
    if isinstance(found, int):
        history.seek(found, between)
        return
    history.seek(history.recorded, between)
    if history.current not in found:
        history.on(Until(history, nodes=found), between)


def nodes_ahead(source: GraphSource, history: History, line: int | str) -> AbstractSet[int]:
    """The nodes that were recorded at `line` and come after the one that is next. ValueError if none does."""
    where, nodes = nodes_at(source, line)
    orders = history.past.orders
    gone = {*history.start.skipped, history.current}
    ahead = {
        node
        for node in nodes
        if node not in gone and orders.get(node, history.position) >= history.position
    }
    if ahead:
        return ahead
    if history.current in nodes:
        raise ValueError(f"{where} is where the run stands: no other node of it comes")
    run = any(node in orders for node in nodes)
    why = "were run already: step back" if run else "are not run by this backward"
    raise ValueError(f"the nodes that were recorded at {where} {why}")
