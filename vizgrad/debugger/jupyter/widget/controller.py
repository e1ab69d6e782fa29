"""Answers the messages of one view (`vizgrad.debugger.jupyter.widget.protocol`), over whatever carries them.

A controller belongs to one connection: a widget's comm or a side panel's. It holds no state of the run
itself; it asks sessions, and listens to the one its view is attached to. While it does, the session is held.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any, cast
from weakref import WeakSet, WeakValueDictionary

from vizgrad.core.observing import Observer
from vizgrad.debugger.explain.kept_traces import kept_in, kept_session
from vizgrad.debugger.jupyter.widget import joints, query_answers
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget import still_frames as still_frames  # answers requests, too
from vizgrad.debugger.jupyter.widget import trace_saving as trace_saving  # likewise
from vizgrad.debugger.jupyter.widget.handlers import HANDLERS, handles
from vizgrad.debugger.jupyter.widget.joints import Joint
from vizgrad.debugger.jupyter.widget.line_messages import LinesFollower
from vizgrad.debugger.jupyter.widget.request_worker import Desk
from vizgrad.debugger.memory.reading import current, read
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.moves_under_way import Work
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.session.session import Session, SessionBusy
from vizgrad.debugger.session.session_reader import SessionClosed
from vizgrad.debugger.wire.wire import (
    MAX_INTEGER,
    WireError,
    decode_message,
    encode_message,
    messages,
)
from vizgrad.version import __version__

# Reads the memory of the whole process for a view, named by the variables of the notebook.

#: Storages that a view is told of.
MOST_STORAGES = 500


def heap_read(request: p.GetHeap) -> p.HeapRead:
    """The answer. Variables of functions that a cell is running are named, too."""
    began = perf_counter()
    main = threading.main_thread().ident
    # of another thread: a function that has its own frame would live on
    others = sys._current_frames  # pyright: ignore[reportPrivateUsage]  there is no other way
    frames = {} if main == threading.get_ident() else others()
    frame = frames.pop(main, None) if main is not None else None
    frames.clear()
    heap = read(frame, current(), most=min(max(request.most, 0), MOST_STORAGES))
    return p.HeapRead(request.request, heap, perf_counter() - began)


Send = Callable[[dict[str, Any]], None]
#: A larger graph takes some time to be read.
MOST_AT_ONCE = 20_000
#: Requests that bring a view up to date: answered while the run moves.
LOOKS = ("attach", "look", "since")

#: The classes of requests, by the type of their messages.
_REQUESTS: dict[str, type[Any]] = messages(cast("dict[type[Any], object]", p.ANSWERS))
#: In the place of an answer that has gone to the view already.
_SENT = object()
_log = logging.getLogger(__name__)
_controllers: WeakSet[Controller] = WeakSet()
#: Sessions that views have moved since the last cell began.
moved_in_views: WeakSet[Session] = WeakSet()
#: Those of widgets, by the widget's id.
_of_widgets: WeakValueDictionary[str, Controller] = WeakValueDictionary()


class Controller:
    """One view's end in the kernel. `bound`: the session of a widget, which is held until its view goes (or
    detaches), or something else is shown in the place of this widget (`view`, its id); None for other views.
    """

    def __init__(
        self,
        send: Send,
        bound: Session | Joint | None = None,
        *,
        view: str = "",
        at_desk: bool = False,
    ) -> None:
        """`at_desk`: requests are answered on another thread (`request_worker.py`), but `Pause`, at once."""
        self._carry = send
        #: Something has come from the browser.
        self._heard = False
        self._desk = Desk(self._do) if at_desk else None
        self._bound = None if bound is None else _id_of(bound)
        #: The ranks whose sessions it shows, which of these, and how much of that was told.
        self._joint: Joint | None = None
        self._of_joint = ""
        self._told_of_ranks = -1
        self._ranks_before: p.Ranks | None = None
        self._ranks: Observer | None = None
        self._attached: Session | None = None
        self._listening: Observer | None = None
        self._told_of_work: Observer | None = None
        self._lines: LinesFollower | None = None
        #: Sessions that were opened from lanes, and those that they were opened from: a person goes between.
        self._opened: tuple[Session, ...] = ()
        #: It was asked whether it is there (`commtarget.py`), and has said nothing since.
        self._called = False
        #: The session that it was attached to when it was taken for gone.
        self._left: str | None = None
        #: An event was lost on the way: the view is told the latest revision when there is a chance to.
        self._behind = False
        self._registry = registry.listen("a view's list of sessions", self._sessions_changed)
        _controllers.add(self)
        if view:
            _of_widgets[view] = self
        if isinstance(bound, Session):
            self._attach(bound)
        elif bound is not None:
            self._join(bound, bound.first)

    def close(self) -> None:
        """The view is gone."""
        self._opened = ()
        self._registry.end()
        if self._lines is not None:
            self._lines.close()
        self._part()
        self._detach()

    def end(self) -> None:
        """Its view is not displayed any more."""
        self._part()
        self._detach()

    # --- is it there? -------------------------------------------------------------------------------

    def call(self) -> bool:
        """Asks the view whether it is there; False if nothing hangs on it, or none has come yet."""
        if self._attached is None or not self._heard:
            return False
        if not self._called:
            self._called = True
            self._send(p.RollCall())
        return True

    def end_silent(self) -> None:
        """Lets go of what a view showed that has said nothing since it was called."""
        session = self._attached
        if self._called and session is not None:
            self._detach()
            self._left = session.id

    def _come_back(self) -> None:
        left, self._left = self._left, None
        session = None if left is None else registry.find(left)
        if session is not None and self._attached is None:
            self._attach(session)
            self._behind = True

    # --- requests -----------------------------------------------------------------------------------

    def receive(self, content: object) -> None:
        """Answers one message. Never raises: whatever goes wrong becomes a `Failed` answer."""
        self._heard = True
        self._called = False
        self._come_back()
        if self._desk is None or _field(content, "type") == "pause":
            self._do(content, on_main=False)
        elif not self._looks_between(content):
            self._desk.put(content)

    def _looks_between(self, content: object) -> bool:
        """Does a move that is under way answer it, between two of its steps?"""
        name = _field(content, "session")
        if _field(content, "type") not in LOOKS:
            return False
        try:
            session = self.find(name if isinstance(name, str) else None)
        except SessionClosed:
            return False
        return session.look_between(lambda: self._do(content, on_main=False))

    def _do(self, content: object, on_main: bool) -> None:
        """`on_main`: a move is made on the main thread, if that is idle."""
        fields = cast("dict[str, object]", content) if isinstance(content, dict) else {}
        number = fields.get("request", 0)
        if type(number) is not int or not 0 <= number < MAX_INTEGER:
            number = 0
        session = fields.get("session")
        try:
            request = decode_message(cast("object", content), _REQUESTS)
        except WireError as error:
            self._send(p.Failed(number, f"malformed message: {error}"))
            return
        try:
            ranked = self._joint is not None or isinstance(request, p.Attach)
            relayed = self._relayed(request, fields) if ranked else None
            answer = relayed or self._answer(request, on_main)
        except (SessionClosed, SessionBusy, IndexError, ValueError) as error:
            about = session if isinstance(session, str) else None
            closed = isinstance(error, SessionClosed)
            answer = p.Failed(number, str(error), about, closed)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  a node, a hook, the person
            text = f"{type(error).__name__}: {error}".removesuffix(": ")
            notes = "\n".join(getattr(error, "__notes__", ()))
            answer = p.Failed(number, f"{text}\n{notes}".strip(), getattr(request, "session", None))
        if answer is not _SENT:
            self._send(answer)
        self.catch_up()

    def _answer(self, request: Any, on_main: bool) -> Any:
        answer = HANDLERS[type(request)](self, request, on_main)
        if isinstance(answer, p.Done | p.Failed) and not isinstance(request, p.Pause):
            session = registry.find(answer.session) if answer.session else None
            if session is not None:
                moved_in_views.add(session)
        return answer

    # --- of several ranks ---------------------------------------------------------------------------

    def _relayed(self, request: Any, fields: dict[str, object]) -> object:
        """Takes a request about the session of a rank in another process; None: this is about another."""
        if isinstance(request, p.GetRanks | p.MoveTogether | p.ListSessions | p.Detach):
            return None
        name: str | None = getattr(request, "session", "")
        if isinstance(request, p.Attach):
            name = self._bound if name is None else name
            joint = joints.find(name)
            if joint is None or name is None:
                self._part()
                return None
            self._join(joint, name)
        else:
            joint = joints.find(name)
        if (
            joint is None
            or name is None
            or joint is not self._joint
            or joint.open(name) is not None
        ):
            return None
        fields = {**fields, "session": name}
        joint.relay(str(id(self)), fields, self._carry)
        if isinstance(request, p.Attach):
            self._tell_ranks()
        return _SENT

    def _join(self, joint: Joint, session: str) -> None:
        """From now on the view is told of the ranks of this session."""
        if joint is not self._joint:
            self._part()
            self._joint = joint
            self._ranks = joint.listen("a view of ranks", self._tell_ranks)
        self._of_joint, self._told_of_ranks = session, -1
        if joint.open(session) is None:
            self._detach()

    def _part(self) -> None:
        if self._ranks is not None:
            self._ranks.end()
        if self._joint is not None:
            self._joint.leave(str(id(self)))
        self._joint = self._ranks = None

    def _tell_ranks(self) -> None:
        if self._joint is not None and self._heard:
            told, number = self._joint.told(self._of_joint, self._told_of_ranks)
            without = replace(told, whole=False, rows=(), followed=False)
            if told.whole or told.rows or without != self._ranks_before:
                self._send(told)
            self._ranks_before = without
            self._told_of_ranks = -1 if self._behind else number

    def _joint_of(self, session: str) -> Joint:
        joint = joints.find(session)
        if joint is None:
            raise SessionClosed(f"session {session!r} is not one of several ranks")
        return joint

    @handles(p.GetRanks)
    def _get_ranks(self, request: p.GetRanks, _: bool) -> p.RanksAt:
        found = self._joint_of(request.session).at(request.session, request.node)
        return p.RanksAt(request.request, request.session, request.node, found)

    @handles(p.MoveTogether)
    def _move_together(self, request: p.MoveTogether, _: bool) -> p.Done:
        self._joint_of(request.session).move_together(request.enabled)
        return p.Done(request.request, request.session, 0)

    @handles(p.ListSessions)
    def _list_sessions(self, request: p.ListSessions, _: bool) -> p.Sessions:
        return self._sessions(request.request)

    @handles(p.Attach)
    def _attach_and_show(self, request: p.Attach, _: bool) -> object:
        session = self.find(request.session)
        self._attach(session)
        widget = _of_widgets.get(request.view)
        if widget is not None and not widget._heard:
            widget._detach()
        with self.reading(session):
            answer = query_answers.shown(request.request, session, request.folding, "")
        if self._joint is not None:
            self._send(answer)
            self._tell_ranks()
            return _SENT
        return answer

    @handles(p.Detach)
    def _detach_and_list(self, request: p.Detach, _: bool) -> p.Sessions:
        self._part()
        self._detach()
        return self._sessions(request.request)

    @handles(p.IsKept)
    def _is_kept(self, request: p.IsKept, _: bool) -> p.Done:
        if kept_in(request.session) is None:
            raise SessionClosed(f"session {request.session!r} is not a kept backward")
        return p.Done(request.request, request.session, 0)

    @handles(p.OpenSecond)
    def _open_second(self, request: p.OpenSecond, _: bool) -> p.Opened:
        session = self.find(request.session)
        opened = session.second()
        self._opened = (*self._opened, session, opened)
        return p.Opened(request.request, session.id, opened.id)

    @handles(p.FollowLines)
    def _follow_lines(self, request: p.FollowLines, _: bool) -> p.Lines:
        if request.session is not None and not registry.look_at(request.session):
            raise SessionClosed(f"session {request.session!r} is not one of this kernel")
        if self._lines is None:
            self._lines = LinesFollower(self._send)
        return self._lines.whole(request.request)

    @handles(p.LinesSeen)
    def _lines_seen(self, request: p.LinesSeen, _: bool) -> p.Done:
        if self._lines is not None:
            self._lines.seen(request.number)
        return p.Done(request.request, "", 0)

    @handles(p.GetHeap)
    def _get_heap(self, request: p.GetHeap, _: bool) -> p.HeapRead:
        return heap_read(request)

    def find(self, name: str | None) -> Session:
        """The session with this id, or the backward that a watch has kept under it; for None that of the
        widget, or else the newest one.
        """
        if self._bound is not None and name is None:
            name = self._bound
        if self._attached is not None and name == self._attached.id:
            return self._attached
        joint = joints.find(name)
        session = registry.find(name) if joint is None or name is None else joint.open(name)
        if session is None and name is not None:
            session = kept_session(name)
        if session is None:
            raise SessionClosed(
                "no debugging session is open in this kernel; open one with vizgrad.debug(loss)"
                if name is None
                else f"session {name!r} is closed or belongs to an earlier kernel; open a new one "
                "with vizgrad.debug(loss)"
            )
        return session

    def _attach(self, session: Session) -> None:
        if session is self._attached and self._listening is not None and self._listening.active:
            return
        self._detach()
        self._attached = session
        owner = f"a view of session {session.id}"
        self._listening = session.listen(self._changed, owner=owner)
        self._told_of_work = session.listen_to_work(self._works, owner=owner)

    def _detach(self) -> None:
        if self._listening is not None:
            self._listening.end()
        if self._told_of_work is not None:
            self._told_of_work.end()
        self._attached = self._listening = self._told_of_work = None

    # --- answers and events ---------------------------------------------------------------------------

    def _send(self, message: Any) -> None:
        """Never raises: a message that is lost is asked for again by the view, which counts revisions."""
        try:
            self._carry(encode_message(message))
        except Exception as error:  # noqa: BLE001  the transport's, whatever it is
            if not self._behind:  # once, until it works again; as text: a log may keep its records
                _log.warning("a message to a view was lost: %s", repr(error))
            self._behind = True

    def catch_up(self) -> None:
        """If a message was lost, tells the view where the session is now."""
        session = self._attached
        if self._behind and session is not None:
            self._behind = False
            self._send(p.AtRevision(session.id, session.revision))
        if self._lines is not None:
            self._lines.catch_up()

    def _sessions(self, request: int) -> p.Sessions:
        infos = tuple(
            p.SessionInfo(s.id, s.title, s.opening.cell.name, s.status, s.position, s.total)
            for s in registry.sessions()
        )
        there = tuple(info for joint in joints.joints() for info in joint.infos())
        return p.Sessions(request, (*infos, *there), __version__)

    def _changed(self, update: Update) -> None:
        session = self._attached
        if session is not None:
            self._send(p.Updated(session.id, update))

    def _works(self, work: Work) -> None:
        session = self._attached
        if session is None:
            return
        node = None if work.node is None else session.name_of(work.node)
        what = "running" if work.running else ""
        self._send(p.Working(session.id, what, work.done, work.total, node, work.seconds))

    @contextmanager
    def reading(self, session: Session) -> Generator[None]:
        """A read in the block may take long: the view is notified."""
        large = session.nodes > MOST_AT_ONCE and not session.is_moving
        if large:
            self._send(p.Working(session.id, "reading", total=session.nodes))
        try:
            yield
        finally:
            if large:
                self._send(p.Working(session.id, ""))

    def _sessions_changed(self) -> None:
        if self._bound is None:
            self._send(self._sessions(0))


def _field(content: object, name: str) -> object:
    return cast("dict[str, object]", content).get(name) if isinstance(content, dict) else None


def _id_of(bound: Session | Joint) -> str:
    return bound.id if isinstance(bound, Session) else bound.first


def controllers() -> list[Controller]:
    return list(_controllers)


def after_cell() -> None:
    """A cell may have written in place what an open session has saved: its views must show it."""
    for session in registry.sessions():
        session.notice_writes()
    registry.refresh()
    for controller in controllers():
        controller.catch_up()
