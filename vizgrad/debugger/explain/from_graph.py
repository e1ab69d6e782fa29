"""Explanations from the graph alone, without a watch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays.magnitude import born
from vizgrad.core.errors import Link, place_of
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.nonfinite_origin import (
    first_known,
    given_odd,
    outside,
    saved_now,
)
from vizgrad.debugger.explain.cause import NOTHING, Cause, Number, Operand, Phrase, cause
from vizgrad.debugger.explain.nonfinite import at_index
from vizgrad.debugger.explain.wording import A_LEAF, AN_OPERAND, operation, operation_of
from vizgrad.debugger.watch import source_expressions


def of_bare_value(tensor: Any, name: str) -> Cause:
    """A value is not finite, and only what nodes saved is left to tell why. For other engines that
    is not inspected.
    """
    edge = tensor._edge if isinstance(tensor, Tensor) else None
    node = getattr(edge, "node", edge)
    if not isinstance(node, Node):
        return cause("nonfinite-forward", "no-operation-known", None, name, name=name)
    origin, sure = first_known(node, node.saved_values())
    return of_origin(origin, name) if sure else _first_known(origin, name)


def _first_known(node: Node, name: str) -> Cause:
    """Nothing is claimed of the line: it may have been given what is not finite."""
    text = operation(node.site, node.name())
    given = given_odd(node, saved_now(node))
    if given is not None:
        operands = source_expressions.operands(node.site)
        operand = operands[given] if len(operands) == len(node.edges) else AN_OPERAND
        return cause(
            "nonfinite-forward", "operand-not-finite", node.site, operand,
            name=name, which=operand, call=text, operand=Operand(operand),
        )  # fmt: skip
    found = cause(
        "nonfinite-forward", "first-known", None, name, name=name, call=text, at=node.site
    )
    links = (Link(name or "the value"), Link(node.name(), place_of(node.site), node.sequence_nr))
    return replace(found, path=links)


def of_origin(
    origin: Node,
    name: str,
    saved: Callable[[Node], Mapping[str, Any]] = saved_now,
    met: Phrase = NOTHING,
    leaf: str = A_LEAF,
) -> Cause:
    """`origin` made, of finite values, what came into `name`; or it is the leaf that held it. `met` says
    where a gradient met it, `leaf` what the leaf is called.
    """
    if isinstance(origin, AccumulateGrad):
        return cause(
            "nonfinite-forward", "leaf-not-finite", None, name, name=name, leaf=leaf, met=met
        )
    shown = source_expressions.operand(origin.site, origin.name()) or origin.name()
    element, operand = _element(origin, shown, saved(origin))
    return cause(
        "nonfinite-forward", "saved-values", origin.site, shown,
        operand=operand, call=operation(origin.site, origin.name()), element=element, shown=shown, met=met,
    )  # fmt: skip


def _element(origin: Node, shown: str, values: Mapping[str, Any]) -> tuple[Phrase, Operand]:
    """Where, and of what, as far as it has saved that."""
    wrong = outside(origin, values)
    if wrong is not None:
        index, value = wrong
        told = Number(value, operation_of(origin.name()))
        element = Phrase("element-operand", operand=shown, value=told, index=at_index(tuple(index)))
        return element, Operand(shown, value, tuple(index))
    result = getattr(bare(values.get("result")), "_array", None)
    places = [] if result is None or not result.size else born(result)
    if not places:
        return NOTHING, Operand(shown)
    index, value, _ = places[0]
    element = Phrase(
        "element", made=Phrase("made", made=value), index=at_index(index), operand=NOTHING
    )
    return element, Operand(shown, None, index)
