"""Statistics of an array for people who look closely: what `quick` tells, and pictures of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import inf, prod

import numpy as np

from vizgrad.arrays.backend import Array, beside, is_on_host, to_host
from vizgrad.arrays.chunks import CHUNK, TRANSFER, chunks, magnitudes
from vizgrad.arrays.quick_statistics import Statistics, of_few, quick
from vizgrad.arrays.quiet import quiet
from vizgrad.arrays.sparse import is_sparse
from vizgrad.arrays.sparse.compressed import as_coo

#: Longest side of a heat map, number of histogram bins, and most values shown one by one.
HEAT_SIDE = 24
BINS = 24
VALUES_SHOWN = 64


@quiet
def statistics(array: Array) -> Statistics:
    """All statistics of an array. Of a sparse one nothing is shown by place: no heat map, no values."""
    found = quick(array)
    if is_sparse(array):
        stored = as_coo(array).coalesce().values
        return found._replace(histogram=histogram(stored, found.min, found.max))
    return found._replace(
        histogram=histogram(array, found.min, found.max),
        heat=heat_map(array),
        values=of_few(to_host(array)) if array.size <= VALUES_SHOWN else None,
    )


def histogram(array: Array, low: float | None, high: float | None) -> tuple[int, ...]:
    """How many finite elements are in each of equal bins from `low`, the least of them, to `high`."""
    if low is None or high is None:
        return ()
    bins = min(BINS, array.size) if low < high else 1
    counts = np.zeros(bins, np.intp)
    small = 1 if high - low < 1e300 else 1 / 256  # so that nothing below overflows
    width = (high * small - low * small) or 1
    for piece in chunks(array):
        data = magnitudes(piece)
        data = data[np.isfinite(data)]
        places = (data * small - low * small) * bins / width
        counts += np.bincount(np.minimum(places.astype(np.intp), bins - 1), minlength=bins)
    return tuple(counts.tolist())


@quiet
def heat_map(array: Array) -> tuple[tuple[float | None, ...], ...]:
    """The array as a matrix (leading dimensions folded into rows), by blocks.

    A block is told by its element of the largest magnitude, None if one of its elements is not finite: one
    that is large, or not finite, shows wherever it is, where a mean would hide it.
    """
    if array.size == 0:
        return ()
    *leading, columns = array.shape if array.ndim > 1 else (1, array.size)
    row_starts, column_starts = _starts(prod(leading)), _starts(columns)
    low = np.full((len(row_starts) - 1, len(column_starts) - 1), inf)
    high = -low
    for row, (top, bottom) in enumerate(pairwise(row_starts)):
        for piece, places, starts in _tiles(array, top, bottom, column_starts):
            data = magnitudes(to_host(piece))
            here = low[row, places], high[row, places]
            for best, extreme in zip(here, (np.minimum, np.maximum), strict=True):
                extreme(best, extreme.reduceat(extreme.reduce(data, 0), starts), out=best)
    strongest = np.where(-low > high, low, high)
    strongest[~(np.isfinite(low) & np.isfinite(high))] = np.nan
    return tuple(tuple(None if v != v else v for v in row) for row in strongest.tolist())


def _starts(length: int) -> list[int]:
    """Where the blocks along a side start, and where the last one ends."""
    blocks = min(length, HEAT_SIDE)
    return [i * length // blocks for i in range(blocks + 1)]


def _tiles(
    array: Array, top: int, bottom: int, column_starts: list[int]
) -> Iterator[tuple[Array, slice, list[int]]]:
    """Pieces of the rows `top` to `bottom`; the blocks along a row that each is in, and where they start."""
    *_, columns = column_starts
    blocks, size = len(column_starts) - 1, CHUNK if is_on_host(array) else TRANSFER
    if columns <= size:
        step = size // columns
        for start in range(top, bottom, step):
            rows = _rows(array, start, min(start + step, bottom))
            yield rows, slice(0, blocks), column_starts[:-1]
        return
    for number in range(top, bottom):
        row = _rows(array, number, number + 1)
        for block in range(blocks):
            for start in range(column_starts[block], column_starts[block + 1], size):
                stop = min(start + size, column_starts[block + 1])
                yield row[:, start:stop], slice(block, block + 1), [0]


def _rows(array: Array, start: int, stop: int) -> Array:
    """Rows `start` to `stop` of the array as a matrix: memory of the array where they lie side by side."""
    if array.ndim < 2:
        return array.reshape(1, -1)
    if array.ndim == 2:
        return array[start:stop]
    if array.flags.c_contiguous:
        return array.reshape(-1, array.shape[-1])[start:stop]
    places = np.unravel_index(np.arange(start, stop), array.shape[:-1])
    return array[tuple(beside(array, place) for place in places)]
