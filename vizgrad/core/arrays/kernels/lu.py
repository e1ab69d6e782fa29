"""LU factors with partial pivoting, by LAPACK, of stacks of matrices."""

from __future__ import annotations

import importlib
import sys
import warnings
from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.backend import Array, device_of, namespace_of, to_device, to_host
from vizgrad.core.arrays.errstate import quiet


def _library(a: Array) -> Any:
    prefix = "" if isinstance(a, np.ndarray) else "cupyx."
    known = sys.modules.get(prefix + "scipy.linalg")
    if known is None:
        known = importlib.import_module(prefix + "scipy.linalg")
        threads.limit()  # scipy has a BLAS library of its own
    return known


@quiet
def factor(a: Array) -> tuple[Array, Array]:
    """L (its unit diagonal left out) and U in one array, and LAPACK's pivots, counted from 1."""
    xp: Any = namespace_of(a)
    m, n = a.shape[-2:]
    stack = a.reshape(prod(a.shape[:-2]), m, n)
    compact = xp.empty_like(stack)
    pivots = xp.empty((len(stack), min(m, n)), xp.int32)
    library = _library(a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of exactly singular matrices: U has a 0 on its diagonal
        for index, matrix in enumerate(stack if compact.size else ()):
            compact[index], found = library.lu_factor(matrix)
            pivots[index] = found + 1
    return compact.reshape(a.shape), pivots.reshape(*a.shape[:-2], min(m, n))


def unpack(compact: Array, pivots: Array) -> tuple[Array, Array, Array]:
    """P, L and U."""
    m, n = compact.shape[-2:]
    k = min(m, n)
    xp: Any = namespace_of(compact)
    lower = xp.tril(compact[..., :, :k], -1) + xp.eye(m, k, dtype=compact.dtype)
    return permutation(pivots, m, compact), lower, xp.triu(compact[..., :k, :])


def permutation(pivots: Array, m: int, like: Array) -> Array:
    """The matrix P in A = P @ L @ U; `pivots` says with which row each row was exchanged."""
    order = np.broadcast_to(np.arange(m), (*pivots.shape[:-1], m)).copy()
    swaps = to_host(pivots).reshape(prod(pivots.shape[:-1]), pivots.shape[-1]) - 1
    for rows, exchanged in zip(order.reshape(len(swaps), m), swaps, strict=True):
        for i, j in enumerate(exchanged):
            rows[i], rows[j] = rows[j], rows[i]
    found = np.zeros((*order.shape, m), like.dtype)
    np.put_along_axis(found, order[..., None, :], 1, axis=-2)
    return to_device(found, device_of(like))


def first_zero_pivot(a: Array) -> Array:
    """1 + the place of the first 0 on the diagonal of U, for each matrix; 0 if there is none."""
    diagonal = np.diagonal(factor(a)[0], 0, -2, -1)
    zero = diagonal == 0
    if not zero.shape[-1]:
        return np.zeros(zero.shape[:-1], np.int32)
    return np.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(np.int32)


@quiet
def first_bad_minor(a: Array) -> Array:
    """The order of the first leading minor that is not positive, for each matrix; 0 if there is none."""
    n = a.shape[-1]
    stack = a.reshape(prod(a.shape[:-2]), n, n)
    found = np.zeros(len(stack), np.int32)
    for index, matrix in enumerate(stack):
        for order in range(1, n + 1):
            try:
                np.linalg.cholesky(matrix[:order, :order])
            except np.linalg.LinAlgError:
                found[index] = order
                break
    return found.reshape(a.shape[:-2])
