"""Conditions that a person writes as text: ``grad.norm > 1e3``, ``nonfinite``, ``iteration == 17``.

The text is parsed, and what it may say is written out below; nothing of it is ever run as code, since it
may come from a browser. Its words are `nonfinite` (a NaN or an infinity arrives, or leaves), `iteration` (the
how-manieth node of its place in the program it is, from 0 as `range` counts), `position` (steps done
before it), `node`, `name`, and numbers of the first gradient that arrives (`grad.norm`) or leaves
(`out.norm`, behind a visit alone): see `_NUMBERS`. They are compared with numbers and texts, and
joined by `and`, `or`, `not`. What is undefined is neither larger nor smaller than anything.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from vizgrad.inspection import model

#: Longer texts are refused.
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Facts:
    """What a condition is about: a node before its visit (nothing is routed yet), or behind it."""

    visit: model.Visit
    name: Callable[[], str]
    iteration: Callable[[], int]


Test = Callable[[Facts], bool]
_Value = Callable[[Facts], Any]


def parse(text: str) -> Test:
    """The condition that a text stands for; ValueError says what in it is not understood."""
    if len(text) > LONGEST:
        raise ValueError(f"a condition has at most {LONGEST} characters, this one has {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _read(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ValueError(
            f"the condition {text!r} is not understood: {why}; write one like 'grad.norm > 1e3', "
            "'nonfinite' or 'iteration == 17'"
        ) from None
    return lambda facts: bool(value(facts))


def is_nonfinite(visit: model.Visit) -> bool:
    """Did a NaN or an infinity arrive at this visit, or leave it?"""
    summaries = [*visit.incoming, *(r.routed for r in visit.routed)]
    return any(s is not None and (s.nans or s.infs) for s in summaries)


def _read(tree: ast.expr) -> _Value:
    match tree:
        case ast.BoolOp(op=op, values=values):
            parts = [_read(value) for value in values]
            joined = all if isinstance(op, ast.And) else any
            return lambda facts: joined(part(facts) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            denied = _read(operand)
            return lambda facts: not denied(facts)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return lambda _: -number
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compared([left, *comparators], ops)
        case ast.Constant(value=bool() | int() | float() | str() as known):
            return lambda _: known
        case ast.Name(id=name) if name in _WORDS:
            return _WORDS[name]
        case ast.Attribute(value=ast.Name(id=name), attr=number) if name in _GRADIENTS:
            if number not in _NUMBERS:
                raise ValueError(f"{name} has no {number!r}, but {', '.join(_NUMBERS)}")
            of, read = _GRADIENTS[name], _NUMBERS[number]
            return lambda facts: None if (found := of(facts.visit)) is None else read(found)
        case _:
            words = ", ".join([*_WORDS, *(f"{name}.norm" for name in _GRADIENTS)])
            raise ValueError(f"{ast.unparse(tree)!r} is none of the words {words}")


def _compared(operands: list[ast.expr], ops: list[ast.cmpop]) -> _Value:
    values = [_read(operand) for operand in operands]
    unknown = next((op for op in ops if type(op) not in _COMPARISONS), None)
    if unknown is not None:
        raise ValueError(
            f"numbers are compared by <, <=, >, >=, == and !=, not {type(unknown).__name__}"
        )
    signs = [_COMPARISONS[type(op)] for op in ops]

    def compare(facts: Facts) -> bool:
        found = [value(facts) for value in values]
        if any(one is None for one in found):
            return False
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
_WORDS: dict[str, _Value] = {
    "nonfinite": lambda facts: is_nonfinite(facts.visit),
    "iteration": lambda facts: facts.iteration(),
    "position": lambda facts: facts.visit.index,
    "node": lambda facts: facts.visit.node,
    "name": lambda facts: facts.name(),
}
_Gradient = Callable[[model.Visit], "model.TensorSummary | None"]
_GRADIENTS: dict[str, _Gradient] = {
    "grad": lambda visit: next((s for s in visit.incoming if s is not None), None),
    "out": lambda visit: next((r.routed for r in visit.routed if r.routed is not None), None),
}
_NUMBERS: dict[str, Callable[[model.TensorSummary], Any]] = {
    "norm": lambda s: s.norm,
    "min": lambda s: s.min,
    "max": lambda s: s.max,
    "mean": lambda s: s.mean,
    "nans": lambda s: s.nans,
    "infs": lambda s: s.infs,
    "zeros": lambda s: s.zeros,
    "size": lambda s: prod(s.shape),
}
