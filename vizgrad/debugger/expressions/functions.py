"""The functions that an expression may call, of numbers and of tensors; most are methods, too."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.debugger.expressions.elements import Elements, elementwise, is_numeric, read


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
