"""Special functions (spec T-33, T-40, T-77)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays import random, xp
from vizgrad.core.arrays.backend import device_of
from vizgrad.core.arrays.kernels import activation, elementwise, special
from vizgrad.core.arrays.kernels import special as kernel
from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.arithmetic import neg as neg
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.copying import cast
from vizgrad.core.ops.pointwise import abs, exp, log
from vizgrad.core.ops.select import drop, where_mask
from vizgrad.core.ops.select import sign as sign
from vizgrad.core.tensor.tensor import Tensor


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


@primitive(typing="float", pointwise=True, real_only=True)
class mvlgamma:
    """log of the multivariate gamma function of dimension `p`."""

    def forward(self, *, p):
        total = self * 0 + p * (p - 1) / 4 * math.log(math.pi)
        for j in range(p):
            total = total + special.lgamma(self - j / 2)
        return total

    def grad_self(grad, self, p):
        slope = digamma(self)
        for j in range(1, p):
            slope = slope + digamma(self - j / 2)
        return grad * slope


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
        if eps is None or eps < 0:  # NaN, as the value, where there is no logarithm
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


# --- Bessel functions, incomplete gamma and related functions; orthogonal polynomials (spec T-40) -----


_ROOT_TWO_PI = math.sqrt(2 * math.pi)


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace="public")
class i0:
    """The modified Bessel function of the first kind, of order 0."""

    forward = kernel.of_one("i0")

    def grad_self(grad, self):
        return grad * i1(self)


@primitive(typing="float", pointwise=True, real_only=True)
class i0e:
    """i0(x) exp(-|x|)."""

    forward = kernel.scaled_bessel(0)

    def grad_self(grad, self, result):
        return grad * (i1e(self) - sign(self) * result)


@primitive(typing="float", pointwise=True, real_only=True)
class i1:
    """The modified Bessel function of the first kind, of order 1."""

    forward = kernel.of_one("i1")

    def grad_self(grad, self, result):
        return grad * (i0(self) - _over(result, self))


@primitive(typing="float", pointwise=True, real_only=True)
class i1e:
    """i1(x) exp(-|x|)."""

    forward = kernel.scaled_bessel(1)

    def grad_self(grad, self, result):
        return grad * (i0e(self) - sign(self) * result - _over(result, self))


def _over(value, x):
    """i1(x) / x, which is 1/2 at 0, and nearer to 0 than the type tells from it."""
    zero = abs(raw(x)) < 1e-16
    return where_mask(x * 0 + 0.5, value / where_mask(x * 0 + 1, x, condition=zero), condition=zero)


@primitive(typing="float", pointwise=True, real_only=True)
class erfcx:
    """erfc(x) exp(x^2)."""

    forward = kernel.of_one("erfcx")

    def grad_self(grad, self, result):
        return grad * (2 * self * result - 2 / math.sqrt(math.pi))


@primitive(typing="float", pointwise=True, real_only=True)
class ndtri:
    """The inverse of the standard normal distribution function."""

    forward = kernel.of_one("ndtri")

    def grad_self(grad, result):
        return grad * _ROOT_TWO_PI * exp(result * result * 0.5)


@primitive(typing="float", pointwise=True, real_only=True)
class log_ndtr:
    """log of the standard normal distribution function, also far to the left."""

    forward = kernel.of_one("log_ndtr")

    def grad_self(grad, self, result):
        if isinstance(grad, Tensor):  # density / probability: a function of the result
            return grad * exp(self * self * -0.5 - result) * (1 / math.sqrt(2 * math.pi))
        return grad / erfcx(self * -math.sqrt(0.5)) * math.sqrt(2 / math.pi)


def _no_derivative(function: str, input: str) -> Callable[..., Any]:
    def refuse(grad):
        raise NotImplementedError(
            f"the derivative for '{function}: {input}' is not implemented; detach that operand"
        )

    return refuse


def _floating(order, x):
    """`order`, integers in the type of `x`."""
    return cast(order, x.dtype) if raw(order).dtype.kind in "biu" else order


@primitive(typing="float", pointwise=True, real_only=True, node="SpecialZetaBackward0")
class zeta:
    """The Hurwitz zeta function, the sum of (k + other)^-self over k >= 0."""

    forward = kernel.zeta
    grad_self = _no_derivative("zeta", "self")

    def grad_other(grad, self, other):
        order = _floating(self, other)
        return grad * -order * zeta(order + 1, other)


@primitive(
    typing="promote", pointwise=True, real_only=True, public=True, inplace=True, numbers="none",
    floats_only=True,
)  # fmt: skip
class igamma:
    """The regularised lower incomplete gamma function of order self, up to other."""

    forward = kernel.of_two("gammainc")
    grad_self = _no_derivative("igamma", "input")

    def grad_other(grad, self, other):
        return grad * _gamma_density(self, other)


@primitive(
    typing="promote", pointwise=True, real_only=True, public=True, inplace=True, numbers="none",
    floats_only=True,
)  # fmt: skip
class igammac:
    """The regularised upper incomplete gamma function of order self, from other."""

    forward = kernel.of_two("gammaincc")
    grad_self = _no_derivative("igammac", "input")

    def grad_other(grad, self, other):
        return grad * -_gamma_density(self, other)


def _gamma_density(order, x):
    """x^(order - 1) e^-x / Gamma(order)."""
    order = _floating(order, x)  # lgamma of integers is no integer
    power = drop((order - 1) * log(x), mask=raw(order) == 1)
    return exp(power - x - lgamma(order))


def _plain(name: str, forward: Callable[..., Any], doc: str) -> Primitive:
    declare = primitive(typing="float", pointwise=True, real_only=True)
    return declare(type(name, (), {"forward": forward, "__doc__": doc}))


_BESSEL = {
    "airy_ai": ("The Airy function Ai.", None),
    "bessel_j0": ("The Bessel function of the first kind, of order 0.", "j0"),
    "bessel_j1": ("The Bessel function of the first kind, of order 1.", "j1"),
    "bessel_y0": ("The Bessel function of the second kind, of order 0.", "y0"),
    "bessel_y1": ("The Bessel function of the second kind, of order 1.", "y1"),
    "modified_bessel_i0": ("The modified Bessel function of the first kind, of order 0.", "i0"),
    "modified_bessel_i1": ("The modified Bessel function of the first kind, of order 1.", "i1"),
    "modified_bessel_k0": ("The modified Bessel function of the second kind, of order 0.", "k0"),
    "modified_bessel_k1": ("The modified Bessel function of the second kind, of order 1.", "k1"),
    "scaled_modified_bessel_k0": ("exp(x) times `modified_bessel_k0`.", "k0e"),
    "scaled_modified_bessel_k1": ("exp(x) times `modified_bessel_k1`.", "k1e"),
    "spherical_bessel_j0": ("sin(x) / x, 1 at 0.", None),
}
_OWN = {"airy_ai": kernel.airy_ai, "spherical_bessel_j0": kernel.spherical_bessel_j0}

BESSEL = {
    name: _plain(name, _OWN[name] if found is None else kernel.of_one(found), doc)
    for name, (doc, found) in _BESSEL.items()
}
#: Orthogonal polynomials: of a tensor and the degree, which may be a tensor, too.
POLYNOMIALS = {
    name: _plain(
        name,
        kernel.polynomial(name),
        f"{name.replace('_polynomial_', ' polynomial ').capitalize()}_n of degree n = `other`.",
    )
    for name in kernel.POLYNOMIALS
}
