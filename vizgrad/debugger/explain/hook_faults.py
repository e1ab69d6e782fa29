"""Hooks of tensors that return what spoils a gradient."""

from __future__ import annotations

from vizgrad.debugger.explain.cause import Cause, Phrase, cause
from vizgrad.debugger.explain.nonfinite import reaches
from vizgrad.debugger.explain.wording import THE_TENSOR, name_of
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.note_recorder import Noting

_INF = float("inf")


def nonfinite(run: Run, key: int, name: str, noting: Noting | None) -> Cause | None:
    """A hook was given a finite gradient, and what it returned came to node `key`."""
    for at, changed in run.changed.items():
        spoiled = not changed.after < _INF and _was_finite(run, at, changed.before)
        if spoiled and (at == key or reaches(run, at, key)):
            return of_hook(run, at, name, noting)
    return None


def _was_finite(run: Run, at: int, before: float | None) -> bool:
    if before is not None:
        return before < _INF
    given = [d.size for visit in run.visits.values() for d in visit.out if d.target == at]
    return all(size < _INF for size in given)


def of_hook(run: Run, at: int, name: str, noting: Noting | None) -> Cause:
    """The hooks of the tensor that node `at` made, or fills, spoiled its gradient."""
    event = None if noting is None else noting.hooked().get(at)
    note = None if event is None else event.note
    shown = name if at < 0 and name else name_of(note, THE_TENSOR)
    before, after = run.changed[at]
    zero = after == 0.0
    given = Phrase("finite-gradient") if before is None else Phrase("of-size", size=before)
    return cause(
        "hook-effect", "hook-returned", None if event is None else event.site, shown,
        fix="hook-zero" if zero else "hook-nonfinite", shown=shown, name=name,
        given=given, what=Phrase("zeros" if zero else "not-finite-gradient"),
    )  # fmt: skip
