"""Conditions on a backward that is about to run: ``loss > 10``, ``step == 37 and not finite``.

The text is parsed (`inspection.comparisons`); nothing of it is run. `loss` is the number that
the backward starts from, `finite` says whether it is, `backward` counts those of the cell from 1; other names
are numbers, texts and one-element tensors that the calling frames know.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from vizgrad.debugger.session.breakpoints import comparisons

Names = Mapping[str, Any]
When = Callable[[Names], bool]
_Value = Callable[[Names], Any]


def parse(text: str) -> When:
    """The condition that a text stands for. ValueError says what in it is not understood; so does what
    this returns, for a name that is not known when it is asked.
    """
    return comparisons.parse(text, _words, "'loss > 10' or 'step == 37'")


def _words(tree: ast.expr, part: Callable[[ast.expr], _Value]) -> _Value:
    match tree:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = part(operand)
            return lambda names: -positive(names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            sign, first, second = _ARITHMETIC[type(op)], part(left), part(right)
            return lambda names: sign(first(names), second(names))
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


_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
