"""`vizgrad.why(tensor)`: the first answer that applies."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays.magnitude import finite, largest
from vizgrad.errors import Explanation
from vizgrad.explaining import missing, sessions
from vizgrad.explaining.answers import odd_gradient, odd_value, of_run
from vizgrad.explaining.bare import of_bare_value
from vizgrad.explaining.mended import with_mended
from vizgrad.explaining.said import HEALTHY, name_of
from vizgrad.graph.node import Node
from vizgrad.provenance.backwards import Run, key_of
from vizgrad.provenance.noting import Noting
from vizgrad.tensor.tensor import Tensor


def explain(noting: Noting | None, tensor: Tensor, name: str) -> Explanation:
    """For the value and `.grad` of `tensor`, which a person calls `name`.

    What nobody noted may be told by a session that is open.
    """
    found = _value(noting, tensor, name)
    if found is None:
        found = _gradient(noting, tensor, name)
    return HEALTHY if found is None else with_mended(found)


def _value(noting: Noting | None, tensor: Tensor, name: str) -> Explanation | None:
    array = tensor._array
    if array.dtype.kind not in "fcV" or finite(array):
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


def _gradient(noting: Noting | None, tensor: Tensor, name: str) -> Explanation | None:
    grad: Any = tensor._grad
    if grad is None:
        waits = sessions.on_the_way(tensor, name)
        return missing.of_gradient(noting, tensor, name) if waits is None else waits
    stepped = sessions.run_that_filled(tensor, noting)
    if stepped is not None:
        return sessions.of_gradient(*stepped, name)
    run, key = _run_of(noting, tensor)
    if run is None or noting is None:
        return None
    return of_run(run, key, name, largest(grad._array), noting)


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
