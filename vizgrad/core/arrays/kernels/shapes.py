"""Views and copies of arrays under other shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array, check_type, device_of, is_on_device, to_device
from vizgrad.core.arrays.dtypes import NARROW, from_numpy
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.sparse import is_sparse

# Conversions between element types, and to the shape and type of a target.


@quiet
def cast(self: Array, dtype: Any) -> Array:
    """A copy in `dtype`, with the same strides if `self` is dense; of complex numbers the real part."""
    if self.dtype.kind == "c" and np.dtype(dtype).kind not in "cb":
        self = self.real
    if type(self) is not np.ndarray and dtype in NARROW and is_on_device(self):
        check_type(np.dtype(dtype))
    return saturated(self, dtype).astype(dtype, order="K")


def saturated(values: Array, dtype: Any) -> Array:
    """`values` within the range of a type without infinity, as PyTorch converts them; NaN stays."""
    if dtype not in NARROW or from_numpy(dtype).name != "float8_e4m3fn":
        return values
    return np.clip(values, -448, 448)


@quiet
def fit(target: Array, source: Array) -> Array:
    """`source` broadcast to the shape of `target`, in its type: a copy, as the two may overlap."""
    if source.dtype.name.startswith("float8") and is_on_device(target):
        source = source.astype(target.dtype)  # there are no such arrays where it goes
    source = to_device(source, device_of(target))
    if is_sparse(target) and is_sparse(source):
        return source.astype(target.dtype)
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        source = source.real
    out = np.empty_like(target, order="C")
    np.copyto(out, saturated(source, target.dtype), casting="unsafe")
    return out


Shape = tuple[int, ...]


def can_view(x: Array, shape: Shape) -> bool:
    """Do the strides allow `shape` without a copy?"""
    if x.flags.c_contiguous or x.size == 0:
        return True
    return _view_or_none(x, shape) is not None


def _view_or_none(x: Array, shape: Shape) -> Array | None:
    try:
        return np.reshape(x, shape, copy=False)
    except ValueError:
        return None


def view(x: Array, shape: Shape) -> Array:
    """`x` under another shape, sharing its memory; RuntimeError if strides do not allow it (T-11)."""
    if x.flags.c_contiguous:
        return x.reshape(shape)
    out = _view_or_none(x, shape)
    if out is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            f"dimension spans across two contiguous subspaces): shape {list(x.shape)}, strides "
            f"{list(layout.strides_of(x))}, asked for {list(shape)}. Use .reshape(...) instead."
        )
    return out


def restride(x: Array, shape: Shape, strides: Shape) -> Array:
    """A writable view from the first element of `x` with the given shape and strides in bytes.

    The caller sees to it that all of it lies in the memory of `x`.
    """
    if type(x) is np.ndarray and x.flags.c_contiguous:
        return np.ndarray(shape, x.dtype, x, 0, strides)  # a tenth of what as_strided costs
    return layout.restrided(x, shape, strides)


def expand(self: Array, *, shape: Shape) -> Array:
    """`self` broadcast to `shape`: writable, unlike numpy's, though no two elements may differ."""
    if self.__class__ is not np.ndarray and isinstance(self, np.generic):
        self = np.asarray(self)
    if not self.ndim:
        return restride(self, shape, (0,) * len(shape))
    extra = len(shape) - self.ndim
    strides = (0,) * extra + tuple(
        s if have == want else 0
        for s, have, want in zip(self.strides, self.shape, shape[extra:], strict=True)
    )
    return restride(self, shape, strides)


def copy(x: Array) -> Array:
    """A copy with the order of the strides of `x`; in C order if elements of it overlap."""
    if x.flags.c_contiguous or layout.overlaps_itself(x):
        return x.copy()
    return x.copy(order="K")


def unsqueeze(x: Array, dim: int) -> Array:
    if type(x) is np.ndarray and x.flags.c_contiguous:  # with the stride that PyTorch gives
        strides = x.strides
        own = x.shape[dim] * strides[dim] if dim < x.ndim else x.itemsize
        shape = (*x.shape[:dim], 1, *x.shape[dim:])
        return np.ndarray(shape, x.dtype, x, 0, (*strides[:dim], own, *strides[dim:]))
    return x[(slice(None),) * dim + (None,)]


def empty_slice(x: Array, dim: int, start: int) -> Array:
    """The view without elements that begins at `start` of `dim`: numpy alone forgets where it begins."""
    key = (slice(None),) * dim
    size = x.shape[dim]
    if start < size or not x.size or is_sparse(x):
        return x[(*key, slice(start, None))][(*key, slice(0, 0))]
    last = x[(*key, slice(size - 1, None))]  # two of it, and nothing of what follows the first
    shape, strides = (*x.shape[:dim], 2, *x.shape[dim + 1 :]), x.strides
    return layout.restrided(last, shape, strides)[(*key, slice(1, None))][(*key, slice(0, 0))]


def squeeze(x: Array, dims: Shape) -> Array:
    dims = tuple(d for d in dims if x.ndim and x.shape[d] == 1)
    return np.squeeze(x, dims) if dims else x[...]


def diagonal(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    """A writable view, unlike numpy's."""
    rows, cols = x.shape[dim1], x.shape[dim2]
    n = max(0, min(rows + min(offset, 0), cols - max(offset, 0)))
    rest = [d for d in range(x.ndim) if d not in (dim1, dim2)]
    key: list[object] = [slice(None)] * x.ndim
    if n:
        key[dim1], key[dim2] = slice(max(-offset, 0), None), slice(max(offset, 0), None)
    start = x[tuple(key)]
    shape = (*(x.shape[d] for d in rest), n)
    strides = (*(x.strides[d] for d in rest), x.strides[dim1] + x.strides[dim2])
    return restride(start, shape, strides)


def diag_embed(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    n = x.shape[-1] + abs(offset)
    rest = iter(x.shape[:-1])
    shape = tuple(n if d in (dim1, dim2) else next(rest) for d in range(x.ndim + 1))
    out = np.zeros_like(x, shape=shape, order="C")
    diagonal(out, offset, dim1, dim2)[...] = x
    return out


def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    if not x.ndim:
        return restride(x, (size,), (x.itemsize,))
    windows = (x.shape[dim] - size) // step + 1
    shape = (*x.shape[:dim], windows, *x.shape[dim + 1 :], size)
    strides = (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :], x.strides[dim])
    return restride(x, shape, strides)


def unfold_add(x: Array, shape: Shape, dim: int, size: int, step: int) -> Array:
    out = np.zeros_like(x, shape=shape, order="C")
    if not shape:
        out[...] = x.sum()
        return out
    target, source = np.moveaxis(out, dim, -1), np.moveaxis(x, dim, -2)
    windows = source.shape[-2]
    for offset in range(size):  # windows overlap, but the k-th elements of all windows do not
        target[..., offset : offset + (windows - 1) * step + 1 : step] += source[..., offset]
    return out
