"""The log of a recording, and what it says in words.

A log is one flat list: what is told is told by a few items in a row, of which the first says what follows.

    class of a node, key, code, lasti, scope, shape, dtype, device (None: that of its targets), n, and n
        targets: it was recorded
    FORWARD, key, Op         the same of a node that had to be asked for more
    MET, key, Op             a node from before the block
    LEAF, key, Op            a leaf; of a node that follows, or is run
    WRITE, operation, site   HOOK, name   BACKWARD, text, site
    VISIT, key, incoming, seconds, error
    STORED, ...              the same of a leaf, and decision, reason

The key of a node is its sequence number, which no other has; that of a leaf its mark, below zero. A target is
None, a key, or (key, slot); nobody knows those of nodes that the log has not told of until then.
`incoming` has for each slot a summary, or a Meta for an array of numpy's with that shape and type; True is
the Meta of a node's only slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

from vizgrad.core.arrays.backend import CPU, Device
from vizgrad.core.errors import place_of
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.tensor.modes import Scope
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.recorded_graph import Op as Op
from vizgrad.debugger.engines.vizgrad.recorded_graph import RecordedGraph
from vizgrad.debugger.engines.vizgrad.summary import outline_of

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
