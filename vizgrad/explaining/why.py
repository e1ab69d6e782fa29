"""`vizgrad.why(tensor)`: the first answer that applies."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays.magnitude import finite, largest
from vizgrad.errors import Explanation
from vizgrad.explaining import missing, nonfinite, scale, zero
from vizgrad.explaining.bare import of_bare_value
from vizgrad.explaining.said import HEALTHY, name_of
from vizgrad.graph.node import Node
from vizgrad.provenance.backwards import Run, key_of
from vizgrad.provenance.noting import Noting
from vizgrad.tensor.tensor import Tensor


def explain(noting: Noting | None, tensor: Tensor, name: str) -> Explanation:
    """For the value and `.grad` of `tensor`, which a person calls `name`."""
    return _value(noting, tensor, name) or _gradient(noting, tensor, name) or HEALTHY


def _value(noting: Noting | None, tensor: Tensor, name: str) -> Explanation | None:
    array = tensor._array
    if array.dtype.kind not in "fcV" or finite(array):
        return None
    note = None if noting is None else noting.notes.get(tensor)
    if noting is not None:
        leaf = noting.gradients.leaf_of(tensor)
        owner = None if leaf is None else leaf.tensor()
        if owner is not None and leaf is not None and leaf.run is not None:
            return _odd(noting, leaf.run, -id(owner), name)
    if note is None:
        return of_bare_value(tensor, name)
    return nonfinite.of_value(note, name or name_of(note))


def _gradient(noting: Noting | None, tensor: Tensor, name: str) -> Explanation | None:
    grad: Any = tensor._grad
    if grad is None:
        return missing.of_gradient(noting, tensor, name)
    run, key = _run_of(noting, tensor)
    if run is None or noting is None:
        return None
    size = largest(grad._array)
    if not size < float("inf"):
        return _odd(noting, run, key, name)
    if size == 0.0:
        return zero.of_gradient(run, key, name)
    return scale.of_gradient(run, key, name)


def _odd(noting: Noting, run: Run, key: int, name: str) -> Explanation | None:
    """A gradient that is not finite: already the loss was not, or it became so."""
    for root in run.roots:
        if not root.finite:
            return nonfinite.of_value(root, name_of(root, "the loss"))
    found = nonfinite.of_gradient(run, key, name)
    if found is not None:
        return found
    for earlier in reversed(noting.runs):  # what an earlier backward left there
        if earlier is not run and (found := nonfinite.of_gradient(earlier, key, name)) is not None:
            return found
    return None


def _run_of(noting: Noting | None, tensor: Tensor) -> tuple[Run | None, int]:
    """The last backward that reached it, and under which number."""
    if noting is None:
        return None, 0
    if tensor.is_leaf:
        leaf = noting.gradients.known(tensor)
        return (None if leaf is None else leaf.run), -id(tensor)
    edge = tensor._edge
    node = getattr(edge, "node", edge)
    if not isinstance(node, Node):
        return None, 0
    key = key_of(node)
    runs = [run for run in reversed(noting.runs) if key in run.visits]
    return (runs[0] if runs else None), key
