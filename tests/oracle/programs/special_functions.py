"""torch.special: values, derivatives where there are any, special points."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_SMOOTH = [
    "i0", "i0e", "i1", "i1e", "erfcx", "log_ndtr", "ndtr", "expit", "gammaln", "digamma", "erf",
    "erfc", "sinc", "entr", "logit", "ndtri",
]  # fmt: skip
_WITHOUT = [
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0",
    "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1", "spherical_bessel_j0",
]  # fmt: skip
_POLYNOMIALS = [
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
    "chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
    "laguerre_polynomial_l", "legendre_polynomial_p", "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]  # fmt: skip
#: PyTorch has NaN or a rounding error there, scipy the limit.
_ROUGH_ENDS = ("digamma", "i1", "i1e", "log_ndtr")
_ENDS = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan")]


@program(rules="T-40 T-33", each=_SMOOTH)
def with_derivatives(torch, see, name):
    see.derivatives(name, getattr(torch.special, name), wave(2, 3, low=0.1, high=0.9))


@program(rules="T-77", each=[name for name in _SMOOTH if name not in _ROUGH_ENDS])
def at_the_ends(torch, see, name):
    x = torch.tensor(_ENDS, dtype=torch.float64, requires_grad=True)
    y = getattr(torch.special, name)(x)
    see("value", y)
    see("gradient", torch.autograd.grad(y.sum(), x)[0])


@program(rules="T-84", each=_WITHOUT)
def without_derivatives(torch, see, name):
    x = torch.tensor(wave(2, 3, low=0.2, high=3), dtype=torch.float64, requires_grad=True)
    y = getattr(torch.special, name)(x)
    see("value", y.detach())
    see("asks for a gradient", y.requires_grad)


@program(rules="T-40", each=_POLYNOMIALS)
def polynomials(torch, see, name):
    function = getattr(torch.special, name)
    x = torch.tensor(wave(2, 4, low=0.05, high=0.95), dtype=torch.float64)
    see("degrees", [function(x, n) for n in (-1, 0, 1, 2, 5)])
    see("a tensor of degrees", function(x, torch.tensor([0, 1, 2, 3])))


@program(rules="T-40")
def of_two_numbers(torch, see):
    a = torch.tensor(wave(2, 3, low=0.5, high=3), dtype=torch.float64)
    x = torch.tensor(wave(2, 3, low=0.2, high=3, seed=4), dtype=torch.float64, requires_grad=True)
    for name in ("gammainc", "gammaincc"):
        y = getattr(torch.special, name)(a, x)
        see(name, [y, torch.autograd.grad(y.sum(), x)[0]])
    y = torch.special.zeta(a + 1.5, x)
    see("zeta", [y, torch.autograd.grad(y.sum(), x)[0]])
    see("zeta of numbers", [torch.special.zeta(2, x), torch.special.zeta(x + 1, 2)])
    order = a.clone().requires_grad_()
    see.raises(
        "the order",
        lambda: torch.special.gammainc(order, x).sum().backward(),
        phrase="not implemented",
    )


@program(rules="T-40")
def of_many_dimensions(torch, see):
    see.derivatives(
        "multigammaln", lambda x: torch.special.multigammaln(x, 3), wave(2, 3, low=1.5, high=4)
    )
    see.derivatives("polygamma", lambda x: torch.special.polygamma(2, x), wave(3, low=0.5, high=2))
