"""What the graph alone tells, where nobody listened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays.magnitude import born
from vizgrad.core.errors import Explanation, Link, place_of
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.origin_of_nan import (
    first_known,
    given_odd,
    outside,
    saved_now,
)
from vizgrad.debugger.explain.wording import (
    Words,
    code,
    code_or_input,
    line,
    number,
    operation,
    operation_of,
    said,
)
from vizgrad.debugger.watch import source_expressions


def of_bare_value(tensor: Any, name: str) -> Explanation | None:
    """A value is not finite, and only what nodes saved is left to tell why. Of other engines that is not
    looked at.
    """
    edge = tensor._edge if isinstance(tensor, Tensor) else None
    node = getattr(edge, "node", edge)
    if not isinstance(node, Node):
        return said(
            "nonfinite-forward", None, name,
            f"{code(name)} holds values that are not finite, and no operation is known that made them.",
            "look at the data; inside vizgrad.watch() the operation is found",
        )  # fmt: skip
    origin, sure = first_known(node, node.saved_values())
    return of_origin(origin, name) if sure else _first_known(origin, name)


def _first_known(node: Node, name: str) -> Explanation:
    """Nothing is claimed of the line: it may have been given what is not finite."""
    text = source_expressions.text_of(node.site) or node.name()
    given = given_odd(node, saved_now(node))
    if given is not None:
        operands = source_expressions.operands(node.site)
        operand = operands[given] if len(operands) == len(node.edges) else Words("an operand")
        return said(
            "nonfinite-forward", node.site, operand,
            f"{code(name)} is not finite: {code(operand)} of {code(text)} on {line(node.site)} was not "
            "already, and has no history.",
            "clean the data first: look for missing values with isfinite(), and replace or drop them",
        )  # fmt: skip
    found = said(
        "nonfinite-forward", None, name,
        f"{code(name)} is not finite. The first that is known to be so is {code(text)} on {line(node.site)}; "
        "what was saved does not tell what that was computed of.",
        "look at what goes in there, or run the block inside vizgrad.watch() and ask again",
    )  # fmt: skip
    links = (Link(name or "the value"), Link(node.name(), place_of(node.site), node.sequence_nr))
    return replace(found, chain=links)


def of_origin(
    origin: Node, name: str, saved: Callable[[Node], Mapping[str, Any]] = saved_now
) -> Explanation:
    """`origin` made, of finite values, what came into `name`; or it is the leaf that held it."""
    if isinstance(origin, AccumulateGrad):
        return said(
            "nonfinite-forward", None, name, f"{code(name)} was computed from a leaf that is not finite.",
            "look at the leaf: what wrote to it, and with which gradient",
        )  # fmt: skip
    shown = source_expressions.operand(origin.site, origin.name()) or origin.name()
    return said(
        "nonfinite-forward", origin.site, shown,
        f"{operation(origin.site, origin.name())} on {line(origin.site)} made what is "
        f"not finite, of finite values{_where(origin, shown, saved(origin))}.",
        f"keep {code_or_input(shown)} in the domain of the operation: clamp it, or add a small eps",
    )  # fmt: skip


def _where(origin: Node, shown: str, values: Mapping[str, Any]) -> str:
    """Where, and of what, as far as it has saved that."""
    wrong = outside(origin, values)
    if wrong is not None:
        index, value = wrong
        at = f" at {list(index)}" if index else ""
        return f": {code_or_input(shown)} is {number(value, operation_of(origin.name()))}{at}"
    result = getattr(bare(values.get("result")), "_array", None)
    places = [] if result is None or not result.size else born(result)
    if not places:
        return ""
    index, value, _ = places[0]
    return f": {number(value)}{f' at {list(index)}' if index else ''}"
