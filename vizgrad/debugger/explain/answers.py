"""What is odd about a gradient that a run made, or a value, and the way to where that began."""

from __future__ import annotations

from dataclasses import replace

from vizgrad.core.errors import Link
from vizgrad.debugger.explain import chains, gradient_scale, nonfinite, zero_gradients
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.wording import THE_LOSS, name_of
from vizgrad.debugger.watch.backwards import Run, Visit
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note


def of_run(
    run: Run, key: int, name: str, size: float, noting: Noting | None = None
) -> Cause | None:
    """Of a gradient of a run, so large."""
    if not size < float("inf"):
        return odd_gradient(run, key, name, noting)
    found = (
        zero_gradients.of_gradient(run, key, name)
        if size == 0.0
        else gradient_scale.of_gradient(run, key, name)
    )
    return _along(run, key, found, name)


def odd_value(note: Note, name: str) -> Cause | None:
    found = nonfinite.of_value(note, name)
    return found and replace(found, path=chains.of_value(note, found, name))


def odd_gradient(
    run: Run, key: int, name: str, noting: Noting | None = None, at: int | None = None
) -> Cause | None:
    """A gradient that is not finite: already the loss was not, or it became so (at node `at`, if known)."""
    for root in run.roots:
        if not root.finite and (found := odd_value(root, name_of(root, THE_LOSS))) is not None:
            return replace(found, path=(Link(f"{name}.grad" if name else ".grad"), *found.path))
    earlier = () if noting is None else [each for each in reversed(noting.runs) if each is not run]
    for each in (run, *earlier):  # or what an earlier backward left there
        found = nonfinite.of_gradient(each, key, name, at)
        if found is not None:
            birth = nonfinite.first_birth(each, key, at)
            return _along(each, key, found, name, None if birth is None else birth.visit)
    return None


def _along(
    run: Run, key: int, found: Cause | None, name: str, birth: Visit | None = None
) -> Cause | None:
    return found and replace(found, path=chains.of_gradient(run, key, found, name, birth))
