"""The runs of all ranks as one run, for the picture of a session: where they stand, and the norms of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from vizgrad.debugger.model.nodes import Graph
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.model.run import NodeRun, Run
from vizgrad.debugger.ranks.strips import numbers


def joint_run(
    graph: Graph, readings: Sequence[RankReading], nexts: Mapping[int, int | None]
) -> Run:
    """A node of `graph` is done when all ranks that have it have run it, and current where it is the next of
    a rank. Norms are those of the first rank that has one. `nexts`: rank -> its next or running node.
    """
    shown = RankReading(-1, graph, {})
    own = [(reading, numbers(shown, reading)) for reading in readings]
    current = {
        node
        for reading, number in own
        for node in range(len(graph.nodes))
        if number.get(node) is not None and number[node] == nexts.get(reading.rank)
    }
    orders = {node: place for place, node in enumerate(_order(own))}
    nodes = tuple(
        NodeRun(
            _state(node, own, current),
            order=orders.get(node),
            grad_norm=next(
                (
                    reading.arrived[number[node]]
                    for reading, number in own
                    if number.get(node) in reading.arrived
                ),
                None,
            ),
        )
        for node in range(len(graph.nodes))
    )
    done = sum(each.state == "done" for each in nodes)
    first = min(current, default=None)
    total = len({node for _, number in own for node in number})
    return Run("finished" if first is None else "paused", done, done, total, first, nodes)


def _order(own: Sequence[tuple[RankReading, Mapping[int, int]]]) -> list[int]:
    """Nodes in the order in which the rank that is furthest has run them."""
    reading, number = max(own, key=lambda each: len(each[0].arrived))
    back = {there: here for here, there in number.items()}
    return [back[node] for node in reading.arrived if node in back]


def _state(
    node: int, own: Sequence[tuple[RankReading, Mapping[int, int]]], current: set[int]
) -> Literal["current", "done", "waiting"]:
    if node in current:
        return "current"
    having = [(reading, number[node]) for reading, number in own if node in number]
    done = bool(having) and all(there in reading.arrived for reading, there in having)
    return "done" if done else "waiting"
