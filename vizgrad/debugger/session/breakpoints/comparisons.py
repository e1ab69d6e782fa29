"""Comparisons that a person writes as text, joined by `and`, `or` and `not`: parsed, and never run as code.

What words stand for is said by who reads them (`conditions.py`: of a node's visit, `magics.whens`: of what
frames know). The rest is the same for all, since the text may come from a browser.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

#: Longer texts are refused.
LONGEST = 200

#: What a part of a text stands for, of what it is asked about.
Value = Callable[[Any], Any]
#: Reads what is no comparison; ValueError says what is not understood. It is given the reader of parts of it.
Words = Callable[[ast.expr, Callable[[ast.expr], Value]], Value]


def parse(text: str, words: Words, example: str) -> Callable[[Any], bool]:
    """The condition that a text stands for; ValueError says what in it is not understood."""
    if len(text) > LONGEST:
        raise ValueError(f"a condition has at most {LONGEST} characters, this one has {len(text)}")
    try:
        value = _read(ast.parse(text.strip(), mode="eval").body, words)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"the condition {text!r} is not understood: {why}; write one like {example}"
        ) from None
    return lambda facts: bool(value(facts))


def _read(tree: ast.expr, words: Words) -> Value:
    def part(tree: ast.expr) -> Value:
        return _read(tree, words)

    match tree:
        case ast.BoolOp(op=op, values=values):
            parts = [part(value) for value in values]
            joined = all if isinstance(op, ast.And) else any
            return lambda facts: joined(part(facts) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            denied = part(operand)
            return lambda facts: not denied(facts)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return lambda _: -number
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compared([part(each) for each in (left, *comparators)], ops)
        case ast.Constant(value=bool() | int() | float() | str() as known):
            return lambda _: known
        case _:
            return words(tree, part)


def _compared(values: Sequence[Value], ops: Sequence[ast.cmpop]) -> Value:
    unknown = next((op for op in ops if type(op) not in _COMPARISONS), None)
    if unknown is not None:
        raise ValueError(
            f"numbers are compared by <, <=, >, >=, == and !=, not {type(unknown).__name__}"
        )
    signs = [_COMPARISONS[type(op)] for op in ops]

    def compare(facts: Any) -> bool:
        found = [value(facts) for value in values]
        if any(one is None for one in found):
            return False  # what is undefined is neither larger nor smaller than anything
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
