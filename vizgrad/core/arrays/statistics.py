"""Statistics of an array for people who look closely: what `quick` tells, and pictures of it.

The results of one cheap pass over an array: its norm, range and mean, zeros, and non-finite elements.

An array of numpy's is read in pieces that fit the cache (`chunks.py`), all sums are of float64. A device is
given one kernel (`fusion/look.py`) and waited for when the numbers are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from math import frexp, hypot, inf, isfinite, isnan, ldexp, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from vizgrad.core.arrays.backend import Array, near, to_host
from vizgrad.core.arrays.chunks import CHUNK, chunks, flat_pieces, once
from vizgrad.core.arrays.errstate import hush, quiet, unhush
from vizgrad.core.arrays.matrix_blocks import Blocks, blocks
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.sparse.compressed import as_coo

# The results of one cheap pass over an array: its norm, range and mean, zeros, and non-finite elements.

#: `quick` gives the values themselves of arrays with at most so many.
VALUES_TOLD = 8

#: Below, squares of float64 may have lost bits, or all of them.
SMALLEST_SQUARES = 1e-280
_ONES = np.ones(CHUNK)
_DOUBLE = np.dtype(np.float64)
_DOUBLE_COMPLEX = np.dtype(np.complex128)


class Statistics(NamedTuple):
    """For a real array, or for the absolute values of a complex one. None where there is no such number.

    `norm` is over all elements: NaN if one is NaN, otherwise inf if one is infinite, 0 if there are none.
    `min`, `max`, `mean` and `histogram` are over the finite elements. `phases` are those of complex `values`.
    """

    norm: float | None = None
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    histogram: tuple[int, ...] = ()
    heat: Blocks | None = None
    values: tuple[float, ...] | None = None
    phases: tuple[float, ...] | None = None


def magnitudes(chunk: np.ndarray) -> np.ndarray:
    """The elements as float64, of complex numbers their absolute values; itself if that is its type."""
    dtype = chunk.dtype
    if dtype is _DOUBLE:
        return chunk
    if dtype.kind == "c":  # in double: the absolute value of a finite complex64 may be no float32
        return np.absolute(chunk.astype(_DOUBLE_COMPLEX, copy=False))
    return chunk.astype(_DOUBLE)


def quick(array: Array) -> Statistics:
    """Statistics of an array, without histogram and heat map; its values if they are few.

    For a sparse array: over the stored values (equal places added up); all else is counted among `zeros`. A
    scalar of numpy, the result of arithmetic of arrays without dimensions, is an array of one element.
    """
    if type(array) is not np.ndarray:
        if isinstance(array, np.generic):
            return quick(np.asarray(array))
        return quick_later(array)()
    size = array.size
    if size > CHUNK:
        return _large(array)
    if size == 1:
        return _of_one(array)
    if not size:
        return Statistics(0.0, values=())
    quietly = hush()
    try:
        data = magnitudes(array.ravel("K"))
        squares = float(data.dot(data))
        total = float(data.dot(_ONES[:size]))
        # A sum of squares that is a number says of all elements that they are.
        if SMALLEST_SQUARES < squares < inf:
            low, high = data.item(data.argmin()), data.item(data.argmax())
            zeros = 0 if low > 0 or high < 0 else _zeros(data)
            values = tuple(magnitudes(array).ravel().tolist()) if size <= VALUES_TOLD else None
            return Statistics(sqrt(squares), low, high, total / size, zeros, 0, 0, (), None, values)
    finally:
        unhush(quietly)
    return _large(array)


@near
def quick_later(array: Array) -> Callable[[], Statistics]:
    """`quick` of the array as it is now, told when it is asked for: so long nobody waits for a device."""
    if isinstance(array, np.ndarray):
        found = quick(array.view(np.ndarray))
        return lambda: found
    if is_sparse(array):
        stored = as_coo(array).coalesce().values
        later, elsewhere = quick_later(stored), array.size - stored.size
        return lambda: _of_stored(later(), elsewhere)
    # late: programs without a device need no kernels
    from vizgrad.core.arrays.fusion.look import look

    return look(array)


def of_few(array: np.ndarray) -> tuple[float, ...]:
    """The elements one by one, in C order."""
    return tuple(magnitudes(array).ravel().tolist())


def _of_stored(stored: Statistics, elsewhere: int) -> Statistics:
    return stored._replace(zeros=stored.zeros + elsewhere, values=None)


def _of_one(array: np.ndarray) -> Statistics:
    value = array.item()
    value = hypot(value.real, value.imag) if value.__class__ is complex else float(value)
    if isfinite(value):
        zeros = 0 if value else 1
        return Statistics(abs(value), value, value, value, zeros, 0, 0, (), None, (value,))
    if isnan(value):
        return Statistics(nan, nans=1, values=(value,))
    return Statistics(inf, infs=1, values=(value,))


@quiet
def _large(array: np.ndarray) -> Statistics:
    """Piece by piece; also what is not finite, or too large or small to be squared."""
    own, times = once(array)
    squares, total, low, high = 0.0, 0.0, inf, -inf
    zeros = nans = infs = 0
    for piece in chunks(own):
        data = magnitudes(piece)
        here = float(data.dot(data))
        if not here < inf:
            data, *others = _finite(data)
            nans, infs = nans + others[0], infs + others[1]
            if not data.size:
                continue
            here = float(data.dot(data))
        squares += here
        total += float(data.dot(_ONES[: data.size]))
        least, most = data.item(data.argmin()), data.item(data.argmax())
        low, high = min(low, least), max(high, most)
        if least <= 0 <= most:
            zeros += _zeros(data)
    counted = own.size - nans - infs
    values = of_few(array) if array.size <= VALUES_TOLD else None
    if not counted:
        norm = norm_with(0, nans, infs)
        return Statistics(norm, nans=nans * times, infs=infs * times, values=values)
    norm, mean = sqrt(squares), total / counted
    if (low or high) and not (SMALLEST_SQUARES < squares < inf and isfinite(mean)):
        norm, mean = _scaled(own, counted, max(-low, high))
    return Statistics(
        norm_with(norm * sqrt(times), nans, infs), low, high, mean,
        zeros * times, nans * times, infs * times, values=values,
    )  # fmt: skip


def norm_with(norm: float, nans: int, infs: int) -> float:
    """The norm of something, given that of its finite elements."""
    return nan if nans else inf if infs else norm


def _finite(data: np.ndarray) -> tuple[np.ndarray, int, int]:
    """The finite elements; how many are NaN, and how many infinite."""
    finite = np.isfinite(data)
    others = data.size - int(np.count_nonzero(finite))
    if not others:
        return data, 0, 0
    nans = int(np.count_nonzero(np.isnan(data)))
    return data[finite], nans, others - nans


def _scaled(array: np.ndarray, counted: int, largest: float) -> tuple[float, float]:
    """Norm and mean of the finite elements, of which `largest` is the largest magnitude."""
    exponent = frexp(largest)[1]
    squares = total = 0.0
    for piece in chunks(array):
        data = np.ldexp(_finite(magnitudes(piece))[0], -exponent)
        squares += float(data.dot(data))
        total += float(data.dot(_ONES[: data.size]))
    return times_power(sqrt(squares), exponent), times_power(total / counted, exponent)


def times_power(value: float, exponent: int) -> float:
    """`value` * 2**`exponent`; inf where that is too large."""
    try:
        return ldexp(value, exponent)
    except OverflowError:
        return inf


def _zeros(data: np.ndarray) -> int:
    if data.size > 1024:  # two passes, but both are of many elements at once
        return int(np.count_nonzero(data == 0))
    return data.size - int(np.count_nonzero(data))


#: Number of histogram bins.
BINS = 24


@near
@quiet
def statistics(array: Array) -> Statistics:
    """All statistics of an array. A sparse one shows nothing by place: no heat map, no values."""
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


# A few elements of an array, by which a value that is gone is compared with one that stands for it.

#: For a type of n bytes a number (or part of one): the largest difference that rounding alone
#: makes, as a part of the largest. The square root of the type's precision.
_ROUNDING = {8: 1.5e-8, 4: 3.5e-4, 2: 0.09, 1: 0.4}


@near
def sample(array: Any, most: int) -> Any:
    """A copy of at most `most` elements, spread evenly over all dimensions: of all that are there, if so few.

    Which they are follows from the shape alone, not from strides.
    """
    if array.size <= most:
        return array.copy()
    return array[_spread(array.shape, most)].copy()


@lru_cache(maxsize=1024)
def _spread(shape: tuple[int, ...], most: int) -> tuple[slice, ...]:
    counts = list(shape)
    while math.prod(counts) > most:
        longest = counts.index(max(counts))
        counts[longest] = (counts[longest] + 1) // 2
    steps = [-(-n // count) for n, count in zip(shape, counts, strict=True)]
    return tuple([slice(step // 2, None, step) for step in steps])


def same(a: Any, b: Any) -> bool:
    """Are all bytes equal?"""
    return to_host(a).tobytes() == to_host(b).tobytes()


def alike(a: Any, b: Any) -> bool:
    """Equal up to what another order of summation changes; NaN is equal to NaN, numbers without fractions
    are alike if they are the same.
    """
    if same(a, b):
        return True
    if a.dtype.kind in "iub":
        return False
    part = a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    first, second = to_host(a).astype(wide), to_host(b).astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(first)
        largest = np.abs(first[finite]).max(initial=0.0)
        near = np.abs(first - second) <= _ROUNDING.get(part, 0.0) * largest
        return bool((near | (first == second) | ((first != first) & (second != second))).all())


# Is every element of an array finite? Asked after each node of a run that is to stop where a NaN is born.

_ndarray, _sum = np.ndarray, np.add.reduce
_BY_BLAS, _REAL = frozenset("fdFD"), frozenset("fd")
#: So many elements are few; a norm below this has a square in any of these types.
_FEW, _ORDINARY = 16, 1e18


class Odd(NamedTuple):
    """The non-finite elements in an array of `size` elements; `first` is the place of the first."""

    nans: int
    infs: int
    size: int
    first: tuple[int, ...] | None


@near
def is_finite(array: Any) -> bool:
    """One pass over the elements. Warnings about overflow are to be hushed around it."""
    small = is_small(array)
    if small is not None:
        return small or not _count(array)
    found = quick(array)
    return not (found.nans or found.infs)


def is_small(array: Any) -> bool | None:
    """Has an array of numpy's a finite sum of squares? Then all elements are finite; not the other way round.
    None for an array of a device, for which one would have to wait.

    Warnings about overflow are to be hushed around it.
    """
    if array.__class__ is not _ndarray:
        if not isinstance(array, (np.ndarray, np.generic)):
            return None
    # the norm of few numbers is had sooner from a list of them than BLAS is called
    elif (
        array.size <= _FEW
        and array.dtype.char in _REAL
        and hypot(*(array if array.ndim == 1 else array.reshape(-1)).tolist()) < _ORDINARY
    ):
        return True
    kind = array.dtype.char
    if kind not in _BY_BLAS:
        total = _sum(array, None)
        return bool(total - total == 0)
    flat = array if array.ndim == 1 else array.ravel("K")
    if flat.size > CHUNK:
        return all(is_small(piece) for piece in chunks(flat))
    if kind not in _REAL:
        squares = flat.dot(flat)
        return bool(squares - squares == 0)
    return isfinite(flat.dot(flat))


@quiet
def _count(array: np.ndarray) -> int:
    """How many elements are not finite."""
    return array.size - int(np.count_nonzero(np.isfinite(array)))


@near
@quiet
def odd(array: Array) -> Odd:
    """The non-finite elements in it, and where the first is (unknown in a sparse array)."""
    found = quick(array)
    if not (found.nans or found.infs):
        return Odd(0, 0, array.size, None)
    index = None
    if not is_sparse(array):
        host = to_host(array)
        first = int(np.argmin(np.isfinite(host)))
        index = tuple(int(i) for i in np.unravel_index(first, host.shape))
    return Odd(found.nans, found.infs, array.size, index)
