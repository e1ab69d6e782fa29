"""The session in the process of a rank. Requests arrive as calls of these functions.

Each function returns plain data within a short time, whatever the backward does: a move runs on a thread of
its own, and a later call asks how far it is. So an engine that waits in a collective still answers.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
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
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.model import CalledCollective
from vizgrad.debugger.ranks import channel
from vizgrad.debugger.ranks.outlines import outline
from vizgrad.debugger.ranks.reading import Packed, norm_of, of_loss, packed
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.moves_under_way import Work, shown_elsewhere
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.traces.files import save

Verb = Literal["step", "back", "seek", "continue_", "restart"]

#: Seconds within one node after which the nodes before it are told of, though the move goes on.
STUCK = 1.0


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
    move raised. `messages` are for views, by the ids of these, that have not been carried yet. `called`: the
    collectives of the steps that are done; None: as before. `calling`: those of the node that runs.
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
    revision: int = 0
    messages: tuple[tuple[str, dict[str, Any]], ...] = ()
    called: tuple[CalledCollective, ...] | None = None
    calling: tuple[CalledCollective, ...] = ()


class _Held:
    """The session of this rank, with the move that is running."""

    def __init__(self, session: Session) -> None:
        self.session = session
        #: While a move hangs, the session would not give it.
        self.graph = session.graph
        self._thread: threading.Thread | None = None
        self._error = ""
        self._work = Work(running=False)
        self._lock = threading.Lock()
        self._news: dict[int, tuple[float | None, float] | None] = {}
        self._whole = True
        #: The collectives that were told last.
        self._called: tuple[CalledCollective, ...] | None = None
        #: The position up to which steps have been told of.
        self._until = session.position
        #: Messages to views in the notebook, and the controllers that answer these, by their ids.
        self._messages: list[tuple[str, dict[str, Any]]] = []
        self._told = threading.Condition()
        self._controllers: dict[str, Controller] = {}
        self._listening = (
            session.listen(self._moved, owner="the ranks of a session"),
            session.listen_to_work(self._worked, owner="the ranks of a session"),
        )

    def opened(self, known_outline: bytes | None) -> Opened:
        return Opened(self.session.id, self.session.title, _bare(self.graph, known_outline))

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
        with self._told:
            messages, self._messages = tuple(self._messages), []
        work = self._work if moving else Work(running=False)
        stuck = work.seconds > STUCK
        with self._lock:
            news, whole = self._news, self._whole and (stuck or not moving)
            self._news, self._whole = {}, self._whole and not whole
        if stuck:
            news |= self._passed(0 if whole else self._until, work.done)
        if whole and not moving:
            news = self._all()
        return Standing(
            text="" if moving else session.where.without_calls,
            status=session.status,
            position=max(session.position, work.done),
            total=session.total,
            current=None if moving or session.closed else _id(session.node),
            moving=moving,
            node=work.node,
            seconds=work.seconds,
            waits_in=running_collective() if moving else "",
            error=self._error,
            news=news,
            whole=whole,
            revision=session.revision,
            messages=messages,
            called=None if moving else self._newly_called(),
            calling=tuple(
                CalledCollective(call, work.node, work.done)
                for call in work.calling
                if work.node is not None
            ),
        )

    def _newly_called(self) -> tuple[CalledCollective, ...] | None:
        with self.session.at_rest() as (_, look):
            position = look.position
            known = tuple(
                replace(each, call=call)
                for each in look.collectives
                if (call := each.at(position)) is not None
            )
        before, self._called = self._called, known
        return None if known == before else known

    def tell_all(self) -> None:
        """To the next who asks: another notebook than before."""
        with self._lock:
            self._whole, self._news = True, {}
            self._called = None

    def relay(self, view: str, content: dict[str, Any], patience: float) -> Standing:
        """The request of a view in the notebook. Waits for a moment until it is answered."""
        controller = self._controllers.get(view)
        if controller is None:
            carry = partial(self._carry, view)
            controller = self._controllers[view] = Controller(carry, self.session, at_desk=True)
        controller.receive(content)
        number = content.get("request")
        with self._told:
            self._told.wait_for(
                lambda: any(
                    to == view and message.get("request") == number
                    for to, message in self._messages
                ),
                patience,
            )
        return self.standing()

    def _carry(self, view: str, message: dict[str, Any]) -> None:
        with self._told:
            self._messages.append((view, message))
            self._told.notify_all()

    def forget(self, view: str) -> None:
        """This view is gone."""
        controller = self._controllers.pop(view, None)
        if controller is not None:
            controller.close()

    def close(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """The last messages to views."""
        self.session.interrupt(elsewhere=False)
        self.session.close()
        with self._told:
            messages, self._messages = tuple(self._messages), []
        for view in list(self._controllers):
            self.forget(view)
        return messages

    def leave(self) -> None:
        for view in list(self._controllers):
            self.forget(view)
        for each in self._listening:
            each.end()

    def _moving(self) -> bool:
        running = self._thread is not None and self._thread.is_alive()
        return running or self.session.is_moving

    def _worked(self, work: Work) -> None:
        self._work = work

    def _moved(self, update: Update) -> None:
        with self._lock:
            self._until = update.position
            if update.jumped or self._whole:
                self._whole, self._news = True, {}
                return
            back = update.position < update.before
            for record in update.records:
                visit = record.visit
                self._news[visit.node] = None if back else (norm_of(visit), visit.seconds)

    def _passed(self, after: int, done: int) -> dict[int, tuple[float | None, float] | None]:
        """The nodes that a move has passed which hangs in another, from position `after` on."""
        records = self.session.trace.records[after:] if done > after else ()
        self._until = max(done, after)
        return {each.visit.node: (norm_of(each.visit), each.visit.seconds) for each in records}

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


def open_channel() -> channel.Door | None:
    """For one connection, which may call `DIRECT`; None where the system has no such sockets."""
    return channel.opened(DIRECT.__getitem__)


def open_on_rank(name: str | None, graph: bytes | None) -> Opened:
    """Opens the backward of the variable `name`; None: takes the session that the last cell of `%%vizgrad
    debug` was stopped for on this rank. `graph`: the outline of the graph that the caller has.

    NameError for what is no variable, and what `vizgrad.debug` raises. RuntimeError where no session is open,
    and where another session of ranks has it.
    """
    session = _of_debug_cell() if name is None else _opened(name)
    held = _held[session.id] = _Held(session)
    return held.opened(graph)


def taken_on_rank(graph: bytes | None) -> Opened:
    """Takes the session that a notebook has opened last and not closed, with all that it has recorded.
    RuntimeError where there is none.
    """
    held = next((each for each in reversed(_held.values()) if not each.session.closed), None)
    if held is None:
        raise RuntimeError("no session of ranks is open there; open one with ranks.debug(...)")
    held.tell_all()
    return held.opened(graph)


def move(key: str, verb: Verb, arguments: tuple[int, ...], patience: float) -> Standing:
    return _held[key].move(verb, arguments, patience)


def standing(key: str, patience: float = 0.0) -> Standing:
    return _held[key].standing(patience)


def relay(key: str, view: str, content: dict[str, Any], patience: float) -> Standing:
    return _held[key].relay(view, content, patience)


def forget(key: str, view: str) -> None:
    held = _held.get(key)
    if held is not None:
        held.forget(view)


#: The functions that a channel may call: short ones, which clicks consist of.
DIRECT: Mapping[str, Callable[..., Standing]] = {
    each.__name__: each for each in (move, standing, relay)
}


def pause(key: str) -> bool:
    """Asks the move that is running to stop between two nodes."""
    return _held[key].session.pause()


def close(key: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Ends the session. Returns the last messages to views."""
    held = _held.pop(key, None)
    return () if held is None else held.close()


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
