"""Where a NaN or an infinity comes from: the step that made it of finite gradients, or an operation of the
forward pass.

A step is looked at by what came and what it made. In the forward pass, from the node that met it backwards:
a node whose saved inputs are all finite and whose output is not has made it. Where no node saved an
input this cannot be known, and is not claimed; but a value that was not kept is known to be finite by how
large its operands are at most.

Nodes are read by the reader of their engine (`node_reader.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite, prod
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.magnitude import largest
from vizgrad.core.arrays.statistics import is_finite, odd
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.new_values import CapturedValue, summary_of
from vizgrad.debugger.engines.common.node_reader import NodeReader
from vizgrad.debugger.engines.common.recorded_step import RecordedStep

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


def surely_finite(node: Any, reader: NodeReader) -> bool:
    """Is the output of a node finite, whatever the elements of what is kept are?"""
    output = reader.output(node)
    return output is not None and bound(node, reader) <= _MOST.get(output[1], 0.0)


def bound(node: Any, reader: NodeReader, deep: int = _DEEP) -> float:
    """The largest absolute value that the output can have; infinite where that is not known."""
    if reader.variable(node) is not None:
        return _largest(reader.array(reader.variable(node)))
    name, values = reader.name(node).partition("Backward")[0], reader.saved(node)
    kept = values.get("result")
    if kept is not None:
        return _largest(kept)
    if name in _AT_MOST_ONE:
        return 1.0
    if deep <= 0 or reader.output(node) is None:
        return _INF
    producers = reader.producers(node)
    sizes = [_of_input(node, values, index, reader, deep) for index in range(len(producers))]
    largest_of_all = max(sizes, default=_INF)
    if name in _NOT_LARGER:
        return largest_of_all
    operation = reader.operation(node)
    if operation in ("add", "sub"):
        return sum(sizes)
    if operation == "mul":
        return prod(sizes)
    if name == "Sum":
        shape = _shape(node, values, 0, reader)
        return _INF if shape is None else largest_of_all * prod(shape)
    if operation in ("mm", "bmm", "mv", "mm_t", "bmm_t") and len(sizes) == 2:
        inner = _inner(node, values, (0, 1), reader)
        return prod(sizes) * inner
    if operation in ("addmm", "addmm_t", "addmv") and len(sizes) == 3:
        inner = _inner(node, values, (1, 2), reader)
        beta, alpha = (abs(reader.factor(node, factor)) for factor in ("beta", "alpha"))
        return beta * sizes[0] + alpha * sizes[1] * sizes[2] * inner
    return _INF


def _of_input(
    node: Any, values: Mapping[str, Any], index: int, reader: NodeReader, deep: int
) -> float:
    kept = _kept(node, values, index, reader)
    if kept is not None:
        return _largest(kept)
    producer = reader.producers(node)[index]
    if producer is None or not _tells(producer, node, reader):
        return _INF
    return bound(producer, reader, deep - 1)


def _kept(node: Any, values: Mapping[str, Any], index: int, reader: NodeReader) -> Any:
    """The operand behind an edge, if the node has saved it."""
    names = reader.operands(node)
    return values.get(names[index]) if index < len(names) else None


def _tells(producer: Any, node: Any, reader: NodeReader) -> bool:
    """Is its output still what `node` was given? A leaf that was written since tells nothing of before."""
    return reader.variable(producer) is None or reader.is_current(node, producer)


def _inner(
    node: Any, values: Mapping[str, Any], factors: tuple[int, int], reader: NodeReader
) -> float:
    """The length of the sums of a product of matrices, at most."""
    shapes = [_shape(node, values, index, reader) for index in factors]
    known = [shape for shape in shapes if shape]
    if known:
        return max(known[0])
    return _INF if None in shapes else 1


def _shape(
    node: Any, values: Mapping[str, Any], index: int, reader: NodeReader
) -> tuple[int, ...] | None:
    """The shape of an operand; None where it is not known."""
    kept = _kept(node, values, index, reader)
    if kept is not None:
        return tuple(kept.shape)
    producer = reader.producers(node)[index]
    if producer is None:
        return None
    variable = reader.variable(producer)
    if variable is not None:
        return tuple(variable.shape)
    output = reader.output(producer)
    return None if output is None else output[0]


def _largest(array: Any) -> float:
    if array is None:
        return _INF
    found = largest(array)
    return found if found == found else _INF


#: Operations that are gone back over at most.
MOST = 1_000


@quiet
def made_by(node: Any, reader: NodeReader) -> Any:
    """`node` has something saved that is not finite: the node whose forward made it, or that of the leaf that
    held it; None where that cannot be told.
    """
    origin, sure = first_known(node, reader)
    return origin if sure else None


@quiet
def first_known(node: Any, reader: NodeReader) -> tuple[Any, bool]:
    """As `made_by`: the first node, or leaf, whose output is known not to be finite; and is it known that its
    operands were?
    """
    for _ in range(MOST):
        if reader.variable(node) is not None:
            return node, True
        inputs = _inputs(node, reader)
        odd = [producer for producer, finite in inputs if finite is False]
        unknown = [producer for producer, finite in inputs if finite is None]
        if odd:
            found = odd[0]
        elif unknown:
            begins = _behind(unknown, reader)
            passes = len(inputs) == 1 and reader.name(node).partition("Backward")[0] in _PASSING
            found = unknown[0] if begins is None and passes else begins
        else:  # which of what recurrent layers save are operands is not known
            return node, not reader.name(node).startswith(_RECURRENT)
        if found is None:
            return node, False
        node = found
    return node, False


@quiet
def given_odd(node: Any, reader: NodeReader) -> int | None:
    """The number of an operand without a history that was not finite already; None if there is none."""
    for index, (producer, finite) in enumerate(_inputs(node, reader)):
        if producer is None and finite is False:
            return index
    return None


def _inputs(node: Any, reader: NodeReader) -> list[tuple[Any, bool | None]]:
    """The producer of each input, and whether the input was finite; None where that is not known."""
    found: list[tuple[Any, bool | None]] = []
    names, values = reader.operands(node), reader.saved(node)
    for index, producer in enumerate(reader.producers(node)):
        name = names[index] if index < len(names) else ""
        finite = _is_finite(values.get(name))
        if finite is None and producer is not None and _tells(producer, node, reader):
            finite = _output_is_finite(producer, reader)
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


def _behind(unknown: list[Any], reader: NodeReader) -> Any:
    """The nearest node whose output is known not to be finite, behind nodes of which nothing is known."""
    seen: set[int] = set()
    todo = list(unknown)
    for node in todo:
        if node is None or id(node) in seen or len(seen) > MOST:
            continue
        if reader.name(node).startswith(_MASKS):
            continue
        seen.add(id(node))
        for producer, finite in _inputs(node, reader):
            if finite is False and producer is not None:
                return producer
            todo += [producer] if finite is None else []
    return None


def _output_is_finite(producer: Any, reader: NodeReader) -> bool | None:
    variable = reader.variable(producer)
    if variable is not None:
        return _is_finite(reader.array(variable))
    if reader.output(producer) is None:
        return None
    values = reader.saved(producer)
    known = _is_finite(values.get("result"))
    if known is None:
        known = _by_domain(reader.name(producer), values)
    return True if known is None and surely_finite(producer, reader) else known


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


def outside(name: str, values: Mapping[str, Any]) -> tuple[tuple[int, ...], float] | None:
    """Where the operand of an operation lies outside its domain first, and what it is there. `name` is that
    of its node, `values` what that has saved.
    """
    operand, inside = _NOT_BY_ZERO if name.startswith("Div") else _DOMAINS.get(name, ("", bool))
    array = values.get(operand)
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
    if name.startswith("Div"):
        return False if outside(name, values) is not None else None
    if name not in _DOMAINS:
        return None
    operand, inside = _DOMAINS[name]
    array = values.get(operand)
    if array is None or array.dtype.kind not in "fV":
        return None
    return bool(is_finite(array)) and bool(inside(array).all())


def _is_finite(array: Any) -> bool | None:
    """None: it is not kept."""
    return None if array is None else bool(is_finite(array))


_RECURRENT = ("CudnnRnn", "MkldnnRnn")
#: Beginnings of names of nodes that multiply matrices: many elements meet in each element of the result, and
#: the saved one at the same place need be none of these.
MATRICES = (
    "Addbmm",
    "Addmm",
    "Addmv",
    "Baddbmm",
    "Bmm",
    "Convolution",
    *_RECURRENT,
    "Linear",
    "Matmul",
    "Mm",
    "Mv",
)
#: Saved values that are named at most.
MOST_OPERANDS = 3


#: In place of the name of a hook that the engine does not tell.
UNNAMED = "(unnamed)"


@quiet
def birth_of(
    step: RecordedStep[Any],
    node: Any,
    number: Callable[[Any], int | None],
    reader: NodeReader,
) -> model.Birth | None:
    """The non-finite result that `step`, which ran `node`, made from finite gradients; None if there is none.
    `number` gives that of a node; `reader` must know what this node had saved before the step.
    """
    if not all(_finite(held, reader) for held in step.incoming):
        return None
    for edge, held in _made(step):
        array = None if held is None else reader.array(held.array)
        if array is None or is_finite(array):
            continue
        found, hook = odd(array), _hook(step)
        operands, forward, born = (), False, None
        if not hook and edge is not None and found.first is not None:
            if reader.name(node).startswith(MATRICES):
                forward = any(_is_finite(each) is False for each in reader.saved(node).values())
            else:
                operands, forward = _operands(reader.saved(node), array.shape, found.first)
            born = made_by(node, reader) if forward else None
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


def _finite(held: CapturedValue | None, reader: NodeReader) -> bool:
    """Was it finite? Released values are known by their summary."""
    if held is None:
        return True
    array = reader.array(held.array)
    if array is None:
        return not (held.summary.nans or held.summary.infs)
    return bool(is_finite(array))


def _made(step: RecordedStep[Any]) -> Iterator[tuple[int | None, CapturedValue | None]]:
    """The gradients that a step has computed and passed on, and the sums that it has added to."""
    for out in step.routed:
        yield out.edge, out.computed
        yield out.edge, out.routed
    for arrived in step.arrived:
        yield None, arrived.after
    if step.accumulated is not None:
        yield None, step.accumulated.after


def _hook(step: RecordedStep[Any]) -> str:
    """The hook that made it, if one changed the gradient before the formula had it."""
    for stage in step.all_stages(summary_of):
        after = stage.after
        if after and (after.nans or after.infs):
            if stage.stage in ("tensor_hooks", "prehooks"):
                return stage.detail
            if stage.stage == "hooks":  # all of them, of an engine that tells them as one
                return UNNAMED
    return ""


def _operands(
    values: Mapping[str, Any], shape: tuple[int, ...], index: tuple[int, ...]
) -> tuple[tuple[model.Operand, ...], bool]:
    """The saved values at that place that say why, if some do, and whether one was not finite itself."""
    found: list[model.Operand] = []
    for name, array in values.items():
        there = None if array is None else _value_at(array, shape, index)
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
