"""Statistics of an array for people who look closely: what `quick` tells, and pictures of it."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array, to_host
from vizgrad.core.arrays.chunks import flat_pieces, magnitudes
from vizgrad.core.arrays.current_device import near
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.matrix_blocks import blocks
from vizgrad.core.arrays.quick_statistics import Statistics, quick
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.sparse.compressed import as_coo

#: Number of histogram bins.
BINS = 24


@near
@quiet
def statistics(array: Array) -> Statistics:
    """All statistics of an array. Of a sparse one nothing is shown by place: no heat map, no values."""
    found = quick(array)
    if is_sparse(array):
        stored = as_coo(array).coalesce().values
        return found._replace(histogram=histogram(stored, found.min, found.max))
    found = found._replace(histogram=histogram(array, found.min, found.max), heat=blocks(array))
    if found.values is None or array.dtype.kind != "c":
        return found
    return found._replace(phases=tuple(np.angle(to_host(array)).ravel().tolist()))


@near
def histogram(array: Array, low: float | None, high: float | None) -> tuple[int, ...]:
    """How many finite elements are in each of equal bins from `low`, the least of them, to `high`."""
    if low is None or high is None:
        return ()
    bins = min(BINS, array.size) if low < high else 1
    small = 1 if high - low < 1e300 else 1 / 256  # so that nothing below overflows
    width = (high * small - low * small) or 1
    counts: Array = None
    for piece in flat_pieces(array):
        data = magnitudes(piece)
        finite = np.isfinite(data)
        places = (np.where(finite, data, low) * small - low * small) * bins / width
        places = np.where(finite, np.clip(places, 0, bins - 1), bins)  # rounding may lead out
        here = np.bincount(places.astype(np.intp), minlength=bins + 1)
        counts = here if counts is None else counts + here
    return tuple(to_host(counts).tolist()[:bins])
