"""Does what a view asks a session to do: each request names what, and none carries code."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session

#: More steps than this in one request are refused: the browser would wait without a picture.
MOST_STEPS = 1_000_000
MOST_STAGES = 1_000


def move(session: Session, request: Any) -> None:
    """Raises what the session raises; ValueError for what is not to be done."""
    if isinstance(request, p.Step | p.StepBack) and not 0 <= request.count <= MOST_STEPS:
        raise ValueError(f"count must be between 0 and {MOST_STEPS}, got {request.count}")
    if not (_inside(session, request) or _branch(session, request)):
        _move(session, request)


def _inside(session: Session, request: Any) -> bool:
    """By stages and lines; False for any other request."""
    match request:
        case p.Stage():
            if not -MOST_STAGES <= request.count <= MOST_STAGES:
                raise ValueError(f"count must be within {MOST_STAGES}, got {request.count}")
            session.stage(request.count)
        case p.StepIn():
            session.step_in()
        case p.StepOut():
            session.step_out()
        case p.RunToLeaf():
            session.run_to_leaf()
        case p.RunToLine():
            session.run_to(line=f"{request.file}:{request.line}")
        case _:
            return False
    return True


def _move(session: Session, request: Any) -> None:
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
            session.close(because="it was stopped")
        case _:
            _set_stops(session, request)


def _branch(session: Session, request: Any) -> bool:
    """What if; False for any other request."""
    match request:
        case p.SetGrad():
            session.set_grad(request.node, request.value, request.slot)
        case p.SetSaved():
            session.set_saved(request.node, request.name, request.value)
        case p.SetLeaf():
            session.set_leaf(request.node, request.value)
        case p.BeginBranch():
            session.branch(request.name)
        case p.SwitchBranch():
            session.switch(request.name)
        case p.DropBranch():
            session.drop_branch(request.name)
        case _:
            return False
    return True


def _set_stops(session: Session, request: Any) -> None:
    """Where the session is to stop."""
    match request:
        case p.SetBreakpoint():
            session.set_breakpoint(request.node, request.enabled)
        case p.SetLineBreakpoint():
            session.set_line_breakpoint(
                f"{request.file}:{request.line}",
                request.enabled,
                condition=request.condition,
                hits=request.hits,
            )
        case p.AddBreakpoint():
            session.add_breakpoint(
                request.kind, request.text, condition=request.condition, hits=request.hits
            )
        case p.EnableBreakpoint():
            session.enable_breakpoint(request.breakpoint, request.enabled)
        case p.RemoveBreakpoint():
            session.remove_breakpoint(request.breakpoint)
        case p.SetNonfinite():
            session.stop_at_nonfinite = request.enabled
        case _:
            raise ValueError(f"cannot do {type(request).__name__}")
