"""Which operation of the forward pass made a value NaN or infinite, by what the nodes of its graph saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays.magnitude import born
from vizgrad.core.errors import Link, place_of
from vizgrad.debugger.engines.common.node_reader import NodeReader
from vizgrad.debugger.engines.common.nonfinite_origin import first_known, given_odd, outside
from vizgrad.debugger.explain.cause import NOTHING, Cause, Number, Operand, Phrase, cause
from vizgrad.debugger.explain.nonfinite import at_index
from vizgrad.debugger.explain.wording import A_LEAF, AN_OPERAND, operation, operation_of
from vizgrad.debugger.watch import source_expressions


def of_bare_value(node: Any, reader: NodeReader, name: str) -> Cause:
    """A value is not finite, and only what nodes saved is left to tell why. `node` made it."""
    if node is None:
        return cause("nonfinite-forward", "no-operation-known", None, name, name=name)
    origin, sure = first_known(node, reader)
    return of_origin(origin, name, reader) if sure else _first_known(origin, name, reader)


def _first_known(node: Any, name: str, reader: NodeReader) -> Cause:
    """Nothing is claimed of the line: it may have been given what is not finite."""
    site, called = reader.site(node), reader.name(node)
    text = operation(site, called)
    given = given_odd(node, reader)
    if given is not None:
        operands = source_expressions.operands(site)
        known = len(operands) == len(reader.producers(node))
        operand = operands[given] if known else AN_OPERAND
        return cause(
            "nonfinite-forward", "operand-not-finite", site, operand,
            name=name, which=operand, call=text, operand=Operand(operand),
        )  # fmt: skip
    found = cause("nonfinite-forward", "first-known", None, name, name=name, call=text, at=site)
    links = (Link(name or "the value"), Link(called, place_of(site), reader.key(node)))
    return replace(found, path=links)


def of_origin(
    origin: Any, name: str, reader: NodeReader, met: Phrase = NOTHING, leaf: str = A_LEAF
) -> Cause:
    """`origin` made, of finite values, what came into `name`; or it is the leaf that held it. `met` says
    where a gradient met it, `leaf` what the leaf is called.
    """
    if reader.variable(origin) is not None:
        return cause(
            "nonfinite-forward", "leaf-not-finite", None, name, name=name, leaf=leaf, met=met
        )
    site, called = reader.site(origin), reader.name(origin)
    shown = source_expressions.operand(site, called) or called
    element, operand = _element(called, shown, reader.saved(origin))
    return cause(
        "nonfinite-forward", "saved-values", site, shown,
        operand=operand, call=operation(site, called), element=element, shown=shown, met=met,
    )  # fmt: skip


def _element(called: str, shown: str, values: Mapping[str, Any]) -> tuple[Phrase, Operand]:
    """Where, and of what, as far as it has saved that."""
    wrong = outside(called, values)
    if wrong is not None:
        index, value = wrong
        told = Number(value, operation_of(called))
        element = Phrase("element-operand", operand=shown, value=told, index=at_index(tuple(index)))
        return element, Operand(shown, value, tuple(index))
    result = values.get("result")
    places = [] if result is None or not result.size else born(result)
    if not places:
        return NOTHING, Operand(shown)
    index, value, _ = places[0]
    element = Phrase(
        "element", made=Phrase("made", made=value), index=at_index(index), operand=NOTHING
    )
    return element, Operand(shown, None, index)
