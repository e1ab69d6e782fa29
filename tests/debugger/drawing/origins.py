"""Groups as recording would make them, of nodes that say their scopes and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.debugger.engines.api.summarizer import Call, Origin
from vizgrad.debugger.model import Group, Node
from vizgrad.debugger.session.grouping import groups_of
from vizgrad.debugger.session.grouping.outline import is_leaf


def groups_by_scope(nodes: Sequence[Node]) -> tuple[Group, ...]:
    """Neighbours with the same beginning of their scopes were recorded in the same calls."""
    return groups_of(_Source(nodes))


class _Source:
    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.inner = next((node.id for node in nodes if is_leaf(node)), len(nodes))
        self.origins: dict[int, Origin] = {}
        calls: tuple[Call, ...] = ()
        path: tuple[str, ...] = ()
        for node in reversed(nodes[: self.inner]):
            same = 0
            while path[: same + 1] == node.scope[: same + 1] and same < len(path):
                same += 1
            new = tuple(_call(name) for name in node.scope[same:])
            if new or same < len(calls):
                calls = (*calls[:same], *new)
            path = node.scope
            self.origins[node.id] = Origin(calls)

    def origin(self, node: int) -> Origin:
        return self.origins[node]

    def name(self, node: int) -> str:
        return self.nodes[node].name

    def targets(self, node: int) -> list[Any]:
        return [edge.node for edge in self.nodes[node].edges]


def _call(name: str) -> Call:
    return Call(name, "module" if ": " in name else "scope")
