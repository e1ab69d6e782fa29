"""Which operation of the forward pass made a value NaN or infinite, by what the nodes of its graph saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays.magnitude import born
from vizgrad.core.errors import Link, place_of
from vizgrad.debugger.engines.common.node_reader import NodeReader
from vizgrad.debugger.engines.common.nonfinite_origin import given_odd, outside
from vizgrad.debugger.explain.cause import NOTHING, Cause, Number, Operand, Phrase, cause
from vizgrad.debugger.explain.evidence import Origin
from vizgrad.debugger.explain.nonfinite import at_index
from vizgrad.debugger.explain.wording import A_LEAF, AN_OPERAND, operation, operation_of
from vizgrad.debugger.watch import source_expressions


def of_value(origin: Origin, name: str) -> Cause:
    """The cause of a value that is not finite, of which only what nodes saved is left to tell."""
    if origin.node is None:
        return cause("nonfinite-forward", "no-operation-known", None, name, name=name)
    return of_origin(origin, name) if origin.sure else _first_known(origin, name)


def _first_known(origin: Origin, name: str) -> Cause:
    """Nothing is claimed of the line: it may have been given what is not finite."""
    node, reader = origin.node, origin.reader
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


def of_origin(origin: Origin, name: str, met: Phrase = NOTHING) -> Cause:
    """Its node made, of finite values, what came into `name`; or it is that of the leaf that held it. `met`
    says where a gradient met it.
    """
    node, reader = origin.node, origin.reader
    if reader.variable(node) is not None:
        leaf = origin.leaf or A_LEAF
        written = reader.last_write(node)
        last = NOTHING
        if written is not None:
            last = Phrase("last-written", leaf=leaf, op=written[0], at=written[1])
        found = cause(
            "nonfinite-forward",
            "leaf-not-finite",
            None,
            name,
            name=name,
            leaf=leaf,
            met=met,
            last=last,
        )
    else:
        found = _made(node, reader, met)
    return replace(found, path=origin.path)


def _made(node: Any, reader: NodeReader, met: Phrase) -> Cause:
    site, called = reader.site(node), reader.name(node)
    shown = source_expressions.operand(site, called) or called
    element, operand = _element(called, shown, reader.saved(node))
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
