"""The graph of a recorded block, made from what was noted of its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from vizgrad.core.arrays.backend import Device
from vizgrad.core.errors import place_of
from vizgrad.core.tensor.modes import Scope
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.node_origin import Origin
from vizgrad.debugger.engines.vizgrad.node_origins import Origins
from vizgrad.debugger.session.grouping import groups_of


class Op(NamedTuple):
    """A node, as it stood; `following` are (key, slot), the key None where nobody knows."""

    name: str
    sequence_nr: int
    following: tuple[tuple[int | None, int], ...]
    input_names: tuple[str, ...]
    code: CodeType | None
    lasti: int
    scope: Scope | None
    shape: tuple[int, ...]
    dtype: Any
    label: str
    kind: model.NodeKind
    device: Device | None

    @property
    def site(self) -> Site | None:
        return None if self.code is None else Site(self.code, self.lasti)


class RecordedGraph:
    """Numbers entries as graphs do: operations in the order of recording, the latest first, then leaves."""

    def __init__(self, entries: Sequence[Op], places: Mapping[int, int]) -> None:
        """`places` of the entries by key."""
        self.size = len(entries)
        inner = [i for i, entry in enumerate(entries) if entry.kind != "leaf"]
        inner.sort(key=lambda i: -entries[i].sequence_nr)
        self.inner = len(inner)
        order = inner + [i for i, entry in enumerate(entries) if entry.kind == "leaf"]
        self._nodes = [entries[i] for i in order]
        number = {place: number for number, place in enumerate(order)}
        #: Of each key.
        self.numbers = {key: number[place] for key, place in places.items()}
        self._origins = Origins()

    def name(self, node: int) -> str:
        return self._nodes[node].name

    def targets(self, node: int) -> list[int | None]:
        numbers = self.numbers
        return [None if k is None else numbers[k] for k, _ in self._nodes[node].following]

    def origin(self, node: int) -> Origin:
        op = self._nodes[node]
        return self._origins.of(op.scope, op.code, op.lasti)

    def graph(self, title: str) -> model.Graph:
        """Its roots are the nodes that no other leads to."""
        nodes = tuple(map(self._node, range(self.size)))
        reached = {edge.node for node in nodes for edge in node.edges}
        roots = tuple((node.id, 0) for node in nodes if node.id not in reached)
        return model.Graph(nodes=nodes, roots=roots, title=title, groups=groups_of(self))

    def _node(self, number: int) -> model.Node:
        op = self._nodes[number]
        names = op.input_names
        slots = [nr for _, nr in op.following]
        return model.Node(
            id=number,
            name=op.name,
            kind=op.kind,
            sequence_nr=op.sequence_nr,
            topological_nr=0,
            edges=tuple(
                model.Edge(target, nr, names[i] if i < len(names) else "")
                for i, (target, nr) in enumerate(zip(self.targets(number), slots, strict=True))
            ),
            outputs=(
                model.OutputMeta(tuple(op.shape), str(op.dtype), str(op.device or "unknown")),
            ),
            scope=() if op.scope is None else op.scope.path(),
            place=place_of(op.site),
            label=op.label,
        )
