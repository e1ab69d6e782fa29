"""Which operation of the forward pass made what is not finite, as far as saved values tell.

From the node that met it, backwards in the forward pass: a node whose saved inputs are all finite and whose
output is not has made it. Where an input was not saved by anybody this cannot be told, and is not claimed.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vizgrad.arrays import xp
from vizgrad.arrays.finite import is_finite
from vizgrad.arrays.quiet import quiet
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Node
from vizgrad.graph.saved import bare

#: Operations that are gone back over at most.
MOST = 1_000


def saved_now(node: Node) -> Mapping[str, Any]:
    """What a node has saved and not let go of."""
    return node.saved_values()


@quiet
def made_by(
    node: Node,
    values: Mapping[str, Any],
    saved: Callable[[Node], Mapping[str, Any]] = saved_now,
) -> Node | None:
    """`node` has something saved in `values` that is not finite: the node whose forward made it, or the leaf
    that held it; None where that cannot be told. `saved` gives what other nodes have saved.
    """
    for _ in range(MOST):
        if isinstance(node, AccumulateGrad):
            return node
        inputs = _inputs(node, values, saved)
        if inputs is None:
            return None
        odd = [producer for producer, finite in inputs if not finite]
        if not odd:
            return node
        if odd[0] is None:
            return None
        node = odd[0]
        values = saved(node)
    return None


def _inputs(
    node: Node, values: Mapping[str, Any], saved: Callable[[Node], Mapping[str, Any]]
) -> list[tuple[Node | None, bool]] | None:
    """The producer of each input, and whether the input was finite; None where that is not known of one."""
    found: list[tuple[Node | None, bool]] = []
    names = node.input_names
    for index, (producer, _) in enumerate(node.next_edges):
        name = names[index] if index < len(names) else ""
        finite = _is_finite(values.get(name))
        if finite is None and producer is not None:
            finite = _output_is_finite(producer, saved)
        if finite is None:
            if producer is None and name not in values:
                continue  # a number, or what has no part in the derivative
            return None
        found.append((producer, finite))
    return found


def _output_is_finite(producer: Node, saved: Callable[[Node], Mapping[str, Any]]) -> bool | None:
    if isinstance(producer, AccumulateGrad):
        return _is_finite(producer.variable)
    if producer.outputs != 1:
        return None
    values = saved(producer)
    known = _is_finite(values.get("result"))
    return _by_domain(producer.name(), values) if known is None else known


#: Node -> (what it saved, is that in the domain?): outside its output is not finite, inside it is. Operations
#: that keep no result.
_DOMAINS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "LogBackward0": ("self", lambda x: x > 0),
    "Log2Backward0": ("self", lambda x: x > 0),
    "Log10Backward0": ("self", lambda x: x > 0),
    "Log1PBackward0": ("self", lambda x: x > -1),
    "AcosBackward0": ("self", lambda x: abs(x) <= 1),
    "AsinBackward0": ("self", lambda x: abs(x) <= 1),
    "AcoshBackward0": ("self", lambda x: x >= 1),
    "AtanhBackward0": ("self", lambda x: abs(x) < 1),
}


def outside(node: Node, values: Mapping[str, Any]) -> tuple[tuple[int, ...], float] | None:
    """Where the operand of an operation lies outside its domain first, and what it is there."""
    operand, inside = _DOMAINS.get(node.name(), ("", bool))
    array = getattr(bare(values.get(operand)), "_array", None)
    if array is None or array.dtype.kind not in "fV" or not array.size:
        return None
    wrong = ~inside(array)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in xp.argwhere(wrong)[0])
    return index, float(array[index])


def _by_domain(name: str, values: Mapping[str, Any]) -> bool | None:
    """Whether the output was finite, of operations of which their input tells."""
    if name == "MulBackward0" and any(_is_finite(value) is False for value in values.values()):
        return False
    if name not in _DOMAINS:
        return None
    operand, inside = _DOMAINS[name]
    array = getattr(bare(values.get(operand)), "_array", None)
    if array is None or array.dtype.kind not in "fV":
        return None
    return bool(is_finite(array)) and bool(inside(array).all())


def _is_finite(value: Any) -> bool | None:
    """None: it is not kept."""
    array = getattr(bare(value), "_array", None) if value is not None else None
    return None if array is None else bool(is_finite(array))
