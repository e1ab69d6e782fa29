"""The order in which a graph is drawn: consumers of a gradient below its producers, newest first.

The snapshot comes from the engine, but also from files and from other machines, so what the other
modules rely on is checked here, once: ids are indices, edges and roots point at nodes, no cycle.
"""

from __future__ import annotations

from heapq import heappop, heappush

from vizgrad.inspection.model import Graph, Node


def check(graph: Graph) -> None:
    """Raises ValueError if an id, an edge or a root of `graph` points nowhere."""
    count = len(graph.nodes)
    for index, node in enumerate(graph.nodes):
        if node.id != index:
            raise ValueError(f"node {index} of the graph has id {node.id}: ids are indices")
        for edge in node.edges:
            if edge.node is not None and not 0 <= edge.node < count:
                raise ValueError(f"an edge of node {index} goes to node {edge.node} of {count}")
    for root, _ in graph.roots:
        if not 0 <= root < count:
            raise ValueError(f"a root is node {root} of {count}")


def is_leaf(node: Node) -> bool:
    """Whether a node is the end of the graph for one variable, shown at each of its uses."""
    return node.kind == "leaf" and not node.edges


def indegrees(graph: Graph) -> list[int]:
    """How many edges go into each node."""
    counts = [0] * len(graph.nodes)
    for node in graph.nodes:
        for edge in node.edges:
            if edge.node is not None:
                counts[edge.node] += 1
    return counts


def top_down(graph: Graph) -> list[int]:
    """Node ids such that every edge goes forward, the latest recorded node first.

    With sequence numbers as the engine gives them this is their descending order, so what was
    recorded together stays together; with any other numbers it is still a topological order.
    Raises ValueError if the graph is malformed or has a cycle.
    """
    check(graph)
    waiting = indegrees(graph)
    ready: list[tuple[int, int]] = []
    for node in graph.nodes:
        if waiting[node.id] == 0:
            heappush(ready, (-node.sequence_nr, node.id))
    order: list[int] = []
    while ready:
        _, index = heappop(ready)
        order.append(index)
        for edge in graph.nodes[index].edges:
            if edge.node is None:
                continue
            waiting[edge.node] -= 1
            if waiting[edge.node] == 0:
                heappush(ready, (-graph.nodes[edge.node].sequence_nr, edge.node))
    if len(order) < len(graph.nodes):
        stuck = next(node.id for node in graph.nodes if waiting[node.id])
        raise ValueError(f"the graph has a cycle: node {stuck} is reached from itself")
    return order
