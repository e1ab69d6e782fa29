"""Result types as a table: all pairs of types, as tensors with dimensions, without, and Python numbers."""

from tests.oracle.registry import program

_DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip
_NUMBERS = (True, 2, 2.5, 2j)

_OF_TWO = {
    "add": lambda torch, a, b: torch.add(a, b),
    "sub": lambda torch, a, b: torch.sub(a, b),
    "mul": lambda torch, a, b: torch.mul(a, b),
    "div": lambda torch, a, b: torch.div(a, b),
    "floor": lambda torch, a, b: torch.div(a, b, rounding_mode="floor"),
    "floor_divide": lambda torch, a, b: torch.floor_divide(a, b),
    "pow": lambda torch, a, b: torch.pow(a, b),
    "remainder": lambda torch, a, b: torch.remainder(a, b),
    "fmod": lambda torch, a, b: torch.fmod(a, b),
    "less": lambda torch, a, b: torch.lt(a, b),
    "equal": lambda torch, a, b: torch.eq(a, b),
    "where": lambda torch, a, b: torch.where(torch.tensor([True, False]), a, b),
    "bitwise_and": lambda torch, a, b: torch.bitwise_and(a, b),
    "logical_xor": lambda torch, a, b: torch.logical_xor(a, b),
    "float_power": lambda torch, a, b: torch.float_power(a, b),
    "xlogy": lambda torch, a, b: torch.xlogy(a, b),
    "copysign": lambda torch, a, b: torch.copysign(a, b),
    "clamp": lambda torch, a, b: torch.clamp(a, min=b),
    "isclose": lambda torch, a, b: torch.isclose(a, b),
}
#: Which take tensors alone.
_TENSORS = {
    "maximum": lambda torch, a, b: torch.maximum(a, b),
    "fmin": lambda torch, a, b: torch.fmin(a, b),
    "atan2": lambda torch, a, b: torch.atan2(a, b),
    "hypot": lambda torch, a, b: torch.hypot(a, b),
    "logaddexp": lambda torch, a, b: torch.logaddexp(a, b),
    "gcd": lambda torch, a, b: torch.gcd(a, b),
    "lerp": lambda torch, a, b: torch.lerp(a, b, 0.5),
    "addcmul": lambda torch, a, b: torch.addcmul(a, a, b),
    "cat": lambda torch, a, b: torch.cat([a.reshape(-1), b.reshape(-1)]),
    "stack": lambda torch, a, b: torch.stack([a.reshape(-1)[:1], b.reshape(-1)[:1]]),
    "heaviside": lambda torch, a, b: torch.heaviside(a, b),
    "result_type": lambda torch, a, b: torch.zeros(0, dtype=torch.result_type(a, b)),
    "promote_types": lambda torch, a, b: torch.zeros(
        0, dtype=torch.promote_types(a.dtype, b.dtype)
    ),
    "matmul": lambda torch, a, b: a @ b,
    "dot": lambda torch, a, b: torch.dot(a, b),
    "can_cast": lambda torch, a, b: torch.tensor(torch.can_cast(a.dtype, b.dtype)),
    "add_": lambda torch, a, b: a.clone().add_(b),
    "copy_": lambda torch, a, b: a.clone().copy_(b),
    "div_": lambda torch, a, b: a.clone().div_(b),
    "masked_fill": lambda torch, a, b: a.masked_fill(torch.tensor([True, False]), b.reshape(-1)[0]),
}


#: What takes a number before a tensor: the operators, and a few functions.
_FIRST = {
    "+": lambda torch, a, b: a + b,
    "-": lambda torch, a, b: a - b,
    "*": lambda torch, a, b: a * b,
    "/": lambda torch, a, b: a / b,
    "//": lambda torch, a, b: a // b,
    "%": lambda torch, a, b: a % b,
    "**": lambda torch, a, b: a**b,
    "&": lambda torch, a, b: a & b,
    "<": lambda torch, a, b: a < b,
    "==": lambda torch, a, b: a == b,
    **{name: _OF_TWO[name] for name in ("pow", "remainder", "where", "float_power", "xlogy")},
}


def _beyond(one, other):
    """float16 beside a complex number of lower priority: numpy has no complex type of that width."""
    return "float16" in (one, other) and ("complex" in one + other or other == "2j")


def _kind(torch, fn, a, b):
    """The type of the result, or the class of the error."""
    try:
        return fn(torch, a, b).dtype
    except Exception as error:  # noqa: BLE001 (its class is what is seen)
        kinds = (RuntimeError, TypeError, ValueError, IndexError)
        return next((k for k in kinds if isinstance(error, k)), type(error))


def _tensor(torch, dtype, dims):
    made = torch.tensor([1, 2]).to(getattr(torch, dtype))
    return made if dims else made[1]


@program(rules="T-2 T-3 T-4 T-5 T-6", each={**_OF_TWO, **_TENSORS}.items())
def two_tensors(torch, see, case):
    _, fn = case
    for one in _DTYPES:
        for dims in ((1, 1), (1, 0), (0, 1), (0, 0)):
            found = {
                other: _kind(
                    torch, fn, _tensor(torch, one, dims[0]), _tensor(torch, other, dims[1])
                )
                for other in _DTYPES
                if dims in ((1, 1), (0, 0)) or not _beyond(one, other)
            }
            see(f"{one} {dims}", found)


@program(rules="T-3 T-4 T-5", each=_OF_TWO.items())
def a_tensor_and_a_number(torch, see, case):
    _, fn = case
    for one in _DTYPES:
        for dims in (1, 0):
            x = _tensor(torch, one, dims)
            see(
                f"{one} {dims}",
                {str(n): _kind(torch, fn, x, n) for n in _NUMBERS if not _beyond(one, str(n))},
            )


@program(rules="T-3 T-4 T-5", each=_FIRST.items())
def a_number_and_a_tensor(torch, see, case):
    _, fn = case
    for one in _DTYPES:
        for dims in (1, 0):
            x = _tensor(torch, one, dims)
            see(
                f"{one} {dims}",
                {str(n): _kind(torch, fn, n, x) for n in _NUMBERS if not _beyond(one, str(n))},
            )


@program(rules="T-3", each=("float32", "float64"))
def under_another_default(torch, see, default):
    torch.set_default_dtype(getattr(torch, default))
    try:
        for one in _DTYPES:
            for dims in (1, 0):
                x = _tensor(torch, one, dims)
                found = [x + n for n in _NUMBERS if not _beyond(one, str(n))] + [
                    x / 2,
                    x.sum(),
                    x.cumsum(-1),
                ]
                see(f"{one} {dims}", [t.dtype for t in found])
                see(f"{one} {dims}: exp", _kind(torch, lambda t, a, b: a.exp(), x, x))
    finally:
        torch.set_default_dtype(torch.float32)


@program(rules="T-3")
def half_beside_a_complex_number(torch, see):
    half = torch.ones(2, dtype=torch.float16)
    for name, made in (("number", half * 2j), ("0-dim", half * torch.tensor(2j))):
        see.differs(name, str(made.dtype).rpartition(".")[2], torch="complex32", vizgrad="complex64",
                    because="T-3: numpy has no complex type of half precision")  # fmt: skip


@program(rules="T-8", each=("uint8", "int8", "int16", "int32", "int64"))
def integers_wrap(torch, see, name):
    dtype = getattr(torch, name)
    info = torch.iinfo(dtype)
    top = torch.tensor([info.max, info.min, 3], dtype=dtype)
    see("plus 1", top + 1)
    see("minus 1", top - 1)
    see("times 2", top * 2)
    see("negated", -top)
    see("square", top * top)
    see("power", top**3)
    see("abs", top.abs())
    see("shifted", top << 1)
    if name == "uint8":
        see("the rule's own", torch.tensor(1, dtype=dtype) * torch.tensor(300), expect=300)
        see("by a number", torch.tensor([1], dtype=dtype) * 300, expect=[44])


_OF_ONE = (
    "exp", "sqrt", "sin", "log", "sigmoid", "tanh", "reciprocal", "erf", "neg", "square", "sign", "floor",
    "ceil", "round", "trunc", "frac", "rsqrt", "log1p", "expm1", "deg2rad", "lgamma", "isnan", "isfinite",
    "logical_not", "bitwise_not", "sum", "prod", "mean", "std", "amax", "argmax", "any", "all", "nansum",
    "median", "mode", "positive", "angle", "conj", "real", "sgn", "nan_to_num", "logit", "exp2", "sinc",
    "signbit",
)  # fmt: skip


@program(rules="T-4", each=_DTYPES)
def functions_of_one_type(torch, see, name):
    x = _tensor(torch, name, 1)
    for function in _OF_ONE:
        see(function, _kind(torch, lambda t, a, b, f=function: getattr(t, f)(a), x, x))
