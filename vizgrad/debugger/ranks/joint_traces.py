"""The traces of all ranks as a joint: a view shows one of them, and strips of all that was recorded."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from itertools import count
from typing import Protocol

from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger.jupyter.widget import joints
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.comparison import RankComparison, ranks_svg
from vizgrad.debugger.ranks.rank_rows import RankRows, rank_calls, ranks_at
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import SessionClosed

_numbers = count(1)
#: A page that outlived its kernel must not take the traces of another for its own.
_KERNEL = secrets.token_hex(4)


class Traces(Protocol):
    """The part of `RankTraces` that is shown."""

    def __getitem__(self, rank: int) -> Session: ...
    def compare(self) -> RankComparison: ...

    @property
    def collectives(self) -> tuple[str, ...]: ...
    @property
    def readings(self) -> Mapping[int, RankReading]: ...


class JointTraces:
    """The joint of a `RankTraces`. The trace of a rank is opened when a view shows it, and stands where the
    one stood that was shown before, as far as it was recorded.
    """

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._readings = traces.readings
        own = next(_numbers)
        self._names = {rank: f"rank{rank}-t{own}-{_KERNEL}" for rank in self._readings}
        self._ranks = {name: rank for rank, name in self._names.items()}
        self._rows: dict[int, RankRows] = {}
        self._observers: Observers[[]] = Observers()
        self._shown: tuple[str, Session] | None = None
        for name in self._ranks:
            joints.add(self, name)

    @property
    def first(self) -> str:
        """The rank that leaves the others first, else the lowest."""
        leaving = self._traces.compare().leaving
        return self._names[leaving[0] if leaving else min(self._names)]

    def infos(self) -> tuple[p.SessionInfo, ...]:
        return ()  # each is a session of this process once it is open

    def open(self, session: str) -> Session | None:
        if self._shown is not None and self._shown[0] == session and not self._shown[1].closed:
            return self._shown[1]
        rank = self._rank_of(session)
        opened = self._traces[rank]
        if self._shown is not None and not self._shown[1].closed:
            recorded = len(opened.trace.records)
            opened.seek(min(self._shown[1].position, recorded))
        self._shown = session, opened
        self._ranks[opened.id] = rank
        joints.add(self, opened.id)
        return opened

    def _rank_of(self, session: str) -> int:
        rank = self._ranks.get(session)
        if rank is None:
            raise SessionClosed("this trace of a rank is closed")
        return rank

    def told(self, session: str, since: int) -> tuple[p.Ranks, int]:
        rank = self._rank_of(session)
        rows = self._rows_of(rank)
        changed, whole, number = rows.since(since)
        first = rows.first()
        shown = self._traces[rank].id
        told = p.Ranks(
            shown,
            rank,
            tuple(
                p.RankMember(
                    each, shown if each == rank else name, "finished", self._recorded(each)
                )
                for each, name in self._names.items()
            ),
            whole,
            changed,
            len(rows.leaving),
            None if first is None else first.node,
            rows.text(),
            rows.per_cell,
            calls=rank_calls(tuple(self._readings.values()), rows.per_cell),
        )
        return told, number

    def _recorded(self, rank: int) -> str:
        reading = self._readings[rank]
        return f"{len(reading.arrived):,} of {len(reading.graph.nodes):,} nodes recorded"

    def at(self, session: str, node: int) -> tuple[p.RankAt, ...]:
        rank = self._rank_of(session)
        if not 0 <= node < len(self._readings[rank].graph.nodes):
            raise IndexError(f"the graph has no node {node}")
        return ranks_at(self._rows_of(rank).strip(node).cells)

    def _rows_of(self, rank: int) -> RankRows:
        graph = self._readings[rank].graph
        found = self._rows.get(id(graph))
        if found is None:
            found = self._rows[id(graph)] = RankRows(
                graph,
                tuple(self._readings.values()),
                (*self._traces.compare().graphs(), *self._traces.collectives),
            )
        return found

    def move_together(self, enabled: bool) -> None:
        raise ValueError("the traces of ranks are stepped one at a time")

    def relay(self, view: str, content: object, send: joints.Send) -> None:
        raise SessionClosed("this trace of a rank is closed")

    def picture_at(self, session: str) -> p.Picture:
        rank = self._rank_of(session)
        compared = self._traces.compare()
        opened = self._traces[rank]
        saved = p.SavedView(
            session, f"{len(self._names)} ranks", opened.status, opened.position, opened.total
        )
        svg = ranks_svg(compared.graph, compared.strips, (), calls=compared.calls)
        return p.Picture(0, session, saved, svg, compared.to_text())

    def leave(self, view: str) -> None:
        pass

    def listen(self, owner: str, listener: Callable[[], None]) -> Observer:
        return self._observers.add(owner, listener)
