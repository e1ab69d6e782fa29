"""Gradients that hooks cannot write to (E-72): a setting for finding the hook that does."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import backend
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def read_only(gradient: Any) -> Any:
    """The same gradient, history included, over memory that refuses writes."""
    if not isinstance(gradient, Tensor):
        return gradient
    out = new_tensor(backend.read_only(gradient._array))
    out._storage = gradient._storage
    out._edge = gradient._edge
    out._view = gradient._view
    out._tracked = gradient._tracked
    return out
