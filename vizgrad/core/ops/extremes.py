"""Largest and smallest elements, and orderings (spec T-72)."""

from __future__ import annotations

import math

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import ordering
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.indexing import spread
from vizgrad.core.ops.shape import clone, restore_dims


def share_among_equals(grad, self, result, dims=None, keepdim=False, *, nan=False):
    """The gradient, divided equally among the elements that equal the result (`nan`: NaN equals NaN)."""
    ndim = self.ndim
    extreme = restore_dims(raw(result), dims, keepdim, ndim)
    weights = ordering.shares(raw(self), extreme, dims, nan, none=0 if nan else math.nan)
    return restore_dims(grad, dims, keepdim, ndim) * constant(weights, grad)


@primitive(node="MaxBackward1", real_only=True)
class max_all:
    """The largest element; equal ones share the gradient."""

    math_self = "g * (x == y) / sum(x == y)"

    def forward(self):
        return ordering.extreme(self, None, False, largest=True)

    def grad_self(grad, self, result):
        return share_among_equals(grad, self, result, nan=True)


@primitive(node="MinBackward1", real_only=True)
class min_all:
    """The smallest element; equal ones share the gradient."""

    math_self = "g * (x == y) / sum(x == y)"

    def forward(self):
        return ordering.extreme(self, None, False, largest=False)

    def grad_self(grad, self, result):
        return share_among_equals(grad, self, result, nan=True)


@primitive(real_only=True)
class amax:
    """The largest elements over `dims`; equal ones share the gradient."""

    math_self = "g * (x == y) / sum(x == y)"

    def forward(self, *, dims, keepdim):
        return ordering.extreme(self, dims, keepdim, largest=True)

    def grad_self(grad, self, result, dims, keepdim):
        return share_among_equals(grad, self, result, dims, keepdim)


@primitive(real_only=True)
class amin:
    """The smallest elements over `dims`; equal ones share the gradient."""

    math_self = "g * (x == y) / sum(x == y)"

    def forward(self, *, dims, keepdim):
        return ordering.extreme(self, dims, keepdim, largest=False)

    def grad_self(grad, self, result, dims, keepdim):
        return share_among_equals(grad, self, result, dims, keepdim)


def to_index(grad, indices, dim, keepdim, shape):
    """The gradient of a reduction that chose one element along `dim`: all to that element."""
    if not shape:
        return clone(grad)  # never the caller's own tensor (Y-12)
    index = raw(indices)
    if not keepdim:
        grad = restore_dims(grad, (dim,), keepdim, len(shape))
        index = restore_dims(index, (dim,), keepdim, len(shape))
    return spread(grad, constant(index, grad), dim=dim, shape=shape)


@primitive(node="MaxBackward0", outputs=("values", "indices"), real_only=True)
class max_dim:
    """The largest elements along `dim` and where they are (the first of equals)."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, dim, keepdim):
        return ordering.extreme_with_index(self, dim, keepdim, largest=True)

    def grad_self(grad, indices, dim, keepdim, self_meta):
        return to_index(grad, indices, dim, keepdim, self_meta.shape)


@primitive(node="MinBackward0", outputs=("values", "indices"), real_only=True)
class min_dim:
    """The smallest elements along `dim` and where they are (the first of equals)."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, dim, keepdim):
        return ordering.extreme_with_index(self, dim, keepdim, largest=False)

    def grad_self(grad, indices, dim, keepdim, self_meta):
        return to_index(grad, indices, dim, keepdim, self_meta.shape)


@primitive(real_only=True)
class argmax:
    """Where the largest element is (the first of equals); over all elements if `dim` is None."""

    def forward(self, *, dim, keepdim):
        return ordering.arg_extreme(self, dim, keepdim, largest=True)


@primitive(real_only=True)
class argmin:
    """Where the smallest element is (the first of equals); over all elements if `dim` is None."""

    def forward(self, *, dim, keepdim):
        return ordering.arg_extreme(self, dim, keepdim, largest=False)


@primitive(outputs=("values", "indices"), real_only=True)
class sort:
    """The elements along `dim` in order, and where they were; stable."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, dim, descending):
        return ordering.sort(self, dim, descending)

    def grad_self(grad, indices, dim, self_meta):
        return to_index(grad, indices, dim, True, self_meta.shape)


@primitive(outputs=("values", "indices"), real_only=True)
class topk:
    """The k largest (or smallest) elements along `dim`, in order, and where they were."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, k, dim, largest):
        return ordering.topk(self, k, dim, largest)

    def grad_self(grad, indices, dim, self_meta):
        return to_index(grad, indices, dim, True, self_meta.shape)


@primitive(outputs=("values", "indices"), real_only=True)
class kthvalue:
    """The k-th smallest element (k counts from 1) along `dim` and where it is."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, k, dim, keepdim):
        return ordering.kthvalue(self, k, dim, keepdim)

    def grad_self(grad, indices, dim, keepdim, self_meta):
        return to_index(grad, indices, dim, keepdim, self_meta.shape)


@primitive(node="MedianBackward1", outputs=("values", "indices"), real_only=True)
class median_dim:
    """The median along `dim` (the lower of two) and where it is."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, dim, keepdim):
        return ordering.median(self, dim, keepdim, ignore_nan=False)

    def grad_self(grad, indices, dim, keepdim, self_meta):
        return to_index(grad, indices, dim, keepdim, self_meta.shape)


@primitive(node="NanmedianBackward1", outputs=("values", "indices"), real_only=True)
class nanmedian_dim:
    """The median of the numbers along `dim`, without NaNs, and where it is."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, dim, keepdim):
        return ordering.median(self, dim, keepdim, ignore_nan=True)

    def grad_self(grad, indices, dim, keepdim, self_meta):
        return to_index(grad, indices, dim, keepdim, self_meta.shape)


@primitive(node="MedianBackward0", real_only=True)
class median_all:
    """The median of all elements (the lower of two); equal ones share the gradient."""

    math_self = "g * (x == y) / sum(x == y)"

    def forward(self):
        return ordering.median_all(self, ignore_nan=False)

    def grad_self(grad, self, result):
        return share_among_equals(grad, self, result, nan=True)


@primitive(node="NanmedianBackward0", real_only=True)
class nanmedian_all:
    """The median of all numbers, without NaNs; equal ones share the gradient."""

    math_self = "g * (x == y) / sum(x == y)"

    def forward(self):
        return ordering.median_all(self, ignore_nan=True)

    def grad_self(grad, self, result):
        return share_among_equals(grad, self, result, nan=True)


@primitive(node="MedianBackward0", real_only=True)
class median_rows:
    """`median_all`, or `nanmedian_all`, of each row."""

    def forward(self, *, ignore_nan):
        if not self.shape[1]:
            return xp.full_like(self, xp.nan, shape=self.shape[:1])
        return ordering.median(self, 1, False, ignore_nan)[0]

    def grad_self(grad, self, result):
        return share_among_equals(grad, self, result, (1,), nan=True)


@primitive(outputs=("values", "indices"), real_only=True)
class mode:
    """The most frequent element along `dim` (the smallest of several) and where it last is."""

    math_self = "scatter(0, dim, indices, g)"

    def forward(self, *, dim, keepdim):
        return ordering.mode(self, dim, keepdim)

    def grad_self(grad, indices, dim, keepdim, self_meta):
        return to_index(grad, indices, dim, keepdim, self_meta.shape)


@primitive(outputs=("values", "indices"), real_only=True)
class cummax:
    """Running maxima along `dim`; among equals the later index."""

    math_self = "scatter_add(0, dim, indices, g)"

    def forward(self, *, dim):
        return ordering.running_extreme(self, dim, largest=True)

    def grad_self(grad, indices, dim, self_meta):
        return to_index(grad, indices, dim, True, self_meta.shape)


@primitive(outputs=("values", "indices"), real_only=True)
class cummin:
    """Running minima along `dim`; among equals the later index."""

    math_self = "scatter_add(0, dim, indices, g)"

    def forward(self, *, dim):
        return ordering.running_extreme(self, dim, largest=False)

    def grad_self(grad, indices, dim, self_meta):
        return to_index(grad, indices, dim, True, self_meta.shape)
