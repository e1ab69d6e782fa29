"""One table from each request of the protocol to the function that handles it.

A handler is registered beside what it does, by one of three decorators: `handles` for a request about the
connection, `answers` for a question about a session, `moves` for what changes a session. The controller looks
a request up by its class; a test holds that each class of `ANSWERS` has exactly one handler. Those of what
changes a session are here. A request names what to do, and none carries code.
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
    """The part of the controller that handlers of a request need."""

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


#: More steps than this in one request are refused: the browser would wait without a picture.
MOST_STEPS = 1_000_000
MOST_STAGES = 1_000


def _checked(count: int) -> int:
    if not 0 <= count <= MOST_STEPS:
        raise ValueError(f"count must be between 0 and {MOST_STEPS}, got {count}")
    return count


# --- through the run --------------------------------------------------------------------------------


@moves(p.Step)
def _step(session: Session, request: p.Step) -> None:
    session.step(_checked(request.count))


@moves(p.StepBack)
def _step_back(session: Session, request: p.StepBack) -> None:
    session.back(_checked(request.count))


@moves(p.Continue)
def _continue(session: Session, _: p.Continue) -> None:
    session.continue_()


@moves(p.RunTo)
def _run_to(session: Session, request: p.RunTo) -> None:
    session.run_to(request.node)


@moves(p.Seek)
def _seek(session: Session, request: p.Seek) -> None:
    session.seek(request.position)


@moves(p.Restart)
def _restart(session: Session, _: p.Restart) -> None:
    session.restart()


@moves(p.Stop)
def _stop(session: Session, _: p.Stop) -> None:
    session.close(because="it was stopped")


@handles(p.Pause)
def _pause(connection: Connection, request: p.Pause, _: bool) -> p.Done:
    # Not one of `moves`: it is carried out while a move is under way, on the thread that received it.
    session = connection.find(request.session)
    session.pause()
    return p.Done(request.request, session.id, session.revision)


# --- by stages and lines ----------------------------------------------------------------------------


@moves(p.Stage)
def _stage(session: Session, request: p.Stage) -> None:
    if not -MOST_STAGES <= request.count <= MOST_STAGES:
        raise ValueError(f"count must be within {MOST_STAGES}, got {request.count}")
    session.stage(request.count)


@moves(p.StepIn)
def _step_in(session: Session, _: p.StepIn) -> None:
    session.step_in()


@moves(p.StepOut)
def _step_out(session: Session, _: p.StepOut) -> None:
    session.step_out()


@moves(p.RunToLeaf)
def _run_to_leaf(session: Session, _: p.RunToLeaf) -> None:
    session.run_to_leaf()


@moves(p.RunToLine)
def _run_to_line(session: Session, request: p.RunToLine) -> None:
    session.run_to(line=f"{request.file}:{request.line}")


# --- values and branches ----------------------------------------------------------------------------


@moves(p.SetGrad)
def _set_grad(session: Session, request: p.SetGrad) -> None:
    session.set_grad(request.node, request.value, request.slot)


@moves(p.UndoChange)
def _undo_change(session: Session, _: p.UndoChange) -> None:
    session.branches.undo_change()


@moves(p.SetSaved)
def _set_saved(session: Session, request: p.SetSaved) -> None:
    session.set_saved(request.node, request.name, request.value)


@moves(p.SetLeaf)
def _set_leaf(session: Session, request: p.SetLeaf) -> None:
    session.set_leaf(request.node, request.value)


@moves(p.BeginBranch)
def _begin_branch(session: Session, request: p.BeginBranch) -> None:
    session.branch(request.name)


@moves(p.SwitchBranch)
def _switch_branch(session: Session, request: p.SwitchBranch) -> None:
    session.switch(request.name)


@moves(p.FinishBranch)
def _finish_branch(session: Session, request: p.FinishBranch) -> None:
    session.branches.finish(request.name)


@moves(p.DropBranch)
def _drop_branch(session: Session, request: p.DropBranch) -> None:
    session.drop_branch(request.name)


# --- breakpoints ------------------------------------------------------------------------------------


@moves(p.SetBreakpoint)
def _set_breakpoint(session: Session, request: p.SetBreakpoint) -> None:
    session.set_breakpoint(request.node, request.enabled)


@moves(p.SetLineBreakpoint)
def _set_line_breakpoint(session: Session, request: p.SetLineBreakpoint) -> None:
    line = f"{request.file}:{request.line}"
    if not request.enabled:
        session.set_line_breakpoint(line, False)
        return
    session.breakpoints.keep_line(
        line,
        condition=request.condition,
        hits=request.hits,
        log=request.log,
        enabled=not request.disabled,
    )


@moves(p.AddBreakpoint)
def _add_breakpoint(session: Session, request: p.AddBreakpoint) -> None:
    session.add_breakpoint(
        request.kind,
        request.text,
        condition=request.condition,
        hits=request.hits,
        log=request.log,
    )


@moves(p.EnableBreakpoint)
def _enable_breakpoint(session: Session, request: p.EnableBreakpoint) -> None:
    session.enable_breakpoint(request.breakpoint, request.enabled)


@moves(p.RemoveBreakpoint)
def _remove_breakpoint(session: Session, request: p.RemoveBreakpoint) -> None:
    session.remove_breakpoint(request.breakpoint)


@moves(p.ClearLog)
def _clear_log(session: Session, _: p.ClearLog) -> None:
    session.breakpoints.clear_log()


@moves(p.SetNonfinite)
def _set_nonfinite(session: Session, request: p.SetNonfinite) -> None:
    session.stop_at_nonfinite = request.enabled


# --- the watch list ---------------------------------------------------------------------------------


@moves(p.AddWatch)
def _add_watch(session: Session, request: p.AddWatch) -> None:
    session.watches.add(request.expression)


@moves(p.EditWatch)
def _edit_watch(session: Session, request: p.EditWatch) -> None:
    session.watches.edit(request.watch, request.expression)


@moves(p.RemoveWatch)
def _remove_watch(session: Session, request: p.RemoveWatch) -> None:
    session.watches.remove(request.watch)
