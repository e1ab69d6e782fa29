"""Elements at places of a plane: places are indices into the flattened last dimensions."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.memory import contiguous, zeros

Sizes = tuple[int, ...]


#: Should a device add up equal places in a fixed order? (`use_deterministic_algorithms`, T-89)
deterministic = False


@quiet
def write_at(ufunc: Any, out: Array, index: Array, values: Array) -> None:
    """out[index[i]] = ufunc(out[index[i]], values[i]) one after another, over flat arrays.

    On a device places are written in no fixed order, unless `deterministic`: sums may differ in the last bit.
    """
    if isinstance(out, np.ndarray):
        ufunc.at(out, index, values)
    elif index.size:
        if deterministic or ufunc is not np.add:
            # cupy's maximum.at rounds doubles to floats and loses NaN; it has no multiply.at
            _write_in_order(ufunc, out, index, values)
        else:
            _add_there(out, index, values)


#: The types that cupy's add.at takes.
_ADDED = frozenset("lqLQiIefd")


def _add_there(out: Array, index: Array, values: Array) -> None:
    """`np.add.at` on a device, of all types."""
    if out.dtype.char in _ADDED:
        np.add.at(out, index, values)
    elif out.dtype.kind == "c":
        for part in ("real", "imag"):
            total = getattr(out, part).copy()
            np.add.at(total, index, contiguous(getattr(values, part)))
            setattr(out, part, total)
    else:
        wide = np.float32 if out.dtype.kind == "V" else np.int32
        total = out.astype(wide)
        np.add.at(total, index, values.astype(wide))
        out[...] = total.astype(out.dtype)


def _write_in_order(ufunc: Any, out: Array, index: Array, values: Array) -> None:
    """By sorting: each run of equal places is reduced to its last element in log2(n) rounds."""
    order = np.argsort(index, kind="stable")
    place, total, reach = index[order], values[order], 1
    while reach < place.size:
        wider = total.copy()
        wider[reach:] = np.where(
            place[reach:] == place[:-reach], ufunc(total[:-reach], total[reach:]), total[reach:]
        )
        total, reach = wider, 2 * reach
    last = np.ones_like(place, dtype=bool)
    last[:-1] = place[1:] != place[:-1]
    # what is not the last of its run is written to a cell past the end: its place is not to be asked for
    longer = np.concatenate([out, out[:1]])
    target = np.where(last, place, out.size)
    longer[target] = ufunc(longer[target], total)
    out[...] = longer[:-1]


def take(x: Array, index: Array, dims: int) -> Array:
    """x at `index` in each plane of its last `dims` dimensions; the result has the index's shape."""
    lead = x.shape[: x.ndim - dims]
    flat = contiguous(x).reshape(*lead, prod(x.shape[x.ndim - dims :]))
    places = index.reshape(*lead, prod(index.shape[len(lead) :]))
    return np.take_along_axis(flat, places, axis=-1).reshape(index.shape)


def put(values: Array, index: Array, size: Sizes) -> Array:
    """Planes of `size`, zero but for the values at `index`; equal places add up."""
    lead = values.shape[: values.ndim - len(size)]
    count, area = prod(values.shape[len(lead) :]), prod(size)
    rows = np.arange(prod(lead), like=index)[:, None] * area
    out = zeros(values, (prod(lead) * area,))
    write_at(np.add, out, (index.reshape(prod(lead), count) + rows).reshape(-1), values.reshape(-1))
    return out.reshape(*lead, *size)


def put_last(values: Array, index: Array, size: Sizes) -> Array:
    """As `put`, but of equal places the last value stays."""
    lead = values.shape[: values.ndim - len(size)]
    count, area = prod(values.shape[len(lead) :]), prod(size)
    rows = np.arange(prod(lead), like=index)[:, None] * area
    total = prod(lead) * area
    out = zeros(values, (total + 1,))
    flat, given = (index.reshape(prod(lead), count) + rows).reshape(-1), values.reshape(-1)
    if not isinstance(out, np.ndarray) and flat.size:  # a device writes in no order
        order = np.argsort(flat, kind="stable")
        flat, given = flat[order], given[order]
        last = np.ones_like(flat, dtype=bool)
        last[:-1] = flat[1:] != flat[:-1]
        flat = np.where(last, flat, total)  # the others go to a cell past the end
    out[flat] = given
    return out[:total].reshape(*lead, *size)


def adaptive_maxima(x: Array, out: Sizes) -> Array:
    """Where the largest element of each of `out` parts of the plane is; parts may overlap."""
    dims = len(out)
    size = x.shape[x.ndim - dims :]
    lead = x.shape[: x.ndim - dims]
    index = np.zeros_like(x, dtype=np.int64, shape=lead + out, order="C")
    strides = [prod(size[d + 1 :]) for d in range(dims)]
    for cell in product(*(range(n) for n in out)):
        first = [c * n // o for c, n, o in zip(cell, size, out, strict=True)]
        last = [-(-(c + 1) * n // o) for c, n, o in zip(cell, size, out, strict=True)]
        window = x[(..., *(slice(a, b) for a, b in zip(first, last, strict=True)))]
        place = _largest(window.reshape(*lead, prod(window.shape[len(lead) :])))
        flat = np.zeros_like(place)
        for d in reversed(range(dims)):
            width = last[d] - first[d]
            flat += (place % width + first[d]) * strides[d]
            place //= width
        index[(..., *cell)] = flat
    return index


def _largest(rows: Array) -> Array:
    """Where the largest element of each row is: the first of equals, the last NaN."""
    place = rows.argmax(axis=-1)
    if rows.dtype.kind not in "fV" or not rows.shape[-1]:
        return place
    unordered = rows != rows
    last = rows.shape[-1] - 1 - unordered[..., ::-1].argmax(axis=-1)
    return np.where(unordered.any(axis=-1), last, place)


@quiet
def window_starts(draws: Array, size: int, window: int, out: int) -> Array:
    """Where `out` windows start along an axis: steps of two neighbouring lengths, in the order of a draw.

    `draws`, in [0, 1), gets one more axis. B. Graham, Fractional Max-Pooling (2014), "pseudorandom".
    """
    step = (size - window) / (out - 1) if out > 1 else 0.0
    place = np.arange(out, like=draws)
    starts = ((place + draws[..., None]) * step).astype(np.int64)
    starts -= (draws[..., None] * step).astype(np.int64)
    starts[..., -1] = size - window  # the last window ends where the axis does
    return starts


def window_maxima(x: Array, starts: list[Array], window: Sizes) -> Array:
    """Where the largest element of each window is; `starts` holds, per axis, (*lead, out)."""
    dims = len(window)
    size, lead = x.shape[x.ndim - dims :], x.ndim - dims
    places: Array = 0
    for d, (first, width) in enumerate(zip(starts, window, strict=True)):
        line = first[..., None] + np.arange(width, like=first)
        spread = [1] * (2 * dims)
        spread[d], spread[dims + d] = line.shape[-2:]
        places = places * size[d] + line.reshape(*line.shape[:lead], *spread)
    shape = places.shape[: lead + dims]
    places = places.reshape(*shape, prod(window))
    best = _largest(take(x, places, dims))
    return np.take_along_axis(places, best[..., None], axis=-1)[..., 0]
