"""Ends of domains (T-77), and what where cannot hide (T-76)."""

import math

from tests.oracle.points import slopes, watch
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")


@program(rules="T-76")
def a_hidden_branch_still_has_a_gradient(torch, see):
    where = torch.where
    watch(torch, see, "sqrt", lambda x: where(x > 0, x.sqrt(), torch.zeros_like(x)), [0.0, 4.0],
          slope=[[_NAN, 0.25]])  # fmt: skip
    watch(torch, see, "1/x", lambda x: where(x == 0, torch.ones_like(x), 1 / x), [0.0, 2.0],
          slope=[[_NAN, -0.25]])  # fmt: skip
    watch(torch, see, "log", lambda x: where(x > 0, x.log(), x), [0.0, 2.0])
    watch(
        torch, see, "times a mask", lambda x: x.sqrt() * (x > 0), [0.0, 4.0], slope=[[_NAN, 0.25]]
    )
    watch(torch, see, "masked_fill", lambda x: x.sqrt().masked_fill(x <= 0, 0.0), [0.0, 4.0],
          slope=[[_NAN, 0.25]])  # fmt: skip

    def safe(x):
        inside = where(x > 0, x, torch.ones_like(x))
        return where(x > 0, inside.sqrt(), torch.zeros_like(x))

    watch(torch, see, "the input masked too", safe, [0.0, 4.0], slope=[[0, 0.25]])


@program(rules="T-76")
def where_routes_by_element(torch, see):
    mask = torch.tensor([True, False])
    watch(torch, see, "two tensors", lambda a, b: torch.where(mask, a, b), [1.0, _NAN], [_INF, 2.0],
          slope=[[1, 0], [0, 1]])  # fmt: skip
    watch(torch, see, "broadcast", lambda a, b: torch.where(mask, a, b), [[1.0], [2.0]], 3.0)
    watch(torch, see, "a number", lambda a: torch.where(mask, a, 0.0), [1.0, 2.0], slope=[[1, 0]])


_OF_ONE = {
    "log": (lambda torch, x: x.log(), 0.0, _INF),
    "log2": (lambda torch, x: x.log2(), 0.0, _INF),
    "log10": (lambda torch, x: x.log10(), 0.0, _INF),
    "log of a negative": (lambda torch, x: x.log(), -2.0, -0.5),
    "log1p": (lambda torch, x: x.log1p(), -1.0, _INF),
    "asin": (lambda torch, x: x.asin(), 1.0, _INF),
    "asin of -1": (lambda torch, x: x.asin(), -1.0, _INF),
    "asin of 2": (lambda torch, x: x.asin(), 2.0, _NAN),
    "acos": (lambda torch, x: x.acos(), 1.0, -_INF),
    "acosh": (lambda torch, x: x.acosh(), 1.0, _INF),
    "atanh": (lambda torch, x: x.atanh(), 1.0, _INF),
    "erfinv": (lambda torch, x: x.erfinv(), 1.0, _INF),
    "erfinv of -1": (lambda torch, x: x.erfinv(), -1.0, _INF),
    "sinc": (lambda torch, x: torch.sinc(x), 0.0, 0),
    "lgamma": (lambda torch, x: x.lgamma(), 0.0, -_INF),
    "logit": (lambda torch, x: x.logit(), 0.0, _INF),
    "logit of 1": (lambda torch, x: x.logit(), 1.0, _INF),
    "logit outside": (lambda torch, x: x.logit(), 2.0, _NAN),
    "1/x": (lambda torch, x: 1 / x, 0.0, -_INF),
    "tan": (lambda torch, x: x.tan(), 0.0, 1),
    "entr": (lambda torch, x: torch.special.entr(x), 0.0, _INF),
    "ndtri": (lambda torch, x: torch.special.ndtri(x), 0.5, 2.5066282746310002),
}
#: Without a second derivative there, or see `sinc_bends_at_zero`.
_ONCE = ("sinc", "logit outside")


@program(rules="T-77", each=_OF_ONE)
def ends_of_functions_of_one(torch, see, name):
    fn, at, slope = _OF_ONE[name]
    watch(torch, see, name, lambda x: fn(torch, x), at, slope=[slope], twice=name not in _ONCE)


@program(rules="T-77")
def sinc_bends_at_zero(torch, see):
    x = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.sinc(x), x, create_graph=True)
    see("slope", slope.item(), expect=0.0)
    see.differs(
        "second derivative",
        torch.autograd.grad(slope, x)[0],
        torch=_NAN,
        vizgrad=-(math.pi**2) / 3,
        because="T-77: PyTorch's formula divides by 0 there; vizgrad's goes on with the series",
    )


@program(rules="T-77")
def logit_with_its_eps(torch, see):
    watch(
        torch,
        see,
        "at the clamp value",
        lambda x: x.logit(0.25),
        [0.25, 0.75],
        slope=[[16 / 3, 16 / 3]],
    )
    watch(torch, see, "outside", lambda x: x.logit(0.25), [0.1, 0.9], slope=[[0, 0]])
    # With create_graph PyTorch gives 0: its two ways to say this do not agree.
    see("nan", slopes(torch, lambda x: x.logit(0.25), [_NAN]), expect=[[_NAN]])


_OF_TWO = {
    "xlogy(0, 0)": (lambda torch: torch.xlogy, 0.0, 0.0, [0, _NAN]),
    "xlogy(0, 2)": (lambda torch: torch.xlogy, 0.0, 2.0, [0.6931471805599453, 0]),
    "xlogy(1, 0)": (lambda torch: torch.xlogy, 1.0, 0.0, [-_INF, _INF]),
    "xlogy(0, nan)": (lambda torch: torch.xlogy, 0.0, _NAN, None),
    "xlog1py(0, -1)": (lambda torch: torch.special.xlog1py, 0.0, -1.0, None),
    "atan2(0, 0)": (lambda torch: torch.atan2, 0.0, 0.0, [0, 0]),
    "atan2(0, -1)": (lambda torch: torch.atan2, 0.0, -1.0, [-1, 0]),
    "1/0": (lambda torch: torch.div, 1.0, 0.0, [_INF, -_INF]),
    "-1/0": (lambda torch: torch.div, -1.0, 0.0, [_INF, _INF]),
    "0/0": (lambda torch: torch.div, 0.0, 0.0, [_INF, _NAN]),
    "copysign(0, 1)": (lambda torch: torch.copysign, 0.0, 1.0, [0, 0]),
    "copysign(0, -1)": (lambda torch: torch.copysign, 0.0, -1.0, [0, 0]),
    "copysign(2, -0)": (lambda torch: torch.copysign, 2.0, -0.0, [-1, 0]),
    "remainder(1, 0)": (lambda torch: torch.remainder, 1.0, 0.0, None),
    "fmod(1, 0)": (lambda torch: torch.fmod, 1.0, 0.0, None),
    "lerp at its end": (lambda torch: lambda a, b: torch.lerp(a, b, 1.0), 1.0, 2.0, [0, 1]),
}


@program(rules="T-77", each=_OF_TWO)
def ends_of_functions_of_two(torch, see, name):
    get, a, b, slope = _OF_TWO[name]
    watch(torch, see, name, get(torch), a, b, slope=slope)
