"""Rules that follow from what is declared of an operation, or from what kind of function it is.

Each takes a Call and gives the tangent of its result, None for none (a zero).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.engine.domain import TENSORS
from vizgrad.core.engine.task import Capture, GraphTask
from vizgrad.core.function.compile_node import conjugates
from vizgrad.core.function.declared import formula_parameters
from vizgrad.core.function.primitive import primitive
from vizgrad.core.function.strided import as_strided, geometry_of, view_as_complex, view_as_real
from vizgrad.core.function.transform_tensor import Wrapped, like_batch
from vizgrad.core.graph.edges import edge_of, split_edge
from vizgrad.core.graph.node import Meta
from vizgrad.core.graph.saved import Freed
from vizgrad.core.ops.complexes import conj, real_part
from vizgrad.core.ops.constants import raw, zeros_like
from vizgrad.core.ops.copying import to_copy
from vizgrad.core.ops.indexing import gather
from vizgrad.core.ops.shape import clone, expand, restore_dims, sum_to
from vizgrad.core.tensor.duals import OWN, set_tangent, tangent_of
from vizgrad.core.tensor.modes import MODES, set_grad_mode
from vizgrad.core.tensor.storage import InferenceStorage
from vizgrad.core.tensor.tensor import LEAF, UNTRACKED, Tensor, new_tensor, rare_of
from vizgrad.core.upcalls import UPCALLS

# A tangent lies in memory as its tensor does: views of the one have their like of the other.


@primitive(linear=True, typing="moved", node="CloneBackward0")
class laid_out:
    """A copy whose elements have the given strides (in bytes); in C order if these let elements meet."""

    def forward(self, *, strides):
        made = _empty(self, strides)
        if made is None:
            return self.copy()
        made[...] = self
        return made

    def grad_self(grad):
        return grad


def _empty(like: Any, strides: tuple[int, ...]) -> Any:
    """Memory of the shape of `like` with these strides, or None if elements would lie in one place.

    It is zero between the elements: a view with strides of its own (`as_strided`) may read there.
    """
    shape = like.shape
    if not like.size:
        return None
    reach = [(length - 1) * step for length, step in zip(shape, strides, strict=True)]
    low = -sum(r for r in reach if r < 0)
    count = (low + sum(map(abs, reach))) // like.itemsize + 1
    make = xp.zeros_like if count > like.size else xp.empty_like
    block = make(like, shape=(count,), order="C")
    made = layout.restrided(block[low // like.itemsize :], shape, strides)
    return None if layout.overlaps_itself(made) else made


@primitive(linear=True, typing="moved", node="CloneBackward0")
class laid_out_in:
    """A copy whose elements have the given strides (in bytes) in a block of `count` elements, of which
    `offset` come before its first one; all others are 0.
    """

    def forward(self, *, strides, offset, count):
        block = xp.zeros_like(self, shape=(count,), order="C")
        made = layout.restrided(block[offset:], self.shape, strides)
        made[...] = self
        return made

    def grad_self(grad):
        return grad


@primitive(view=True, linear=True, node="Identity")
class fw_primal:
    """The tensor itself, as another one: what has a tangent taken off."""

    def forward(self):
        return self[...]

    def grad_self(grad):
        return grad


def primal_of(tensor: Tensor) -> Tensor:
    """A view with the tangents that are carried on just now (those of outer levels), and never any other."""
    primal = fw_primal.record(tensor)
    rare_of(primal).tangent_root = OWN
    return primal


def alike(a: Any, b: Any) -> bool:
    """Do two arrays of one shape and type lie in memory in the same way?"""
    if a.strides == b.strides or a.size < 2:
        return True
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return all(first == second for length, first, second in steps if length > 1)


def fitted(tangent: Tensor, like: Tensor, lent: tuple[Any, ...] = ()) -> Tensor:
    """`tangent` in the shape, type and layout of `like`, in memory that nobody else has.

    `lent` are tensors of others: one of them is copied. Where one tangent is a batch of them (all columns of
    a Jacobian at once), so is the result.
    """
    given, array, own = tangent, like._array, tangent._array
    if own.dtype != array.dtype:
        if own.dtype.kind == "c" and array.dtype.kind != "c":
            tangent = real_part(tangent)
        tangent = to_copy(tangent, dtype=array.dtype)
    if own.shape != array.shape:
        tangent = expand(tangent, shape=array.shape)
    if not isinstance(tangent, Wrapped):
        batch = next((each for each in lent if isinstance(each, Wrapped)), None)
        if batch is not None:
            tangent = like_batch(tangent, batch)
    borrowed = tangent._view is not None or any(tangent is each for each in lent)
    if isinstance(tangent, Wrapped):  # how its elements lie is the batch's affair
        return clone(tangent) if borrowed or tangent is not given else tangent
    if not borrowed and (alike(tangent._array, array) or layout.overlaps_itself(array)):
        return tangent
    return laid_out(tangent, strides=array.strides)


def suits(tangent: Tensor, like: Tensor) -> bool:
    """Can `tangent` be the tangent of `like` as it is, the same object?

    Only if it has the same place in memory of the same size, so that views of the one are views of the other.
    """
    given, own = tangent._array, like._array
    if given.dtype != own.dtype or isinstance(tangent, Wrapped):
        return given.dtype == own.dtype
    if not alike(given, own) or layout.overlaps_itself(given):
        return False
    return _memory_of(tangent) == _memory_of(like)


def placed(tangent: Tensor, like: Tensor) -> Tensor:
    """`tangent`, fitted, where `like` lies in memory of that size: `as_strided` may leave the tensor's own
    elements, and what lies there has no tangent.
    """
    if suits(tangent, like) or layout.overlaps_itself(like._array):
        return tangent
    offset, nbytes = _memory_of(like)
    count = nbytes // like._array.itemsize
    return laid_out_in(tangent, strides=like._array.strides, offset=offset, count=count)


def _memory_of(tensor: Tensor) -> tuple[int, int]:
    """(elements before its first one, bytes in all) of the memory that it is a part of."""
    storage = tensor._storage
    if storage is None:
        return 0, tensor._array.nbytes
    shared = isinstance(storage, InferenceStorage)  # by all tensors of a block
    nbytes = owner(tensor._array).nbytes if shared else storage.nbytes
    return tensor.storage_offset(), nbytes


def zeros_for(tensor: Tensor, beside: tuple[Any, ...] = ()) -> Tensor:
    """Zeros that lie as the elements of `tensor` do; a batch of them, if one of the tangents `beside` is."""
    zeros = xp.zeros_like(tensor._array, order="C")
    made = new_tensor(zeros)
    batch = next((each for each in beside if isinstance(each, Wrapped)), None)
    if batch is not None:
        return clone(like_batch(made, batch))
    return made if alike(zeros, tensor._array) else laid_out(made, strides=tensor._array.strides)


def _region(root: Tensor, view: Tensor, tangent: Tensor) -> Tensor:
    geometry = geometry_of(root, view)
    if geometry.region == "real":
        return as_strided(view_as_real(tangent), geometry=geometry)
    part = as_strided(tangent, geometry=geometry)
    return view_as_complex(part) if geometry.region == "complex" else part


UPCALLS.region_of_tangent = _region


# One call of an operation, as a rule for tangents sees it.


class Call:
    """A call of `op`: operands, attributes and results, and the tangents of the operands."""

    __slots__ = ("attributes", "op", "operands", "out", "results", "tangents")

    def __init__(
        self,
        op: Any,
        operands: tuple[Any, ...],
        attributes: dict[str, Any],
        results: tuple[Tensor, ...],
        tangents: dict[str, Tensor],
    ) -> None:
        self.op = op
        self.operands = dict(zip(op.inputs, operands, strict=True))
        self.attributes = attributes
        self.results = results
        #: The result that has a tangent.
        self.out = results[0]
        #: Input -> its tangent, for those that have one.
        self.tangents = tangents

    def value(self, name: str) -> Any:
        """The value that a formula, or a rule, means by `name`."""
        if name in self.operands:
            return bare(self.operands[name])
        if name in self.attributes:
            return self.attributes[name]
        if name.endswith("_meta"):
            array = self.operands[name.removesuffix("_meta")]._array
            return Meta(array.shape, array.dtype)
        return bare(self.results[self.op.outputs.index(name)])

    def applied(self, formula: Callable[..., Any], first: Tensor) -> Any:
        """A formula (or rule) of its first parameter, and of what its other parameters name."""
        return formula(first, *[self.value(name) for name in formula_parameters(formula)[1:]])

    def again(self, replaced: dict[str, Any], **attributes: Any) -> Tensor:
        """The operation's (first) result for other operands."""
        operands = [
            replaced[name] if name in replaced else bare(value)
            for name, value in self.operands.items()
        ]
        made = self.op.record(*operands, **(self.attributes | attributes))
        return made[0] if isinstance(made, tuple) else made

    def tangent_or_zeros(self, name: str) -> Tensor:
        found = self.tangents.get(name)
        return zeros_like(self.operands[name]) if found is None else found


def bare(value: Any) -> Any:
    """An operand without its tangent, where a tangent that is computed with it is recorded.

    A recorded node keeps its operands, and a tangent has none under its own level: a gradient of it that
    is taken later, in the same level, must not have one either.
    """
    if MODES.grad and isinstance(value, Tensor) and value.requires_grad:
        return primal_of(value)
    return value


def total(parts: list[Tensor]) -> Tensor | None:
    """Their sum; None of nothing."""
    whole = None
    for part in parts:
        whole = part if whole is None else whole + part
    return whole


def linear(call: Call) -> Tensor | None:
    """Linear in all that can be differentiated, at once: the operation itself, on tangents."""
    names = call.op.differentiable
    return call.again({name: call.tangent_or_zeros(name) for name in names})


def constant(call: Call) -> Tensor | None:
    """The tangent of a result that does not depend on the operands, or only in steps."""
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
    rule.inputs = factors  # pyright: ignore[reportFunctionMemberAccess]  for checks
    return rule


def zero_unless_absent(operand: Tensor) -> Tensor:
    """Zeros like an operand; what was not given stays so."""
    return operand if operand._is_stand_in else zeros_like(operand)


def _tangent(call: Call, name: str) -> Tensor:
    operand = call.operands[name]
    return operand if operand._is_stand_in else call.tangent_or_zeros(name)


def reduction(call: Call) -> Tensor | None:
    """Each operand element goes into one element of the result: slopes times tangents, added up there.

    The slopes are what the gradient formulas give for ones. For complex operands of a real result
    they are gradients, of which the conjugate counts.
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
    if value._tracked == UNTRACKED:
        return value
    out = new_tensor(value._array)
    for level in MODES.levels:
        tangent = tangent_of(value, level)
        if tangent is not None:
            set_tangent(out, level, untracked(tangent))
    return out
