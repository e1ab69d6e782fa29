"""How much a graph keeps alive: its nodes, and the bytes they have saved."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.blocks import owner
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.saved import bare
from vizgrad.debugger.watch.notes import MOST


def weigh(tensor: Any) -> tuple[int, int] | None:
    """Nodes and bytes. Memory that several nodes have saved counts once, that of leaves does not."""
    edge = tensor._edge
    first = edge.node if isinstance(edge, Edge) else edge
    if not isinstance(first, Node):
        return None
    seen, todo, memory = {id(first)}, [first], {}
    own: set[int] = set()
    for node in todo:
        if isinstance(node, AccumulateGrad):
            own.add(id(_block(node.variable)))
            continue
        for form in node.saved_values().values():
            block = _block(bare(form))
            if block is not None:
                memory[id(block)] = int(block.nbytes)
        for following in node.edges:
            to = following.node if isinstance(following, Edge) else following
            if to is not None and id(to) not in seen and len(seen) < MOST:
                seen.add(id(to))
                todo.append(to)
    nodes = sum(not isinstance(node, AccumulateGrad) for node in todo)
    return nodes, sum(n for key, n in memory.items() if key not in own)


def _block(value: Any) -> Any:
    array = getattr(value, "_array", None)
    return None if array is None or not hasattr(array, "base") else owner(array)
