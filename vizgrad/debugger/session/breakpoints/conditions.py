"""Conditions of breakpoints: expressions (`vizgrad.debugger.expressions`) over a node and variables.

``grad.norm() > 10``, ``isnan(loss)``, ``nonfinite``, ``step == 3 and name == "MulBackward0"``. Their names:

- `grad`, the first gradient that arrives at the node, and `out`, the first that leaves it (after a visit
  alone): tensors that also have `norm`, `min`, `max`, `mean`, `nans`, `infs`, `zeros`, `size` as attributes,
  which are known of every step. Their elements are read while the session keeps them.
- `nonfinite` (a NaN or an infinity arrives, or leaves), `position` (steps done before the node), `node`,
  `name`, and `iteration` (how many nodes of the same place in the program were recorded before it).
- `loss`, which the backward starts from, and the variables of the frames that called it. `step` is the
  variable of that name, and the same as `position` if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.expressions import Expression, Gradient
from vizgrad.debugger.expressions import parse as parse_expression

Variables = Callable[[], Mapping[str, Any]]
#: Gives an array of a visit, None where it is not kept.
Values = Callable[[model.ArrayKind, int], Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """The subject of a condition: a node before its visit (nothing is routed yet), or after it."""

    visit: model.Visit
    name: Callable[[], str]
    iteration: Callable[[], int]
    values: Values = field(default=lambda _kind, _nr: None)
    variables: Variables = field(default=dict[str, Any])


Test = Callable[[Facts], bool]
#: Is called with why a condition has no value, or "" where it has one.
Asked = Callable[[Facts, str], None]


def parse(
    text: str,
    variables: Variables = dict[str, Any],
    asked: Asked = lambda _facts, _why: None,
) -> Test:
    """The condition that a text stands for; ValueError says what in it is not understood, or that a name is
    neither one of a condition nor one of `variables`. Where it has no value it does not hold: `asked` is
    called each time.
    """
    example = "'grad.norm() > 10', 'isnan(loss)', 'nonfinite' or 'step == 3'"
    expression = parse_part(text, variables, "condition", example)

    def holds(facts: Facts) -> bool:
        try:
            found = expression.holds(ConditionNames(facts))
        except ValueError as error:
            asked(facts, str(error))
            return False
        asked(facts, "")
        return found

    return holds


def parse_part(text: str, variables: Variables, what: str, example: str) -> Expression:
    """An expression over the names of a condition. ValueError as `parse`, about the `what` that is wrong."""
    known = {*_NAMES, *variables(), "step"}
    return parse_expression(text, known, tensors=_GRADIENTS, what=what, example=example)


def is_nonfinite(visit: model.Visit) -> bool:
    """Did a NaN or an infinity arrive at this visit, or leave it?"""
    summaries = [*visit.incoming, *(r.routed for r in visit.routed)]
    return any(s is not None and (s.nans or s.infs) for s in summaries)


class ConditionNames(Mapping[str, Any]):
    """The names of a condition; each is looked up when the condition comes to it."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def __getitem__(self, name: str) -> Any:
        if name in _NAMES:
            return _NAMES[name](self._facts)
        variables = self._facts.variables()
        return variables[name] if name != "step" or name in variables else self["position"]

    def __iter__(self) -> Iterator[str]:
        return iter({*_NAMES, *self._facts.variables(), "step"})

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _arrived(facts: Facts) -> Gradient | None:
    return _first(facts, "incoming", facts.visit.incoming)


def _left(facts: Facts) -> Gradient | None:
    return _first(facts, "routed", [routed.routed for routed in facts.visit.routed])


def _first(facts: Facts, kind: model.ArrayKind, found: Any) -> Gradient | None:
    first = next((nr for nr, summary in enumerate(found) if summary is not None), None)
    return None if first is None else Gradient(found[first], lambda: facts.values(kind, first))


_NAMES: dict[str, Callable[[Facts], Any]] = {
    "nonfinite": lambda facts: is_nonfinite(facts.visit),
    "iteration": lambda facts: facts.iteration(),
    "position": lambda facts: facts.visit.index,
    "node": lambda facts: facts.visit.node,
    "name": lambda facts: facts.name(),
    "grad": _arrived,
    "out": _left,
}
_GRADIENTS = frozenset({"grad", "out"})
