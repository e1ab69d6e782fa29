"""Norms, powers and products at zero (T-73, T-74, T-75)."""

from tests.oracle.points import watch
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")
_ZERO = [0.0, 0.0]


@program(rules="T-73", each=(1, 1.5, 2, 3, _INF, -_INF, -1, 0.5))
def a_norm_at_zero(torch, see, p):
    twice = p in (1, _INF, -_INF)
    watch(torch, see, "norm", lambda x: torch.norm(x, p=p), _ZERO, twice=twice)
    watch(torch, see, "vector_norm", lambda x: torch.linalg.vector_norm(x, p), _ZERO, twice=twice)
    watch(torch, see, "one row is zero", lambda x: torch.linalg.vector_norm(x, p, dim=1),
          [[0.0, 0.0], [3.0, -4.0]], twice=twice)  # fmt: skip
    watch(torch, see, "one element is zero", lambda x: torch.linalg.vector_norm(x, p), [0.0, -2.0, 3.0],
          twice=p != 1.5 and p > 0)  # fmt: skip


@program(rules="T-73")
def norms_of_nothing_have_no_slope(torch, see):
    watch(torch, see, "2-norm", torch.norm, _ZERO, slope=[[0, 0]], twice=False)
    watch(torch, see, "Frobenius", lambda x: torch.norm(x, p="fro"), [_ZERO, _ZERO],
          slope=[[[0, 0], [0, 0]]], twice=False)  # fmt: skip
    watch(torch, see, "matrix_norm", torch.linalg.matrix_norm, [_ZERO, _ZERO],
          slope=[[[0, 0], [0, 0]]], twice=False)  # fmt: skip
    for p in (1, 2, 3, _INF):
        watch(torch, see, f"dist {p}", lambda a, b, p=p: torch.dist(a, b, p), [1.0, 2.0], [1.0, 2.0],
              slope=[_ZERO, _ZERO], twice=False)  # fmt: skip
        watch(torch, see, f"cdist {p}", lambda a, b, p=p: torch.cdist(a, b, p), [[1.0, 2.0]], [[1.0, 2.0]],
              slope=[[_ZERO], [_ZERO]], twice=False)  # fmt: skip
    watch(torch, see, "hypot", torch.hypot, 0.0, 0.0, slope=[_NAN, _NAN])
    x = torch.tensor([0.0, 3.0], requires_grad=True)
    zeroth = torch.norm(x, p=0)
    see("0-norm", zeroth.detach(), expect=1)
    see.raises(
        "its gradient",
        lambda: torch.autograd.grad(zeroth, x),
        phrase="not have been used in the graph",
    )


@program(rules="T-73")
def normalising_nothing(torch, see):
    F = torch.nn.functional
    watch(
        torch,
        see,
        "normalize",
        lambda x: F.normalize(x, dim=0),
        _ZERO,
        slope=[[1e12, 1e12]],
        twice=False,
    )
    watch(
        torch,
        see,
        "with eps",
        lambda x: F.normalize(x, dim=0, eps=0.5),
        _ZERO,
        slope=[[2, 2]],
        twice=False,
    )
    watch(torch, see, "cosine_similarity", lambda a, b: F.cosine_similarity(a, b, dim=0), _ZERO, [1.0, 0.0],
          slope=[[1e8, 0], [0, 0]], twice=False)  # fmt: skip
    watch(
        torch,
        see,
        "pairwise_distance",
        F.pairwise_distance,
        [[1.0, 2.0]],
        [[1.0, 2.0]],
        twice=False,
    )


_ZERO_BASE = {
    "sqrt": (lambda torch, x: x.sqrt(), 0.0, _INF),
    "rsqrt": (lambda torch, x: x.rsqrt(), 0.0, -_INF),
    "reciprocal": (lambda torch, x: x.reciprocal(), 0.0, -_INF),
    "x**0 at 0": (lambda torch, x: x**0, 0.0, 0),
    "x**0 at 2": (lambda torch, x: x**0, 2.0, 0),
    "x**0.0 at nan": (lambda torch, x: x**0.0, _NAN, 0),
    "0**1": (lambda torch, x: x**1, 0.0, 1),
    "0**2": (lambda torch, x: x**2, 0.0, 0),
    "0**3": (lambda torch, x: x**3, 0.0, 0),
    "0**0.5": (lambda torch, x: x**0.5, 0.0, _INF),
    "0**1.5": (lambda torch, x: x**1.5, 0.0, 0),
    "0**-1": (lambda torch, x: x**-1, 0.0, -_INF),
    "0**-0.5": (lambda torch, x: x**-0.5, 0.0, -_INF),
    "(-2)**3": (lambda torch, x: x**3, -2.0, 12),
    "(-2)**0.5": (lambda torch, x: x**0.5, -2.0, _NAN),
    "number 0 ** 0": (lambda torch, t: 0.0**t, 0.0, 0),
    "number 0 ** 2": (lambda torch, t: 0.0**t, 2.0, 0),
    "number 0 ** -1": (lambda torch, t: 0.0**t, -1.0, -_INF),
    "number -2 ** 2": (lambda torch, t: (-2.0) ** t, 2.0, _NAN),
    "float_power": (lambda torch, x: torch.float_power(x, 2), 0.0, 0),
    "square": (lambda torch, x: x.square(), 0.0, 0),
}


@program(rules="T-74", each=_ZERO_BASE)
def powers_of_one(torch, see, name):
    fn, at, slope = _ZERO_BASE[name]
    watch(torch, see, name, lambda x: fn(torch, x), at, slope=[slope])


@program(rules="T-74")
def powers_of_two_tensors(torch, see):
    for base, exponent, slope in (
        (0.0, 0.0, [0, 0]),
        (0.0, 1.0, [1, 0]),
        (0.0, 2.0, [0, 0]),
        (0.0, 0.5, [_INF, 0]),
        (0.0, -1.0, [-_INF, -_INF]),
        (2.0, 0.0, [0, 0.6931471805599453]),
        (-2.0, 2.0, [-4, _NAN]),
        (-2.0, 0.0, [0, _NAN]),
    ):
        watch(torch, see, f"{base}**{exponent}", torch.pow, base, exponent, slope=slope)
    watch(torch, see, "all at once", torch.pow, [0.0, 0.0, 1.0, -1.0], [0.0, 3.0, 0.0, 2.0])


_PRODUCTS = ([2.0, 3.0, 4.0], [0.0, 2.0, 3.0], [2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 2.0, 0.0],
             [0.0, 0.0, 0.0], [0.0], [-0.0, 2.0])  # fmt: skip


@program(rules="T-75", each=_PRODUCTS)
def products_with_zeros(torch, see, values):
    watch(torch, see, "prod", torch.prod, values)
    watch(torch, see, "over a dim", lambda x: x.prod(0), values)
    watch(torch, see, "kept", lambda x: x.prod(0, keepdim=True), values)
    watch(torch, see, "rows", lambda x: x.reshape(1, -1).expand(2, -1).prod(1), values)
    watch(torch, see, "cumprod", lambda x: x.cumprod(0), values)


@program(rules="T-75")
def products_as_the_rule_lists_them(torch, see):
    watch(torch, see, "one zero", torch.prod, [0.0, 2.0, 3.0], slope=[[6, 0, 0]])
    watch(torch, see, "two zeros", torch.prod, [0.0, 0.0, 3.0], slope=[[0, 0, 0]])
    watch(torch, see, "cumprod", lambda x: x.cumprod(0), [2.0, 0.0, 3.0], slope=[[1, 8, 0]])
    watch(
        torch, see, "rows", lambda x: x.prod(1), [[0.0, 2.0], [0.0, 0.0]], slope=[[[2, 0], [0, 0]]]
    )
    watch(torch, see, "cumprod of rows", lambda x: x.cumprod(1), [[2.0, 0.0, 3.0], [0.0, 0.0, 5.0]])
    watch(
        torch,
        see,
        "cumprod of columns",
        lambda x: x.cumprod(0),
        [[2.0, 0.0], [0.0, 3.0], [4.0, 5.0]],
    )
