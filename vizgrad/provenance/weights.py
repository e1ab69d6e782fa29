"""How much a graph keeps alive: its nodes, and the bytes they have saved."""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.arrays.blocks import owner
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Edge, Node
from vizgrad.graph.saved import bare
from vizgrad.provenance.notes import MOST, Note


class Weight(NamedTuple):
    """Of the history of one value, which reached over `turns` backwards then."""

    turns: int
    nodes: int
    nbytes: int


def weigh(note: Note) -> Weight | None:
    """None if the value is gone. Memory that several nodes have saved, and that of leaves, counts once."""
    tensor = note.tensor()
    edge = None if tensor is None else tensor._edge
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
    return Weight(note.turns, nodes, sum(n for key, n in memory.items() if key not in own))


def _block(value: Any) -> Any:
    array = getattr(value, "_array", None)
    return None if array is None or not hasattr(array, "base") else owner(array)
