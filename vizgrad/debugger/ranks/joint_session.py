"""A session of ranks on engines as a joint: what its views show, and where their requests go.

A request about a node, a value or the memory of a rank is answered by a controller in the process of that
rank, as for any session there (`on_rank.py`). A request that moves the run moves all ranks, or
the one that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger.jupyter.widget import joints
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.model import Graph
from vizgrad.debugger.ranks.on_rank import Verb
from vizgrad.debugger.ranks.rank_rows import RankRows, rank_calls, ranks_at
from vizgrad.debugger.ranks.rank_session import RankSession
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import SessionClosed
from vizgrad.debugger.wire.wire import encode_message

#: Requests that move all ranks, by the method of the session that they call, and the field that it takes.
_MOVES: dict[str, tuple[Verb, str]] = {
    "step": ("step", "count"),
    "step_back": ("back", "count"),
    "seek": ("seek", "position"),
    "restart": ("restart", ""),
    "continue": ("continue_", ""),
}


class JointSession:
    """The joint of a `RankSession`."""

    def __init__(self, session: RankSession) -> None:
        self._session = session
        self._together = True
        self._keys = {rank: session.key(rank) for rank in session.ranks}
        self._ranks = {key: rank for rank, key in self._keys.items()}
        #: Ranks with the same graph share their rows.
        self._rows: dict[int, RankRows] = {}
        self._observers: Observers[[]] = Observers()
        self._places = {rank: place for place, rank in enumerate(session.ranks)}
        self._listening = session.listen("views of ranks", self._changed)
        for key in self._ranks:
            joints.add(self, key)

    @property
    def first(self) -> str:
        return self._keys[self._session.ranks[0]]

    @property
    def title(self) -> str:
        return self._session.name

    def infos(self) -> tuple[p.SessionInfo, ...]:
        if self._session.closed:
            return ()
        return tuple(self._info(rank) for rank in self._session.ranks)

    def _info(self, rank: int) -> p.SessionInfo:
        name, stands = f"{self.title}, rank {rank}", self._session.standing(rank)
        position, total = (0, 0) if stands is None else (stands.position, stands.total)
        return p.SessionInfo(self._keys[rank], name, "", self._state(rank), position, total)

    def open(self, session: str) -> Session | None:
        return None

    def told(self, session: str, since: int) -> tuple[p.Ranks, int]:
        rank = self._ranks[session]
        rows = self._rows_of(self._session.graph_of(rank))
        changed, whole, number = rows.since(since)
        first = rows.first()
        members = tuple(
            p.RankMember(each, key, self._state(each), self._stands(each))
            for each, key in self._keys.items()
        )
        told = p.Ranks(
            session,
            rank,
            members,
            whole,
            changed,
            len(rows.leaving),
            None if first is None else first.node,
            rows.text(),
            rows.per_cell,
            self._together,
            rank_calls(self._session.readings, rows.per_cell),
            self._session.followed,
        )
        return told, number

    def at(self, session: str, node: int) -> tuple[p.RankAt, ...]:
        graph = self._session.graph_of(self._ranks[session])
        if not 0 <= node < len(graph.nodes):
            raise IndexError(f"the graph has no node {node}")
        return ranks_at(self._rows_of(graph).strip(node).cells)

    def move_together(self, enabled: bool) -> None:
        self._together = enabled
        self._observers.tell()

    def relay(self, view: str, content: dict[str, Any], send: joints.Send) -> None:
        if self._session.closed:
            raise SessionClosed(f"the session of {self.title} on all ranks is closed")
        self._session.carry(view, send)
        kind, number = content["type"], content["request"]
        rank = self._ranks[content.get("session") or self.first]
        content = {**content, "session": self._keys[rank]}
        move = _MOVES.get(kind)
        if move is not None:
            verb, field = move
            arguments = (content[field],) if field else ()
            getattr(self._session, verb)(*arguments, rank=None if self._together else rank)
            send(encode_message(self._done(number, rank)))
        elif kind == "stop":
            self._session.close()
            send(encode_message(self._done(number, rank)))
        elif kind == "pause":
            self._session.pause(None if self._together else rank)
            send(encode_message(self._done(number, rank)))
        elif kind == "get_picture":
            send(encode_message(self.picture(number, rank)))
        else:
            self._session.relay(rank, view, content)

    def _done(self, number: int, rank: int) -> p.Done:
        stands = self._session.standing(rank)
        return p.Done(number, self._keys[rank], 0 if stands is None else stands.revision)

    def picture(self, number: int, rank: int) -> p.Picture:
        info = self._info(rank)
        title = f"{self.title} on {len(self._keys)} ranks"
        saved = p.SavedView(info.session, title, info.status, info.position, info.total)
        svg = self._session.picture()
        return p.Picture(number, info.session, saved, svg, repr(self._session))

    def picture_at(self, session: str) -> p.Picture:
        return self.picture(0, self._ranks[session])

    def leave(self, view: str) -> None:
        self._session.carry(view, None)

    def listen(self, owner: str, listener: Callable[[], None]) -> Observer:
        return self._observers.add(owner, listener)

    # --- here -------------------------------------------------------------------------------------

    def _changed(self, changed: Mapping[int, Collection[int] | None]) -> None:
        by_place = {self._places[rank]: nodes for rank, nodes in changed.items()}
        for rows in self._rows.values():
            rows.change(by_place)
        self._observers.tell()

    def _rows_of(self, graph: Graph) -> RankRows:
        found = self._rows.get(id(graph))
        if found is None:
            differ = tuple(self._session.compare().graphs())
            found = self._rows[id(graph)] = RankRows(graph, self._session.readings, differ)
        return found

    def _state(self, rank: int) -> p.RankState:
        session = self._session
        if session.closed:
            return "closed"
        if session.is_busy(rank):
            return "busy"
        stands = session.standing(rank)
        if stands is None:
            return "lost"
        if stands.moving:
            return "waits" if session.waits(rank) else "running"
        return "finished" if stands.status == "finished" else "error" if stands.error else "paused"

    def _stands(self, rank: int) -> str:
        return "closed" if self._session.closed else self._session.stands(rank)
