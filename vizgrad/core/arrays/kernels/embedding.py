"""Looking up rows of a table, and adding gradients back into them (spec T-82, T-85)."""

from __future__ import annotations

from math import prod

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.kernels.memory import zeros
from vizgrad.core.arrays.kernels.places import write_at

#: Up to this many rows a product with a one-hot matrix is the fastest way to add (measured).
_ONE_HOT_ROWS = 128


def lookup(table: Array, indices: Array) -> Array:
    """Row `indices[...]` for each index. IndexError for one that is not there."""
    rows = table.shape[0]
    if isinstance(indices, np.ndarray) and indices.size:
        low, high = np.minimum.reduce(indices, axis=None), np.maximum.reduce(indices, axis=None)
        if low < 0 or high >= rows:
            wrong = low if low < 0 else high
            raise IndexError(
                f"index out of range in self: index {wrong}, and the table has {rows} rows, "
                f"0 to {rows - 1}"
            )
    return np.take(table, indices, axis=0)


def add_rows(grad: Array, indices: Array, rows: int, skipped: int, by_frequency: bool) -> Array:
    """A table of `rows` rows, each the sum of the gradients at its places; none for row `skipped`.

    With `by_frequency` each sum is divided by the number of places.
    """
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
    if rows <= _ONE_HOT_ROWS and values.dtype != np.float16:
        places = zeros(values, (rows, count))
        places[index, np.arange(count, like=index)] = 1
        return np.matmul(places, values, out=out)
    if not isinstance(values, np.ndarray):
        width = values.shape[1]
        places = index[:, None] * width + np.arange(width, like=index)
        write_at(np.add, out.reshape(-1), places.reshape(-1), values.reshape(-1))
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
