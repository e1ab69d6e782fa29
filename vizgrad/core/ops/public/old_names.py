"""Functions under names that PyTorch keeps for old programs, and warns of."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Sequence
from math import prod
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import on
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import reshape
from vizgrad.core.ops.public.arguments import (
    check_number,
    element,
    fills_out,
    number_of,
    sizes_of,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.creation import _np_dtype, check_range, counted, made, only_memory
from vizgrad.core.ops.public.linalg_norms import matrix_norm, vector_norm
from vizgrad.core.tensor.tensor import Tensor


@public
@fills_out
def range(
    start: Any, end: Any, step: Any = 1, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, **_: Any,
) -> Tensor:  # fmt: skip
    """start, start + step, ... up to `end`, which is included; of the default float type.

    Deprecated: unlike `arange` it is no range of Python's.
    """
    if _:
        only_memory("range", **_)
    for word, value in (("start", start), ("end", end), ("step", step)):
        check_number("range", word, value)
    start, end, step = (number_of(v) for v in (start, end, step))
    warnings.warn(
        "range is deprecated and will be removed in a future release of PyTorch: use arange, which "
        "ends before `end`.",
        UserWarning,
        stacklevel=3,
    )
    np_dtype = _np_dtype("range", dtype)
    if np_dtype.kind in "bc":
        raise NotImplementedError(f'"range" not implemented for {np_dtype}')
    check_range(start, end, step)
    if np_dtype.kind in "iu":  # cut before anything is counted
        start, end, step = (element(v, xp.dtype("int64")) for v in (start, end, step))
        check_range(start, end, step)
    count = int((end - start) / step + 1)
    with on(device) as namespace:
        return made(counted(namespace, count, start, step, np_dtype), requires_grad)


@method
@takes_tensors
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """The same elements under another shape; RuntimeError if it has more or fewer. Deprecated: `reshape`."""
    _warn_of("resize")
    return _resized(self, sizes_of("resize", sizes))


@method
@takes_tensors
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """`resize` to the shape of another tensor. Deprecated: `reshape_as`."""
    _warn_of("resize_as")
    return _resized(self, tensor._array.shape)


def _warn_of(name: str) -> None:
    warnings.warn(
        f"non-inplace {name} is deprecated: use reshape, or {name}_ for another number of elements",
        UserWarning,
        stacklevel=4,
    )


def _resized(self: Tensor, shape: tuple[int, ...]) -> Tensor:
    count = prod(shape)
    if count != self._array.size:
        raise RuntimeError(
            f"requested resize to {list(shape)} ({count} elements in total), but the given tensor has a "
            f"size of {list(self._array.shape)} ({self._array.size} elements): only the shape can be changed"
        )
    return reshape.view(self.contiguous(), shape)


# `torch.norm`, which torch.linalg has in two functions.


@public
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: Any = None,
) -> Tensor:
    """The p-norm of all elements, or of the vectors along `dim`; "fro" is the 2-norm, "nuc" of matrices."""
    planes = isinstance(dim, Sequence) and len(dim) > 2  # of which matrix_norm speaks
    if p is None or (p == "fro" and not planes):
        p = 2
    if isinstance(p, str):
        dim = tuple(builtins.range(input._array.ndim)) if dim is None else dim
        result = matrix_norm(input, p, dim, keepdim, dtype=dtype)
        return result if out is None else written(out, result, "norm", input)
    return vector_norm(input, float(number_of(p)), dim, keepdim, dtype=dtype, out=out)


@method(name="norm")
def _norm_of(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """`norm`, without `out`."""
    return norm(input, p, dim, keepdim, dtype=dtype)
