"""Finds the nodes of a graph that an earlier backward has released."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vizgrad.core.errors import place_of
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Freed
from vizgrad.debugger.engines.common.released_graph import Released


def released_in(nodes: Sequence[Node], will_run: Callable[[Node], bool]) -> Released | None:
    """Those of `nodes` that have lost values which a run is sure to read; None if all have them. The nodes
    come in the order of a run.

    A custom Function reads what it saved if its backward asks for it: only the run can tell.
    """
    first: tuple[Node, Freed] | None = None
    count = saving = 0
    for node in nodes:
        # for each node of a large graph: without a dict of its values
        names = () if node.wants_tensors else node.saved_names
        if not names and not node.group_names and not hasattr(node, "freed"):
            continue
        freed = _freed(node)
        if freed is None:
            saving += 1
        elif will_run(node):
            saving += 1
            count += 1
            first = first or (node, freed)
    if first is None:
        return None
    node, freed = first
    return Released(node.name(), place_of(node.site), count, saving, place_of(freed.site))


def _freed(node: Node) -> Freed | None:
    """The mark of the backward that released the node."""
    freed = getattr(node, "freed", None)  # of a write to a view
    if freed is not None:
        return freed
    for name in node.saved_names:
        form = getattr(node, "_" + name, None)
        if form.__class__ is Freed:
            return form
    for name in node.group_names:
        for form in getattr(node, "_" + name).forms:
            if form.__class__ is Freed:
                return form
    return None
