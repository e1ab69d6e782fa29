"""How large the output of an operation is at most, where its value is not kept: by what its operands are.

So a value that was not kept is known to be finite: numbers of a few thousand have a product that is.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from vizgrad.core.arrays.magnitude import largest
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare

#: The largest number that is surely finite, by the name of a type; half of it, for sums round.
_MOST = {"float64": 1e307, "float32": 1e38, "bfloat16": 1e38, "float16": 3e4}
#: Operations behind each other that are gone through.
_DEEP = 64
_INF = float("inf")

#: Nodes whose output is no larger than an operand, and than 1.
_NOT_LARGER = frozenset(
    {
        "Abs", "Alias", "Amax", "Amin", "Cat", "Clone", "Diagonal", "Embedding", "Expand", "Flip", "Gather",
        "Index", "IndexSelect", "Max", "Mean", "Min", "Neg", "Permute", "Relu", "Repeat", "Roll", "Select",
        "Slice", "Split", "Squeeze", "Stack", "T", "ToCopy", "Transpose", "Tril", "Triu", "Unbind",
        "UnsafeView", "Unsqueeze", "View",
    }
)  # fmt: skip
_AT_MOST_ONE = frozenset({"Cos", "Erf", "SafeSoftmax", "Sigmoid", "Sin", "Softmax", "Tanh"})

Saved = Callable[[Node], Mapping[str, Any]]


def surely_finite(node: Node, saved: Saved) -> bool:
    """Is the output of a node finite, whatever the elements of what is kept are?"""
    return bound(node, saved, _DEEP) <= _MOST.get(str(node.dtype), 0.0)


def bound(node: Node, saved: Saved, deep: int) -> float:
    """The largest absolute value that the output can have; infinite where that is not known."""
    if isinstance(node, AccumulateGrad):
        return _largest(node.variable)
    name, values = node.name().partition("Backward")[0], saved(node)
    kept = values.get("result")
    if getattr(bare(kept), "_array", None) is not None:
        return _largest(bare(kept))
    if name in _AT_MOST_ONE:
        return 1.0
    if deep <= 0 or node.outputs != 1:
        return _INF
    sizes = [_of_input(node, values, index, saved, deep) for index in range(len(node.next_edges))]
    largest_of_all = max(sizes, default=_INF)
    if name in _NOT_LARGER:
        return largest_of_all
    operation = getattr(getattr(type(node), "op", None), "name", "")
    if operation in ("add", "sub"):
        return sum(sizes)
    if operation == "mul":
        return prod(sizes)
    if name == "Sum":
        return largest_of_all * prod(_shape(node, values, 0))
    if operation in ("mm", "bmm", "mv", "mm_t", "bmm_t") and len(sizes) == 2:
        return prod(sizes) * max(_shape(node, values, 0) or _shape(node, values, 1), default=1)
    if operation in ("addmm", "addmm_t", "addmv") and len(sizes) == 3:
        inner = max(_shape(node, values, 1) or _shape(node, values, 2), default=1)
        beta, alpha = (abs(getattr(node, "_saved_" + factor, _INF)) for factor in ("beta", "alpha"))
        return beta * sizes[0] + alpha * sizes[1] * sizes[2] * inner
    return _INF


def _of_input(node: Node, values: Mapping[str, Any], index: int, saved: Saved, deep: int) -> float:
    names = node.input_names
    kept = bare(values.get(names[index])) if index < len(names) else None
    if getattr(kept, "_array", None) is not None:
        return _largest(kept)
    producer = node.next_edges[index][0]
    if producer is None or written_since(producer, node):
        return _INF
    return bound(producer, saved, deep - 1)


def written_since(producer: Node, node: Node) -> bool:
    """Is it a leaf that was written after `node` was recorded? Then it tells nothing of before."""
    if not isinstance(producer, AccumulateGrad):
        return False
    storage = producer.variable._storage
    return storage is not None and storage.last_write > node.sequence_nr


def _shape(node: Node, values: Mapping[str, Any], index: int) -> tuple[int, ...]:
    names = node.input_names
    kept = getattr(bare(values.get(names[index])), "_array", None) if index < len(names) else None
    if kept is not None:
        return tuple(kept.shape)
    producer = node.next_edges[index][0]
    if isinstance(producer, AccumulateGrad):
        return tuple(producer.variable._array.shape)
    return () if producer is None else tuple(producer.shape)


def _largest(tensor: Any) -> float:
    found = largest(tensor._array)
    return found if found == found else _INF
