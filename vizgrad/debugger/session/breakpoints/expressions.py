"""What a person writes for a new value: ``0``, ``g * 0``, ``g.clip(-1, 1)``, ``zero``, ``clip to 1``.

A text is parsed, and what it may say is written out below; nothing of it is ever run as code, since it may
come from a browser. `g` is the value that is there.

- Phrases: ``zero``, ``one``, ``negate``, ``clip to 1`` (to that magnitude), ``scale by 0.5``, ``norm to 1``
  (the whole made so long), ``nan to 0``.
- Numbers, ``inf``, ``nan``, ``pi``; ``+ - * / **`` and signs; comparisons, for `where`.
- `FUNCTIONS`, as ``abs(g)`` or ``g.abs()``.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

#: Longer texts are refused, and more operations.
LONGEST, MOST_OPERATIONS = 300, 100
#: What may be called, with how many values at most: an engine offers each by its name.
FUNCTIONS = {
    "abs": 1, "sign": 1, "sqrt": 1, "exp": 1, "log": 1, "tanh": 1, "clip": 3, "where": 3, "minimum": 2,
    "maximum": 2, "nan_to_num": 2, "zeros_like": 1, "ones_like": 1, "sum": 1, "mean": 1, "max": 1, "min": 1,
    "norm": 1,
}  # fmt: skip

#: Gives the value for that of `g`, with the functions of an engine.
Expression = Callable[[Any, Mapping[str, Callable[..., Any]]], Any]
_Part = Callable[[Any, Mapping[str, Callable[..., Any]]], Any]

_NUMBER = r"\s*([-+0-9.eE]+|inf|nan)\s*"
_PHRASES = (
    (r"zero", "zeros_like(g)"),
    (r"one", "ones_like(g)"),
    (r"negate", "-g"),
    (rf"clip to{_NUMBER}", r"clip(g, -abs(\1), abs(\1))"),
    (rf"scale by{_NUMBER}", r"g * (\1)"),
    (rf"norm to{_NUMBER}", r"g * ((\1) / norm(g))"),
    (rf"nan to{_NUMBER}", r"where(g == g, g, \1)"),
)
_CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def parse(text: str) -> Expression:
    """The expression that a text stands for; ValueError says what in it is not understood."""
    if len(text) > LONGEST:
        raise ValueError(
            f"an expression has at most {LONGEST} characters, this one has {len(text)}"
        )
    try:
        return _read(_tree(_spelt_out(text.strip())))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"{text!r} is not understood as a value: {why}; write a number, something of g like "
            "'g * 0.5' or 'g.clip(-1, 1)', or 'zero', 'clip to 1', 'scale by 0.5', 'nan to 0'"
        ) from None


def _tree(text: str) -> ast.expr:
    tree = ast.parse(text, mode="eval")
    if sum(1 for _ in ast.walk(tree)) > 3 * MOST_OPERATIONS:
        raise ValueError(f"it has more than {MOST_OPERATIONS} operations")
    return tree.body


def _spelt_out(text: str) -> str:
    """A phrase as an expression."""
    for phrase, meaning in _PHRASES:
        found = re.fullmatch(phrase, text, re.IGNORECASE)
        if found:
            return found.expand(meaning)
    return text


def _read(tree: ast.expr) -> _Part:
    match tree:
        case ast.Constant(value=bool()):
            raise ValueError("True and False are no numbers here")
        case ast.Constant(value=int() | float() as number):
            known = float(number)  # a power of whole numbers might never end
            return lambda _, __: known
        case ast.Name(id="g"):
            return lambda g, _: g
        case ast.Name(id=name) if name in _CONSTANTS:
            constant = _CONSTANTS[name]
            return lambda _, __: constant
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            denied = _read(operand)
            return lambda g, functions: -denied(g, functions)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _read(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _joined(_BINARY[type(op)], _read(left), _read(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            return _joined(_COMPARED[type(op)], _read(left), _read(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _called(name, args)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=[]):
            return _called(name, [value, *args])
        case _:
            raise ValueError(
                f"{ast.unparse(tree)!r} is neither a number, nor g, nor a function of it"
            )


def _joined(join: Callable[[Any, Any], Any], left: _Part, right: _Part) -> _Part:
    return lambda g, functions: join(left(g, functions), right(g, functions))


def _called(name: str, args: list[ast.expr]) -> _Part:
    if name not in FUNCTIONS:
        raise ValueError(f"there is no function {name!r}, but {', '.join(FUNCTIONS)}")
    if not 1 <= len(args) <= FUNCTIONS[name]:
        raise ValueError(f"{name} takes {FUNCTIONS[name]} values at most, got {len(args)}")
    values = [_read(arg) for arg in args]
    return lambda g, functions: functions[name](*(value(g, functions) for value in values))
