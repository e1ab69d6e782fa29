"""Which operation of the forward pass made what is not finite, as far as saved values tell.

From the node that met it, backwards in the forward pass: a node whose saved inputs are all finite and whose
output is not has made it. Where an input was not saved by anybody this cannot be told, and is not claimed.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.statistics import is_finite
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.debugger.engines.vizgrad.bounds import surely_finite, written_since

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
    origin, sure = first_known(node, values, saved)
    return origin if sure else None


@quiet
def first_known(
    node: Node,
    values: Mapping[str, Any],
    saved: Callable[[Node], Mapping[str, Any]] = saved_now,
) -> tuple[Node, bool]:
    """As `made_by`: the first node, or leaf, whose output is known not to be finite; and is it known that its
    operands were?
    """
    for _ in range(MOST):
        if isinstance(node, AccumulateGrad):
            return node, True
        inputs = _inputs(node, values, saved)
        odd = [producer for producer, finite in inputs if finite is False]
        unknown = [producer for producer, finite in inputs if finite is None]
        if odd:
            found = odd[0]
        elif unknown:
            begins = _behind(unknown, saved)
            passes = len(inputs) == 1 and node.name().partition("Backward")[0] in _PASSING
            found = unknown[0] if begins is None and passes else begins
        else:
            return node, True
        if found is None:
            return node, False
        node = found
        values = saved(node)
    return node, False


@quiet
def given_odd(node: Node, values: Mapping[str, Any]) -> int | None:
    """The number of an operand without a history that was not finite already; None if there is none."""
    for index, (producer, finite) in enumerate(_inputs(node, values, saved_now)):
        if producer is None and finite is False:
            return index
    return None


def _inputs(
    node: Node, values: Mapping[str, Any], saved: Callable[[Node], Mapping[str, Any]]
) -> list[tuple[Node | None, bool | None]]:
    """The producer of each input, and whether the input was finite; None where that is not known."""
    found: list[tuple[Node | None, bool | None]] = []
    names = node.input_names
    for index, (producer, _) in enumerate(node.next_edges):
        name = names[index] if index < len(names) else ""
        finite = _is_finite(values.get(name))
        if finite is None and producer is not None and not written_since(producer, node):
            finite = _output_is_finite(producer, saved)
        if finite is None and producer is None and name not in values:
            continue  # a number, or what has no part in the derivative
        found.append((producer, finite))
    return found


#: Nodes with one operand that make nothing that is not finite of what is, but by adding up what is huge.
_PASSING = frozenset(
    {
        "Abs", "Alias", "Clone", "Diagonal", "Expand", "LogSigmoid", "LogSoftmax", "Mean", "Neg", "NllLoss",
        "Permute", "Relu", "Repeat", "SafeSoftmax", "Select", "Sigmoid", "Slice", "Softmax", "Squeeze", "Sum",
        "T", "Tanh", "ToCopy", "Transpose", "UnsafeView", "Unsqueeze", "View",
    }
)  # fmt: skip
#: Nodes that need not pass on what is not finite.
_MASKS = (
    "Amax", "Amin", "Clamp", "Gather", "Index", "Masked", "Max", "Min", "Nan", "Select", "Slice", "Sort",
    "Topk", "Where",
)  # fmt: skip


def _behind(unknown: list[Node | None], saved: Callable[[Node], Mapping[str, Any]]) -> Node | None:
    """The nearest node whose output is known not to be finite, behind nodes of which nothing is known."""
    seen: set[int] = set()
    todo = list(unknown)
    for node in todo:
        if node is None or id(node) in seen or len(seen) > MOST or node.name().startswith(_MASKS):
            continue
        seen.add(id(node))
        for producer, finite in _inputs(node, saved(node), saved):
            if finite is False and producer is not None:
                return producer
            todo += [producer] if finite is None else []
    return None


def _output_is_finite(producer: Node, saved: Callable[[Node], Mapping[str, Any]]) -> bool | None:
    if isinstance(producer, AccumulateGrad):
        return _is_finite(producer.variable)
    if producer.outputs != 1:
        return None
    values = saved(producer)
    known = _is_finite(values.get("result"))
    if known is None:
        known = _by_domain(producer.name(), values)
    return True if known is None and surely_finite(producer, saved) else known


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


#: Of divisions: inside it is finite only if what is divided is.
_NOT_BY_ZERO: tuple[str, Callable[[Any], Any]] = ("other", lambda x: x != 0)


def outside(node: Node, values: Mapping[str, Any]) -> tuple[tuple[int, ...], float] | None:
    """Where the operand of an operation lies outside its domain first, and what it is there."""
    operand, inside = (
        _NOT_BY_ZERO if node.name().startswith("Div") else _DOMAINS.get(node.name(), ("", bool))
    )
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
