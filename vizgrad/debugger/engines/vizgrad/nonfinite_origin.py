"""Where a NaN or an infinity comes from: the step that made it of finite gradients, or an operation of the
forward pass.

A step is looked at by what came and what it made. In the forward pass, from the node that met it backwards:
a node whose saved inputs are all finite and whose output is not has made it. Where no node saved an
input this cannot be known, and is not claimed; but a value that was not kept is known to be finite by how
large its operands are at most.
"""

# pyright: reportPrivateUsage=false
# Underscored slots of a tensor are hidden from its users, not from the debugger.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite, prod
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.magnitude import largest
from vizgrad.core.arrays.statistics import is_finite, odd
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect

if TYPE_CHECKING:
    from vizgrad.debugger.engines.vizgrad.step import EngineStep
    from vizgrad.debugger.engines.vizgrad.summary import CapturedArray


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


#: Operations that are gone back over at most.
MOST = 1_000


def saved_now(node: Node) -> Mapping[str, Any]:
    """The values that a node has saved and not released."""
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


#: In a division the inner value is finite only if the dividend is.
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


#: Saved values that are named at most.
MOST_OPERANDS = 3


@quiet
def birth_of(
    step: EngineStep,
    node: Node,
    number: Callable[[Node], int | None],
    saved: Callable[[Node], Mapping[str, Any]] = saved_now,
) -> model.Birth | None:
    """The non-finite result that `step`, which ran `node`, made from finite gradients; None if there is none.
    `number` gives that of a node, `saved` what nodes have saved: without, those have let go of it that ran.
    """
    if not all(map(_finite, step.incoming)):
        return None
    hook = _hook(step)
    for edge, held in _made(step):
        if held is None or held.array is None or is_finite(held.array):
            continue
        found = odd(held.array)
        operands, forward, born = (), False, None
        if not hook and edge is not None and found.first is not None:
            values = saved_before(step, node)
            operands, forward = _operands(values, held.array.shape, found.first)
            born = made_by(node, values, saved) if forward else None
        return model.Birth(
            step.node,
            found.nans,
            found.infs,
            found.size,
            edge,
            found.first,
            operands,
            forward,
            hook,
            None if born is None else number(born),
        )
    return None


def _finite(held: CapturedArray | None) -> bool:
    """Was it finite? Released values are known by their summary."""
    if held is None:
        return True
    if held.array is None:
        return not (held.summary.nans or held.summary.infs)
    return is_finite(held.array)


def _made(step: EngineStep) -> Iterator[tuple[int | None, CapturedArray | None]]:
    """The gradients that a step has computed and passed on, and the sums that it has added to."""
    for out in step.routed:
        yield out.edge, out.computed
        yield out.edge, out.routed
    for arrived in step.arrived:
        yield None, arrived.after
    if step.accumulated is not None:
        yield None, step.accumulated.after


def _hook(step: EngineStep) -> str:
    """The hook that made it, if one changed the gradient before the formula had it."""
    for stage in step.stages:
        after = stage.after
        if stage.stage in ("tensor_hooks", "prehooks") and after and (after.nans or after.infs):
            return stage.detail
    return ""


def saved_before(step: EngineStep, node: Node) -> dict[str, Any]:
    """The values that the node had saved before the step."""
    values = dict(node.saved_values())
    for effect in step.effects:
        if isinstance(effect, ReleaseEffect):
            values |= effect.values
    return values


def _operands(
    values: Mapping[str, Any], shape: tuple[int, ...], index: tuple[int, ...]
) -> tuple[tuple[model.Operand, ...], bool]:
    """The saved values at that place that say why, if some do, and whether one was not finite itself."""
    found: list[model.Operand] = []
    for name, value in values.items():
        array = getattr(bare(value), "_array", None)
        if array is None:
            continue
        there = _value_at(array, shape, index)
        if there is not None:
            found.append(model.Operand(name, there))
    telling = [o for o in found if o.value == 0 or not isfinite(o.value)]
    forward = any(not isfinite(o.value) for o in found)
    return tuple((telling or found)[:MOST_OPERANDS]), forward


def _value_at(array: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> float | None:
    """The value that met the one at `index` of an array of `shape`; None where that cannot be told."""
    if getattr(array, "ndim", len(shape) + 1) > len(shape):
        return None
    behind = len(shape) - array.ndim
    for size, whole in zip(array.shape, shape[behind:], strict=True):
        if size not in (1, whole):
            return None
    place = tuple(
        0 if size == 1 else at for size, at in zip(array.shape, index[behind:], strict=True)
    )
    value = to_host(array[place] if place else array).item()
    return float(abs(value)) if isinstance(value, complex) else float(value)
