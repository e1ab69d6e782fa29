"""Variance, norms, logsumexp, running products."""

from __future__ import annotations

import math

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import ordering, reduction
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.complexes import conj, real_part
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.copying import cast
from vizgrad.core.ops.pointwise import abs, exp, sgn
from vizgrad.core.ops.pointwise_binary import pow_number
from vizgrad.core.ops.products import linear_scan
from vizgrad.core.ops.reduce import mean_dims, sum_dims
from vizgrad.core.ops.select import drop, keep
from vizgrad.core.ops.shape import restore_dims, roll


def slope_of_variance(grad, self, dims, correction, keepdim):
    """2 / (n - correction) * (x - mean): the derivative of the variance over `dims`."""
    every = tuple(range(self.ndim)) if dims is None else dims
    freedom = reduction.count(self.shape, every) - correction
    scale = 2 / freedom if freedom else math.inf
    grad = restore_dims(grad, dims, keepdim, self.ndim)
    if freedom <= 0 and (
        dims is None or not self.ndim
    ):  # 0 / 0: nothing here depends on the elements
        away = raw(self) != reduction.mean_dims(raw(self), every, keepdim=True)
        return grad * constant(xp.where(away, xp.inf, xp.nan).astype(raw(grad).dtype), grad)
    return (grad * scale) * (self - mean_dims(self, dims=every, keepdim=True))


@primitive(holomorphic=False)
class var:
    """The variance over `dims`, with n - correction in the denominator."""

    math_self = "g * 2 * (x - mean(x)) / (n - correction)"

    def forward(self, *, dims, correction, keepdim):
        return reduction.variance(self, dims, correction, keepdim)

    def grad_self(grad, self, dims, correction, keepdim):
        return slope_of_variance(grad, self, dims, correction, keepdim)


@primitive(holomorphic=False)
class std:
    """The standard deviation over `dims`; the derivative is 0 where all values are equal (T-81)."""

    math_self = "g * (x - mean(x)) / ((n - correction) * y)"

    def forward(self, *, dims, correction, keepdim):
        return reduction.deviation(self, dims, correction, keepdim)

    def grad_self(grad, self, result, dims, correction, keepdim):
        grad = drop(grad / result * 0.5, mask=raw(result) == 0)
        return slope_of_variance(grad, self, dims, correction, keepdim)


@primitive
class logsumexp:
    """log of the sum of exp over `dims`, without overflow (T-78)."""

    math_self = "g * exp(x - y)"

    def forward(self, *, dims, keepdim):
        return reduction.logsumexp(self, dims, keepdim)

    def grad_self(grad, self, result, dims, keepdim):
        grad = restore_dims(grad, dims, keepdim, self.ndim)
        return grad * exp(self - restore_dims(result, dims, keepdim, self.ndim))


@primitive(node="LinalgVectorNormBackward0", holomorphic=False)
class vector_norm:
    """(sum of |x|^ord over `dims`)^(1/ord); the derivative at 0 is 0 (T-73)."""

    def forward(self, *, ord, dims, keepdim, dtype):
        x = self if dtype is None else self.astype(dtype)
        return reduction.vector_norm(x, ord, dims, keepdim)

    # It saves what was given, not what was made of it in another type.
    def grad_self(grad, self, result, ord, dims, keepdim, dtype):
        grad = restore_dims(grad, dims, keepdim, self.ndim)
        norm = restore_dims(result, dims, keepdim, self.ndim)
        return norm_slope(grad, self if dtype is None else cast(self, dtype), norm, ord, dims)


def norm_slope(grad, x, norm, ord, dims):
    """How a norm of `x` over `dims`, which are kept, changes with it."""
    if ord == 0:
        return None  # a count
    if ord == 1:
        return grad * sgn(x)
    if ord == 2:
        return grad * drop(x / norm, mask=raw(norm) == 0)
    if math.isinf(ord):
        weights = ordering.shares(raw(abs(x)), raw(norm), dims, nan=True)
        return drop(sgn(x) * (grad * constant(weights, grad)), mask=weights == 0)
    scale = drop(grad / pow_number(norm, exponent=ord - 1), mask=raw(norm) == 0)
    if ord < 2:
        power = pow_number(abs(x), exponent=ord - 1)
        power = drop(power, mask=raw(x) == 0) if ord < 1 else power
        return sgn(x) * power * scale
    return x * pow_number(abs(x), exponent=ord - 2) * scale


@primitive(holomorphic=False)
class renorm:
    """x * min(1, maxnorm / norm) for slices, of which `dims` are the dimensions; halves in single precision.

    PyTorch divides by norm + 1e-7.
    """

    def forward(self, *, p, dims, maxnorm):
        x = self.astype(xp.float32) if self.dtype.itemsize == 2 else self
        norm = reduction.vector_norm(x, p, dims, True)
        return (x * xp.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1)).astype(self.dtype)

    def grad_self(grad, self, p, dims, maxnorm):
        if raw(self).dtype.itemsize == 2:  # derivatives cancel: in halves nothing is left
            grad, self = cast(grad, xp.float32), cast(self, xp.float32)
        norm = vector_norm(self, ord=p, dims=dims, keepdim=True, dtype=None)
        large = raw(norm) > maxnorm  # NaN is not
        shrunk = maxnorm / (norm + 1e-7)
        radial = real_part(conj(self) * grad) if raw(self).dtype.kind == "c" else grad * self
        of_norm = -shrunk / (norm + 1e-7) * sum_dims(radial, dims=dims, keepdim=True)
        factor = keep(shrunk - 1, mask=large) + 1
        return grad * factor + norm_slope(keep(of_norm, mask=large), self, norm, p, dims)


@primitive
class logcumsumexp:
    """log of running sums of exp along `dim`."""

    def forward(self, *, dim):
        return reduction.logcumsumexp(self, dim)

    def grad_self(grad, self, result, dim):
        if not self.ndim:
            return grad * 1
        # result k gives exp(x_i - y_k) = exp(x_i - y_i) * exp(y_i - y_k) of its gradient to element i; y
        # rises along dim, so no factor is above 1
        following = roll(result, shifts=(-1,), dims=(dim,))
        # inf beside inf rises by 0; the last has nothing after it, and must not overflow
        level = reduction.last_along(raw(result), dim) | (raw(result) == raw(following))
        factors = exp(drop(result - following, mask=level))
        return exp(self - result) * linear_scan(grad, factors, dim=dim)
