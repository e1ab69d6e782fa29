"""How large an array is, in one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot, inf, isnan, nan, sqrt
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import is_on_device, near, to_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.statistics import is_finite as _is_finite
from vizgrad.core.arrays.statistics import quick, quick_later

#: The class of arrays on the host that are nothing else.
PLAIN = np.ndarray
_ndarray, _inf = np.ndarray, inf
#: By what numbers of double precision are multiplied whose squares are zero, so that these are not.
_SCALE = 2.0**600
#: So many elements may be copied.
_FEW = 1 << 13
#: As `dot`, which warns where a square overflows. Operands are plain arrays here, so none is asked for a
#: function of its own.
vdot = getattr(np.vdot, "_implementation", np.vdot)
_vdot = vdot
_max, _min = np.maximum.reduce, np.minimum.reduce


def size(array: Any) -> float:
    """How large an array is as a whole: its norm where that is quickly told, else its largest element.

    NaN or infinite exactly if an element is, and 0.0 exactly if all are.
    """
    if array.__class__ is _ndarray and array.dtype.char in "fd":
        if array.size >= _FEW and not array.flags.c_contiguous:
            if not array.flags.f_contiguous:
                return largest(array)  # to put its elements one after the other is a copy of all
            array = array.T
        squares = float(_vdot(array, array))
        if 0.0 < squares < _inf:
            return sqrt(squares)
        if squares == 0.0:  # all zero, or too small to be squared: nothing here warns
            if array.dtype.char == "f":  # to multiply numbers next to zero takes the processor long
                array = array.astype(np.float64)
                return sqrt(float(_vdot(array, array)))
            array = array * _SCALE
            return sqrt(float(_vdot(array, array))) / _SCALE
    return largest(array)


def norm(array: Any) -> float | None:
    """The norm of all elements: NaN or infinite exactly if one is; None where it cannot be told."""
    plain = array.__class__ is _ndarray and array.dtype.char in "fd"
    if plain and (array.flags.c_contiguous or array.flags.f_contiguous):
        flat = array if array.flags.c_contiguous else array.T
        squares = float(_vdot(flat, flat))
        if 0.0 < squares < _inf:
            return sqrt(squares)
    return quick(array).norm


def norm_later(array: Any) -> Callable[[], float | None]:
    """`norm` of the array as it is now, told when it is asked for: so long nobody waits for a device."""
    if array.__class__ is _ndarray or not is_on_device(array):
        found = norm(array)
        return lambda: found
    later = quick_later(array)
    return lambda: later().norm


@near
@quiet
def moved(now: Any, before: Any) -> Any:
    """How far each element has moved: NaN where both are infinite, without a warning."""
    return now - before


def sizes_of(arrays: Sequence[Any]) -> list[float]:
    """`size` of each, of which those on a device are waited for once."""
    laters = [inspected(array) for array in arrays]
    pairs = zip(arrays, laters, strict=True)
    return [size(array) if later is None else later.size for array, later in pairs]


def changes_of(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[float, float]]:
    """For each pair, before and after: how far all elements moved together, and `size` of before. NaN
    where an element is infinite in both.
    """
    parts = [before for before, _ in pairs]
    together = len(parts) > 1 and all(
        each.__class__ is _ndarray and each.dtype.char == "f" and each.ndim == 1 and each.size
        for pair in pairs
        for each in pair
    )
    if together:
        return _changes_of_vectors(pairs)
    found = sizes_of([*(moved(after, before) for before, after in pairs), *parts])
    return list(zip(found, found[len(parts) :], strict=False))


@quiet
def _changes_of_vectors(pairs: Sequence[tuple[Any, Any]]) -> list[tuple[float, float]]:
    """The same of vectors of single precision: no square of one overflows in double, or vanishes."""
    before, after = (np.concatenate(each, dtype=np.float64) for each in zip(*pairs, strict=True))
    begins = np.cumsum([0, *(each.size for each, _ in pairs[:-1])])
    squares = (np.add.reduceat(each * each, begins) for each in (after - before, before))
    lengths, sizes = (np.sqrt(each).tolist() for each in squares)
    return list(zip(lengths, sizes, strict=True))


def together(norms: Sequence[float]) -> float:
    """The norm of several arrays as one, of theirs: NaN if one is, and no square overflows."""
    return nan if any(map(isnan, norms)) else hypot(*norms)


@near
@quiet
def largest(array: Any) -> float:
    """The largest absolute value of a real or complex array: NaN if it holds one, 0.0 if it is empty."""
    if is_on_device(array):
        return _largest_there(array)
    array = _plain(array)
    kind = array.dtype.kind
    if not array.size or kind not in "fciubV":
        return 0.0
    if kind in "ub":
        return float(array.max())
    if kind == "c":
        array = np.abs(array)
    return float(max(_max(array, None), -_min(array, None)))


def _largest_there(array: Any) -> float:
    """The same, by a few numbers that are read from the device."""
    found = quick(array)
    if found.nans or found.infs:
        return nan if found.nans else inf
    if found.max is None or found.min is None:
        return 0.0
    return max(found.max, -found.min)


def finite(array: Any) -> bool:
    """Is every element finite? Warnings about overflow are hushed."""
    if array.__class__ is _ndarray and array.dtype.char in "fd":
        if array.size >= _FEW and not array.flags.c_contiguous:
            if not array.flags.f_contiguous:
                return abs(largest(array)) < _inf
            array = array.T
        if float(_vdot(array, array)) < _inf:
            return True
    return _finite(array)


@near
@quiet
def _finite(array: Any) -> bool:
    return bool(_is_finite(array))


@near
@quiet
def has_nan(array: Any) -> bool:
    """Is one of the elements NaN?"""
    return bool(np.isnan(_plain(array)).any())


@near
@quiet
def born(values: Any, given: Any = None) -> list[tuple[tuple[int, ...], float, float | None]]:
    """The first three elements that are not finite: where, what, and what `given` (of one shape, or that
    broadcasts) has there.
    """
    host = _plain(values)
    places = np.argwhere(~np.isfinite(host))[:3]
    beside = None
    if given is not None:
        try:
            beside = np.broadcast_to(_plain(given), host.shape)
        except ValueError:
            beside = None
    found: list[tuple[tuple[int, ...], float, float | None]] = []
    for place in places:
        index = tuple(int(i) for i in place)
        other = None if beside is None else _number(beside[index])
        found.append((index, _number(host[index]), other))
    return found


def _plain(array: Any) -> Any:
    """On the host, in a type that numpy computes with."""
    if is_sparse(array):
        array = array.values
    host = to_host(array)
    return host.astype(np.float32) if host.dtype.kind == "V" else host


def _number(value: Any) -> float:
    return float(abs(value)) if np.iscomplexobj(value) else float(value)


@near
def zero_share(array: Any) -> tuple[int, int]:
    """How many elements are zero or less, and how many there are."""
    host = _plain(array)
    return int(np.count_nonzero(host <= 0)), int(host.size)


@near
def zeros_in(array: Any) -> bool:
    """Is one of the elements exactly zero?"""
    host = _plain(array)
    return bool(host.size) and bool((host == 0).any())


@near
@quiet
def zero_where_odd(incoming: Any, outgoing: Any) -> bool:
    """Is `incoming` zero wherever `outgoing` is not finite, as 0 * inf makes it?"""
    there, odd = _plain(incoming), ~np.isfinite(_plain(outgoing))
    try:
        return bool((np.broadcast_to(there, odd.shape)[odd] == 0).all())
    except ValueError:
        return bool((there == 0).any())


def inspected(
    array: Any, beside: Sequence[Any] = (), before: Sequence[Any] = (), *, zeros: bool = False
) -> Any:
    """An `Inspection` of an array of a device, which is read later; None of what is read at once."""
    if array.__class__ is _ndarray or not is_on_device(array):
        return None
    # late: programs without a device need no kernels
    from vizgrad.core.arrays.fusion.inspection import can_be_inspected, inspect

    return inspect(array, beside, before, zeros=zeros) if can_be_inspected(array) else None


@near
def sample(array: Any, most: int = 1 << 16) -> bytes:
    """Bytes of the elements, or of some that are spread evenly where there are very many."""
    host = to_host(array)
    if host.nbytes > most:
        flat = host.reshape(-1) if host.flags.c_contiguous else host.ravel()
        host = flat[:: max(1, flat.nbytes // most)]
    return host.tobytes()
