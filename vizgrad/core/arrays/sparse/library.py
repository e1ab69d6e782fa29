"""scipy.sparse, or cupyx's for arrays of a device: imported when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import namespace_of
from vizgrad.core.arrays.kernels.memory import numbers

Array = Any


def library(array: Array) -> Any:
    """The library of sparse matrices for arrays of this kind."""
    prefix = "" if namespace_of(array) is np else "cupyx."
    return import_module(prefix + "scipy.sparse")


def computed(array: Array) -> tuple[Array, Callable[[Array], Array]]:
    """The array in a type that the library computes in, and the way back: it has no short floats."""
    own = array.dtype
    if own.itemsize >= 4 or own.kind in "iu":
        return array, lambda result: result
    return array.astype(np.float32), lambda result: result.astype(own)


# Sums of rows by number, as products with a sparse matrix.


def sum_rows(values: Array, place: Array, count: int) -> Array:
    """out[place[i]] += values[i], for `count` rows of any shape; equal places add up."""
    rest = values.shape[1:]
    if values.dtype.kind == "b":
        return sum_rows(values.astype(np.int64), place, count) != 0
    flat, back = computed(values.reshape(values.shape[0], prod(rest)))
    ones = np.ones_like(flat, shape=(values.shape[0],))
    columns = numbers(place, values.shape[0])
    matrix = library(values).coo_matrix((ones, (place, columns)), (count, values.shape[0])).tocsr()
    return back(matrix @ flat).reshape(count, *rest)
