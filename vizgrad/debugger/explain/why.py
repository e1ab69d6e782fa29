"""`vizgrad.why(tensor)`: the first answer that applies."""

from __future__ import annotations

from typing import Any

from vizgrad.errors import Explanation
from vizgrad.explaining import missing, sessions
from vizgrad.explaining.answers import odd_gradient, odd_value, of_run
from vizgrad.explaining.bare import of_bare_value
from vizgrad.explaining.mended import with_mended
from vizgrad.explaining.said import HEALTHY, name_of
from vizgrad.provenance.backwards import Run
from vizgrad.provenance.looks import Look, look_of
from vizgrad.provenance.noting import Noting


def explain(noting: Noting | None, tensor: Any, name: str) -> Explanation:
    """For the value and `.grad` of `tensor`, which a person calls `name`.

    What nobody noted may be told by a session that is open.
    """
    look = look_of(tensor)
    if look is None:  # it stands for others
        return HEALTHY
    found = _value(noting, tensor, name, look)
    if found is None:
        found = _gradient(noting, tensor, name, look)
    return HEALTHY if found is None else with_mended(found)


def _value(noting: Noting | None, tensor: Any, name: str, look: Look) -> Explanation | None:
    if look.finite(tensor):
        return None
    note = None if noting is None else noting.notes.get(tensor)
    if noting is not None:
        leaf = noting.gradients.leaf_of(tensor)
        owner = None if leaf is None else leaf.tensor()
        if owner is not None and leaf is not None and leaf.run is not None:
            return odd_gradient(leaf.run, -id(owner), name, noting)
    if note is None:
        return sessions.of_value(tensor, name, noting) or of_bare_value(tensor, name)
    return odd_value(note, name or name_of(note))


def _gradient(noting: Noting | None, tensor: Any, name: str, look: Look) -> Explanation | None:
    grad = look.grad(tensor)
    if grad is None:
        waits = sessions.on_the_way(tensor, name)
        return missing.of_gradient(noting, tensor, name) if waits is None else waits
    stepped = sessions.run_that_filled(tensor, noting)
    if stepped is not None:
        return sessions.of_gradient(*stepped, name)
    run, key = _run_of(noting, tensor, look)
    if run is None or noting is None:
        return None
    return of_run(run, key, name, look.largest(grad), noting)


def _run_of(noting: Noting | None, tensor: Any, look: Look) -> tuple[Run | None, int]:
    """The last backward that reached it, and under which number."""
    if noting is None:
        return None, 0
    if tensor.is_leaf:
        leaf = noting.gradients.known(tensor)
        return (None if leaf is None else leaf.run), -id(tensor)
    made = look.made(tensor)
    if made is None:
        return None, 0
    runs = [run for run in reversed(noting.runs) if made.key in run.visits]
    return (runs[0] if runs else None), made.key
