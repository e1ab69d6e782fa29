"""One table from each request of the protocol to the function that handles it.

A handler is registered beside what it does, by one of three decorators: `handles` for a request about the
connection, `answers` for a question about a session, `moves` for what changes a session. The controller looks
a request up by its class; a test holds that each class of `ANSWERS` has exactly one handler.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.request_worker import MAIN
from vizgrad.debugger.session.moves_under_way import shown_elsewhere
from vizgrad.debugger.session.open_session import told
from vizgrad.debugger.session.session import Session


class Connection(Protocol):
    """What handlers need of the controller that received the request."""

    def find(self, name: str | None) -> Session:
        """The session with this id. SessionClosed if it is not open."""
        ...

    def reading(self, session: Session) -> AbstractContextManager[None]:
        """Held while a graph that may be large is read: the view is told."""
        ...


#: handler(connection, request, on_main) returns the answer. `on_main`: a move is made on the main thread, if
#: that is idle.
Handler = Callable[[Any, Any, bool], Any]
HANDLERS: dict[type[Any], Handler] = {}

_R = TypeVar("_R")
_F = TypeVar("_F", bound=Handler)
_A = TypeVar("_A")


def handles(request: type[Any]) -> Callable[[_F], _F]:
    """The function is the handler itself."""

    def register(handler: _F) -> _F:
        if request in HANDLERS:
            raise TypeError(f"{request.__name__} has a handler already")
        HANDLERS[request] = handler
        return handler

    return register


def answers(
    request: type[_R],
) -> Callable[[Callable[[Session, _R], _A]], Callable[[Session, _R], _A]]:
    """The function returns the answer to a question about a session, and changes nothing."""

    def register(read: Callable[[Session, _R], _A]) -> Callable[[Session, _R], _A]:
        @handles(request)
        def handle(connection: Connection, asked: Any, _: bool) -> _A:
            return read(connection.find(asked.session), asked)

        return read

    return register


def moves(
    request: type[_R],
) -> Callable[[Callable[[Session, _R], object]], Callable[[Session, _R], object]]:
    """The function changes a session, and raises what the session raises; the answer is `Done`."""

    def register(move: Callable[[Session, _R], object]) -> Callable[[Session, _R], object]:
        @handles(request)
        def handle(connection: Connection, asked: Any, on_main: bool) -> p.Done | p.Failed:
            session = connection.find(asked.session)
            try:
                with shown_elsewhere():
                    if on_main:
                        MAIN.do(lambda: move(session, asked))
                    else:
                        move(session, asked)
            except BaseException as error:
                failed = session.has_told(error)
                if isinstance(error, KeyboardInterrupt) and not failed and not session.is_moving:
                    return p.Done(asked.request, session.id, session.revision)
                if not failed:
                    raise
                # A node raised: that is no refusal, and the message is that of the update.
                return p.Failed(asked.request, told(error), session.id)
            return p.Done(asked.request, session.id, session.revision)

        return move

    return register
