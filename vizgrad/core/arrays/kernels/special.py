"""Special functions, by scipy (cupyx.scipy on a GPU), which are imported when one is first called.

The error function, in numpy's own loops: a quotient of polynomials over blocks that stay in the cache.

For |x| <= 6, erf(x) = x * P(x^2 / 36) / Q(x^2 / 36) with 12 terms each, fitted by weighted least squares in
50 digits to a relative error of 5e-17. All coefficients are positive, so nothing cancels.

In float32 erf(x) = tanh(x * T(x^2)): numpy has a fast tanh, and its inverse makes erf nearly straight: six
terms up to x^2 = 16, where erf is 1, give a relative error of 1e-7, and 2.7e-7 with all rounding. Beyond, the
polynomial grows on, so the tanh stays 1.

The normal distribution function Phi(x) = (1 + erf(x / sqrt(2))) / 2 is then a sigmoid of twice that argument.
numpy's `exp` takes half of the time of its tanh, and far below 0, where 1 + erf is a multiple of 6e-8, it is
more exact.

erfc(x) exp(x^2) (1 + 2x) is a polynomial of (x - 3) / (x + 3), relative error 1e-18.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array, as_array, special_functions
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.memory import contiguous

# The error function, in numpy's own loops: a quotient of polynomials over blocks that stay in the cache.

_P8 = (
    1.1283791670955126, 7.963357189241296, 85.92662991437152, 324.0394674750544, 1445.4587993622742,
    3480.6200309275896, 8560.723518955645, 13445.872145062152, 19227.780086520335, 17637.038631349158,
    12136.577464649024, 2862.4140392964023, 71.69851938031375,
)  # fmt: skip
_Q8 = (
    1.0, 19.057341558103325, 175.23859174082233, 1031.0612787926434, 4336.80235822167, 13783.568167921523,
    34057.41833879914, 66113.85081207282, 100217.29435420556, 115249.47664542009, 93638.34114031137,
    43034.91870848595, 4065.4186779622482,
)  # fmt: skip
_T4 = (
    1.128379274133496, 0.10276905723123654, -0.000191833803024135, -0.0006197822705999842,
    8.763649537319398e-05, -5.66834923904105e-06, 1.418454696367325e-07,
)  # fmt: skip
_C8 = (
    1.2530080582697296, -0.13562110612458123, -0.047562294353451176, 0.1296451587027649,
    -0.11927366341527554, 0.06830802734383974, -0.023770514919609846, 0.0025293918181241806,
    0.001888690372865711, -0.0007798322890919704, -0.00010515990906392902, 0.00012509943856881694,
    4.9500234180295395e-06, -2.0100852729251828e-05, -7.332447173064987e-07, 3.4730449918834743e-06,
    3.6059375955111935e-07, -6.175922646727533e-07, -1.4710961394997167e-07, 1.0280982449402661e-07,
    4.72080673199222e-08, -1.3924844635302213e-08, -1.1887923223951075e-08, 1.2087504427200233e-09,
    2.115962671989073e-09, -3.5596455016217064e-11, -1.963916858054108e-10,
)  # fmt: skip

#: Elements worked on at a time: a few blocks of them fit into the second-level cache.
BLOCK = 16384


def _horner(coefficients: tuple[Any, ...], u: Array, out: Array) -> Array:
    """sum of coefficients[k] * u^k, into `out`."""
    np.multiply(u, coefficients[-1], out)
    out += coefficients[-2]
    for c in coefficients[-3::-1]:
        out *= u
        out += c
    return out


def _constants(dtype: Any, *rows: tuple[float, ...]) -> list[tuple[Any, ...]]:
    return [tuple(np.full((), c, dtype) for c in row) for row in rows]


_FLOAT64 = (6.0, *_constants(np.float64, _P8, _Q8))
(_FLOAT32,) = _constants(np.float32, _T4)
#: -2 z T(z^2) with z = x / sqrt(2), as x times a polynomial of x^2.
(_NORMAL32,) = _constants(
    np.float32, tuple(-math.sqrt(2) * c / 2**power for power, c in enumerate(_T4))
)
_ONE32 = np.ones((), np.float32)


def erf_of_block(x: Array, out: Array) -> None:
    """erf of an array of numpy's that fits the cache, float32 or float64, into `out`."""
    if x.dtype == np.float32:
        _horner(_FLOAT32, x * x, out)
        out *= x
        np.tanh(out, out)
        return
    end, p, q = _FLOAT64
    limit = x.dtype.type(end)
    clipped = np.minimum(np.maximum(x, -limit), limit)
    u = clipped * clipped
    u *= x.dtype.type(1 / (end * end))
    _horner(p, u, out)
    out *= clipped
    out /= _horner(q, u, clipped)
    # rounding must not lead beyond 1: gelu(-inf) is a product with 1 + erf
    np.minimum(np.maximum(out, -1, out=out), 1, out=out)


def one_over_normal_of_block(x: Array, out: Array) -> None:
    """1 / Phi(x), from 1 to infinity, of an array as for `erf_of_block`, into `out`."""
    if x.dtype == np.float32:
        _horner(_NORMAL32, x * x, out)
        out *= x
        np.exp(out, out)
        out += _ONE32
        return
    erf_of_block(x * math.sqrt(0.5), out)
    out += 1
    np.divide(2, out, out)


def _erfc_block(x: Array, out: Array) -> None:
    size = np.abs(x)
    s = (size - 3) / (size + 3)
    s[size == np.inf] = 1
    _horner(_C8, s, out)
    out *= np.exp(-size * size)
    out /= 1 + 2 * size
    out[size > 27.5] = 0
    np.copyto(out, 2 - out, where=x < 0)


def _by_block(function: Any, x: Array) -> Array:
    """`function(block, out)` over all of `x`, float16 in float32."""
    if x.dtype == np.float16:
        return _by_block(function, x.astype(np.float32)).astype(np.float16)
    flat = contiguous(x).reshape(-1)
    out = np.empty_like(flat)
    for start in range(0, flat.size, BLOCK):
        function(flat[start : start + BLOCK], out[start : start + BLOCK])
    result = out.reshape(x.shape)
    if x.flags.c_contiguous:
        return result
    turned = layout.empty_like_strides(x, result)
    turned[...] = result
    return turned


@quiet
def erf(x: Array) -> Array:
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return special_functions(x).erf(x).astype(x.dtype, copy=False)
    return _by_block(erf_of_block, x)


@quiet
def erfc(x: Array) -> Array:
    """1 - erf(x), also where that is tiny."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return special_functions(x).erfc(x).astype(x.dtype, copy=False)
    if x.dtype == np.float64:
        return _by_block(_erfc_block, x)
    return _by_block(_erfc_block, x.astype(np.float64)).astype(x.dtype)


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


#: From here on the series in 1 / |x| is as precise as a double; exp(|x|) is finite far beyond.
_FAR = 300.0


def scaled_bessel(order: int) -> Callable[[Array], Array]:
    """exp(-|x|) times the modified Bessel function of the first kind, of order 0 or 1."""
    on_host = of_one(f"i{order}e")

    @quiet
    def function(x: Array) -> Array:
        if isinstance(x, (np.ndarray, np.generic)):
            return on_host(x)
        # cupy multiplies by exp(-|x|) afterwards, which is 0 times infinity where |x| is large
        size = np.abs(x).astype(np.float64)
        near = getattr(_library(x), f"i{order}e")(np.minimum(size, _FAR))
        within, term, total = np.maximum(size, _FAR), 1.0, 1.0
        for k in range(1, 8):
            term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * within)
            total = total + term
        far = total / np.sqrt(2 * np.pi * within)
        found = np.where(size < _FAR, near, far)
        return (np.copysign(found, x) if order else found).astype(x.dtype, copy=False)

    return function


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


# Gamma numbers: how a sample moves with the shape parameter.


@quiet
def sample_slope(a: Array, z: Array) -> Array:
    """dz/da of the gamma number z of shape a that stays at its quantile: -(dP/da) / (dP/dx).

    dP/da is a difference of fourth order of whichever tail is the smaller, whose relative precision is that
    of the result; its step is a thousandth of the scale on which P changes.
    """
    library = special_functions(z)
    wide, x = a.astype(np.float64), z.astype(np.float64)
    step = 1e-3 * np.minimum(wide, np.sqrt(wide))

    def tail(shift: float) -> Array:
        lower = library.gammainc(wide + shift * step, x)
        return np.where(x < wide, lower, -library.gammaincc(wide + shift * step, x))

    change = (8 * (tail(1) - tail(-1)) - (tail(2) - tail(-2))) / (12 * step)
    log_density = (wide - 1) * np.log(x) - x - library.gammaln(wide)
    found = -change / np.exp(log_density)
    # far below all others, where P is z^a / Gamma(a + 1) and both parts underflow
    limit = -x / wide * (np.log(x) - library.psi(wide + 1))
    tiny = library.gammainc(wide, x) < 1e-200
    return np.where(x == 0, 0, np.where(tiny, limit, found)).astype(z.dtype)
