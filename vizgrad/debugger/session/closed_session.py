"""Looking at a closed session, through what was kept of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NoReturn

from vizgrad.debugger import model
from vizgrad.debugger.session.breakpoints.node_selectors import found, texts_of
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.fold import Fold, MemoryCurve, RecordedPast, holdings
from vizgrad.debugger.session.history.history import Where, counted
from vizgrad.debugger.session.history.lanes import Lane, lane_of
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session_reader import Inspected, Saves, SessionClosed

#: A closed session of a graph with at most so many nodes stays readable; of a larger one only counts stay.
NODES_KEPT = 200


class Kept:
    """The data that is kept of a closed session."""

    def __init__(self, live: Live, because: str = "") -> None:
        standing = live.standing
        self.position = done = standing.position
        self.total = standing.total
        self.standing = replace(
            standing, status="closed", recorded=done, earliest=done, within=None
        )
        self.modes = live.modes
        self.error = ""
        self.ending = because
        self.where = Where(
            f"{counted(done, self.total)}; the session is closed{because and ': '}{because}"
        )
        self.stopped = live.stopped_at(standing)
        self.nonfinite = live.nonfinite
        self.logged = live.logged
        self.nodes = len(live.source)
        self._grew, self._recomputed = live.grows, live.recomputes
        self._outline: Outline | None = None
        self._seen: (
            tuple[model.Graph, model.Run, model.Trace, Saves, tuple[model.Storage, ...]] | None
        ) = None
        if self.nodes <= NODES_KEPT:
            run = replace(live.run(), status="closed", earliest=done)
            self._seen = live.graph(), run, live.trace().bare(), live.saved(), live.versions()

    @property
    def status(self) -> model.RunStatus:
        return "closed"

    def start(self) -> model.Start:
        start = self._all[2].start
        assert start is not None  # `Live.trace` gives it
        return start

    def graph(self) -> model.Graph:
        return self._all[0]

    def run(self) -> model.Run:
        return self._all[1]

    def trace(self) -> model.Trace:
        return self._all[2]

    def saved(self) -> Saves:
        return self._all[3]

    def versions(self) -> tuple[model.Storage, ...]:
        return self._all[4]

    def inspect(self, node: int) -> Inspected:
        graph, _, trace, saved, _ = self._all
        data = replace(graph.nodes[node], saved=saved[node])
        visit = next((v for v in trace.visits if v.node == node), None)
        return data, visit, (None,) * len(data.outputs), None

    # --- what a view asks ---------------------------------------------------------------------------

    @property
    def current(self) -> int | None:
        return self._all[1].current

    @property
    def breakpoints(self) -> tuple[int, ...]:
        return ()

    @property
    def within(self) -> None:
        return None

    @property
    def lane(self) -> Lane | None:
        """The recorded nodes of the closed session are known."""
        graph, _, trace, _, _ = self._all
        return lane_of(trace.records, lambda node: graph.nodes[node].name)

    @property
    def collectives(self) -> tuple[model.CalledCollective, ...]:
        return self._all[1].collectives

    @property
    def grows(self) -> bool:
        return self._grew

    @property
    def recomputes(self) -> bool:
        return self._recomputed

    @property
    def one_way(self) -> bool:
        return False

    @property
    def can_change(self) -> bool:
        return False

    @property
    def branches(self) -> tuple[model.Branch, ...]:
        return ()

    @property
    def beside(self) -> tuple[model.Branch, ...]:
        return ()

    @property
    def breakpoint_list(self) -> tuple[model.Breakpoint, ...]:
        return ()

    @property
    def truncated(self) -> int:
        return self._all[0].truncated

    @property
    def fold(self) -> Fold:
        fold = Fold(self.start(), RecordedPast(self._all[2].records))
        fold.go(self.position)
        return fold

    @property
    def outline(self) -> Outline:
        if self._outline is None:
            self._outline = Outline.of_graph(self._all[0])
        return self._outline

    @property
    def memory(self) -> MemoryCurve:
        graph = self._all[0]
        saved = ((node.id, saved) for node in graph.nodes for saved in node.saved)
        curve = MemoryCurve(holdings(saved, graph.storages).values())
        for record in self._all[2].records:
            curve.step(record.visit.node, released=bool(record.released))
        return curve

    @property
    def lines(self) -> None:
        """They were let go of."""

    @property
    def mark(self) -> None:
        """The run stands nowhere any more."""

    def describe_before(self, node: int) -> model.Node:
        return self._all[0].nodes[node]

    def saved_of(self, node: int) -> tuple[model.Saved, ...]:
        return self._all[3][node]

    def stale(self) -> dict[int, int]:
        counts = {
            node: sum(saved.state == "stale" for saved in values)
            for node, values in enumerate(self._all[3])
        }
        return {node: count for node, count in counts.items() if count}

    def storages_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        return self._all[4], 0

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        return len(self._all[4]), self._all[4][:most]

    def names(self, nodes: Iterable[int]) -> tuple[model.Name, ...]:
        known, states = self._all[0].nodes, self._all[1].nodes
        return tuple(
            model.Name(node, known[node].name, known[node].label, states[node].needed)
            for node in nodes
        )

    def find(self, query: str, most: int) -> tuple[int, tuple[model.Name, ...]]:
        nodes = self._all[0].nodes
        return found(query, most, len(nodes), lambda node: texts_of(nodes[node]), self.names)

    def node_at(self, index: int) -> int:
        return self._all[2].records[index].visit.node

    def retell(self) -> None:
        pass

    def value(self, of: model.ArrayName) -> NoReturn:
        raise LookupError("the session is closed and its arrays are released")

    @property
    def _all(
        self,
    ) -> tuple[model.Graph, model.Run, model.Trace, Saves, tuple[model.Storage, ...]]:
        if self._seen is None:
            raise SessionClosed(
                f"this debugging session is closed, and its graph of {self.nodes:,} nodes is released: take "
                "what you need (s.trace, s.run) before closing, or open a new one with vizgrad.debug(loss)"
            )
        return self._seen
