"""Conditions on a backward that is about to run: ``loss > 10``, ``step == 37 and not finite``.

The text is parsed, and what it may say is written out below; nothing of it is run. `loss` is the number that
the backward starts from, `finite` says whether it is, `backward` counts those of the cell from 1; other names
are numbers, texts and one-element tensors that the calling frames know.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 200
Names = Mapping[str, Any]
When = Callable[[Names], bool]
_Value = Callable[[Names], Any]


def parse(text: str) -> When:
    """The condition that a text stands for. ValueError says what in it is not understood; so does what
    this returns, for a name that is not known when it is asked.
    """
    if len(text) > LONGEST:
        raise ValueError(f"a condition has at most {LONGEST} characters, this one has {len(text)}")
    try:
        value = _read(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"the condition {text!r} is not understood: {why}; write one like 'loss > 10' or 'step == 37'"
        ) from None
    return lambda names: bool(value(names))


def _read(tree: ast.expr) -> _Value:
    match tree:
        case ast.BoolOp(op=op, values=values):
            parts = [_read(value) for value in values]
            joined = all if isinstance(op, ast.And) else any
            return lambda names: joined(part(names) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            denied = _read(operand)
            return lambda names: not denied(names)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = _read(operand)
            return lambda names: -positive(names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            sign, first, second = _ARITHMETIC[type(op)], _read(left), _read(right)
            return lambda names: sign(first(names), second(names))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compared([left, *comparators], ops)
        case ast.Constant(value=bool() | int() | float() | str() as known):
            return lambda _: known
        case ast.Name(id=name):
            return lambda names: _known(names, name)
        case _:
            raise ValueError(f"{ast.unparse(tree)!r} is no name, number or comparison")


def _known(names: Names, name: str) -> Any:
    if name not in names:
        raise ValueError(
            f"the condition speaks of {name!r}, and no frame that calls backward knows it"
        )
    return names[name]


def _compared(operands: list[ast.expr], ops: list[ast.cmpop]) -> _Value:
    values = [_read(operand) for operand in operands]
    unknown = next((op for op in ops if type(op) not in _COMPARISONS), None)
    if unknown is not None:
        raise ValueError(
            f"numbers are compared by <, <=, >, >=, == and !=, not {type(unknown).__name__}"
        )
    signs = [_COMPARISONS[type(op)] for op in ops]

    def compare(names: Names) -> bool:
        found = [value(names) for value in values]
        try:
            return all(sign(found[i], found[i + 1]) for i, sign in enumerate(signs))
        except TypeError:  # a text and a number
            return False

    return compare


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
