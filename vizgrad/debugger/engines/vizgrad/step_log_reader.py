"""The steps of a run as a fold reads them: off what the engine noted, without putting it into words."""

# A past and its journal are of one piece.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from vizgrad.core.arrays.statistics import is_small
from vizgrad.core.graph.node import Edge, Node
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Brief, Effect, Spot
from vizgrad.debugger.engines.vizgrad.captured_value import CapturedArray
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect
from vizgrad.debugger.engines.vizgrad.journal import Entry, Journal, Stored
from vizgrad.debugger.engines.vizgrad.step import EngineStep, by_name, priority_of


class EnginePast:
    """See `vizgrad.debugger.engines.api.protocols.Past`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        #: The steps at whose node something arrived that is not finite, of the first `_looked`.
        self._odd: list[int] = []
        self._looked = 0

    def briefs(self, first: int, last: int) -> Iterator[Brief]:
        journal = self._journal
        entries, ids, readied = journal._entries, journal._ids, journal.readied
        known = len(entries)
        for index in range(first, last):
            entry = entries[index]
            until = self._readied(entries[index + 1]) if index + 1 < known else len(readied)
            become = readied[self._readied(entry) : until]
            ready = [(ids[node], priority_of(node)) for node in become]
            gone: list[int] = []
            arrived: list[tuple[int, int]] = []
            if not isinstance(entry, tuple):
                gone += [out.target for out in entry.routed if out.target is not None]
                arrived += [(a.node, a.input_nr) for a in entry.arrived]
                yield entry.node, entry.priority, entry.state, gone, arrived, ready
                continue
            node, _, routed, *_ = entry
            if routed.__class__ is not tuple:
                routed = (routed,)
            state, edges = self._edges(index, node)
            for edge, grad in zip(edges, routed, strict=False):
                if edge is None:
                    continue
                target, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
                number = ids[target]
                gone.append(number)
                if grad is not None:
                    arrived.append((number, nr))
            yield ids[node], priority_of(node), state, gone, arrived, ready

    @staticmethod
    def _readied(entry: Entry | EngineStep) -> int:
        """How many nodes had become ready before it delivered."""
        return entry[6] if isinstance(entry, tuple) else entry.first_readied

    def _edges(self, index: int, node: Node) -> tuple[model.NodeState, Sequence[Any]]:
        """What became of a node, and the edges that it came to."""
        failed = self._journal._failed
        if failed is not None and failed[0] == index:
            return "error", node.edges[: failed[1]]
        return "done", node.edges

    def came(self, index: int) -> Sequence[int]:
        entry = self._journal._entries[index]
        if not isinstance(entry, tuple):
            return [nr for nr, held in enumerate(entry.incoming) if held is not None]
        node, incoming = entry[:2]
        if node.outputs == 1:
            return () if incoming is None else (0,)
        return [nr for nr, grad in enumerate(incoming or ()) if grad is not None]

    def waited(self, index: int, number: int) -> bool:
        journal = self._journal
        if index not in journal._deliveries and journal._entries[index].__class__ is tuple:
            return False
        return journal[index].arrived[number].before is not None

    def went(self, index: int, edge: int) -> bool:
        entry = self._journal._entries[index]
        if not isinstance(entry, tuple):
            return any(out.edge == edge and out.target is not None for out in entry.routed)
        _, edges = self._edges(index, entry[0])
        return edge < len(edges) and edges[edge] is not None

    def value(self, spot: Spot) -> model.TensorSummary | None:
        index, kind, number = spot
        step = self._journal[index]
        held: CapturedArray | None = None
        if kind == "incoming":
            held = step.incoming[number] if number < len(step.incoming) else None
        elif kind == "routed":
            held = next((o.routed for o in step.routed if o.edge == number), None)
        else:
            arrival = step.arrived[number]
            held = arrival.before if kind == "before" else arrival.after
        return None if held is None else held.summary

    @property
    def orders(self) -> Mapping[int, int]:
        return self._journal.orders

    def following(self, index: int) -> int | None:
        return self._journal.following(index)

    def nodes(self, position: int) -> Iterator[int]:
        node = self._journal.node
        return map(node, range(position))

    def nonfinite(self, position: int) -> Iterator[int]:
        self._look(position)
        node = self._journal.node
        return (node(index) for index in self._odd if index < position)

    def _look(self, position: int) -> None:
        """What a step was given was made by one before it: where all of these are known to have made what
        is finite nothing need be looked at.
        """
        self._looked = max(self._looked, min(position, self._journal.finite_until))
        for index in range(self._looked, position):
            if not self._is_normal(index):
                self._odd.append(index)
        self._looked = max(self._looked, position)

    def _is_normal(self, index: int) -> bool:
        """Has what came first at the node of a step a norm, or was nothing there?"""
        entry = self._journal._entries[index]
        if isinstance(entry, tuple):
            node, came = entry[:2]
            if node.outputs != 1 and came is not None:
                came = came[0]
            if came is None or is_small(came):
                return True
        first = self.value((index, "incoming", 0))
        return first is None or first.norm is None or isfinite(first.norm)

    def released(self, index: int) -> bool:
        entry = self._journal._entries[index]
        return entry[3] is not None if isinstance(entry, tuple) else bool(entry.released)

    def effects(self, index: int) -> Sequence[Effect]:
        entry = self._journal._entries[index]
        if not isinstance(entry, tuple):
            return entry.effects
        node, _, routed, saved, *_ = entry
        if isinstance(routed, Stored):
            return (routed.effect,)
        if saved is None:
            return ()
        return (ReleaseEffect(node, self._journal._token, by_name(node, saved)),)
