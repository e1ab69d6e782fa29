"""Rules that follow from what is declared of an operation, or from what kind of function it is.

Each takes a Call and gives the tangent of its result, None for none (a zero).
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.engine.domain import TENSORS
from vizgrad.core.engine.task import Capture, GraphTask
from vizgrad.core.function.saving import conjugates
from vizgrad.core.graph.edges import edge_of, split_edge
from vizgrad.core.graph.saved import Freed
from vizgrad.core.ops.complexes import conj, real_part
from vizgrad.core.ops.constants import raw, zeros_like
from vizgrad.core.ops.indexing import gather
from vizgrad.core.ops.shape import expand, restore_dims, sum_to
from vizgrad.core.ops.tangents.call import Call, total
from vizgrad.core.ops.tangents.layouts import fitted
from vizgrad.core.tensor.modes import MODES, set_grad_mode
from vizgrad.core.tensor.tensor import LEAF, UNTRACKED, Tensor, new_tensor


def linear(call: Call) -> Tensor | None:
    """Linear in all that can be differentiated, at once: the operation itself, on tangents."""
    names = call.op.differentiable
    return call.again({name: call.tangent_or_zeros(name) for name in names})


def constant(call: Call) -> Tensor | None:
    """What does not depend on the operands, or only in steps."""
    return zeros_like(call.out)


def pointwise(call: Call) -> Tensor | None:
    """Element by element: the gradient formula, which multiplies by the derivative, on the tangent.

    For complex numbers too: a formula gives the plain derivative (`vizgrad.core.function.primitive`).
    """
    shape = call.out._array.shape
    parts: list[Tensor] = []
    for name, tangent in call.tangents.items():
        whole = tangent if tangent._array.shape == shape else expand(tangent, shape=shape)
        found = call.applied(call.op.formulas[name], whole)
        if found is not None:
            parts.append(found)
    return total(parts)


def product(*factors: str) -> Any:
    """Linear in each of `factors` while the others stand still; other operands are added to the product."""

    def rule(call: Call) -> Tensor | None:
        parts: list[Tensor] = []
        added = [n for n in call.op.differentiable if n not in factors]
        without = {name: zero_unless_absent(call.operands[name]) for name in added}
        parts = [
            call.again(without | {name: call.tangents[name]})
            for name in factors
            if name in call.tangents
        ]
        if any(name in call.tangents for name in added):
            one = {name: zeros_like(call.operands[name]) for name in factors[:1]}
            parts.append(call.again(one | {n: _tangent(call, n) for n in added}))
        return total(parts)

    rule.__name__ = "product"
    rule.inputs = factors  # pyright: ignore[reportFunctionMemberAccess]  for whoever checks them
    return rule


def zero_unless_absent(operand: Tensor) -> Tensor:
    """Zeros like an operand; what was not given stays so."""
    return operand if operand._is_stand_in else zeros_like(operand)


def _tangent(call: Call, name: str) -> Tensor:
    operand = call.operands[name]
    return operand if operand._is_stand_in else call.tangent_or_zeros(name)


def reduction(call: Call) -> Tensor | None:
    """Each operand element goes into one element of the result: slopes times tangents, added up there.

    The slopes are what the gradient formulas give for ones. Of complex operands of a real result they are
    gradients, of which the conjugate counts.
    """
    parts: list[Tensor] = []
    out = call.out
    for name, tangent in call.tangents.items():
        ones = new_tensor(raw(zeros_like(out)) + 1)
        slope = call.applied(call.op.formulas[name], ones)
        if slope is None:
            continue
        if not call.op.holomorphic and slope.is_complex():
            moved = real_part(conj(slope) * tangent)
        else:
            moved = slope * tangent
        parts.append(_reduced(moved, call))
    return total(parts)


def loss(call: Call) -> Tensor | None:
    """A loss of each pair of elements, or their sum or mean."""
    return (pointwise if call.attributes["reduction"] == "none" else reduction)(call)


def _reduced(value: Tensor, call: Call) -> Tensor:
    """The sum of what goes into the same element of the result."""
    shape, ndim = call.out._array.shape, value._array.ndim
    attributes = call.attributes
    if not shape:
        return value.sum() if ndim else value
    dims = attributes.get("dims", attributes.get("dim"))
    dims = (dims,) if isinstance(dims, int) else dims
    kept = sum_to(
        value,
        shape=tuple(
            1 if dims is None or d in dims else n for d, n in enumerate(value._array.shape)
        ),
    )
    return kept if kept._array.shape == shape else kept.reshape(shape)


def chosen(call: Call) -> Tensor | None:
    """The values are elements of `self` along `dim`, at `indices`: so are their tangents."""
    (tangent,) = call.tangents.values()
    dim = call.attributes["dim"]
    shape = tangent._array.shape
    index = call.results[call.op.outputs.index("indices")]
    if not shape:
        return tangent
    if not call.attributes.get("keepdim", True):
        index = restore_dims(index, (dim,), False, len(shape))
    return gather(tangent, index, dim=dim).reshape(call.out._array.shape)


def transposed(call: Call) -> Tensor | None:
    """For any operation. The gradient formula is linear in the gradient that arrives, and its transpose is
    the tangent: the gradient, by that argument, of the formula's result, with the tangent as what arrives.
    """
    recording = set_grad_mode(True)
    try:
        parts = [_transposed(call, name, tangent) for name, tangent in call.tangents.items()]
        made = total([p for p in parts if p is not None])
    finally:
        set_grad_mode(recording)
    if made is None or recording:
        return made
    return untracked(made)


def _transposed(call: Call, name: str, tangent: Tensor) -> Tensor | None:
    probe = zeros_like(call.out)
    probe._tracked = LEAF
    turned = call.op.holomorphic and probe.is_complex()
    arriving = conj(probe) if turned else probe
    gradient = call.applied(call.op.formulas[name], arriving)
    if turned:
        gradient = conjugates(gradient)
    if gradient is None or not gradient._tracked:
        return None
    operand = call.operands[name]._array
    if gradient._array.shape != operand.shape:
        gradient = sum_to(gradient, shape=operand.shape)
    if gradient.is_complex() and operand.dtype.kind != "c":
        gradient = real_part(gradient)
    return gradient_of(gradient, probe, fitted(tangent, gradient, (tangent,)))


def gradient_of(output: Tensor, leaf: Tensor, arriving: Tensor) -> Tensor | None:
    """The gradient of `output` by a leaf, recorded itself; None if it does not depend on it."""
    end: Any = edge_of(leaf)
    begin: Any = edge_of(output)
    capture = Capture(0)
    node, nr = split_edge(begin)
    GraphTask(
        [(node, nr, arriving)],
        TENSORS,
        keep_graph=True,
        freed=Freed(None),
        captures={end: [capture]},
    ).run()
    return capture.value


def untracked(value: Tensor) -> Tensor:
    """`value` without history, with its tangents: for what is computed where nothing is recorded."""
    from vizgrad.core.tensor.duals import set_tangent, tangent_of

    if value._tracked == UNTRACKED:
        return value
    out = new_tensor(value._array)
    for level in MODES.levels:
        tangent = tangent_of(value, level)
        if tangent is not None:
            set_tangent(out, level, untracked(tangent))
    return out
