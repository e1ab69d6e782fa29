"""Distances: of two tensors, of all rows of two matrices, of all pairs of rows of one.

A node keeps the operands and the distances. The differences of all rows, which are as many times larger as a
row has elements, are computed again in the backward.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.kernels import reduction
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, zeros_like
from vizgrad.core.ops.indexing import index_select, index_spread
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.shape import restore_dims, unsqueeze
from vizgrad.core.ops.statistics import norm_slope


@primitive(typing="promote", holomorphic=False)
class dist:
    """The norm of all elements of self - other."""

    def forward(self, other, *, p):
        apart = self - other
        return reduction.vector_norm(apart, p, tuple(range(apart.ndim)), False)

    def grad_self(grad, self, other, result, p):
        return _dist_slope(grad, self, other, result, p)

    def grad_other(grad, self, other, result, p):
        slope = _dist_slope(grad, self, other, result, p)
        return None if slope is None else -slope


def _dist_slope(grad, a, b, result, p):
    apart = a - b
    dims = tuple(range(apart.ndim))
    grad, result = (restore_dims(each, dims, False, apart.ndim) for each in (grad, result))
    return norm_slope(grad, apart, result, p, dims)


@primitive(typing="same", holomorphic=False)
class cdist:
    """The p-norms of the differences of all rows: (*, P, M) and (*, R, M), with equal `*`, -> (*, P, R)."""

    def forward(self, other, *, p):
        return _norms(self[..., :, None, :] - other[..., None, :, :], p)

    def grad_self(grad, self, other, result, p):
        return sum_dims(
            _slope(grad, _apart(self, other), result, p), dims=(self.ndim - 1,), keepdim=False
        )

    def grad_other(grad, self, other, result, p):
        return -sum_dims(
            _slope(grad, _apart(self, other), result, p), dims=(self.ndim - 2,), keepdim=False
        )


@primitive(node="PdistBackward0", holomorphic=False)
class pdist:
    """The p-norms of the differences of rows i < j of a matrix, in order: (N, M) -> (N (N - 1) / 2,)."""

    def forward(self, *, p):
        first, second = (beside(self, i) for i in xp.triu_indices(self.shape[0], 1))
        return _norms(self[first] - self[second], p)

    def grad_self(grad, self, result, p):
        first, second = (constant(i, self) for i in xp.triu_indices(self.shape[0], 1))
        apart = index_select(self, first, dim=0) - index_select(self, second, dim=0)
        slope, places = _slope(grad, apart, result, p), {"dim": 0, "shape": tuple(self.shape)}
        return index_spread(slope, first, **places) - index_spread(slope, second, **places)


def _apart(self: Any, other: Any) -> Any:
    return unsqueeze(self, dim=self.ndim - 1) - unsqueeze(other, dim=other.ndim - 2)


def _norms(apart: Any, p: float) -> Any:
    """Norms of the last dimension; of p = 0 how many elements are not 0."""
    if not p:
        return xp.abs(xp.sign(apart)).sum(-1)
    return reduction.vector_norm(apart, p, (apart.ndim - 1,), False)


def _slope(grad: Any, apart: Any, result: Any, p: float) -> Any:
    """The gradient by the differences; 0 where distances are counts."""
    if not p:
        return zeros_like(apart)
    last = (apart.ndim - 1,)
    grad, result = (restore_dims(each, last, False, apart.ndim) for each in (grad, result))
    return norm_slope(grad, apart, result, p, last)
