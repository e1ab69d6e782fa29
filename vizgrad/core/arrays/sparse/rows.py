"""Sums of rows by number, as products with a sparse matrix."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.sparse.library import computed, library

Array = Any


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
