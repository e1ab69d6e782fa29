"""Two losses side by side: the backward of each is run, and what arrived at their nodes compared.

Nothing of it stays: `.grad` is taken back, and both graphs can be run as before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.openers import known_types, open_backward
from vizgrad.debugger.engines.api.protocols import Backward
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints
from vizgrad.debugger.session.history.branches import Branches
from vizgrad.debugger.session.history.history import History, quarter_of_free
from vizgrad.debugger.session.open_session import Live, Traced
from vizgrad.debugger.session.opening import Cell, Opening
from vizgrad.debugger.session.registry import succeeding
from vizgrad.debugger.traces.difference import (
    Saves,
    TraceDiff,
    diff,
    first_apart,
    saves_of,
    trace_of,
)
from vizgrad.debugger.traces.files import FromFile


def side_by_side(a: Any, b: Any, tolerance: float | None, names: Mapping[int, str]) -> TraceDiff:
    """See `vizgrad.compare`. `names`: id of a tensor -> what the person calls it."""
    here, saved = _trace(a, names, "the first")
    there, its = _trace(b, names, "the second")
    found = diff(here, there, tolerance)
    if found.first is not None:
        pairs = {node.node: node.other for node in found.nodes}
        found.forward = first_apart(saved, its, pairs, found.tolerance)
    return found


def _trace(loss: Any, names: Mapping[int, str], which: str) -> tuple[model.Trace, Saves]:
    """For a loss also the values that its nodes have saved."""
    if isinstance(loss, model.Trace) or isinstance(getattr(loss, "trace", None), model.Trace):
        return trace_of(loss), {}
    several = loss if isinstance(loss, list | tuple) else (loss,)
    if not all(isinstance(each, known_types()) for each in several) or not several:
        raise TypeError(
            f"compare takes a loss, several in a list, or what has a trace (a session, a recording); {which} "
            f"is {type(loss).__name__}"
        )
    try:
        saved: dict[int, Any] = {}
        return traced(loss, names, saved=saved), saved
    except BaseException as error:
        error.add_note(f"while {which} of two losses was run, to compare them")
        raise


def traced(
    loss: Any,
    names: Mapping[int, str],
    *,
    gradient: Any = None,
    saved: dict[int, Any] | None = None,
) -> FromFile:
    """The trace of one backward, which is run and taken back. `saved` gets what its nodes have saved,
    as `saves_of`.

    Raises what the backward raises.
    """
    with succeeding(Opening.of(loss, Cell(), retains=True)):
        options = {
            "gradient": gradient,
            "retain_graph": True,
            "names": names,
            "title": names.get(id(loss), ""),
        }
        backward = open_backward(loss, options)
        try:
            if saved is not None:
                saved.update(saves_of(backward.source))
            return _run(backward)
        finally:
            backward.source.close()


def _run(backward: Backward) -> FromFile:
    """All of it, with its gradients; then it is taken back."""
    history = History(backward.run, quarter_of_free())
    try:
        with history.moving():
            while not history.at_end:
                history.forward()
        live = Live(backward, Branches(history), Breakpoints(backward.source))
        trace: Traced = live.trace()
        # Whole before the steps let go of what it reads from.
        return FromFile(trace, dict(trace.arrays()), tuple(trace.births()))
    finally:
        try:
            history.seek(history.earliest, _on)
        finally:
            history.close()


def _on(steps: int = 1) -> None:
    """Nothing is to be done between two steps."""
