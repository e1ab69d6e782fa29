"""The names of torch.special."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from vizgrad.core.function.primitive import Primitive
from vizgrad.core.function.typing import number
from vizgrad.core.ops import pointwise, pointwise_binary, special
from vizgrad.core.ops.forms import function_of, public
from vizgrad.core.ops.public import reduction as _softmax
from vizgrad.core.ops.public.arguments import check_number, takes_out
from vizgrad.core.ops.public.arithmetic import logit as logit
from vizgrad.core.ops.public.arithmetic import polygamma as polygamma
from vizgrad.core.ops.public.arithmetic import round as round
from vizgrad.core.ops.public.statistics import logsumexp as logsumexp
from vizgrad.core.tensor.requirements import AtLeast, DtypeKind
from vizgrad.core.tensor.tensor import Tensor


def _either_number(op: Primitive) -> Callable[..., Tensor]:
    """A function of two operands of which one may be a number."""
    function = function_of(op)

    def either(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
        if not isinstance(input, Tensor):
            check_number(op.name, "self", input)
            input = number(input, other)
        return function(input, other, out=out)

    either.__name__ = either.__qualname__ = op.name
    either.__doc__ = op.__doc__
    return either


def _polynomial(op: Primitive) -> Callable[..., Tensor]:
    """The polynomial of degree `n` at `x`; one of the two may be a number."""
    function = _either_number(op)

    def polynomial(x: Any, n: Any, *, out: Tensor | None = None) -> Tensor:
        return function(x, n, out=out)

    polynomial.__name__ = polynomial.__qualname__ = op.name
    polynomial.__doc__ = op.__doc__
    return polynomial


digamma = psi = function_of(special.digamma)
erf = function_of(special.erf)
erfc = function_of(special.erfc)
erfinv = function_of(special.erfinv)
exp2 = function_of(pointwise.exp2)
expit = function_of(pointwise.sigmoid)
expm1 = function_of(pointwise.expm1)
gammaln = function_of(special.lgamma)
log1p = function_of(pointwise.log1p)
sinc = function_of(special.sinc)
xlog1py = function_of(pointwise_binary.xlog1py)
xlogy = function_of(pointwise_binary.xlogy)
airy_ai = function_of(special.BESSEL["airy_ai"], "x")
bessel_j0 = function_of(special.BESSEL["bessel_j0"])
bessel_j1 = function_of(special.BESSEL["bessel_j1"])
bessel_y0 = function_of(special.BESSEL["bessel_y0"])
bessel_y1 = function_of(special.BESSEL["bessel_y1"])
modified_bessel_i0 = function_of(special.BESSEL["modified_bessel_i0"])
modified_bessel_i1 = function_of(special.BESSEL["modified_bessel_i1"])
modified_bessel_k0 = function_of(special.BESSEL["modified_bessel_k0"])
modified_bessel_k1 = function_of(special.BESSEL["modified_bessel_k1"])
scaled_modified_bessel_k0 = function_of(special.BESSEL["scaled_modified_bessel_k0"], "x")
scaled_modified_bessel_k1 = function_of(special.BESSEL["scaled_modified_bessel_k1"], "x")
spherical_bessel_j0 = function_of(special.BESSEL["spherical_bessel_j0"], "x")
i0 = function_of(special.i0)
i0e = function_of(special.i0e)
i1 = function_of(special.i1)
i1e = function_of(special.i1e)
entr = function_of(special.entr)
erfcx = function_of(special.erfcx)
ndtri = function_of(special.ndtri)
log_ndtr = function_of(special.log_ndtr)
zeta = _either_number(special.zeta)
gammainc = function_of(special.igamma)
gammaincc = function_of(special.igammac)
chebyshev_polynomial_t = _polynomial(special.POLYNOMIALS["chebyshev_polynomial_t"])
chebyshev_polynomial_u = _polynomial(special.POLYNOMIALS["chebyshev_polynomial_u"])
chebyshev_polynomial_v = _polynomial(special.POLYNOMIALS["chebyshev_polynomial_v"])
chebyshev_polynomial_w = _polynomial(special.POLYNOMIALS["chebyshev_polynomial_w"])
hermite_polynomial_h = _polynomial(special.POLYNOMIALS["hermite_polynomial_h"])
hermite_polynomial_he = _polynomial(special.POLYNOMIALS["hermite_polynomial_he"])
laguerre_polynomial_l = _polynomial(special.POLYNOMIALS["laguerre_polynomial_l"])
legendre_polynomial_p = _polynomial(special.POLYNOMIALS["legendre_polynomial_p"])
shifted_chebyshev_polynomial_t = _polynomial(special.POLYNOMIALS["shifted_chebyshev_polynomial_t"])
shifted_chebyshev_polynomial_u = _polynomial(special.POLYNOMIALS["shifted_chebyshev_polynomial_u"])
shifted_chebyshev_polynomial_v = _polynomial(special.POLYNOMIALS["shifted_chebyshev_polynomial_v"])
shifted_chebyshev_polynomial_w = _polynomial(special.POLYNOMIALS["shifted_chebyshev_polynomial_w"])


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow."""
    return _softmax.log_softmax(input, dim, dtype)


def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow."""
    return _softmax.softmax(input, dim, dtype)


@public(method=True)
@takes_out
def mvlgamma(
    input: Annotated[
        Tensor,
        DtypeKind("iufcV", "The input tensor may not be a boolean tensor.", RuntimeError),
    ],
    p: Annotated[int, AtLeast(1, "p has to be greater than or equal to 1, got {value}")],
) -> Tensor:
    """log of the multivariate gamma function of dimension `p`."""
    return special.mvlgamma.record(input, p=int(p))


multigammaln = mvlgamma


@takes_out
def ndtr(input: Tensor) -> Tensor:
    """The area under the standard normal density up to x."""
    return erfc(input * -(0.5**0.5)) * 0.5


__all__ = [
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "chebyshev_polynomial_t",
    "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "digamma", "entr",
    "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammainc", "gammaincc", "gammaln",
    "hermite_polynomial_h", "hermite_polynomial_he", "i0", "i0e", "i1", "i1e",
    "laguerre_polynomial_l", "legendre_polynomial_p", "log1p", "log_ndtr", "log_softmax", "logit",
    "logsumexp", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0",
    "modified_bessel_k1", "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "round",
    "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w", "sinc", "softmax", "spherical_bessel_j0", "xlog1py", "xlogy",
    "zeta",
]  # fmt: skip
