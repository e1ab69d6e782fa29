"""`vizgrad.why(tensor)`: the first answer that applies."""

from __future__ import annotations

from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import from_records, from_session, missing_gradients
from vizgrad.debugger.explain.answers import odd_gradient, odd_value, of_run
from vizgrad.debugger.explain.cause import HEALTHY, Cause
from vizgrad.debugger.explain.graph_values import of_bare_value
from vizgrad.debugger.explain.wording import explain, name_of
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.tensor_adapter import Look, look_of


def answer(noting: Noting | None, tensor: Any, name: str) -> Explanation:
    """Why the value and the `.grad` of `tensor` are as they are, in words."""
    return explain(diagnose(noting, tensor, name))


def diagnose(noting: Noting | None, tensor: Any, name: str) -> Cause:
    """For the value and `.grad` of `tensor`, which a person calls `name`.

    An open session may explain a tensor without notes.
    """
    look = look_of(tensor)
    if look is None:  # it stands for others
        return HEALTHY
    found = _value(noting, tensor, name, look) or from_records.of_value(look, tensor, name)
    if found is None:
        found = _gradient(noting, tensor, name, look)
        if not found:  # what is not finite is never called healthy
            run, key = _run_of(noting, tensor, look)
            found = from_records.of_gradient(noting, look, tensor, name, run, key) or found
    return HEALTHY if found is None else found


def _value(noting: Noting | None, tensor: Any, name: str, look: Look) -> Cause | None:
    if look.finite(tensor):
        return None
    note = None if noting is None else noting.notes.get(tensor)
    if note is not None and _wrote(note):
        return odd_value(note, name or name_of(note))
    if noting is not None:
        leaf = noting.gradients.leaf_of(tensor)
        owner = None if leaf is None else leaf.tensor()
        if owner is not None and leaf is not None and leaf.run is not None:
            return odd_gradient(leaf.run, -id(owner), name, noting)
    if note is None:
        return from_session.of_value(look, tensor, name) or of_bare_value(
            look.node(tensor), look.nodes, name
        )
    return odd_value(note, name or name_of(note))


def _gradient(noting: Noting | None, tensor: Any, name: str, look: Look) -> Cause | None:
    grad = look.grad(tensor)
    if grad is None:
        waits = from_records.of_tensor(tensor, name)
        return missing_gradients.of_gradient(noting, tensor, name) if waits is None else waits
    note = None if noting is None or look.finite(grad) else noting.notes.get(grad)
    if note is not None and _wrote(note):
        return odd_value(note, f"{name}.grad" if name else name_of(note))
    stepped = from_session.run_that_filled(look, tensor, noting)
    if stepped is not None:
        return from_session.of_gradient(*stepped, name)
    run, key = _run_of(noting, tensor, look)
    if run is None or noting is None:
        return None if look.finite(grad) else from_records.of_leaf(tensor, grad, name)
    return of_run(run, key, name, look.largest(grad), noting)


def _wrote(note: Note) -> bool:
    """Was what is not finite written to a gradient, by an operation that is known, after it was stored?"""
    return not note.finite and note.op not in ("given", "gradient", "grad", "step")


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
