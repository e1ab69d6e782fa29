"""Answers the messages of one view (`vizgrad.widgets.protocol`), over whatever carries them.

A controller belongs to one connection: a widget's comm or a side panel's. It holds no state of the run
itself; it asks sessions, and listens to the one its view is attached to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from vizgrad.inspection import registry
from vizgrad.inspection.session import Session, SessionBusy, SessionClosed
from vizgrad.inspection.wire import WireError, decode_message, encode_message
from vizgrad.inspection.wire_plan import MAX_INTEGER
from vizgrad.version import __version__
from vizgrad.widgets import protocol as p

Send = Callable[[dict[str, Any]], None]
_REQUESTS = (
    p.ListSessions, p.Attach, p.GetSnapshot, p.Step, p.StepBack, p.Continue, p.RunTo, p.Seek,
    p.Restart, p.Stop, p.SetBreakpoint, p.Inspect,
)  # fmt: skip
#: More steps than this in one request are refused: the browser would wait without a picture.
MOST_STEPS = 1_000_000


class Controller:
    """One view's end in the kernel. `bound`: the session of a widget; None for the side panel."""

    def __init__(self, send: Send, bound: Session | None = None) -> None:
        self._send = send
        self._bound = bound
        self._attached: Session | None = None
        self._stop_listening: Callable[[], None] | None = None
        #: Number of the request being answered: its own state change is its reply, not an event.
        self._answering = 0
        self._forget_registry = registry.listen(self._sessions_changed)

    def close(self) -> None:
        """The view is gone."""
        self._forget_registry()
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None

    # --- requests -----------------------------------------------------------------------------------

    def receive(self, content: object) -> None:
        """Answers one message. Never raises: whatever goes wrong becomes a `Failed` reply."""
        fields = cast("dict[str, object]", content) if isinstance(content, dict) else {}
        number = fields.get("request", 0)
        if type(number) is not int or not 0 <= number < MAX_INTEGER:
            number = 0
        try:
            request = decode_message(cast("object", content), _REQUESTS)
        except WireError as error:
            self._reply(p.Failed(number, f"malformed message: {error}"))
            return
        self._answering = number
        try:
            self._answer(request)
        except (SessionClosed, SessionBusy, IndexError, ValueError) as error:
            self._reply(p.Failed(number, str(error), getattr(request, "session", None)))
        except Exception as error:  # noqa: BLE001  a node, a hook or a custom Function raised it
            text = f"{type(error).__name__}: {error}"
            notes = "\n".join(getattr(error, "__notes__", ()))
            self._reply(
                p.Failed(number, f"{text}\n{notes}".strip(), getattr(request, "session", None))
            )
        finally:
            self._answering = 0

    def _answer(self, request: Any) -> None:
        if isinstance(request, p.ListSessions):
            self._reply(self._sessions(request.request))
            return
        if isinstance(request, p.Attach):
            session = self._find(request.session)
            self._attach(session)
            self._reply(self._snapshot(request.request, session))
            return
        session = self._find(request.session)
        if isinstance(request, p.GetSnapshot):
            self._reply(self._snapshot(request.request, session))
        elif isinstance(request, p.Inspect):
            node, visit, buffers, grad = session.inspect(request.node)
            self._reply(
                p.Inspection(
                    request.request, session.id, session.revision, node, visit, buffers, grad
                )
            )
        else:
            try:
                self._move(session, request)
            except SessionBusy:
                raise
            except Exception:
                # the view must see how far the run got
                self._reply(self._state(request.request, session))
                raise
            self._reply(self._state(request.request, session))

    def _move(self, session: Session, request: Any) -> None:
        if isinstance(request, p.Step | p.StepBack) and not 0 <= request.count <= MOST_STEPS:
            raise ValueError(f"count must be between 0 and {MOST_STEPS}, got {request.count}")
        match request:
            case p.Step():
                session.step(request.count)
            case p.StepBack():
                session.back(request.count)
            case p.Continue():
                session.continue_()
            case p.RunTo():
                session.run_to(request.node)
            case p.Seek():
                session.seek(request.position)
            case p.Restart():
                session.restart()
            case p.Stop():
                session.close()
            case p.SetBreakpoint():
                session.set_breakpoint(request.node, request.enabled)
            case _:
                raise ValueError(f"cannot do {type(request).__name__}")

    def _find(self, name: str | None) -> Session:
        if self._bound is not None and name in (None, self._bound.id):
            return self._bound
        if self._attached is not None and name == self._attached.id:
            return self._attached
        session = registry.find(name)
        if session is None:
            raise SessionClosed(
                "no debugging session is open in this kernel; open one with vizgrad.debug(loss)"
                if name is None
                else f"session {name!r} is closed or belongs to an earlier kernel; open a new one "
                "with vizgrad.debug(loss)"
            )
        return session

    def _attach(self, session: Session) -> None:
        if session is self._attached:
            return
        if self._stop_listening is not None:
            self._stop_listening()
        self._attached = session
        self._stop_listening = session.listen(self._changed)

    # --- replies and events ---------------------------------------------------------------------------

    def _reply(self, message: p.Answer) -> None:
        self._send(encode_message(message))

    def _snapshot(self, request: int, session: Session) -> p.Snapshot:
        # The graph is as it was when the session was opened; storages may have been written since.
        graph = replace(session.graph, storages=session.versions)
        return p.Snapshot(request, session.id, session.revision, graph, session.run)

    def _state(self, request: int, session: Session) -> p.State:
        return p.State(request, session.id, session.revision, session.run)

    def _sessions(self, request: int) -> p.Sessions:
        infos = tuple(
            p.SessionInfo(s.id, s.title, s.status, s.position, s.total) for s in registry.sessions()
        )
        return p.Sessions(request, infos, __version__)

    def _changed(self, session: Session, what: str) -> None:
        if what == "closed":
            self._reply(p.Closed(session.id, session.revision))
        elif what == "versions":
            self._reply(p.Versions(session.id, session.revision, session.versions, session.run))
        elif not self._answering:
            self._reply(self._state(0, session))

    def _sessions_changed(self) -> None:
        if self._bound is None:
            self._reply(self._sessions(0))
