"""The handlers of requests that change a session. A request names what to do, and none carries code."""

from __future__ import annotations

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.handlers import Connection, handles, moves
from vizgrad.debugger.session.session import Session

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


@moves(p.DropBranch)
def _drop_branch(session: Session, request: p.DropBranch) -> None:
    session.drop_branch(request.name)


# --- breakpoints ------------------------------------------------------------------------------------


@moves(p.SetBreakpoint)
def _set_breakpoint(session: Session, request: p.SetBreakpoint) -> None:
    session.set_breakpoint(request.node, request.enabled)


@moves(p.SetLineBreakpoint)
def _set_line_breakpoint(session: Session, request: p.SetLineBreakpoint) -> None:
    session.set_line_breakpoint(
        f"{request.file}:{request.line}",
        request.enabled,
        condition=request.condition,
        hits=request.hits,
    )


@moves(p.AddBreakpoint)
def _add_breakpoint(session: Session, request: p.AddBreakpoint) -> None:
    session.add_breakpoint(
        request.kind, request.text, condition=request.condition, hits=request.hits
    )


@moves(p.EnableBreakpoint)
def _enable_breakpoint(session: Session, request: p.EnableBreakpoint) -> None:
    session.enable_breakpoint(request.breakpoint, request.enabled)


@moves(p.RemoveBreakpoint)
def _remove_breakpoint(session: Session, request: p.RemoveBreakpoint) -> None:
    session.remove_breakpoint(request.breakpoint)


@moves(p.SetNonfinite)
def _set_nonfinite(session: Session, request: p.SetNonfinite) -> None:
    session.stop_at_nonfinite = request.enabled
