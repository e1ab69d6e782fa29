"""Reading and writing by index arrays. `put...` and `scatter...` write into their first argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.arrays.backend import Array
from vizgrad.arrays.kernels.memory import numbers
from vizgrad.arrays.kernels.places import write_at


def take(x: Array, key: tuple[Any, ...]) -> Array:
    """`x[key]`, always a copy; IndexError in PyTorch's words."""
    try:
        return x[key]
    except IndexError as error:
        text = str(error).replace("for axis", "for dimension").replace("arrays", "tensors")
        raise IndexError(text) from None


def put(out: Array, key: tuple[Any, ...], values: Any) -> Array:
    try:
        out[key] = values
    except IndexError as error:
        raise IndexError(str(error).replace("for axis", "for dimension")) from None
    except ValueError as error:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast "
            f"to indexing result of shape {list(out[key].shape)}"
        ) from error
    return out


def put_add(out: Array, key: tuple[Any, ...], values: Array, unique: bool) -> Array:
    """Adds `values` at `key`; elements named several times get all of them."""
    if unique:
        out[key] += values
        return out
    positions = numbers(out, out.size).reshape(out.shape)[key]
    return _add_at(out, positions, np.broadcast_to(values, positions.shape))


def _add_at(out: Array, positions: Array, values: Array) -> Array:
    """out.flat[positions] += values. On flat arrays `add.at` is tens of times faster than with a key."""
    flat = out.reshape(-1)  # a copy, if `out` has other strides
    write_at(np.add, flat, positions.reshape(-1), values.reshape(-1))
    _back(out, flat)
    return out


def _back(out: Array, flat: Array) -> None:
    """Writes `out.reshape(-1)` back where that was a copy."""
    if not out.flags.c_contiguous:
        out[...] = flat.reshape(out.shape)


def check_bounds(index: Array, size: int, dim: int) -> None:
    """RuntimeError for entries outside [0, size). Not on a GPU, where it would wait for the device."""
    if isinstance(index, np.ndarray) and index.size:
        low, high = index.min(), index.max()
        if low < 0 or high >= size:
            wrong = int(low if low < 0 else high)
            raise RuntimeError(
                f"index {wrong} is out of bounds for dimension {dim} with size {size}"
            )


def _corner(x: Array, index: Array, dim: int) -> Array:
    """The part of `x` that an index of smaller shape speaks of."""
    if all(d == dim or n == m for d, (n, m) in enumerate(zip(x.shape, index.shape, strict=True))):
        return x
    return x[tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(index.shape))]


def gather(x: Array, index: Array, dim: int) -> Array:
    if not x.ndim or not index.ndim:
        return np.take(x.reshape(-1), index)
    check_bounds(index, x.shape[dim], dim)
    if not index.size:
        return np.zeros_like(x, shape=index.shape, order="C")
    return np.take_along_axis(_corner(x, index, dim), index, dim)


def positions_along(shape: tuple[int, ...], index: Array, dim: int) -> Array:
    """Element numbers (C order, in an array of `shape`) that `index` names along `dim`."""
    total = np.zeros_like(index, shape=(1,) * len(shape), dtype=np.int64)
    stride = 1
    for d in range(len(shape) - 1, -1, -1):
        below = (1,) * (len(shape) - 1 - d)
        along = index if d == dim else numbers(index, index.shape[d]).reshape((-1, *below))
        total = total + along * stride
        stride *= shape[d]
    return total


def scatter_add(out: Array, index: Array, src: Array, dim: int) -> Array:
    if not out.ndim:
        out += src.sum()
        return out
    check_bounds(index, out.shape[dim], dim)
    if index.size:
        positions = positions_along(out.shape, index, dim)
        _add_at(out, positions, _first_corner(src, index))
    return out


def scatter(out: Array, index: Array, src: Any, dim: int) -> Array:
    if not out.ndim:
        out[...] = src
        return out
    check_bounds(index, out.shape[dim], dim)
    if index.size:
        positions = positions_along(out.shape, index, dim)
        flat = out.reshape(-1)
        flat[positions] = _first_corner(src, index) if getattr(src, "ndim", 0) else src
        _back(out, flat)
    return out


def _first_corner(src: Array, index: Array) -> Array:
    if src.shape == index.shape:
        return src
    return src[tuple(slice(0, n) for n in index.shape)]


def index_select(x: Array, index: Array, dim: int) -> Array:
    if not x.ndim:
        return np.take(x.reshape(-1), index).reshape(())
    _check_select(index, x.shape[dim])
    return np.take(x, index.reshape(-1), axis=dim)


def _check_select(index: Array, size: int) -> None:
    if isinstance(index, np.ndarray) and index.size:
        low, high = index.min(), index.max()
        if low < 0 or high >= size:
            wrong = int(low if low < 0 else high)
            raise IndexError(f"index out of range in self: {wrong} is not in [0, {size})")


def index_add(out: Array, index: Array, source: Array, dim: int) -> Array:
    if not out.ndim:
        out += source.sum()
        return out
    index = index.reshape(-1)
    _check_select(index, out.shape[dim])
    shape = (-1,) + (1,) * (out.ndim - 1 - dim)
    full = np.broadcast_to(index.reshape(shape), source.shape)
    return _add_at(out, positions_along(out.shape, full, dim), source)


def index_copy(out: Array, index: Array, source: Any, dim: int) -> Array:
    if not out.ndim:
        out[...] = source
        return out
    _check_select(index, out.shape[dim])
    out[(slice(None),) * dim + (index.reshape(-1),)] = source
    return out


def masked_scatter(x: Array, mask: Array, source: Array) -> Array:
    out = (
        x.copy()
        if x.shape == mask.shape
        else np.broadcast_to(x, np.broadcast_shapes(x.shape, mask.shape)).copy()
    )
    mask = np.broadcast_to(mask, out.shape)
    wanted = int(np.count_nonzero(mask))
    if wanted > source.size:
        raise RuntimeError(
            "masked_scatter: expected self and source to have enough elements: "
            f"{wanted} are wanted, source has {source.size}"
        )
    out[mask] = source.reshape(-1)[:wanted]
    return out


def take_flat(x: Array, index: Array) -> Array:
    if isinstance(index, np.ndarray) and index.size:
        low, high = index.min(), index.max()
        if low < -x.size or high >= x.size:
            wrong = int(low if low < -x.size else high)
            raise IndexError(
                f"out of range: tried to access index {wrong} on a tensor of {x.size} elements"
            )
    return np.take(x.reshape(-1), index)


def put_flat(out: Array, index: Array, values: Array) -> Array:
    return _add_at(out, np.where(index < 0, index + out.size, index), values)
