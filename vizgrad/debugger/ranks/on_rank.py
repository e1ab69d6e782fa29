"""The session in the process of a rank. Requests arrive as calls of these functions.

Each function returns plain data within a short time, whatever the backward does: a move runs on a thread of
its own, and a later call asks how far it is. So an engine that waits in a collective still answers.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from vizgrad.core.errors import Explanation
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.api.process_groups import process_rank, running_collective
from vizgrad.debugger.engines.common.variable_names import names_in
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.explain.watch_block import known, last_findings
from vizgrad.debugger.explain.why import answer
from vizgrad.debugger.ranks.outlines import outline
from vizgrad.debugger.ranks.reading import Packed, of_loss, packed
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.moves_under_way import Work, shown_elsewhere
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.traces.files import save

Verb = Literal["step", "back", "seek", "continue_", "restart"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A process, and its rank in the group of `torch.distributed`, if it has one."""

    rank: int | None
    host: str
    pid: int


@dataclass(frozen=True, slots=True)
class Opened:
    """A session of a rank: what it is called there, and its graph (without readings)."""

    key: str
    title: str
    graph: Packed


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the session of a rank stands. `moving`: a move is still running; then `node` has been running
    for `seconds`, and `waits_in` is the function of a collective that the process waits in, if one is known.
    `news` are readings that have changed since the last call: node -> (norm, seconds), None where the node
    was stepped back over; `whole`: all of them, none of an earlier call counts. `error` is what the last
    move raised.
    """

    text: str
    status: str
    position: int
    total: int
    current: int | None
    moving: bool
    node: int | None
    seconds: float
    waits_in: str
    error: str
    news: Mapping[int, tuple[float | None, float] | None]
    whole: bool


class _Held:
    """The session of this rank, with the move that is running."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._thread: threading.Thread | None = None
        self._error = ""
        self._work = Work(running=False)
        self._lock = threading.Lock()
        self._news: dict[int, tuple[float | None, float] | None] = {}
        self._whole = True
        self._listening = (
            session.listen(self._moved, owner="the ranks of a session"),
            session.listen_to_work(self._worked, owner="the ranks of a session"),
        )

    def move(self, verb: Verb, arguments: tuple[int, ...], patience: float) -> Standing:
        if self._moving():
            return self.standing()
        self._error = ""

        def run() -> None:
            try:
                with shown_elsewhere():
                    getattr(self.session, verb)(*arguments)
            except BaseException as error:  # noqa: BLE001  told with the standing
                self._error = f"{type(error).__name__}: {error}"

        self._thread = threading.Thread(target=run, name="move of a rank", daemon=True)
        self._thread.start()
        return self.standing(patience)

    def standing(self, patience: float = 0.0) -> Standing:
        if self._thread is not None and patience:
            self._thread.join(patience)
        session, moving = self.session, self._moving()
        with self._lock:
            news, whole = self._news, self._whole
            self._news, self._whole = {}, False
        if whole and not moving:
            news = self._all()
        work = self._work if moving else Work(running=False)
        return Standing(
            text="" if moving else str(session.where),
            status=session.status,
            position=session.position,
            total=session.total,
            current=None if moving or session.closed else _id(session.node),
            moving=moving,
            node=work.node,
            seconds=work.seconds,
            waits_in=running_collective() if moving else "",
            error=self._error,
            news=news,
            whole=whole and not moving,
        )

    def close(self) -> None:
        self.session.interrupt(elsewhere=False)
        self.session.close()

    def leave(self) -> None:
        for each in self._listening:
            each.end()

    def _moving(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _worked(self, work: Work) -> None:
        self._work = work

    def _moved(self, update: Update) -> None:
        with self._lock:
            if update.jumped or self._whole:
                self._whole, self._news = True, {}
                return
            back = update.position < update.before
            for record in update.records:
                visit = record.visit
                norms = [each.norm for each in visit.incoming if each is not None]
                defined = [norm for norm in norms if norm is not None]
                norm = next((each for each in defined if each != each), max(defined, default=None))
                self._news[visit.node] = None if back else (norm, visit.seconds)

    def _all(self) -> dict[int, tuple[float | None, float] | None]:
        run = self.session.run
        seconds = {visit.node: visit.seconds for visit in self.session.trace.visits}
        return {
            number: (state.grad_norm, seconds.get(number, 0.0))
            for number, state in enumerate(run.nodes)
            if state.state == "done"
        }


def _id(node: Any) -> int | None:
    return None if node is None else node.id


_held: dict[str, _Held] = {}


# --- called by the notebook -----------------------------------------------------------------------------


def identity() -> Identity:
    return Identity(process_rank(), socket.gethostname(), os.getpid())


def open_on_rank(name: str | None, graph: bytes | None) -> Opened:
    """Opens the backward of the variable `name`; None: takes the session that the last cell of `%%vizgrad
    debug` was stopped for on this rank. `graph`: the outline of the graph that the caller has.

    NameError for what is no variable, and what `vizgrad.debug` raises. RuntimeError where no session is open,
    and where another session of ranks has it.
    """
    session = _of_debug_cell() if name is None else _opened(name)
    _held[session.id] = _Held(session)
    own = session.graph
    return Opened(session.id, session.title, _bare(own, graph))


def move(key: str, verb: Verb, arguments: tuple[int, ...], patience: float) -> Standing:
    return _held[key].move(verb, arguments, patience)


def standing(key: str, patience: float = 0.0) -> Standing:
    return _held[key].standing(patience)


def pause(key: str) -> bool:
    """Asks the move that is running to stop between two nodes."""
    return _held[key].session.pause()


def close(key: str) -> None:
    held = _held.pop(key, None)
    if held is not None:
        held.close()


def leave(key: str) -> None:
    """Leaves the session open, for the code that opened it."""
    held = _held.pop(key, None)
    if held is not None:
        held.leave()


def trace(key: str) -> bytes:
    """The trace of the steps so far, as a file of at most 2 MB."""
    with TemporaryDirectory() as folder:
        return save(_held[key].session.trace, Path(folder) / "rank.vgtrace").read_bytes()


def read(rank: int, name: str, graph: bytes | None) -> Packed:
    """The backward of the variable `name`, run before any all-reduce."""
    loss, names = _variable(name)
    return packed(of_loss(rank, loss, {**names, id(loss): name}), graph)


def why(name: str) -> Explanation:
    tensor, _ = _variable(name)
    return answer(known(tensor), tensor, name)


def findings() -> list[Explanation]:
    """The findings of the watch that is open, or that ended last."""
    return list(last_findings())


# --- here -----------------------------------------------------------------------------------------------


def _opened(name: str) -> Session:
    loss, names = _variable(name)
    return open_session(loss, names=names, title=name)


def _of_debug_cell() -> Session:
    session = registry.of_debug_cell()
    if session is None:
        raise RuntimeError(
            "the last %%vizgrad debug cell opened no session; run one below %%px, or name a variable"
        )
    if session.id in _held:
        raise RuntimeError(
            f"another session of ranks moves {session.name}; use that one, or close it"
        )
    return session


def _bare(graph: Any, known_outline: bytes | None) -> Packed:
    own = outline(graph)
    return Packed(0, None if own == known_outline else graph, own, {}, {}, "")


def _variable(name: str) -> tuple[Any, Any]:
    """A variable of the notebook's namespace, or an attribute of one, with the names of all tensors."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("this process has no namespace of a notebook")
    first, *rest = name.split(".")
    if not all(part.isidentifier() or part.isdecimal() for part in (first, *rest)):
        raise ValueError(
            f"expected the name of a variable (`loss`, `model.weight`), but got {name!r}"
        )
    namespace = shell.user_ns
    if first not in namespace:
        raise NameError(f"name {first!r} is not defined on this rank")
    value = reduce(_part, rest, namespace[first])
    return value, names_in([namespace], known_types())


def _part(value: Any, name: str) -> Any:
    """An attribute, or in `model.0.weight` an item."""
    return value[int(name)] if name.isdecimal() else getattr(value, name)
