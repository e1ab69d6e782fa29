"""Products of elements: of all, over one dimension, and running ones."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.kernels import reduction
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, raw, zeros_like
from vizgrad.core.ops.copying import cast
from vizgrad.core.ops.joining import cumsum
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.select import drop
from vizgrad.core.ops.shape import (
    expand,
    flip,
    inverse_order,
    permute,
    restore_dims,
    roll,
    unsqueeze,
)
from vizgrad.core.tensor.tensor import Tensor


@primitive(node="ProdBackward0")
class prod_all:
    """The product of all elements, in the type `dtype`; the derivative never divides by zeros (T-75)."""

    def forward(self, *, dtype):
        return reduction.prod_all(self if dtype is None else self.astype(dtype))

    # It saves what was given, not what was made of it in another type.
    def grad_self(grad, self, result, dtype):
        if not self.ndim:
            return grad * 1
        self = self if dtype is None else cast(self, dtype)
        if divides(grad, self):
            return grad * (result / self)
        if raw(self).size == 1:
            return grad.reshape(self.shape)
        return grad * other_factors(self.reshape(-1), dim=0).reshape(self.shape)


@primitive(node="ProdBackward1")
class prod_dim:
    """The product over one dimension, in the type `dtype`."""

    def forward(self, *, dim, keepdim, dtype):
        return reduction.prod_dim(self if dtype is None else self.astype(dtype), dim, keepdim)

    def grad_self(grad, self, result, dim, keepdim, dtype):
        if not self.ndim:
            return grad * 1
        self = self if dtype is None else cast(self, dtype)
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


@primitive
class cumprod:
    """Running products along `dim`, in the type `dtype`; the derivative never divides by zeros (T-75)."""

    def forward(self, *, dim, dtype):
        return reduction.cumprod(self if dtype is None else self.astype(dtype), dim)

    # It saves what was given, not what was made of it in another type.
    def grad_self(grad, self, result, dim):
        if not self.ndim or self.shape[dim] == 1 or not raw(self).size:
            return grad * 1
        if divides(grad, self):
            return flip(cumsum(flip(grad * result, dims=(dim,)), dim=dim), dims=(dim,)) / self
        # dL/dx_i = (product of all x before i) * (g_i + x_i+1 * (g_i+1 + x_i+2 * (...)))
        after = linear_scan(grad, roll(self, shifts=(-1,), dims=(dim,)), dim=dim)
        first = reduction.first_along(raw(self), dim)
        before = drop(roll(self, shifts=(1,), dims=(dim,)), mask=first)
        before = before + constant(first.astype(raw(self).dtype), self)
        return after * cumprod(before, dim=dim, dtype=None)


@primitive(node="CumprodBackward0")
class linear_scan:
    """r_i = self_i + factors_i * r_(i+1), from the far end of `dim`."""

    def forward(self, factors, *, dim):
        return reduction.linear_scan(self, factors, dim)

    def grad_self(grad, factors, dim):
        return _forward_scan(grad, factors, dim)

    def grad_factors(grad, factors, result, dim):
        following = roll(result, shifts=(-1,), dims=(dim,))
        following = drop(following, mask=reduction.last_along(raw(result), dim))
        return _forward_scan(grad, factors, dim) * following


def _forward_scan(value, factors, dim):
    """s_i = value_i + factors_(i-1) * s_(i-1): the adjoint of `linear_scan`."""
    factors = flip(roll(factors, shifts=(1,), dims=(dim,)), dims=(dim,))
    return flip(linear_scan(flip(value, dims=(dim,)), factors, dim=dim), dims=(dim,))
