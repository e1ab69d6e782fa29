"""Samples that follow from a row's first one: other memory layouts, nothing at all, a single number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .row import Row, Sample, strided


def transposed(array: np.ndarray) -> np.ndarray:
    """The same elements with the first dimension fastest in memory."""
    return np.asfortranarray(array) if array.ndim > 1 else array.copy()


def stepped(array: np.ndarray) -> np.ndarray:
    """The same elements with gaps between them."""
    if not array.ndim or array.dtype.kind != "f":
        return array.copy()
    return strided(array)


def expanded(array: np.ndarray) -> np.ndarray:
    """The first row again and again, all in the same memory."""
    if not array.ndim or array.dtype.kind not in "fc":
        return array.copy()
    return np.broadcast_to(array[:1], array.shape)


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "transposed": transposed,
    "stepped": stepped,
}


def layouts(row: Row) -> list[Sample]:
    """The first sample in other layouts: every result is the same."""
    first = row.samples[0]
    return [Sample(name, tuple(map(turn, first.arrays))) for name, turn in LAYOUTS.items()]


def edges(row: Row) -> list[Sample]:
    """Samples on which an operation may do what it likes, as long as it is what PyTorch does."""
    first = row.samples[0].arrays
    floats = [a for a in first if a.dtype.kind in "fc"]
    found = [Sample("expanded", tuple(map(expanded, first)))]
    if floats and floats[0].ndim:
        length = floats[0].shape[0]
        cut = (a[:0] if a.ndim and a.shape[0] == length else a for a in first)
        found += [
            Sample("no rows", tuple(cut)),
            Sample("no columns", tuple(a[..., :0] if a.ndim else a for a in first)),
            Sample("a number", tuple(np.array(a.reshape(-1)[0]) for a in first)),
        ]
    return found


def as_float32(sample: Sample) -> Sample:
    """In single precision, with the same strides in elements."""
    return Sample(f"{sample.name}, float32", tuple(map(_narrow, sample.arrays)))


def _narrow(array: np.ndarray) -> np.ndarray:
    narrow = {"f": np.float32, "c": np.complex64}.get(array.dtype.kind)
    if narrow is None:
        return array
    if not array.size or array.flags.c_contiguous:
        return array.astype(narrow)
    strides = tuple(s * np.dtype(narrow).itemsize // array.itemsize for s in array.strides)
    reach = sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    room = np.zeros(reach // np.dtype(narrow).itemsize + 1, narrow)
    made = np.lib.stride_tricks.as_strided(room, array.shape, strides)
    made[...] = array
    return made
