"""The computation at one element: which numbers met, and that their result is not finite.

A derivative is shown only where its formula, at the values that were there, gives what the run gave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, isnan
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.debugger.explain.cause import NOTHING, Number, Phrase
from vizgrad.debugger.explain.wording import code, number, one_operand, shortest
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Odd
from vizgrad.debugger.watch.notes import Note


class _Derivative(NamedTuple):
    """A formula, in x and y as an operation's operands, for one of its edges."""

    text: str
    #: The names of a node's saved values -> their names in the formula.
    reads: Mapping[str, str]
    compute: Callable[..., Any]


_SELF = {"self": "x"}
_ROOT = {"result": "r"}
#: Node and edge -> the derivative.
_DERIVATIVES: dict[tuple[str, int], _Derivative] = {
    ("Log", 0): _Derivative("1/{x}", _SELF, lambda x: 1 / x),
    ("Log2", 0): _Derivative("1/({x} * ln 2)", _SELF, lambda x: 1 / (x * xp.log(x.dtype.type(2)))),
    ("Log10", 0): _Derivative("1/({x} * ln 10)", _SELF, lambda x: 1 / (x * xp.log(x.dtype.type(10)))),
    ("Log1P", 0): _Derivative("1/({x} + 1)", _SELF, lambda x: 1 / (x + 1)),
    ("Sqrt", 0): _Derivative("1/(2 * sqrt({x}))", _ROOT, lambda r: 1 / (2 * r)),
    ("Acos", 0): _Derivative("-1/sqrt(1 - {x}^2)", _SELF, lambda x: -1 / xp.sqrt(1 - x * x)),
    ("Asin", 0): _Derivative("1/sqrt(1 - {x}^2)", _SELF, lambda x: 1 / xp.sqrt(1 - x * x)),
    ("Acosh", 0): _Derivative("1/sqrt({x}^2 - 1)", _SELF, lambda x: 1 / xp.sqrt(x * x - 1)),
    ("Atanh", 0): _Derivative("1/(1 - {x}^2)", _SELF, lambda x: 1 / (1 - x * x)),
    ("Div", 0): _Derivative("1/{y}", {"other": "y"}, lambda y: 1 / y),
    ("Div", 1): _Derivative("-{x}/{y}^2", {"self": "x", "other": "y"}, lambda x, y: -x / (y * y)),
    ("Mul", 0): _Derivative("{y}", {"other": "y"}, lambda y: y),
    ("Mul", 1): _Derivative("{x}", _SELF, lambda x: x),
}  # fmt: skip


#: Names that are longer are x in a formula.
_LONGEST = 12


def _types() -> tuple[Any, ...]:
    """In the first of these in which the numbers are as the run had them, it was computed."""
    return xp.float64, xp.float32, xp.float16


def of_derivative(birth: Odd, shown: str = "") -> Phrase:
    """At the first element that is not finite: what arrived, times the derivative there. `shown` is what the
    operand is called. NOTHING where the numbers are not known, or would not give that.
    """
    if not birth.places:
        return NOTHING
    index, made, _ = birth.places[0]
    arrived = birth.there.get("grad")
    name = birth.visit.name.partition("Backward")[0]
    derivative = _DERIVATIVES.get((name, birth.edge))
    if name == "Pow":
        derivative = _of_power(source_expressions.exponent(birth.visit.site))
    if arrived is None or derivative is None or not isfinite(arrived):
        return NOTHING
    values = {letter: birth.there.get(saved) for saved, letter in derivative.reads.items()}
    known = {letter: value for letter, value in values.items() if value is not None}
    if len(known) < len(values):
        return NOTHING
    factor = next(
        (
            found
            for kind in _types()
            if (found := _factor(derivative, known, kind)) is not None
            and _alike(_times(arrived, found, kind), made)
        ),
        None,
    )
    if factor is None:
        return NOTHING
    if derivative.text in ("{x}", "{y}"):
        return _phrase("product", index, arrived, factor, made)
    if "r" in known:
        if known["r"]:
            return NOTHING  # what the formula speaks of is not known exactly
        known = {"x": 0.0}  # its root is zero
    called = {letter: letter for letter in known}
    named = code(shown) != shown  # no node, and no words
    if len(known) == 1 and named and shown.isidentifier() and len(shown) <= _LONGEST:
        called = dict.fromkeys(known, shown)
    values = [
        Phrase("value-of", name=called[letter], value=_told(derivative, known, letter))
        for letter in known
    ]
    at = values[0] if len(values) == 1 else Phrase("and", first=values[0], last=values[1])
    formula = derivative.text.format(**called)
    return _phrase("derivative", index, arrived, factor, made, formula=formula, at=at)


def _of_power(exponent: float | None) -> _Derivative | None:
    """`p * x^(p - 1)`, where the exponent is a number that stands in the program."""
    if exponent is None:
        return None
    less = exponent - 1
    text = f"{number(exponent)} * {{x}}^({number(less)})"
    return _Derivative(text, _SELF, lambda x: x.dtype.type(exponent) * x ** x.dtype.type(less))


def _phrase(
    row: str, index: tuple[int, ...], arrived: float, factor: float, made: float, **more: Any
) -> Phrase:
    place = Phrase("at-element", index=list(index)) if index else NOTHING
    return Phrase(
        row, place=place, arrived=float(arrived), factor=float(factor), made=float(made), **more
    )


def _told(derivative: _Derivative, values: Mapping[str, float], letter: str) -> Any:
    """A value, in digits of which the derivative is not finite, either."""

    def odd(value: float, kind: Any) -> bool:
        found = _factor(derivative, {**values, letter: value}, kind)
        return found is not None and not isfinite(found)

    if set(derivative.reads.values()) == set(values):
        for kind in _types():
            if odd(values[letter], kind):
                return shortest(
                    values[letter], lambda value, kind=kind: odd(float(kind(value)), kind)
                )
    return Number(values[letter])


@quiet
def _factor(derivative: _Derivative, values: Mapping[str, float], kind: Any) -> float | None:
    typed = {letter: kind(value) for letter, value in values.items()}
    if any(float(each) != values[letter] for letter, each in typed.items()):
        return None  # no number of that type
    return float(derivative.compute(**typed))


@quiet
def _times(arrived: float, factor: float, kind: Any) -> float:
    return float(kind(arrived) * kind(factor))


def _alike(one: float, other: float) -> bool:
    """Both NaN, or the same infinity."""
    return isnan(one) and isnan(other) if isnan(one) or isnan(other) else one == other


#: How operations of two operands are written.
_INFIX = {
    "add": "+", "radd": "+", "iadd": "+", "sub": "-", "rsub": "-", "isub": "-", "mul": "*", "rmul": "*",
    "imul": "*", "multiply": "*", "subtract": "-", "div": "/", "truediv": "/", "rtruediv": "/",
    "itruediv": "/", "divide": "/", "true_divide": "/",
}  # fmt: skip


def of_operation(birth: Note, given: float | None, made: float) -> Phrase:
    """`log(-0.5) = NaN`, `0 / 0 = NaN`: what the operation made of the operands at the element."""
    op = birth.op.strip("_")
    operands = birth.there
    if op in _INFIX and len(operands) == 2:
        first, second = operands[::-1] if op.startswith("r") else operands
        sign = _INFIX[op]
        if first is not None and second is not None and _gives(sign, first, second, made):
            one = shortest(first, lambda each: _gives(sign, each, second, made))
            told = float(one)
            other = shortest(second, lambda each: _gives(sign, told, each, made))
            return Phrase("infix", first=one, op=sign, second=other, made=made)
    if given is not None and len(operands) == 1 and one_operand(op):
        return Phrase("call", op=op, value=Number(given, op), made=made)
    return Phrase("made", made=made)


@quiet
def _gives(sign: str, first: float, second: float, made: float) -> bool:
    for kind in _types():
        a, b = kind(first), kind(second)
        found = {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[sign]
        if _alike(float(found), made):
            return True
    return False
