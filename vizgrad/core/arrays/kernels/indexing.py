"""Reading and writing by index arrays. `put...` and `scatter...` write into their first argument."""

from __future__ import annotations

import threading
from math import prod
from typing import Any, Final

import numpy as np

from vizgrad.core.arrays.backend import Array, as_array, is_on_device, to_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.memory import contiguous, full, numbers, zeros
from vizgrad.core.arrays.kernels.places import write_at
from vizgrad.core.arrays.layout import shaped


class _Asked(threading.local):
    """Anomaly mode, a watch and a debugged backward ask that indices on a device be checked, although the
    host waits for that: without it, one that is out of range reads or writes elsewhere.
    """

    times = 0


ASKED: Final = _Asked()


def _range(index: Array) -> tuple[int, int]:
    """The least and the largest entry; nothing out of range for an index that nobody checks."""
    if not index.size:
        return 0, -1
    if isinstance(index, np.ndarray):
        return np.minimum.reduce(index, axis=None), np.maximum.reduce(index, axis=None)
    if not ASKED.times:
        return 0, -1
    low, high = to_host(np.stack([index.min(), index.max()])).tolist()
    return low, high


def _check_key(shape: tuple[int, ...], key: tuple[Any, ...]) -> None:
    """IndexError for entries of index arrays on a device that are out of range, where that is asked for."""
    if not ASKED.times:
        return
    dim = 0
    for each in key:
        if each is None:
            continue
        kind = getattr(getattr(each, "dtype", None), "kind", "")
        if kind in ("i", "u") and is_on_device(each):
            low, high = _range(each)
            if low < -shape[dim] or high >= shape[dim]:
                wrong = low if low < -shape[dim] else high
                raise IndexError(
                    f"index {wrong} is out of bounds for dimension {dim} with size {shape[dim]}"
                )
        dim += each.ndim if kind == "b" else 1


def take(x: Array, key: tuple[Any, ...]) -> Array:
    """`x[key]`, always a copy, in C order; IndexError in PyTorch's words."""
    _check_key(x.shape, key)
    try:
        return contiguous(x[key])  # numpy puts the dimensions that index arrays give outermost
    except IndexError as error:
        raise _index_error(error) from None


def _index_error(error: IndexError) -> IndexError:
    """In PyTorch's words."""
    text = str(error).replace("for axis", "for dimension").replace("for array", "for tensor")
    return IndexError(text.replace("arrays", "tensors").replace("array is", "tensor is"))


def put(out: Array, key: tuple[Any, ...], values: Any) -> Array:
    _check_key(out.shape, key)
    deepest = max(
        (np.ndim(k) if k.dtype.kind != "b" else 1 for k in key if hasattr(k, "dtype")), default=0
    )
    if np.ndim(values) > deepest and np.ndim(values) > out[key].ndim:
        raise _misfit(values, out[key])  # numpy would drop leading dimensions of size 1
    try:
        out[key] = values
    except IndexError as error:
        raise _index_error(error) from None
    except ValueError as error:
        raise _misfit(values, out[key]) from error
    return out


def _misfit(values: Any, found: Array) -> RuntimeError:
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast "
        f"to indexing result of shape {list(found.shape)}"
    )


def put_add(out: Array, key: tuple[Any, ...], values: Array, unique: bool) -> Array:
    """Adds `values` at `key`; elements named several times get all of them."""
    if unique:
        return put(out, key, take(out, key) + values)
    positions = take(numbers(out, out.size).reshape(out.shape), key)
    try:
        spread = np.broadcast_to(values, positions.shape)
    except ValueError:
        raise _misfit(values, positions) from None
    return _add_at(out, positions, spread)


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
    """RuntimeError for entries outside [0, size). On a device, which is waited for, only if that is asked."""
    low, high = _range(index)
    if low < 0 or high >= size:
        wrong = int(low if low < 0 else high)
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


def _corner(x: Array, index: Array, dim: int) -> Array:
    """The part of `x` that an index of smaller shape speaks of."""
    if all(d == dim or n == m for d, (n, m) in enumerate(zip(x.shape, index.shape, strict=True))):
        return x
    return x[tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(index.shape))]


def gather(x: Array, index: Array, dim: int) -> Array:
    if not index.size:
        return shaped(np.zeros_like, x, shape=index.shape, order="C")
    if not x.ndim or not index.ndim:
        return gather(x.reshape(-1), index.reshape(-1), 0).reshape(index.shape)
    check_bounds(index, x.shape[dim], dim)
    return np.take_along_axis(_corner(x, index, dim), contiguous(index), dim)


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
    if index.size and not (out.ndim and index.ndim):
        flat = scatter_add(out.reshape(-1), index.reshape(-1), src.reshape(-1), 0)
        return flat.reshape(out.shape)
    if index.size:
        check_bounds(index, out.shape[dim], dim)
        positions = positions_along(out.shape, index, dim)
        _add_at(out, positions, first_corner(src, index.shape))
    return out


def scatter(out: Array, index: Array, src: Any, dim: int) -> Array:
    if index.size and not (out.ndim and index.ndim):
        given = src.reshape(-1) if getattr(src, "ndim", 0) else src
        return scatter(out.reshape(-1), index.reshape(-1), given, 0).reshape(out.shape)
    if index.size:
        check_bounds(index, out.shape[dim], dim)
        positions = positions_along(out.shape, index, dim)
        flat = out.reshape(-1)
        flat[positions] = first_corner(src, index.shape) if getattr(src, "ndim", 0) else src
        _back(out, flat)
    return out


def first_corner(src: Array, shape: tuple[int, ...]) -> Array:
    """The part of `src` that an index of smaller shape speaks of."""
    if src.shape == shape:
        return src
    if src.ndim != len(shape):  # one number, with or without a dimension
        return src.reshape(-1)[:1].reshape(shape)
    return src[tuple(slice(0, n) for n in shape)]


def index_select(x: Array, index: Array, dim: int) -> Array:
    if not x.ndim:
        return index_select(x.reshape(1), index, 0).reshape(())
    check_select(index, x.shape[dim])
    return np.take(x, index.reshape(-1), axis=dim)


def check_select(index: Array, size: int) -> None:
    low, high = _range(index)
    if low < 0 or high >= size:
        wrong = int(low if low < 0 else high)
        raise IndexError(f"index out of range in self: {wrong} is not in [0, {size})")


def index_add(out: Array, index: Array, source: Array, dim: int) -> Array:
    index = index.reshape(-1)
    if not out.ndim:
        return index_add(out.reshape(1), index, source.reshape(-1), 0).reshape(())
    if not out.size:
        return out
    if source.ndim != out.ndim:  # a single number
        source = source.reshape((1,) * out.ndim)
    check_select(index, out.shape[dim])
    shape = (-1,) + (1,) * (out.ndim - 1 - dim)
    full = np.broadcast_to(index.reshape(shape), source.shape)
    return _add_at(out, positions_along(out.shape, full, dim), source)


def index_copy(out: Array, index: Array, source: Any, dim: int) -> Array:
    if not out.ndim:
        return index_copy(out.reshape(1), index, source.reshape(-1), 0).reshape(())
    if not out.size:
        return out
    check_select(index, out.shape[dim])
    if source.ndim != out.ndim:  # a single number
        source = source.reshape((1,) * out.ndim)
    out[(slice(None),) * dim + (index.reshape(-1),)] = source
    return out


def index_fill(out: Array, index: Array, value: Any, dim: int) -> Array:
    """`value` in the slices at the entries of `index`; negative ones count from the end."""
    if not out.ndim:
        return index_fill(out.reshape(1), index, value, 0).reshape(())
    if not out.size:
        return out
    size = out.shape[dim]
    low, high = _range(index)
    if low < -size or high >= size:
        raise IndexError(
            f"index {low if low < -size else high} is out of bounds for dimension {dim} with size {size}"
        )
    given = value.astype(out.dtype) if hasattr(value, "astype") else out.dtype.type(value)
    out[(slice(None),) * dim + (index.reshape(-1),)] = given
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
    check_flat(index, x.size)
    return np.take(x.reshape(-1), index)


def check_flat(index: Array, size: int) -> None:
    """IndexError for element numbers outside [-size, size)."""
    low, high = _range(index)
    if low < -size or high >= size:
        wrong = int(low if low < -size else high)
        raise IndexError(
            f"out of range: tried to access index {wrong} on a tensor of {size} elements."
        )


def put_flat(out: Array, index: Array, values: Array) -> Array:
    if is_on_device(index):
        check_flat(index, out.size)
    return _add_at(out, np.where(index < 0, index + out.size, index), values)


# Looking up rows of a table, and adding gradients back into them (spec T-82, T-85).

#: Up to this many rows a product with a one-hot matrix is the fastest way to add (measured).
_ONE_HOT_ROWS = 128
#: Elements that are added at once, each by its own place: a place takes 8 bytes.
_PLACES = 1 << 18


def lookup(table: Array, indices: Array) -> Array:
    """Row `indices[...]` for each index. IndexError for one that is not there."""
    _check_rows(indices, table.shape[0])
    return np.take(table, indices, axis=0)


def _check_rows(indices: Array, rows: int) -> None:
    low, high = _range(indices)
    if low < 0 or high >= rows:
        wrong = low if low < 0 else high
        raise IndexError(
            f"index out of range in self: index {wrong}, and the table has {rows} rows, "
            f"0 to {rows - 1}"
        )


def add_rows(grad: Array, indices: Array, rows: int, skipped: int, by_frequency: bool) -> Array:
    """A table of `rows` rows, each the sum of the gradients at its places; none for row `skipped`.

    With `by_frequency` each sum is divided by the number of places.
    """
    if is_on_device(indices):  # on the host the forward has looked
        _check_rows(indices, rows)
    width = grad.shape[indices.ndim :]
    flat = indices.reshape(-1)
    total = add_at(grad.reshape(flat.shape[0], prod(width)), flat, rows)
    if by_frequency:
        counts = count_places(flat, rows)
        total /= np.maximum(counts, 1)[:, None].astype(grad.dtype)
    if skipped >= 0:
        total[skipped] = 0
    return total.reshape(rows, *width)


def add_at(values: Array, index: Array, rows: int) -> Array:
    """out[index[i]] += values[i], for matrices; equal indices add up."""
    out = zeros(values, (rows, values.shape[1]))
    count = index.shape[0]
    if not count:
        return out
    if isinstance(values, np.ndarray) and rows <= _ONE_HOT_ROWS and values.dtype != np.float16:
        places = zeros(values, (rows, count))
        places[index, np.arange(count)] = 1
        np.matmul(places, values, out=out)
        if np.isfinite(out.sum()):
            return out
        out = zeros(
            values, out.shape
        )  # 0 times an infinite value is NaN, in rows that it does not go to
    if not isinstance(values, np.ndarray) or values.dtype != np.float16:
        width = values.shape[1]
        flat, columns = out.reshape(-1), np.arange(width, like=index)
        step = count if not isinstance(values, np.ndarray) else max(1, _PLACES // max(1, width))
        for begin in range(0, count, step):
            part = slice(begin, begin + step)
            places = index[part, None].astype(np.intp, copy=False) * width + columns
            write_at(np.add, flat, places.reshape(-1), values[part].reshape(-1))
        return out
    order = np.argsort(index, kind="stable")
    sorted_index = index[order]
    new = np.empty(count, dtype=bool)
    new[0] = True
    np.not_equal(sorted_index[1:], sorted_index[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    out[sorted_index[starts]] = np.add.reduceat(values[order], starts, axis=0)
    return out


def count_places(index: Array, rows: int) -> Array:
    """How often each of 0, ..., rows - 1 is in the flat array `index`."""
    if isinstance(index, np.ndarray):
        return np.bincount(index, minlength=rows)
    counts = zeros(index, (rows,))  # cupy's bincount asks the device for the largest
    np.add.at(counts, index, 1)
    return counts


def scaled_rows(grad: Array, indices: Array, skipped: int, by_frequency: bool) -> Array:
    """The transpose of `add_rows`: each place gets its row of `grad`."""
    out = np.take(grad, indices, axis=0)
    if by_frequency:
        counts = count_places(indices.reshape(-1), grad.shape[0])
        out = out / counts[indices].reshape(*indices.shape, *(1,) * (grad.ndim - 1)).astype(
            grad.dtype
        )
    if skipped >= 0:
        out = np.where(
            (indices == skipped)[(..., *(None,) * (grad.ndim - 1))], grad.dtype.type(0), out
        )
    return out


# Groups of elements reduced to one: values, and which share of a group's gradient each element gets.

_START = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}
_UFUNC = {
    "sum": np.add,
    "mean": np.add,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}


@quiet
def scatter_reduce(
    base: Array, index: Array, src: Array, dim: int, reduce: str, include_self: bool
) -> Array:
    out = base.copy()
    if not index.size:
        return out
    if not (base.ndim and index.ndim):
        row, places, added = (a.reshape(-1) for a in (base, index, _named(src, index)))
        return scatter_reduce(row, places, added, 0, reduce, include_self).reshape(base.shape)
    check_bounds(index, base.shape[dim] if base.ndim else 1, dim)
    positions = positions_along(out.shape, index, dim).reshape(-1)
    flat = out.reshape(-1)
    values = _named(src, index).reshape(-1)
    if not include_self:
        flat[positions] = _start_of(reduce, out.dtype)
    write_at(_UFUNC[reduce], flat, positions, values)
    if reduce == "mean":
        counts = _counts(out, index, dim, include_self)
        out = np.floor_divide(out, counts) if out.dtype.kind in "iu" else out / counts
    return out


def _start_of(reduce: str, dtype: np.dtype) -> object:
    start = _START[reduce]
    if np.isinf(start) and dtype.kind == "b":
        return dtype.type(start > 0)
    if np.isinf(start) and dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if start < 0 else info.max
    return dtype.type(start)


def _counts(out: Array, index: Array, dim: int, include_self: bool) -> Array:
    counts = np.ones_like(out) if include_self else np.zeros_like(out)
    scatter_add(counts, index, full(out, index.shape, 1), dim)
    return np.maximum(counts, out.dtype.type(1))


@quiet
def share_of_self(
    base: Array, index: Array, src: Array, result: Array, dim: int, reduce: str
) -> Array:
    """d result / d self, element by element; `self` takes part."""
    if reduce == "sum":
        return np.ones_like(base)
    if reduce == "mean":
        return 1 / _counts(base, index, dim, include_self=True)
    mine = (base == result).astype(base.dtype)
    return mine / _winners(base, index, src, result, dim, include_self=True)


@quiet
def share_of_src(
    base: Array, index: Array, src: Array, result: Array, dim: int, reduce: str, include_self: bool
) -> Array:
    """d result / d src for every entry of `index`."""
    src = _named(src, index)
    if reduce == "sum":
        return np.ones_like(src)
    if reduce == "mean":
        return 1 / gather(_counts(base, index, dim, include_self), index, dim)
    mine = (src == gather(result, index, dim)).astype(src.dtype)
    return mine / gather(_winners(base, index, src, result, dim, include_self), index, dim)


def _named(src: Array, index: Array) -> Array:
    """The part of `src` that an index of smaller shape speaks of."""
    return first_corner(src, index.shape)


def _winners(
    base: Array, index: Array, src: Array, result: Array, dim: int, include_self: bool
) -> Array:
    """How many elements of each group equal its extreme: they share the gradient."""
    count = as_array(base == result).astype(base.dtype) if include_self else np.zeros_like(base)
    won = as_array(_named(src, index) == gather(result, index, dim))
    return scatter_add(as_array(count), index, won.astype(base.dtype), dim)


def zeros_in_groups(base: Array, index: Array, src: Array, dim: int, include_self: bool) -> Array:
    """How many elements of each group are 0."""
    count = as_array(base == 0).astype(base.dtype) if include_self else np.zeros_like(base)
    zeros = as_array(_named(src, index) == 0).astype(base.dtype)
    return scatter_add(as_array(count), index, zeros, dim)
