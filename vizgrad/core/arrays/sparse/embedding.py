"""Gradients of tables of which few rows were used."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.kernels.embedding import lookup as lookup
from vizgrad.core.arrays.sparse.coo import COO, take

Array = Any


def used_rows(grad: Array, indices: Array, rows: int, skipped: int) -> COO:
    """An entry for each index, in their order; none where it is `skipped`."""
    width = grad.shape[indices.ndim :]
    flat = indices.reshape(-1).astype(np.int64)
    values = grad.reshape(flat.shape[0], *width)
    if skipped >= 0:
        kept = flat != skipped
        flat, values = flat[kept], values[kept]
    return COO(flat[None], values, (rows, *width))


def rows_at(table: Array, indices: Array, skipped: int) -> Array:
    """The rows of a (sparse or dense) table at each index; zeros where it is `skipped`."""
    flat = indices.reshape(-1).astype(np.int64)
    values = take(table, flat[None])
    if skipped >= 0:
        values = values * (flat != skipped).reshape(-1, *(1,) * (values.ndim - 1))
    return values.reshape(*indices.shape, *table.shape[1:]).astype(table.dtype)
