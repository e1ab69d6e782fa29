"""Special functions of one tensor (spec T-33, T-77)."""

from __future__ import annotations

import math

from vizgrad.core.arrays import random, xp
from vizgrad.core.arrays.backend import device_of
from vizgrad.core.arrays.kernels import activation, elementwise, special
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.arithmetic import neg as neg
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.pointwise import abs, exp, log
from vizgrad.core.ops.select import drop
from vizgrad.core.ops.select import sign as sign


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace="public")
class erf:
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x."""

    forward = special.erf

    def grad_self(grad, self):
        return grad * (2 / math.sqrt(math.pi)) * exp(-(self * self))


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace="public")
class erfc:
    """1 - erf(x), exact for large x."""

    forward = special.erfc

    def grad_self(grad, self):
        return grad * (-2 / math.sqrt(math.pi)) * exp(-(self * self))


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace=True)
class erfinv:
    """The inverse of erf; infinite at -1 and 1."""

    forward = special.erfinv

    def grad_self(grad, self):
        inverse = erfinv(self)
        return grad * (math.sqrt(math.pi) / 2) * exp(inverse * inverse)


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace=True)
class lgamma:
    """log |Gamma(x)|."""

    forward = special.lgamma

    def grad_self(grad, self):
        return grad * digamma(self)


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace=True)
class digamma:
    """The derivative of lgamma."""

    forward = special.digamma

    def grad_self(grad, self):
        return grad * polygamma(self, n=1)


@primitive(typing="float", pointwise=True)
class polygamma:
    """The n-th derivative of digamma, n >= 1."""

    def forward(self, *, n):
        return special.polygamma(n, self)

    def grad_self(grad, self, n):
        return grad * polygamma(self, n=n + 1)


@primitive(typing="float", pointwise=True, real_only=True, node="SpecialEntrBackward0")
class entr:
    """-x log x: 0 at 0, -inf below."""

    forward = special.entr

    def grad_self(grad, self):
        return grad * (-log(self) - 1)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class sinc:
    """sin(pi x) / (pi x), 1 at 0."""

    forward = activation.sinc

    def grad_self(grad, self):
        return grad * sinc_slope(self)


@primitive(typing="float", pointwise=True)
class sinc_slope:
    """The derivative of sinc, 0 at 0 (T-77)."""

    forward = activation.sinc_slope

    def grad_self(grad, self, result):
        px2 = self * (math.pi * math.pi)
        return drop(-grad * (sinc(self) * px2 + 2 * result) / self, mask=raw(self) == 0) - drop(
            grad * (math.pi * math.pi / 3), mask=raw(self) != 0
        )


@primitive(typing="float", pointwise=True, real_only=True)
class logit:
    """log(x / (1 - x)); with `eps`, x is first moved into [eps, 1 - eps]."""

    forward = activation.logit

    def grad_self(grad, self, eps):
        slope = grad / abs(self * (1 - self))
        if eps is None:  # NaN, as the value, where there is no logarithm
            return slope + constant(elementwise.nan_outside(raw(self), 0, 1), slope)
        return drop(slope, mask=(raw(self) < eps) | (raw(self) > 1 - eps))  # NaN stays


@primitive(typing="float", pointwise=True, linear=True, public=True, inplace="public")
class deg2rad:
    """Degrees to radians."""

    forward = xp.deg2rad

    def grad_self(grad):
        return grad * (math.pi / 180)


@primitive(typing="float", pointwise=True, linear=True, public=True, inplace="public")
class rad2deg:
    """Radians to degrees."""

    forward = xp.rad2deg

    def grad_self(grad):
        return grad * (180 / math.pi)


# Gamma numbers, whose derivative says how far they move with the shape parameter.


def _drawn(self):
    return random.standard_gamma(self, device_of(self), None)


@primitive(typing="float", node="StandardGammaBackward0", real_only=True)
class standard_gamma:
    """A gamma number of shape `self` and rate 1 for each element, drawn anew at each call.

    It moves as if it stayed at its quantile; that derivative has none itself.
    """

    forward = _drawn

    def grad_self(grad, self, result):
        return grad * constant(special.sample_slope(raw(self), raw(result)), grad)
