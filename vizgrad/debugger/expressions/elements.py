"""Values of an expression: numbers, texts, and tensors whose elements are read where they lie.

The functions that an expression may call on them, most of which are methods, too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.statistics import quick
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.model import TensorSummary

#: A result with more elements is refused.
MOST_ELEMENTS = 1 << 28


class Elements:
    """The elements of a tensor as an expression sees them: operators and methods make new ones.

    Any shape and type that its engine can show; float32 stays float32. A result that would have more than
    `MOST_ELEMENTS` elements is refused.
    """

    __slots__ = ("_array", "_source")
    __array_ufunc__ = None  # operators of arrays leave the operation to this class
    __hash__ = None  # type: ignore[assignment]
    #: The attributes that can be read without a call.
    attributes = frozenset({"dtype", "grad", "ndim", "requires_grad", "shape"})

    def __init__(self, array: Any = None, source: Any = None) -> None:
        """For an array; or for the tensor `source`, which is read when its elements are first needed."""
        self._array = array
        self._source = source

    @property
    def array(self) -> Any:
        if self._array is None:
            self._array = summarizer.array_of(self._source)
        return self._array

    @property
    def source(self) -> Any:
        """The tensor whose elements these are; None for a result."""
        return self._source

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> str:
        """As `model.TensorSummary` spells it: "float32"."""
        return self._dtype()

    def _shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def _dtype(self) -> str:
        own = None if self._source is None else summarizer.field_of(self._source, "dtype")
        return str(self.array.dtype if own is None else own).rpartition(".")[2]

    @property
    def grad(self) -> Elements | None:
        """`.grad` of the tensor; None where it has none, and of a result."""
        return read(summarizer.field_of(self._source, "grad"))

    @property
    def requires_grad(self) -> bool:
        return bool(summarizer.field_of(self._source, "requires_grad"))

    def is_same(self, other: Elements) -> bool:
        """Are both of the same tensor?"""
        return self is other or (self._source is not None and self._source is other._source)

    def item(self) -> Any:
        if self.numel() != 1:
            raise ValueError(
                f"a tensor with {self.numel()} elements is no single number: reduce it with .any(), .all(), "
                ".max() or .norm()"
            )
        return self.array.item()

    def numel(self) -> int:
        return prod(self.shape)

    def norm(self) -> float | None:
        """Over all elements, in float64."""
        return quick(self.array).norm

    def all(self) -> bool:
        return bool(self.array.all())

    def any(self) -> bool:
        return bool(self.array.any())

    def max(self) -> Any:
        return self.array.max().item()

    def min(self) -> Any:
        return self.array.min().item()

    def mean(self) -> Any:
        return self.array.mean().item()

    def sum(self) -> Any:
        return self.array.sum().item()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> Elements:
        return Elements(self.array[index])

    def __neg__(self) -> Elements:
        return Elements(-self.array)

    def __pos__(self) -> Elements:
        return self

    def __abs__(self) -> Elements:
        return Elements(abs(self.array))


def _operator(name: str, *, swapped: bool = False) -> Any:
    function = getattr(operator, name)

    def apply(self: Elements, other: Any) -> Any:
        if not is_numeric(other):
            return NotImplemented
        return elementwise(function, other, self) if swapped else elementwise(function, self, other)

    return apply


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Elements, f"__{_name}__", _operator(_name))
    setattr(Elements, f"__r{_name}__", _operator(_name, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Elements, f"__{_name}__", _operator(_name))


class Number(float):
    """A number of a gradient: ``grad.norm`` and ``grad.norm()`` are the same."""

    def __call__(self) -> float:
        return float(self)


class Gradient(Elements):
    """A gradient of a run: its summary is known, its elements are read when they are needed."""

    __slots__ = ("_elements", "summary")
    attributes = Elements.attributes | {
        "norm", "min", "max", "mean", "nans", "infs", "zeros", "size",
    }  # fmt: skip

    def __init__(self, summary: TensorSummary, elements: Callable[[], Any] = lambda: None) -> None:
        """`elements` gives a value that `summarizer` knows; None where it is not kept."""
        super().__init__()
        self.summary = summary
        self._elements = elements

    @property
    def array(self) -> Any:
        if self._array is None:
            found = self._elements()
            if found is None:
                raise LookupError("the values of this gradient are not kept")
            plain = isinstance(found, int | float)
            self._array = xp.asarray(found) if plain else summarizer.array_of(found)
        return self._array

    def _shape(self) -> tuple[int, ...]:
        return tuple(self.summary.shape)

    def _dtype(self) -> str:
        return self.summary.dtype

    size = property(lambda self: prod(self.summary.shape))
    norm = property(lambda self: _number(self.summary.norm))  # type: ignore[assignment]
    min = property(lambda self: _number(self.summary.min))  # type: ignore[assignment]
    max = property(lambda self: _number(self.summary.max))  # type: ignore[assignment]
    mean = property(lambda self: _number(self.summary.mean))  # type: ignore[assignment]
    nans = property(lambda self: self.summary.nans)
    infs = property(lambda self: self.summary.infs)
    zeros = property(lambda self: self.summary.zeros)


def _number(value: float | None) -> Number | None:
    return None if value is None else Number(value)


def is_numeric(value: Any) -> bool:
    return type(value) in NUMBERS or isinstance(value, Elements)


NUMBERS = (bool, int, float, complex, Number)


@quiet
def elementwise(function: Callable[..., Any], *values: Any) -> Any:
    """`function` of numbers and arrays, broadcast; Elements."""
    arrays = [value.array if isinstance(value, Elements) else value for value in values]
    shape = xp.broadcast_shapes(*(a.shape for a in arrays if hasattr(a, "shape")))
    if prod(shape) > MOST_ELEMENTS:
        raise ValueError(f"a result of shape {list(shape)} is too large for an expression")
    return Elements(function(*arrays))


def read(value: Any) -> Any:
    """A value of the user's as an expression sees it. An instance of a class derived from a number
    or a text counts as that alone: no method of the class is called.
    """
    if value is None or isinstance(value, bool | Elements | Number):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    for kind in _KINDS:
        if isinstance(value, kind):
            return kind.__pos__(value)
    if isinstance(value, xp.generic):
        return value.item()
    return Elements(source=value) if summarizer.has_array(value) else value


_KINDS: tuple[Any, ...] = int, float, complex


# --- the functions that an expression may call --------------------------------------------------------


def _mapped(name: str) -> Callable[..., Any]:
    """A function of xp, element by element; of numbers a number."""

    @quiet
    def apply(*values: Any) -> Any:
        check_numeric(name, values)
        if not any(isinstance(value, Elements) for value in values):
            return getattr(xp, name)(*map(xp.asarray, values)).item()
        return elementwise(getattr(xp, name), *values)

    return apply


def check_numeric(name: str, values: Sequence[Any]) -> None:
    """TypeError unless all are numbers and tensors."""
    if not all(map(is_numeric, values)):
        raise TypeError(f"{name} takes numbers and tensors")


def _reduced(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    """Over all elements of a tensor, the numbers of a list, or several numbers."""

    @quiet
    def apply(value: Any, *more: Any) -> Any:
        if isinstance(value, Elements) and not more:
            return _called(getattr(value, name))
        values: tuple[Any, ...] = (value, *more)
        if not more and type(value) in (list, tuple):
            values = tuple(map(read, cast("list[Any]", value)))
        check_numeric(name, values)
        return plain([each.item() if isinstance(each, Elements) else each for each in values])

    return apply


def _called(method: Any) -> Any:
    return None if method is None else method()


def _told(test: Callable[[Any], Any], all_of: bool = False) -> Callable[[Any], bool]:
    """One answer for a tensor: does it hold of any element, or of all?"""

    @quiet
    def apply(value: Any) -> bool:
        check_numeric("it", (value,))
        if not isinstance(value, Elements):
            return bool(test(xp.asarray(value)))
        found = test(value.array)
        return bool(found.all() if all_of else found.any())

    return apply


def _whole(value: Any) -> Any:
    return value.item() if isinstance(value, Elements) else value


def _converted(to: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        check_numeric(getattr(to, "__name__", ""), (value,))
        return to(_whole(value))

    return apply


def _abs(value: Any) -> Any:
    check_numeric("abs", (value,))
    return abs(value)


def _length(value: Any) -> int:
    if type(value) not in (str, list, tuple, dict) and not isinstance(value, Elements):
        raise TypeError(f"a {type(value).__name__} has no length here")
    return len(value)


def _item(value: Any) -> Any:
    check_numeric("item", (value,))
    return _whole(value)


def _clip(value: Any, low: Any, high: Any = math.inf) -> Any:
    return FUNCTIONS["minimum"].call(FUNCTIONS["maximum"].call(value, low), high)


def _nan_to_num(value: Any, instead: Any = 0.0) -> Any:
    check_numeric("nan_to_num", (value, instead))
    return elementwise(
        lambda a, b: xp.where(a == a, a, xp.asarray(b, a.dtype)), _of(value), instead
    )


def _where(condition: Any, yes: Any, no: Any) -> Any:
    check_numeric("where", (condition, yes, no))
    return elementwise(xp.where, _of(condition), yes, no)


def _like(value: float) -> Callable[[Any], Any]:
    def apply(like: Any) -> Any:
        check_numeric("it", (like,))
        return Elements(xp.full_like(_of(like).array, value))

    return apply


def _of(value: Any) -> Elements:
    return value if isinstance(value, Elements) else Elements(xp.asarray(value))


@dataclass(frozen=True, slots=True)
class Function:
    """The functions that an expression may call, with how many values; `method`: also as ``x.name(...)``."""

    call: Callable[..., Any]
    fewest: int = 1
    most: int = 1
    method: bool = True


FUNCTIONS: dict[str, Function] = {
    "abs": Function(_abs),
    "all": Function(_reduced("all", all)),
    "any": Function(_reduced("any", any)),
    "bool": Function(_converted(bool), method=False),
    "clamp": Function(_clip, 2, 3),
    "clip": Function(_clip, 2, 3),
    "dim": Function(lambda value: _of(value).ndim),
    "exp": Function(_mapped("exp")),
    "float": Function(_converted(float)),
    "int": Function(_converted(int)),
    "isfinite": Function(_told(xp.isfinite, all_of=True)),
    "isinf": Function(_told(xp.isinf)),
    "isnan": Function(_told(xp.isnan)),
    "item": Function(_item),
    "len": Function(_length, method=False),
    "log": Function(_mapped("log")),
    "max": Function(_reduced("max", max), 1, 8),
    "maximum": Function(_mapped("maximum"), 2, 2),
    "mean": Function(_reduced("mean", lambda values: sum(values) / len(values))),
    "min": Function(_reduced("min", min), 1, 8),
    "minimum": Function(_mapped("minimum"), 2, 2),
    "nan_to_num": Function(_nan_to_num, 1, 2),
    "norm": Function(_reduced("norm", lambda values: math.hypot(*map(abs, values)))),
    "numel": Function(lambda value: _of(value).numel()),
    "ones_like": Function(_like(1.0), method=False),
    "round": Function(_converted(round)),
    "sign": Function(_mapped("sign")),
    "sqrt": Function(_mapped("sqrt")),
    "sum": Function(_reduced("sum", sum)),
    "tanh": Function(_mapped("tanh")),
    "where": Function(_where, 3, 3),
    "zeros_like": Function(_like(0.0), method=False),
}
METHODS = frozenset(name for name, function in FUNCTIONS.items() if function.method)
