"""Differences and integrals along a dimension."""

from __future__ import annotations

from typing import Any

from vizgrad.ops.public import (
    parting,
    reducing,
    running,
    shaping,
    slicing,
)
from vizgrad.ops.public.arguments import dims_of
from vizgrad.tensor.tensor import Tensor


def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours along `dim`, n times."""
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    pieces = [p for p in (prepend, input, append) if p is not None]
    result: Any = parting.cat(pieces, dim) if len(pieces) > 1 else input
    for _ in range(n):
        length = result.shape[dim]
        if length < 2:
            return slicing.narrow(result, dim, 0, 0)
        later, earlier = (
            slicing.narrow(result, dim, 1, length - 1),
            slicing.narrow(result, dim, 0, length - 1),
        )
        result = later ^ earlier if result._array.dtype.kind == "b" else later - earlier
    return result


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule."""
    (at,) = dims_of(dim, y._array.ndim) or (0,)
    n = y._array.shape[at]
    both: Any = slicing.narrow(y, at, 1, n - 1) + slicing.narrow(y, at, 0, n - 1)
    if x is None:
        return reducing.sum(both, at) * (dx / 2)
    step: Any = diff(x, dim=-1 if x._array.ndim == 1 else at)
    if x._array.ndim == 1:
        step = shaping.view(step, (-1,) + (1,) * (y._array.ndim - 1 - at))
    return reducing.sum(both * step, at) / 2


def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1
) -> Tensor:
    """Running integrals along `dim` by the trapezoidal rule."""
    (at,) = dims_of(dim, y._array.ndim) or (0,)
    n = y._array.shape[at]
    both: Any = slicing.narrow(y, at, 1, n - 1) + slicing.narrow(y, at, 0, n - 1)
    step: Any = dx if x is None else diff(x, dim=-1 if x._array.ndim == 1 else at)
    if x is not None and x._array.ndim == 1:
        step = shaping.view(step, (-1,) + (1,) * (y._array.ndim - 1 - at))
    return running.cumsum(both * step / 2, at)
