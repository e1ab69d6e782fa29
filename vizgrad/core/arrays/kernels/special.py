"""Special functions, by scipy (cupyx.scipy on a GPU), which are imported when one is first called."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, as_array, special_functions
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.erf import erf as erf
from vizgrad.core.arrays.kernels.erf import erfc as erfc


def _library(x: Array) -> _Library:
    return _Library(special_functions(x))


class _Library:
    """scipy's functions, or cupyx's, which has not all of them."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except AttributeError:
            raise NotImplementedError(
                f"{name} is not implemented for CUDA devices: {self._module.__name__} has no such function. "
                "Move the tensor to the CPU first"
            ) from None


def of_one(name: str) -> Callable[[Array], Array]:
    """The library's function of that name."""

    @quiet
    def function(x: Array) -> Array:
        return as_array(getattr(_library(x), name)(x)).astype(x.dtype, copy=False)

    return function


def of_two(name: str) -> Callable[[Array, Array], Array]:
    """The library's function of that name, of two arrays of one type."""

    @quiet
    def function(self: Array, other: Array) -> Array:
        return as_array(getattr(_library(self), name)(self, other)).astype(self.dtype, copy=False)

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
    return as_array(_library(x).entr(x)).astype(x.dtype, copy=False)


@quiet
def polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of digamma, n >= 1."""
    order: Any = n if isinstance(x, (np.ndarray, np.generic)) else np.full_like(x, n, np.float64)
    return as_array(_library(x).polygamma(order, x)).astype(x.dtype, copy=False)


@quiet
def airy_ai(x: Array) -> Array:
    return as_array(_library(x).airy(x)[0]).astype(x.dtype, copy=False)


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
        found = np.where(degree < 0, 0, values(_library(self), np.maximum(degree, 0), self))
        return found.astype(self.dtype, copy=False)

    return function
