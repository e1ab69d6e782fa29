"""A fused kernel before it is text: arguments, steps over their elements, results. Plain data.

The functions of elements in a fused kernel: numpy's name, and how CUDA C writes it.

Where C differs from numpy the text says what numpy does: `maximum` hands on NaN, `sign` keeps it.

Writing a program by running the function: its arguments are stand-ins that note what is done to them.

A `Traced` answers numpy's functions (NEP 13, NEP 18), as the arrays of a device do, so the kernels and
formulas that numpy runs are also the source of the fused ones. A question that a stand-in cannot
answer, such as for a shape or a truth value, raises `Untraceable`: then the function is run as it is,
one launch an operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

#: How an argument is read. "elements": one value at each place; in kernels of rows also "rows": one a
#: row, "columns": one a column; "one": a single value. "number": a Python number, "index", "count": the
#: place in the row, and how many there are.
Place = Literal["elements", "rows", "columns", "one", "number", "index", "count"]


class Value(NamedTuple):
    """An argument, or what a step gives. Without a dtype it is a number that takes its neighbour's."""

    name: str
    dtype: np.dtype | None
    #: The same for all places of a row, so that one variable holds it.
    per_row: bool = False


Operand = Value | bool | int | float | np.generic


class Step(NamedTuple):
    result: Value
    op: str
    operands: tuple[Any, ...]
    #: The type that the operands are converted to.
    types: tuple[np.dtype, ...]


class Argument(NamedTuple):
    value: Value
    place: Place
    #: Its number among the arguments of the function; -1 for what every kernel knows.
    number: int


class Result(NamedTuple):
    value: Any
    #: The number of the argument whose array it is written to, or None for a new array.
    into: int | None


class Program(NamedTuple):
    name: str
    arguments: tuple[Argument, ...]
    steps: tuple[Step, ...]
    results: tuple[Result, ...]


def kernel_name(function: Callable[..., Any]) -> str:
    """The name of the kernel in a profile of the device; CUDA has an `rsqrt` of its own."""
    return "vizgrad_" + "".join(c if c.isalnum() else "_" for c in function.__name__)


def pruned(program: Program) -> Program:
    """The program without steps and arguments that no result depends on."""
    needed = {r.value.name for r in program.results}
    steps: list[Step] = []
    for step in reversed(program.steps):
        if step.result.name in needed:
            steps.append(step)
            needed |= {o.name for o in step.operands if isinstance(o, Value)}
    arguments = tuple(a for a in program.arguments if a.value.name in needed)
    return program._replace(arguments=arguments, steps=tuple(reversed(steps)))


# The functions of elements in a fused kernel: numpy's name, and how CUDA C writes it.

#: Types of elements, as C names them. Halves are left to cupy's own functions, complex numbers too.
C_TYPES = {
    np.dtype(name): text
    for name, text in {
        "?": "bool", "i1": "signed char", "u1": "unsigned char", "i2": "short", "i4": "int",
        "i8": "long long", "f4": "float", "f8": "double",
    }.items()
}  # fmt: skip

#: numpy's name -> C text. {0} {1} {2} are operands, {T} the type of the result.
C_TEXT = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}",
    "negative": "-{0}", "positive": "{0}", "square": "{0} * {0}", "reciprocal": "1 / {0}",
    "absolute": "{0} < 0 ? -{0} : {0} + 0", "sign": "{0} != {0} ? {0} : {T}(({0} > 0) - ({0} < 0))",
    "exp": "exp({0})", "exp2": "exp2({0})", "expm1": "expm1({0})", "log": "log({0})",
    "log2": "log2({0})", "log10": "log10({0})", "log1p": "log1p({0})", "sqrt": "sqrt({0})",
    "sin": "sin({0})", "cos": "cos({0})", "tan": "tan({0})", "arcsin": "asin({0})",
    "arccos": "acos({0})", "arctan": "atan({0})", "sinh": "sinh({0})", "cosh": "cosh({0})",
    "tanh": "tanh({0})", "arcsinh": "asinh({0})", "arccosh": "acosh({0})", "arctanh": "atanh({0})",
    "arctan2": "atan2({0}, {1})", "hypot": "hypot({0}, {1})", "copysign": "copysign({0}, {1})",
    "power": "pow({0}, {1})", "floor": "floor({0})", "ceil": "ceil({0})", "trunc": "trunc({0})",
    "rint": "rint({0})", "erf": "erf({0})", "erfc": "erfc({0})",
    "maximum": "({0} > {1} || {0} != {0}) ? {0} : {1}",
    "minimum": "({0} < {1} || {0} != {0}) ? {0} : {1}",
    "less": "{0} < {1}", "less_equal": "{0} <= {1}", "greater": "{0} > {1}",
    "greater_equal": "{0} >= {1}", "equal": "{0} == {1}", "not_equal": "{0} != {1}",
    "logical_and": "{0} && {1}", "logical_or": "{0} || {1}", "logical_not": "!{0}",
    "isnan": "{0} != {0}", "isfinite": "{0} - {0} == 0",
    "where": "{0} ? {1} : {2}", "cast": "{0}",
}  # fmt: skip

#: For bools these are logic, for integers they work on bits.
C_LOGIC = {
    "bitwise_and": "{0} && {1}", "bitwise_or": "{0} || {1}", "bitwise_xor": "{0} != {1}",
    "invert": "!{0}",
}  # fmt: skip

#: Only of floating-point numbers is this the same function in C.
FLOATS_ONLY = frozenset(
    {"power", "reciprocal", "divide", "floor", "ceil", "trunc", "rint", "isfinite"}
)

#: Reductions of a row -> (where they start, how two parts become one).
C_REDUCTIONS = {
    "row_sum": ("0", "{0} + {1}", "block_sum"),
    "row_max": ("-endless<{T}>()", C_TEXT["maximum"], "block_max"),
}


def text_of(op: str, types: tuple[np.dtype, ...]) -> str | None:
    """The C text of an operation on operands of these types; None if it is not to be fused."""
    if any(t not in C_TYPES for t in types):
        return None
    if op in C_LOGIC:
        return C_LOGIC[op] if all(t.kind == "b" for t in types) else None
    if op in FLOATS_ONLY and types[0].kind != "f":
        return None
    return C_TEXT.get(op)


# Writing a program by running the function: its arguments are stand-ins that note what is done to them.


class Untraceable(Exception):
    """The function asks for what only real arrays have."""


class Trace:
    """The steps so far."""

    def __init__(self) -> None:
        self.arguments: list[Argument] = []
        self.steps: list[Step] = []

    def argument(self, argument: Argument) -> Traced:
        self.arguments.append(argument)
        return Traced(self, argument.value)

    def step(
        self, op: str, operands: tuple[Operand, ...], types: tuple[Any, ...], dtype: Any
    ) -> Traced:
        of_row = op in C_REDUCTIONS or op == "pick"
        if dtype not in C_TYPES or not (of_row or text_of(op, types)):
            raise Untraceable(op)
        per_row = of_row or all(o.per_row for o in operands if isinstance(o, Value))
        result = Value(f"t{len(self.steps)}", dtype, per_row)
        self.steps.append(Step(result, op, operands, types))
        return Traced(self, result)


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands for an array while a function is traced."""

    __slots__ = ("_trace", "_value")
    __hash__ = None  # as of arrays: == compares elements

    def __init__(self, trace: Trace, value: Value) -> None:
        self._trace = trace
        self._value = value

    @property
    def value(self) -> Value:
        """Its present value: writing in place changes that."""
        return self._value

    @property
    def dtype(self) -> np.dtype:
        if self._value.dtype is None:
            raise Untraceable("the type of a number")
        return self._value.dtype

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", None)
        if method != "__call__" or options or ufunc.signature is not None or ufunc.nout != 1:
            raise Untraceable(ufunc.__name__)
        operands = tuple(map(_operand, inputs))
        if all(_dtype(o) is None for o in operands):
            raise Untraceable("numbers alone")
        *types, dtype = ufunc.resolve_dtypes((*map(_type, operands), None))
        found = self._trace.step(ufunc.__name__, operands, tuple(types), dtype)
        return found if out is None else _assign(out[0], found)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        instead = _FUNCTIONS.get(func.__name__)
        if instead is None:
            raise Untraceable(func.__name__)
        return instead(self._trace, *args, **kwargs)

    # --- in kernels of rows (`vizgrad.core.arrays.fusion.elements`) ---

    def reduced(self, op: str) -> Traced:
        """A value of the row, of all its elements."""
        return self._trace.step(op, (self._value,), (self.dtype,), self.dtype)

    def known(self, argument: Argument) -> Traced:
        """The stand-in of an argument that every kernel of rows has."""
        if argument not in self._trace.arguments:
            self._trace.arguments.append(argument)
        return Traced(self._trace, argument.value)

    def picked(self, place: Any) -> Traced:
        """The element of the row at `place`."""
        return self._trace.step("pick", (self._value, _operand(place)), (self.dtype,), self.dtype)

    def astype(self, dtype: Any, copy: bool = True) -> Traced:
        wanted = np.dtype(dtype)
        if wanted == self.dtype:
            return self.copy() if copy else self
        return self._trace.step("cast", (self._value,), (wanted,), wanted)

    def copy(self, order: str = "C") -> Traced:
        """The same element: the kernel that is made has no order of its own."""
        return Traced(self._trace, self._value)

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is not Ellipsis:
            raise Untraceable("writing to a part")
        _assign(self, value)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Untraceable(name)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise Untraceable("a value of an element")

    __array__ = __bool__ = __float__ = __int__ = __index__ = __complex__ = _refuse
    __len__ = __iter__ = __getitem__ = __matmul__ = __rmatmul__ = _refuse


def _operand(value: Any) -> Operand:
    if isinstance(value, Traced):
        return value._value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.dtype.type(value.item())
    if isinstance(value, (bool, int, float, np.generic)):
        return value
    raise Untraceable(type(value).__name__)


def _dtype(operand: Operand) -> np.dtype | None:
    """The type that counts in promotion; None for numbers of Python's, which take their neighbour's."""
    return operand.dtype if isinstance(operand, (Value, np.generic)) else None


def _type(operand: Operand) -> Any:
    dtype = _dtype(operand)
    if dtype is not None:
        return dtype
    return float if isinstance(operand, Value) else type(operand)


def _assign(target: Any, value: Any) -> Traced:
    """The effect of `target[...] = value`: all references to `target` see it."""
    if not isinstance(target, Traced):
        raise Untraceable("writing to an array from outside")
    found = _operand(value)
    if _dtype(found) != target.dtype:
        cast = target._trace.step("cast", (found,), (target.dtype,), target.dtype)
        found = cast._value
    assert isinstance(found, Value)  # a number has no dtype, so it was cast
    target._value = found
    return target


def _where(trace: Trace, condition: Any, x: Any, y: Any) -> Traced:
    test, one, other = map(_operand, (condition, x, y))
    dtypes = [d for d in map(_dtype, (one, other)) if d is not None]
    numbers = [0.0 if isinstance(o, Value) else o for o in (one, other) if _dtype(o) is None]
    dtype = np.result_type(*dtypes, *numbers)
    return trace.step("where", (test, one, other), (np.dtype(bool), dtype, dtype), dtype)


def _copyto(trace: Trace, dst: Any, src: Any, where: Any = True) -> None:
    _assign(dst, src if where is True else _where(trace, where, src, dst))


def _clip(trace: Trace, a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Traced:
    low = a if a_min is None else np.maximum(a, a_min)
    found = low if a_max is None else np.minimum(low, a_max)
    return found.copy() if out is None else _assign(out, found)


def _filled(number: float) -> Any:
    def like(trace: Trace, a: Traced, dtype: Any = None, **options: Any) -> Traced:
        wanted = a.dtype if dtype is None else np.dtype(dtype)
        if options.keys() - {"order"}:
            raise Untraceable("an array of another shape")
        # of `a`, so that it has its shape: arguments that nothing needs are dropped
        return trace.step(
            "where", (True, number, a._value), (np.dtype(bool), wanted, wanted), wanted
        )

    return like


_FUNCTIONS = {
    "where": _where, "copyto": _copyto, "clip": _clip,
    "empty_like": _filled(0), "zeros_like": _filled(0), "ones_like": _filled(1),
}  # fmt: skip
