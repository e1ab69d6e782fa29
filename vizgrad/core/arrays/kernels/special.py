"""Special functions, by scipy (cupyx.scipy on a GPU), which are imported when one is first called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vizgrad.arrays.backend import Array, as_array, special_functions
from vizgrad.arrays.kernels.erf import erf as erf
from vizgrad.arrays.kernels.erf import erfc as erfc
from vizgrad.arrays.quiet import quiet


def of_one(name: str) -> Callable[[Array], Array]:
    """The library's function of that name."""

    @quiet
    def function(x: Array) -> Array:
        return as_array(getattr(special_functions(x), name)(x)).astype(x.dtype, copy=False)

    return function


def of_two(name: str) -> Callable[[Array, Array], Array]:
    """The library's function of that name, of two arrays of one type."""

    @quiet
    def function(self: Array, other: Array) -> Array:
        return as_array(getattr(special_functions(self), name)(self, other)).astype(
            self.dtype, copy=False
        )

    return function


_gammaln = of_one("gammaln")
digamma = of_one("psi")
erfinv = of_one("erfinv")
zeta = of_two("zeta")


def lgamma(x: Array) -> Array:
    """log |Gamma(x)|, infinite at both ends as in C (scipy says -inf at -inf)."""
    return _gammaln(np.where(np.isinf(x), np.abs(x), x))


@quiet
def entr(x: Array) -> Array:
    return as_array(special_functions(x).entr(x)).astype(x.dtype, copy=False)


@quiet
def polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of digamma, n >= 1."""
    return as_array(special_functions(x).polygamma(n, x)).astype(x.dtype, copy=False)


@quiet
def airy_ai(x: Array) -> Array:
    return as_array(special_functions(x).airy(x)[0]).astype(x.dtype, copy=False)


@quiet
def spherical_bessel_j0(x: Array) -> Array:
    return np.sinc(x / x.dtype.type(np.pi))


def _shifted(x: Array) -> Array:
    return 2 * x - 1


#: Families of polynomials in one argument, by their degree.
_POLYNOMIALS: dict[str, Callable[[Any, Array, Array], Array]] = {
    "chebyshev_polynomial_t": lambda s, n, x: s.eval_chebyt(n, x),
    "chebyshev_polynomial_u": lambda s, n, x: s.eval_chebyu(n, x),
    "chebyshev_polynomial_v": lambda s, n, x: s.eval_chebyu(n, x) - s.eval_chebyu(n - 1, x),
    "chebyshev_polynomial_w": lambda s, n, x: s.eval_chebyu(n, x) + s.eval_chebyu(n - 1, x),
    "hermite_polynomial_h": lambda s, n, x: s.eval_hermite(n, x),
    "hermite_polynomial_he": lambda s, n, x: s.eval_hermitenorm(n, x),
    "laguerre_polynomial_l": lambda s, n, x: s.eval_laguerre(n, x),
    "legendre_polynomial_p": lambda s, n, x: s.eval_legendre(n, x),
}
_POLYNOMIALS |= {
    f"shifted_chebyshev_polynomial_{kind}": (
        lambda s, n, x, f=_POLYNOMIALS[f"chebyshev_polynomial_{kind}"]: f(s, n, _shifted(x))
    )
    for kind in "tuvw"
}
POLYNOMIALS = tuple(_POLYNOMIALS)


def polynomial(name: str) -> Callable[[Array, Array], Array]:
    """A family's polynomial of degree `other`, cut to a whole number; 0 for negative degrees."""
    values = _POLYNOMIALS[name]

    @quiet
    def function(self: Array, other: Array) -> Array:
        degree = np.trunc(other).astype(np.int64)
        found = np.where(
            degree < 0, 0, values(special_functions(self), np.maximum(degree, 0), self)
        )
        return found.astype(self.dtype, copy=False)

    return function
