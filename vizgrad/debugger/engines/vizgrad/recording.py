"""What a recording knows of a block of work: its graph and its events. Keeps no node and no tensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from vizgrad.core.arrays.backend import CPU, Device
from vizgrad.core.errors import place_of
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.tensor.modes import Scope
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.node_origin import Origin
from vizgrad.debugger.engines.vizgrad.graph_source import Origins
from vizgrad.debugger.engines.vizgrad.summary import outline_of
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


FORWARD, MET, LEAF, WRITE, HOOK, BACKWARD, VISIT, STORED = (
    "forward", "met", "leaf", "write", "hook", "backward", "visit", "stored",
)  # fmt: skip


class _Plain(dict[type[Node], bool]):
    """Is all that there is to tell of nodes of a class in the slots that every node has?"""

    def __missing__(self, kind: type[Node]) -> bool:
        told = self[kind] = (
            kind.name is Node.name
            and kind.wants_tensors is False
            and isinstance(kind.input_names, tuple)
            and isinstance(kind.plain_names, tuple)
            and "device" not in kind.plain_names
        )
        return told


PLAIN = _Plain()


class _Event(NamedTuple):
    kind: str
    text: str
    node: int | None = None
    site: Site | None = None


class _Visit(NamedTuple):
    node: int
    incoming: Any
    seconds: float
    error: str
    accumulate: model.AccumulateRecord | None


class Recorded:
    """What a log says; `go_on` reads what has come since."""

    def __init__(self, log: list[Any]) -> None:
        self._log = log
        self._at = 0
        #: Entries of nodes, and their places here by key. Leaves come after the node by which they
        #: were met: until it comes they wait.
        self._ops: list[Op] = []
        self._numbers: dict[int, int] = {}
        self._leaves: dict[int, Op] = {}
        self._events: list[_Event] = []
        self._visits: list[_Visit] = []
        self._drawn: RecordedGraph | None = None

    def go_on(self) -> None:
        log = self._log
        while self._at < len(log):
            at = self._at
            match log[at]:
                case "forward":
                    self._at += 3
                    self._forward(log[at + 1], log[at + 2])
                case "met":
                    self._at += 3
                    self._enter(log[at + 1], log[at + 2])
                case "leaf":
                    self._at += 3
                    self._leaves[log[at + 1]] = log[at + 2]
                case "write" | "backward" as kind:
                    self._at += 3
                    self._events.append(_Event(kind, log[at + 1], None, log[at + 2]))
                case "hook":
                    self._at += 2
                    self._events.append(_Event("hook", log[at + 1]))
                case "visit":
                    self._at += 5
                    self._visit(log[at + 1 : at + 5], None)
                case "stored":
                    self._at += 7
                    done = model.AccumulateRecord(log[at + 5], log[at + 6], None, None)
                    self._visit(log[at + 1 : at + 5], done)
                case _:
                    self._at += 9 + log[at + 8]
                    self._forward(log[at + 1], _op(*log[at : self._at]))
        self._let_leaves_in()

    def _forward(self, key: int, op: Op) -> None:
        self._enter(key, op)
        self._events.append(_Event("forward", op.name, key, op.site))

    def _enter(self, key: int, op: Op) -> None:
        targets = [(None if k is None else self._known(k)) for k, _ in op.following]
        following = tuple(
            [
                (None if t is None else k, nr)
                for t, (k, nr) in zip(targets, op.following, strict=True)
            ]
        )
        device = op.device or next((t.device for t in targets if t is not None), None)
        self._numbers[key] = len(self._ops)
        self._ops.append(op._replace(following=following, device=device))
        self._let_leaves_in()

    def _known(self, key: int) -> Op | None:
        number = self._numbers.get(key)
        return self._leaves.get(key) if number is None else self._ops[number]

    def _let_leaves_in(self) -> None:
        for key, op in self._leaves.items():
            self._numbers[key] = len(self._ops)
            self._ops.append(op)
        self._leaves.clear()

    def _visit(self, told: list[Any], done: model.AccumulateRecord | None) -> None:
        key, incoming, seconds, error = told
        self._let_leaves_in()
        op = self._ops[self._numbers[key]]
        slots = (op,) if incoming is True else incoming
        incoming = tuple(
            [outline_of(s.shape, s.dtype, CPU) if s.__class__ in (Meta, Op) else s for s in slots]
        )
        self._visits.append(_Visit(key, incoming, seconds, error, done))
        self._events.append(_Event("visit", op.name, key))

    # --- what it says -------------------------------------------------------------------------------

    @property
    def counts(self) -> tuple[int, int, int]:
        """Operations recorded, nodes run, in-place writes."""
        kinds = [event.kind for event in self._events]
        return kinds.count("forward"), len(self._visits), kinds.count("write")

    def events(self) -> Iterator[model.Event]:
        numbers = self._graph.numbers
        for index, (kind, text, key, site) in enumerate(self._events):
            node = None if key is None else numbers[key]
            yield model.Event(index, kind, text, node, place_of(site))

    def visits(self) -> Iterator[model.Visit]:
        numbers = self._graph.numbers
        for index, visit in enumerate(self._visits):
            yield model.Visit(
                index=index,
                node=numbers[visit.node],
                incoming=visit.incoming,
                routed=(),
                accumulate=visit.accumulate,
                seconds=visit.seconds,
                error=visit.error,
            )

    def graph(self, title: str) -> model.Graph:
        return self._graph.graph(title)

    @property
    def _graph(self) -> RecordedGraph:
        """As far as the log was read."""
        if self._drawn is None or self._drawn.size != len(self._ops):
            self._drawn = RecordedGraph(self._ops, self._numbers)
        return self._drawn


def _op(
    kind: type[Node], sequence_nr: int, code: CodeType | None, lasti: int, scope: Scope | None,
    shape: tuple[int, ...], dtype: Any, device: Device | None, _: int, *targets: Any,
) -> Op:  # fmt: skip
    following = tuple([t if t.__class__ is tuple else (t, 0) for t in targets])
    return Op(
        kind.__name__, sequence_nr, following, kind.input_names, code, lasti, scope, shape, dtype, "",
        "op", device,
    )  # fmt: skip
