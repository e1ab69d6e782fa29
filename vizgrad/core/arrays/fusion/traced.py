"""Writing a program by running the function: its arguments are stand-ins that note what is done to them.

A `Traced` answers numpy's functions (NEP 13, NEP 18), as the arrays of a device do, so the kernels and
formulas that numpy runs are also the source of the fused ones. What a stand-in cannot answer, such as a
shape or a truth value, raises `Untraceable`: then the function is run as it is, one launch an operation.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from vizgrad.core.arrays.fusion.operations import C_REDUCTIONS, C_TYPES, text_of
from vizgrad.core.arrays.fusion.program import Argument, Operand, Step, Value


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
        """What it stands for at present: writing in place changes that."""
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

    # --- in kernels of rows (`vizgrad.core.arrays.fusion.rows`) ---

    def reduced(self, op: str) -> Traced:
        """A value of the row, of all its elements."""
        return self._trace.step(op, (self._value,), (self.dtype,), self.dtype)

    def known(self, argument: Argument) -> Traced:
        """What every kernel of rows knows."""
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
    """What `target[...] = value` does: all who hold `target` see it."""
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
