"""Reads the text of an expression, and computes it from the values of its names."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from keyword import iskeyword
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, cast

from vizgrad.debugger.expressions.elements import (
    FUNCTIONS,
    METHODS,
    NUMBERS,
    Elements,
    Gradient,
    check_numeric,
    is_numeric,
    read,
)

#: Longer texts are refused, and those with more parts.
LONGEST, MOST_PARTS = 300, 300
#: Bits that a power of whole numbers may have; names that an error lists at most.
MOST_BITS, MOST_NAMES = 4096, 24
#: ``torch.isnan(loss)`` is ``isnan(loss)``.
LIBRARIES = frozenset({"math", "np", "numpy", "torch", "vg", "vizgrad"})
CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}

Names = Mapping[str, Any]
_Part = Callable[[Names], Any]

_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, slots=True)
class Expression:
    """A text that was understood. `names` are those that it speaks of."""

    text: str
    names: frozenset[str]
    _part: _Part = field(repr=False)

    def value(self, names: Names) -> Any:
        """A number, a text, None, a tuple, Elements, or an object as it is. ValueError says why it has
        none: a name that is not in `names`, a division by zero, an index out of range.
        """
        try:
            return self._part(names)
        except (
            ArithmeticError,
            LookupError,
            MemoryError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            said = str(error).strip("'\"").partition("\n")[0] or type(error).__name__
            raise ValueError(f"{self.text!r} has no value: {said}") from None

    def holds(self, names: Names) -> bool:
        """The value as a condition. ValueError as `value`, and for a tensor of several elements."""
        value = self.value(names)
        try:
            return _truth(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.text!r} is no condition: {error}") from None


def parse(
    text: str,
    names: Collection[str] | None = None,
    *,
    tensors: Collection[str] = (),
    what: str = "condition",
    example: str = "'loss > 10' or 'isnan(loss)'",
) -> Expression:
    """The expression that a text stands for. ValueError says what in it is not understood.

    `names` are those that it may speak of (None: asked for when it is evaluated), `tensors` those of them
    whose attributes are known to be those of a `Gradient`. `what` and `example` are for the error.
    """
    reader = _Reader(names, tensors)
    try:
        if len(text) > LONGEST:
            raise ValueError(f"it has {len(text)} characters, {LONGEST} are allowed")  # noqa: TRY301
        tree = _tree(text.strip())
        if sum(1 for _ in ast.walk(tree)) > MOST_PARTS:
            raise ValueError("it has too many parts")  # noqa: TRY301
        part = reader.part(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        why = _mistake(error, text.strip()) if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"the {what} {text[:LONGEST]!r} is not understood: {why}; write one like {example}"
        ) from None
    return Expression(text.strip(), frozenset(reader.used), part)


#: A number before a name, as in mathematics.
_TIMES = re.compile(r"(?<![\w.])(\d[\d.]*)([A-Za-z_]\w*)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\s*=(?!=)\s*(.+)", re.DOTALL)


def _mistake(error: SyntaxError, text: str) -> str:
    """The fault of a text that is no expression, and its place."""
    assigned = _ASSIGNMENT.fullmatch(text)
    if assigned:
        return f"an assignment has no value, write {assigned.group(1)!r} alone"
    product = _TIMES.search(text)
    if product and "decimal literal" in error.msg:
        number, name = product.groups()
        return f"write '{number} * {name}' for {product.group()!r}"
    if not text:
        return "it is empty"
    if not error.offset or error.offset > len(text) or "never closed" in error.msg:
        return f"something is missing after {text[-20:]!r}"
    wrong = text[error.offset - 1 :][:20]
    return f"{wrong!r} does not belong there" if "invalid" in error.msg else error.msg


#: ``net.0.weight``, as a parameter is called, is no Python.
_NUMBERED = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*?|\])\.(\d+)(?!\w)")


def _tree(text: str) -> ast.expr:
    """SyntaxError where it is no Python, also with ``net[0].weight`` for ``net.0.weight``."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        spelled, before = text, ""
        while spelled != before:
            before, spelled = spelled, _NUMBERED.sub(r"\1[\2]", spelled)
        if spelled == text:
            raise
    return ast.parse(spelled, mode="eval").body


#: Values that work wherever a gradient waits.
VALUES = (
    "0",
    "g * 0.5",
    "zero",
    "one",
    "negate",
    "clip to 1",
    "scale by 0.5",
    "norm to 1",
    "nan to 0",
)
_EXAMPLES = "'g * 0.5', 'clip to 1' or 'nan to 0'"

_PHRASES = tuple(
    (re.compile(phrase.replace("N", r"\s*([-+0-9.eE]+|inf|nan)\s*"), re.IGNORECASE), meaning)
    for phrase, meaning in (
        ("zero", "zeros_like(g)"),
        ("one", "ones_like(g)"),
        ("negate", "-g"),
        ("clip toN", r"clip(g, -abs(\1), abs(\1))"),
        ("scale byN", r"g * (\1)"),
        ("norm toN", r"g * ((\1) / norm(g))"),
        ("nan toN", r"nan_to_num(g, \1)"),
    )
)


def parse_value(text: str) -> Expression:
    """A new value: an expression of `g`, the value that is there, or one of a few phrases.

    ``zero``, ``one``, ``negate``, ``clip to 1`` (to that magnitude), ``scale by 0.5``, ``norm to 1`` (the
    whole made so long), ``nan to 0``. ValueError as `parse`.
    """
    spelled = text.strip()
    for phrase, meaning in _PHRASES:
        found = phrase.fullmatch(spelled)
        if found:
            spelled = found.expand(meaning)
            break
    return parse(spelled, ("g", "grad"), what="value", example=_example(text.strip()))


def _example(text: str) -> str:
    """Values that work, the one first that `text` is nearly."""
    near = [] if iskeyword(text) else get_close_matches(text.lower(), VALUES, 1, cutoff=0.7)
    return f"{near[0]!r}, {_EXAMPLES}" if near and repr(near[0]) not in _EXAMPLES else _EXAMPLES


def evaluate_value(text: str, there: Any) -> Any:
    """The value of a text for `there`, a value that `summarizer` knows: a number or an array.
    ValueError where it is not understood, or is no number.
    """
    given = Elements(source=there)
    parsed = parse_value(text)
    try:
        value = parsed.value({"g": given, "grad": given})
    except ValueError as error:
        raise ValueError(f"{error}; write one like {_example(text.strip())}") from None
    if not is_numeric(value) or isinstance(value, bool):
        raise ValueError(
            f"{text.strip()!r} is not a number and not a tensor; write one like {_example(text.strip())}"
        )
    return value.array if isinstance(value, Elements) else value


class _Reader:
    """Makes of a tree the function that computes it."""

    def __init__(self, names: Collection[str] | None, tensors: Collection[str]) -> None:
        self._known = names
        self._tensors = tensors
        self.used: set[str] = set()

    def part(self, tree: ast.expr) -> _Part:
        match tree:
            case ast.Constant(value=None | bool() | int() | float() | str() as known):
                return lambda _: known
            case ast.Name(id=name):
                return self._name(name)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                parts = [self.part(each) for each in elements]
                return lambda names: tuple(each(names) for each in parts)
            case ast.BoolOp(op=op, values=values):
                return _joined(isinstance(op, ast.And), [self.part(value) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                denied = self.part(operand)
                return lambda names: not _truth(denied(names))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                return _signed(self.part(operand), minus=isinstance(op, ast.USub))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return _computed(*_ARITHMETIC[type(op)], self.part(left), self.part(right))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                tests = [_comparison(op, right) for op, right in zip(ops, comparators, strict=True)]
                return _compared([self.part(each) for each in (left, *comparators)], tests)
            case ast.Call(func=func, args=args, keywords=[]):
                return self._call(func, args)
            case ast.Attribute(value=value, attr=name):
                return self._attribute(value, name)
            case ast.Subscript(value=value, slice=index):
                held, at = self.part(value), _index(index)
                return lambda names: _at(held(names), at)
            case _:
                raise ValueError(f"{_short(tree)} is no part of an expression here")

    def _name(self, name: str) -> _Part:
        if self._known is not None and name not in self._known and name not in CONSTANTS:
            raise ValueError(unknown(name, self._known))
        self.used.add(name)
        return lambda names: read(names[name]) if name in names else _constant(name, names)

    def _call(self, func: ast.expr, args: list[ast.expr]) -> _Part:
        match func:
            case ast.Name(id=name):
                values = args
            case ast.Attribute(value=ast.Name(id=library), attr=name) if library in LIBRARIES:
                values = args
            case ast.Attribute(value=value, attr=name):
                values = [value, *args]
                if name not in METHODS:
                    raise ValueError(_no_such("method", name, METHODS))
            case _:
                raise ValueError(f"{_short(func)} cannot be called here")
        function = FUNCTIONS.get(name)
        if function is None:
            raise ValueError(_no_such("function", name, FUNCTIONS))
        if not function.fewest <= len(values) <= function.most:
            many = f"{function.fewest}" if function.fewest == function.most else "as many"
            raise ValueError(f"{name} does not take {len(values)} values ({many})")
        parts = [self.part(value) for value in values]

        def call(names: Names) -> Any:
            found = [each(names) for each in parts]
            return None if any(each is None for each in found) else function.call(*found)

        return call

    def _attribute(self, value: ast.expr, name: str) -> _Part:
        if name.startswith("_"):
            raise ValueError(f"{name!r} begins with an underscore: such names are private")
        if (
            isinstance(value, ast.Name)
            and value.id in self._tensors
            and name not in Gradient.attributes
        ):
            raise ValueError(
                f"{value.id} has no {name!r}, but {', '.join(sorted(Gradient.attributes))}"
            )
        held = self.part(value)
        return lambda names: _attribute_of(held(names), name)


def unknown(name: str, known: Collection[str]) -> str:
    """There is no such name, but others."""
    shown = sorted(each for each in known if not each.startswith("_"))
    near = get_close_matches(name, shown, 1)
    more = len(shown) - MOST_NAMES
    listed = ", ".join(shown[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    hint = f"; did you mean {near[0]!r}?" if near else ""
    called = f" ({name} is a function: write {name}(...))" if name in FUNCTIONS else ""
    return f"there is no {name!r} here{called}{hint}, names are: {listed or 'none'}"


def _no_such(kind: str, name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, 1)
    if near:
        return f"there is no {kind} {name!r}, did you mean {near[0]!r}?"
    return f"there is no {kind} {name!r}, {kind}s are: {', '.join(sorted(known))}"


def _constant(name: str, names: Names) -> float:
    if name not in CONSTANTS:
        raise ValueError(unknown(name, names))
    return CONSTANTS[name]


def _short(tree: ast.expr) -> str:
    text = ast.unparse(tree)
    return repr(text if len(text) <= 40 else f"{text[:39]}…")


# --- computing -----------------------------------------------------------------------------------------


def _truth(value: Any) -> bool:
    if (
        value is None
        or type(value) in (*NUMBERS, str, list, tuple, dict)
        or isinstance(value, Elements)
    ):
        return bool(value)
    raise TypeError(f"a {type(value).__name__} is neither true nor false here")


def _joined(both: bool, parts: Sequence[_Part]) -> _Part:
    *others, last = parts

    def join(names: Names) -> Any:
        for part in others:
            value = part(names)
            if _truth(value) is not both:
                return value
        return last(names)  # whatever it is: Python asks only whether the others are true

    return join


def _signed(part: _Part, *, minus: bool) -> _Part:
    def sign(names: Names) -> Any:
        value = part(names)
        if value is None:
            return None
        check_numeric("a sign", (value,))
        return -value if minus else +value

    return sign


def _computed(sign: str, function: Callable[[Any, Any], Any], left: _Part, right: _Part) -> _Part:
    def compute(names: Names) -> Any:
        a, b = left(names), right(names)
        if a is None or b is None:
            return None
        check_numeric(sign, (a, b))
        if sign == "**" and isinstance(a, int) and isinstance(b, int):
            _check_power(a, b)
        return function(a, b)

    return compute


def _check_power(base: int, exponent: int) -> None:
    if exponent > 0 and base.bit_length() * exponent > MOST_BITS:
        raise ValueError(f"a power with more than {MOST_BITS} bits is not computed")


def _comparison(op: ast.cmpop, right: ast.expr) -> Callable[[Any, Any], Any]:
    if type(op) in _ORDER:
        return _ordered(_ORDER[type(op)])
    match op:
        case ast.Eq() | ast.NotEq():
            return _equal if isinstance(op, ast.Eq) else _unequal
        case ast.In():
            return _contained
        case ast.NotIn():
            return lambda a, b: not _contained(a, b)
        case _:
            if not (isinstance(right, ast.Constant) and right.value is None):
                raise ValueError("'is' compares with None alone: write ==")
            wanted = isinstance(op, ast.Is)
            return lambda a, _: (a is None) is wanted


def _ordered(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compare(a: Any, b: Any) -> Any:
        comparable = (is_numeric(a) and is_numeric(b)) or (type(a) is str and type(b) is str)
        if not comparable or complex in (type(a), type(b)):
            return False
        return function(a, b)

    return compare


def _equal(a: Any, b: Any) -> Any:
    if isinstance(a, Elements) or isinstance(b, Elements):
        return (a == b) if is_numeric(a) and is_numeric(b) else False
    return _comparable(a) == _comparable(b)


def _unequal(a: Any, b: Any) -> Any:
    if isinstance(a, Elements) or isinstance(b, Elements):
        return (a != b) if is_numeric(a) and is_numeric(b) else True
    return _comparable(a) != _comparable(b)


def _comparable(value: Any) -> Any:
    """The types that can be compared without code of the user."""
    if value is None or type(value) in (*NUMBERS, str):
        return value
    if type(value) in (list, tuple):
        return type(value)(map(_comparable, map(read, value)))
    raise TypeError(f"a {type(value).__name__} cannot be compared here")


def _contained(a: Any, b: Any) -> bool:
    if type(b) is str:
        if type(a) is not str:
            raise TypeError("only a text can be searched in a text")
        return a in b
    if type(b) not in (list, tuple, dict):
        raise TypeError(f"a {type(b).__name__} cannot be iterated over here")
    return any(_same(a, read(each)) or _truth(_equal(a, read(each))) for each in b)


def _same(a: Any, b: Any) -> bool:
    """Is it the same object, or the same tensor?"""
    if isinstance(a, Elements) and isinstance(b, Elements):
        return a.is_same(b)
    return a is b


def _compared(values: Sequence[_Part], tests: Sequence[Callable[[Any, Any], Any]]) -> _Part:
    def compare(names: Names) -> Any:
        left, found = values[0](names), None
        for number, (test, part) in enumerate(zip(tests, values[1:], strict=True), 1):
            right = part(names)
            found = test(left, right)
            if number < len(tests) and not _truth(found):
                break
            left = right
        return found

    return compare


def _index(tree: ast.expr) -> int | str:
    match tree:
        case ast.Constant(value=int() | str() as index) if not isinstance(index, bool):
            return index
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as index)):
            return -index
        case _:
            raise ValueError(f"{_short(tree)} is no index: write a number or a text")


def _at(value: Any, index: int | str) -> Any:
    if value is None:
        return None
    if type(value) is dict:
        return read(cast("dict[Any, Any]", value)[index])
    if isinstance(index, int) and (
        type(value) in (list, tuple, str) or isinstance(value, Elements)
    ):
        return read(value[index])
    parts = _table(_data_of(value), "_modules")
    if parts:
        return parts[index] if isinstance(index, str) else list(parts.values())[index]
    raise TypeError(f"a {type(value).__name__} has no index {index!r} here")


def _attribute_of(value: Any, name: str) -> Any:
    if value is None:
        return None
    if isinstance(value, Elements):
        if name in value.attributes:
            return getattr(value, name)
        if name in METHODS:
            raise TypeError(f"{name} is a method: write .{name}()")
        raise TypeError(f"a tensor has no {name!r} here, but {', '.join(sorted(value.attributes))}")
    data = _data_of(value)
    for known in (data, *(_table(data, table) for table in _TABLES)):
        if name in known:
            return read(known[name])
    raise TypeError(f"this {type(value).__name__} has no {name!r} that is plain data")


#: Where a module keeps what it has registered, in all engines.
_TABLES = ("_parameters", "_buffers", "_modules")


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    return cast("dict[str, Any]", found) if type(found) in (dict, OrderedDict) else {}


def _data_of(value: Any) -> Mapping[str, Any]:
    """The attributes that an object or a module keeps in its `__dict__`, as Python itself defines that."""
    for kind in type.mro(type(value)):
        found = vars(kind).get("__dict__")
        if found is not None:
            ours = isinstance(found, GetSetDescriptorType | MemberDescriptorType)
            return found.__get__(value) if ours else {}
    return {}
