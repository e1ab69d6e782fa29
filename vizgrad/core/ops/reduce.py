"""Sums, means and products; node names end in 0 for all dimensions, in 1 for some, as PyTorch's."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.kernels import reduction
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, raw, zeros_like
from vizgrad.core.ops.select import drop
from vizgrad.core.ops.shape import (
    diagonal_put,
    expand,
    inverse_order,
    permute,
    restore_dims,
    unsqueeze,
)
from vizgrad.core.tensor.tensor import Tensor


@primitive(linear=True, node="SumBackward0")
class sum_all:
    """The sum of all elements of a numpy array of float32 or float64."""

    forward = reduction.sum_all

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward0")
class sum_wide:
    """The sum of all elements, of any type."""

    forward = reduction.sum_wide

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward0")
class sum_as:
    """The sum of all elements, computed in another type."""

    def forward(self, *, dtype):
        return reduction.sum_wide(self.astype(dtype))

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward1")
class sum_dims:
    """The sum over `dims`."""

    def forward(self, *, dims, keepdim):
        return reduction.sum_dims(self, dims, keepdim)

    def grad_self(grad, dims, keepdim, self_meta):
        return expand(
            restore_dims(grad, dims, keepdim, len(self_meta.shape)), shape=self_meta.shape
        )


@primitive(linear=True, node="MeanBackward0")
class mean_all:
    """The mean of all elements."""

    forward = reduction.mean_all

    def grad_self(grad, self_meta):
        # divided last, so that it is memory of its own, which a hook may write to
        return expand(grad, shape=self_meta.shape) / reduction.count(self_meta.shape)


@primitive(linear=True, node="MeanBackward1")
class mean_dims:
    """The mean over `dims`."""

    def forward(self, *, dims, keepdim):
        return reduction.mean_dims(self, dims, keepdim)

    def grad_self(grad, dims, keepdim, self_meta):
        grad = restore_dims(grad, dims, keepdim, len(self_meta.shape))
        count = reduction.count(self_meta.shape, dims) or 1  # of nothing: no element gets it
        return expand(grad, shape=self_meta.shape) / count


@primitive(node="ProdBackward0")
class prod_all:
    """The product of all elements; its gradient never divides by zeros among them (T-75)."""

    forward = reduction.prod_all

    def grad_self(grad, self, result):
        if not self.ndim:
            return grad * 1
        if divides(grad, self):
            return grad * (result / self)
        if raw(self).size == 1:
            return grad.reshape(self.shape)
        return grad * other_factors(self.reshape(-1), dim=0).reshape(self.shape)


@primitive(node="ProdBackward1")
class prod_dim:
    """The product over one dimension."""

    def forward(self, *, dim, keepdim):
        return reduction.prod_dim(self, dim, keepdim)

    def grad_self(grad, self, result, dim, keepdim):
        if not self.ndim:
            return grad * 1
        grad = restore_dims(grad, (dim,), keepdim, self.ndim)
        if divides(grad, self):
            return grad * (restore_dims(result, (dim,), keepdim, self.ndim) / self)
        if self.shape[dim] == 1:
            return grad * 1
        return grad * other_factors(self, dim=dim)


def divides(grad, factors):
    """Is a product's derivative to be written as product / factor?

    With ``create_graph=True`` and no zeros it is: so it is a function of the product, as in PyTorch (X-42).
    """
    return isinstance(grad, Tensor) and bool(raw(factors).all())


@primitive
class other_factors:
    """For each element the product of all others along `dim`."""

    def forward(self, *, dim):
        return reduction.other_factors(self, dim)

    def grad_self(grad, self, dim):
        # Row i holds the factors of result i: all elements, the i-th replaced by 1. The derivative of its
        # product by element k is again a product of others; nothing is ever divided.
        if not self.ndim:
            return zeros_like(grad)
        last = self.ndim - 1
        order = (*tuple(d for d in range(self.ndim) if d != dim), dim)
        x, g = permute(self, dims=order), permute(grad, dims=order)
        n = x.shape[-1]
        diagonal = beside(raw(x), xp.eye(n, dtype=bool))
        rows = expand(unsqueeze(x, dim=last), shape=(*x.shape[:-1], n, n))
        rows = drop(rows, mask=diagonal) + constant(diagonal.astype(raw(x).dtype), x)
        others = drop(other_factors(rows, dim=last + 1), mask=diagonal)
        slopes = sum_dims(unsqueeze(g, dim=last + 1) * others, dims=(last,), keepdim=False)
        return permute(slopes, dims=inverse_order(order))


@primitive(node="NansumBackward0")
class nansum_dims:
    """The sum over `dims`, in the type `dtype`, without NaNs, whose gradient is 0."""

    def forward(self, *, dims, keepdim, dtype):
        return reduction.nansum_dims(self if dtype is None else self.astype(dtype), dims, keepdim)

    # It saves what was given, not what was made of it in another type.
    def grad_self(grad, self, dims, keepdim):
        whole = expand(restore_dims(grad, dims, keepdim, self.ndim), shape=self.shape)
        return drop(whole, mask=raw(self) != raw(self))


@primitive
class any_dims:
    """Is one element over `dims` non-zero?"""

    def forward(self, *, dims, keepdim):
        return reduction.any_dims(self, dims, keepdim)


@primitive
class all_dims:
    """Are all elements over `dims` non-zero?"""

    def forward(self, *, dims, keepdim):
        return reduction.all_dims(self, dims, keepdim)


@primitive
class count_nonzero_dims:
    """How many elements over `dims` are non-zero."""

    def forward(self, *, dims):
        return reduction.count_nonzero(self, dims)


@primitive(linear=True)
class trace:
    """The sum of a matrix's diagonal."""

    def forward(self):
        return reduction.trace(self)

    def grad_self(grad, self_meta):
        n = min(self_meta.shape)
        return diagonal_put(
            expand(grad, shape=(n,)), shape=self_meta.shape, offset=0, dim1=0, dim2=1
        )
