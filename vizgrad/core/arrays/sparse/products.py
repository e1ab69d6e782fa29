"""Matrix products with sparse matrices, by scipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.sparse.base import Array, SparseArray, SparseUnsupported, computed, library
from vizgrad.core.arrays.sparse.compressed import Compressed, as_coo, in_layout, once, places
from vizgrad.core.arrays.sparse.coo import COO, take


def matmul(a: Array, b: Array) -> Array:
    """a @ b, where one or both are sparse: dense unless both are."""
    if isinstance(a, SparseArray) and isinstance(b, SparseArray):
        return _both(a, b)
    if isinstance(b, SparseArray):
        if a.ndim != 2 or b.ndim != 2:
            raise SparseUnsupported("matmul of stacks with a sparse second operand", b.layout)
        _check(a, b)
        return contiguous(matmul(b.T, a.T).T)
    if a.ndim == b.ndim == 3:
        return _stacks(a, b)
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise SparseUnsupported("matmul of stacks", a.layout)
    _check(a, b)
    dense, back = computed(b)
    return back(_matrix(a) @ dense)


def _check(a: Array, b: Array) -> None:
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
            f"{'x'.join(map(str, b.shape))})"
        )


def _matrix(a: SparseArray) -> Any:
    """The library's matrix of the same entries."""
    values, _ = computed(a.values)
    if values.ndim != 1:
        raise SparseUnsupported("matmul of a matrix with dense dimensions", a.layout)
    known = library(values)
    if isinstance(a, Compressed):
        make = known.csr_matrix if a.of_rows else known.csc_matrix
        return make((values, a.others, a.starts), a.shape)
    entries = as_coo(a)
    return known.coo_matrix((values, tuple(entries.indices)), a.shape).tocsr()


def _both(a: SparseArray, b: SparseArray) -> SparseArray:
    if a.ndim != 2 or b.ndim != 2:
        raise SparseUnsupported("matmul of sparse operands other than matrices", a.layout)
    _check(a, b)
    product = (_matrix(a) @ _matrix(b)).tocoo()
    _, back = computed(a.values)
    indices = np.stack([product.row, product.col]).astype(np.int64)
    made = COO(indices, back(product.data), (a.shape[0], b.shape[1])).coalesce()
    return in_layout(made, a.layout if a.layout == b.layout else "sparse_coo")


def _stacks(a: SparseArray, b: Array) -> Array:
    """Stacks of matrices, as one product with the matrices of `a` along the diagonal."""
    if not isinstance(a, COO) or a.sparse_dim != 3:
        raise SparseUnsupported("bmm", a.layout)
    count, rows, inner = a.shape
    if b.shape[:2] != (count, inner):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {inner}] but "
            f"got: {list(b.shape[:2])}."
        )
    which, row, column = a.indices
    diagonal = np.stack([which * rows + row, which * inner + column])
    long = COO(diagonal, a.values, (count * rows, count * inner))
    return matmul(long, b.reshape(count * inner, b.shape[2])).reshape(count, rows, b.shape[2])


def sampled(a: Array, b: Array, pattern: SparseArray) -> SparseArray:
    """a @ b.T where `pattern` stores a value, and nowhere else computed."""
    pattern = once(pattern)
    rows, columns = places(pattern)
    if isinstance(a, SparseArray) or isinstance(b, SparseArray):
        product = matmul(a, b.T)
        return pattern.with_values(take(product, np.stack([rows, columns])))
    return pattern.with_values(np.einsum("ij,ij->i", a[rows], b[columns]))
