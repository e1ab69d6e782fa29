"""Conditions that a person writes as text: ``grad.norm > 1e3``, ``nonfinite``, ``iteration == 17``.

The text is parsed (`comparisons.py`), and nothing of it is ever run as code. Its words are `nonfinite` (a NaN
or an infinity arrives, or leaves), `iteration` (the how-manieth node of its place in the program it is, from
0 as `range` counts), `position` (steps done before it), `node`, `name`, and numbers of the first gradient
that arrives (`grad.norm`) or leaves (`out.norm`, behind a visit alone): see `_NUMBERS`. They are compared
with numbers and texts, and joined by `and`, `or`, `not`. What is undefined is neither larger nor smaller than
anything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.session.breakpoints import comparisons


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
    return comparisons.parse(text, _words, "'grad.norm > 1e3', 'nonfinite' or 'iteration == 17'")


def is_nonfinite(visit: model.Visit) -> bool:
    """Did a NaN or an infinity arrive at this visit, or leave it?"""
    summaries = [*visit.incoming, *(r.routed for r in visit.routed)]
    return any(s is not None and (s.nans or s.infs) for s in summaries)


def _words(tree: ast.expr, part: object) -> _Value:
    match tree:
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
