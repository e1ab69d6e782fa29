"""Statistics of an array for people to look at: one pass, on the array's own device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vizgrad.arrays.backend import Array, to_host

#: Longest side of a heat map, number of histogram bins, and most values shown one by one.
HEAT_SIDE = 24
BINS = 24
VALUES_SHOWN = 64


@dataclass(frozen=True, slots=True)
class Statistics:
    """Over the finite elements; None where there are none. See `inspection.model.TensorSummary`."""

    norm: float | None = None
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    histogram: tuple[int, ...] = ()
    heat: tuple[tuple[float | None, ...], ...] = ()
    values: tuple[float, ...] | None = None


def norm_of(array: Array) -> float:
    """The 2-norm over all elements, accumulated in float64."""
    flat = np.abs(array).astype(np.float64).reshape(-1)
    return float(to_host(np.sqrt(np.dot(flat, flat))))


def statistics(array: Array) -> Statistics:
    """All statistics of a real or complex array (of its absolute values, if complex)."""
    if array.size == 0:
        return Statistics(values=())
    with np.errstate(all="ignore"):
        host = to_host(array)
        if host.dtype.kind == "c":
            host = np.abs(host)
        data = host.astype(np.float64, copy=False)
        finite = np.isfinite(data)
        nans = int(np.count_nonzero(np.isnan(data)))
        infs = int(data.size - np.count_nonzero(finite)) - nans
        good = data[finite] if nans or infs else data.reshape(-1)
        values = tuple(map(float, data.reshape(-1))) if data.size <= VALUES_SHOWN else None
        heat = heat_map(data)
        if good.size == 0:
            return Statistics(nans=nans, infs=infs, heat=heat, values=values)
        low, high = float(good.min()), float(good.max())
        return Statistics(
            norm=float(np.sqrt(np.dot(good, good))),
            min=low,
            max=high,
            mean=float(good.mean()),
            zeros=int(np.count_nonzero(good == 0)),
            nans=nans,
            infs=infs,
            histogram=_histogram(good, low, high),
            heat=heat,
            values=values,
        )


def _histogram(good: np.ndarray, low: float, high: float) -> tuple[int, ...]:
    if not np.isfinite(high - low):
        return ()
    if low == high:
        return (int(good.size),)
    counts, _ = np.histogram(good, bins=min(BINS, max(1, good.size)), range=(low, high))
    return tuple(int(c) for c in counts)


def heat_map(data: np.ndarray) -> tuple[tuple[float | None, ...], ...]:
    """The array as a matrix (leading dimensions folded into rows), reduced to block means."""
    if data.size == 0:
        return ()
    matrix = data.reshape(1, -1) if data.ndim < 2 else data.reshape(-1, data.shape[-1])
    rows, cols = min(matrix.shape[0], HEAT_SIDE), min(matrix.shape[1], HEAT_SIDE)
    if matrix.shape != (rows, cols):
        starts = np.linspace(0, matrix.shape[0], rows, endpoint=False).astype(int)
        matrix = np.add.reduceat(matrix, starts, axis=0) / _widths(starts, matrix.shape[0])[:, None]
        starts = np.linspace(0, matrix.shape[1], cols, endpoint=False).astype(int)
        matrix = np.add.reduceat(matrix, starts, axis=1) / _widths(starts, matrix.shape[1])
    return tuple(tuple(float(v) if np.isfinite(v) else None for v in row) for row in matrix)


def _widths(starts: np.ndarray, length: int) -> np.ndarray:
    return np.diff(np.append(starts, length))
