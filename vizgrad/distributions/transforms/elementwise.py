"""Transforms of single numbers: the derivative is a number, too."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

from vizgrad.core.ops.public.broadcasting import broadcast_shapes, broadcast_tensors
from vizgrad.core.ops.public.from_values import full_like
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.constraints import Constraint, sum_rightmost
from vizgrad.distributions.distribution import broadcast_all, precision, smallest
from vizgrad.distributions.transforms.transform import OfOneKind, Transform
from vizgrad.nn.functional import softplus


def inside(probability: Any) -> Tensor:
    """Kept within (0, 1) by what the type can represent."""
    return probability.clamp(min=smallest(probability), max=1 - precision(probability))


def equal(a: Any, b: Any) -> bool:
    """Whether two numbers or tensors are the same everywhere."""
    if isinstance(a, Number) and isinstance(b, Number):
        return a == b
    found: Any = a == b
    return bool(found.all())


def shape_of(value: Any) -> Any:
    return getattr(value, "shape", ())


class ExpTransform(OfOneKind):
    """y = exp(x)."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x^exponent, for positive numbers."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size)

    @property
    def sign(self) -> Tensor:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and equal(self.exponent, other.exponent)

    __hash__ = None

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(self.exponent.reciprocal())

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: Any) -> Any:
        return broadcast_shapes(shape, self.exponent.shape)


class SigmoidTransform(OfOneKind):
    """y = 1 / (1 + exp(-x)), kept within (0, 1)."""

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return inside(x.sigmoid())

    def _inverse(self, y: Tensor) -> Tensor:
        y = inside(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log y(1 - y), from x: y may have been rounded to 1."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(OfOneKind):
    """y = log(1 + exp(x))."""

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y + (-(-y).expm1()).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(OfOneKind):
    """y = tanh(x). Its inverse is infinite where tanh was rounded to 1: use `cache_size=1`."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log(1 - tanh(x)^2) = 2 log 2 - 2x - 2 log(1 + exp(-2x)), which does not round to log 0."""
        return 2 * (math.log(2) - x - softplus(-2 * x))


class AbsTransform(OfOneKind):
    """y = |x|. Not bijective: the inverse gives the positive one of the two."""

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale * x; with `event_dim`, that many last dimensions are one value."""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @property
    def domain(self) -> Constraint:
        dims = self._event_dim
        return constraints.independent(constraints.real, dims) if dims else constraints.real

    @property
    def codomain(self) -> Constraint:
        return self.domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self._event_dim, cache_size)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and equal(self.loc, other.loc)
            and equal(self.scale, other.scale)
        )

    __hash__ = None

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            slope = broadcast_tensors(self.scale.abs().log(), x)[0]
        else:
            slope = full_like(x, math.log(abs(self.scale)))
        return sum_rightmost(slope, self._event_dim)

    def forward_shape(self, shape: Any) -> Any:
        return broadcast_shapes(shape, shape_of(self.loc), shape_of(self.scale))

    def inverse_shape(self, shape: Any) -> Any:
        return self.forward_shape(shape)


class CumulativeDistributionTransform(Transform):
    """y = cdf(x) of a `distribution` of single numbers: uniform, where x is drawn from it."""

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Constraint:
        return self.distribution.support

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
