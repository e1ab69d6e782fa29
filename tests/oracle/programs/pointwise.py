"""Functions of one tensor, element by element: values, first and second derivatives, kinks and ends."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_INF, _NAN = float("inf"), float("nan")

_ANYWHERE = [
    "neg",
    "abs",
    "exp",
    "expm1",
    "exp2",
    "sin",
    "cos",
    "tanh",
    "sinh",
    "cosh",
    "atan",
    "asinh",
    "sigmoid",
    "relu",
    "square",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "frac",
    "erf",
    "erfc",
]
_POSITIVE = ["log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "lgamma", "digamma"]
_INSIDE_ONE = ["asin", "acos", "atanh", "tan", "erfinv"]


@program(rules="T-33", each=_ANYWHERE)
def smooth_everywhere(torch, see, name):
    see.derivatives(name, getattr(torch, name), wave(2, 3, low=-2, high=2))


@program(rules="T-33", each=_POSITIVE)
def of_positive_numbers(torch, see, name):
    see.derivatives(name, getattr(torch, name), wave(2, 3, low=0.2, high=3))


@program(rules="T-33", each=_INSIDE_ONE)
def inside_one(torch, see, name):
    see.derivatives(name, getattr(torch, name), wave(2, 3, low=-0.9, high=0.9))


@program(rules="T-33", each=("exp", "tanh", "sqrt", "log", "sigmoid", "reciprocal", "relu", "abs"))
def in_single_precision(torch, see, name):
    see.derivatives(name, getattr(torch, name), wave(5, low=0.2, high=3), dtype="float32")


@program(rules="T-33", each=("neg", "exp", "sqrt", "tanh", "relu", "abs", "square", "sin"))
def in_place_forms_write_and_record(torch, see, name):
    x = torch.tensor(wave(4, low=0.2, high=3), dtype=torch.float64, requires_grad=True)
    y = x * 1
    result = getattr(y, f"{name}_")()
    see("returns itself", result is y, expect=True)
    see("version", y._version)
    see("value", y)
    y.backward(torch.tensor(wave(4, seed=2), dtype=torch.float64))
    see("gradient", x.grad)


@program(rules="T-70")
def kinks_have_the_agreed_slope(torch, see):
    F = torch.nn.functional

    def slope(fn, at):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(fn(x), x)[0].item()

    see("abs", slope(torch.abs, 0.0), expect=0.0)
    see("relu", slope(torch.relu, 0.0), expect=0.0)
    see("leaky_relu", slope(lambda x: F.leaky_relu(x, 0.1), 0.0), expect=0.1)
    see("elu", slope(F.elu, 0.0), expect=1.0)
    see("relu6", [slope(F.relu6, 0.0), slope(F.relu6, 6.0)], expect=[0, 0])
    see("hardtanh", [slope(F.hardtanh, -1.0), slope(F.hardtanh, 1.0)], expect=[0, 0])
    see("sign", slope(torch.sign, 0.0), expect=0.0)
    see("floor", slope(torch.floor, 1.0), expect=0.0)
    see("frac", slope(torch.frac, 1.0), expect=1.0)


@program(rules="T-71")
def clamp_passes_the_gradient_at_its_bounds(torch, see):
    x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0, _NAN], dtype=torch.float64, requires_grad=True)
    for name, low, high in (
        ("both", -1, 1),
        ("low", -1, None),
        ("high", None, 1),
        ("crossed", 1, -1),
    ):
        y = torch.clamp(x, low, high)
        see(f"{name}: value", y)
        see(f"{name}: gradient", torch.autograd.grad(y.sum(), x)[0])
    see("gradient", torch.autograd.grad(x.clamp(-1, 1).sum(), x)[0], expect=[0, 1, 1, 1, 0, 0])
    see("clamp_min", torch.autograd.grad(x.clamp_min(0).sum(), x)[0])
    see("clamp_max", torch.autograd.grad(x.clamp_max(0).sum(), x)[0])


@program(rules="T-71")
def clamp_with_tensor_bounds(torch, see):
    see.derivatives(
        "no tie",
        torch.clamp,
        wave(4, low=-2, high=2),
        [-1.0, -0.5, 0.0, 0.1],
        [1.0, 0.5, 0.2, 0.3],
        twice=False,
    )
    see.derivatives("tie", torch.clamp, [1.0, 2.0], [1.0, 0.0], [3.0, 2.0], twice=False)


@program(rules="T-74")
def powers_at_zero(torch, see):
    def slope(fn, at):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(fn(x), x)[0].item()

    see("sqrt(0)", slope(torch.sqrt, 0.0), expect=_INF)
    see("rsqrt(0)", slope(torch.rsqrt, 0.0), expect=-_INF)
    see("x**0", [slope(lambda x: x**0, 0.0), slope(lambda x: x**0, 2.0)], expect=[0, 0])
    see("0**2", slope(lambda x: x**2, 0.0), expect=0.0)
    see("0**0.5", slope(lambda x: x**0.5, 0.0), expect=_INF)
    see("0**-1", slope(lambda x: x**-1, 0.0), expect=-_INF)
    see(
        "0**2 by the exponent",
        slope(lambda t: torch.tensor(0.0, dtype=t.dtype) ** t, 2.0),
        expect=0.0,
    )
    see("0**0 by the exponent", slope(lambda t: 0.0**t, 0.0), expect=0.0)
    see(
        "negative base by the exponent",
        slope(lambda t: torch.tensor(-2.0, dtype=t.dtype) ** t, 2.0),
        expect=_NAN,
    )


@program(rules="T-33 T-34", each=(2, 3, 0.5, -1, 0, 1, -2.5))
def powers_with_a_number(torch, see, exponent):
    see.derivatives("tensor ** number", lambda x: x**exponent, wave(4, low=0.3, high=2))
    see.derivatives("number ** tensor", lambda x: 1.7**x, wave(4, low=-2, high=2))


@program(rules="T-77")
def ends_of_domains(torch, see):
    def slope(fn, at):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(fn(x), x)[0].item()

    see("log(0)", slope(torch.log, 0.0), expect=_INF)
    see("log1p(-1)", slope(torch.log1p, -1.0), expect=_INF)
    see("asin(1)", slope(torch.asin, 1.0), expect=_INF)
    see("log of a negative", torch.log(torch.tensor([-1.0, 0.0])))
    see("sqrt of a negative", torch.sqrt(torch.tensor([-1.0])))


@program(rules="T-78")
def no_overflow_far_out(torch, see):
    far = [-1000.0, -100.0, 0.0, 100.0, 1000.0]
    F = torch.nn.functional
    for name, fn in (
        ("sigmoid", torch.sigmoid),
        ("tanh", torch.tanh),
        ("softplus", F.softplus),
        ("logsigmoid", F.logsigmoid),
        ("silu", F.silu),
        ("gelu", F.gelu),
    ):
        see.derivatives(name, fn, far, twice=False)


@program(
    rules="T-41",
    each=[
        "leaky_relu",
        "elu",
        "selu",
        "celu",
        "gelu",
        "silu",
        "mish",
        "softplus",
        "softsign",
        "hardtanh",
        "relu6",
        "logsigmoid",
    ],
)
def activations(torch, see, name):
    see.derivatives(name, getattr(torch.nn.functional, name), wave(2, 3, low=-3, high=3))
