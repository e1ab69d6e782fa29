"""Which operation of the forward pass made what is not finite, as far as saved values tell.

From the node that met it, backwards in the forward pass: a node whose saved inputs are all finite and whose
output is not has made it. Where an input was not saved by anybody this cannot be told, and is not claimed.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vizgrad.arrays.finite import is_finite
from vizgrad.arrays.quiet import quiet
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Node
from vizgrad.graph.saved import bare

#: Operations that are gone back over at most.
MOST = 1_000


@quiet
def made_by(node: Node, values: Mapping[str, Any]) -> Node | None:
    """`node` has something saved in `values` that is not finite: the node whose forward made it, or the leaf
    that held it; None where that cannot be told.
    """
    for _ in range(MOST):
        if isinstance(node, AccumulateGrad):
            return node
        inputs = _inputs(node, values)
        if inputs is None:
            return None
        odd = [producer for producer, finite in inputs if not finite]
        if not odd:
            return node
        if odd[0] is None:
            return None
        node = odd[0]
        values = node.saved_values()
    return None


def _inputs(node: Node, values: Mapping[str, Any]) -> list[tuple[Node | None, bool]] | None:
    """The producer of each input, and whether the input was finite; None where that is not known of one."""
    found: list[tuple[Node | None, bool]] = []
    names = node.input_names
    for index, (producer, _) in enumerate(node.next_edges):
        name = names[index] if index < len(names) else ""
        finite = _is_finite(values.get(name))
        if finite is None and producer is not None:
            finite = _output_is_finite(producer)
        if finite is None:
            if producer is None and name not in values:
                continue  # a number, or what has no part in the derivative
            return None
        found.append((producer, finite))
    return found


def _output_is_finite(producer: Node) -> bool | None:
    if isinstance(producer, AccumulateGrad):
        return _is_finite(producer.variable)
    if producer.outputs != 1:
        return None
    return _is_finite(producer.saved_values().get("result"))


def _is_finite(value: Any) -> bool | None:
    """None: it is not kept."""
    array = getattr(bare(value), "_array", None) if value is not None else None
    return None if array is None else bool(is_finite(array))
