"""Carrying tangents through one operation: what `DUALS.run` and `DUALS.write` call in a forward level.

How operations come to ask for tangents: when the first level is entered, and not before.

Programs that never use forward mode do not pay for the question. The compiled code of an operation
is written again with one line more (`vizgrad.core.function.compile_record`); code written by hand asks
by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays.sparse.base import is_sparse
from vizgrad.core.function import inplace
from vizgrad.core.function.compile_node import write_again
from vizgrad.core.function.declared import Declared, saved_by
from vizgrad.core.function.inplace import CopySlices
from vizgrad.core.function.transform_tensor import Wrapped, written
from vizgrad.core.function.typing import coerce
from vizgrad.core.graph.edges import split_edge
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.saved import KeptSelf, Packed, SavedDual, SavedResult
from vizgrad.core.ops.complexes import real_part
from vizgrad.core.ops.shape import clone
from vizgrad.core.ops.tangents import by_hand
from vizgrad.core.ops.tangents import table as table
from vizgrad.core.ops.tangents.rules import rule_of
from vizgrad.core.ops.tangents.structure import Call, fitted, placed, zeros_for
from vizgrad.core.tensor.duals import (
    DUALS,
    DualLevel,
    active,
    follow,
    root_of,
    set_tangent,
    tangent_of,
    within,
)
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


def run(
    op: Declared,
    plain: Callable[..., Any],
    operands: tuple[Any, ...],
    attributes: dict[str, Any],
) -> Any:
    """`op` on operands that may have tangents; its result has one, then."""
    levels = active() if MODES.levels else ()
    made = plain(*operands, **attributes)
    if not levels or not op.formulas or any(each.__class__ is Wrapped for each in operands):
        return made
    results = made if isinstance(made, tuple) else (made,)
    out = results[0]
    if op.view:
        follow(out, operands[0])
    if out._array.dtype.kind not in "fcV":
        return made
    carried = False
    for depth, level in enumerate(levels):
        tangents = {
            name: tangent
            for name, operand in zip(op.inputs, operands, strict=True)
            if name in op.formulas
            and isinstance(operand, Tensor)
            and (tangent := tangent_of(operand, level)) is not None
        }
        if not tangents:
            continue
        if not carried:
            if is_sparse(out._array):
                raise no_sparse_tangent(op)
            carried = True
            operands = _as_tensors(op, operands)
        before, MODES.levels = MODES.levels, levels[:depth]
        try:
            found = rule_of(op)(Call(op, operands, attributes, results, tangents))
            if found is None:
                found = zeros_for(out, tuple(tangents.values()))
            elif not op.view:
                found = fitted(found, out, tuple(tangents.values()))
        finally:
            MODES.levels = before
        set_tangent(out, level, found)
    if carried:
        keep_with_saved(op, _node_of(out), out)
    return made


#: PyTorch's names of operations that make sparse tensors.
_NAMES = {
    "placed": "_sparse_coo_tensor_with_dims_and_tensors", "placed_compressed": "sparse_compressed_tensor",
    "used_rows": "_sparse_coo_tensor_with_dims_and_tensors", "to_sparse": "_to_sparse",
    "to_sparse_dim": "_to_sparse", "to_coo": "_to_sparse", "to_csr": "_to_sparse_csr",
    "to_csc": "_to_sparse_csc", "masked_dense": "sparse_mask", "masked_sparse": "sparse_mask",
}  # fmt: skip


def no_sparse_tangent(op: Declared) -> NotImplementedError:
    """For results that are sparse: where a tangent would store values does not follow from its tensor."""
    return wrong_call(
        NotImplementedError(
            f"Trying to use forward AD with {_NAMES.get(op.name, op.name)} that does not support it because "
            "it has not been implemented yet: its result is sparse, and sparse tensors have no tangents."
        ),
        "use a dense result, or reverse mode (vizgrad.func.vjp)",
    )


def _as_tensors(op: Declared, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """With Python numbers as the tensors that formulas take."""
    if all(isinstance(each, Tensor) for each in operands):
        return operands
    return coerce(op, *operands)


def keep_with_saved(op: Declared, node: Any, out: Tensor, old: Tensor | None = None) -> None:
    """Gives the tangents of `out` to what its node has saved of it (A-10), those of `old` to what was."""
    if getattr(node, "op", None) is not op:
        return
    for name in saved_by(op)[0]:
        form = getattr(node, "_" + name)
        if isinstance(form, KeptSelf):
            form.tangents = None if old is None or old._rare is None else old._rare.tangents
        elif out._rare is None:
            continue
        elif isinstance(form, SavedResult):
            setattr(node, "_" + name, SavedDual(form, out._rare.tangents))
        elif isinstance(form, Packed) and form.output_nr is not None:
            form.tangents = out._rare.tangents


def _node_of(out: Tensor) -> Any:
    return None if out._edge is None or not out._tracked else split_edge(out._edge)[0]


def _node_of_write(target: Tensor) -> Any:
    """The node of a write; through a view it lies in the history of its base."""
    written_one = target if target._view is None else target._view.base
    if not isinstance(written_one._edge, (Node, Edge)):
        return None
    node, _ = split_edge(written_one._edge)
    while isinstance(node, CopySlices):
        node = node.fn
    return node


# --- in place ------------------------------------------------------------------------------------------


def write(
    op: Any,
    target: Tensor,
    operands: tuple[Any, ...],
    name: str,
    attributes: dict[str, Any],
) -> Tensor:
    """`target = op(target, ...)`, in place, where target or operands may have tangents (A-8)."""
    given = (target, *operands)
    if written(op, given, name, attributes):
        return target  # what wrappers stand for was written, and came here itself
    levels = active()
    dual = [
        level
        for level in levels
        if any(isinstance(each, Tensor) and tangent_of(each, level) is not None for each in given)
    ]
    if not dual or target._array.dtype.kind not in "fcV":
        with within(()):
            return inplace.write(op, target, *operands, name=name, **attributes)
    given = _as_tensors(op, given)
    shared = target._storage
    old = tuple(
        [
            clone(each)
            if each is target or (shared is not None and each._storage is shared)
            else each
            for each in given
        ]
    )
    with within(()):
        inplace.write(op, target, *operands, name=name, **attributes)
    for depth, level in enumerate(levels):
        if level not in dual:
            continue
        tangents = {
            each: tangent
            for each, operand in zip(op.inputs, old, strict=True)
            if each in op.formulas and (tangent := tangent_of(operand, level)) is not None
        }
        with within(levels[:depth]):
            found = None
            if tangents:
                found = rule_of(op)(Call(op, old, attributes, (target,), tangents))
            write_tangent(target, level, found, tuple(tangents.values()))
    keep_with_saved(op, _node_of_write(target), target, old[0])
    return target


def write_tangent(
    target: Tensor, level: DualLevel, found: Tensor | None, lent: tuple[Any, ...] = ()
) -> None:
    """Makes `found` the tangent of a tensor that was written: in place, where it has one.

    For a part of a tensor without one, the whole gets a tangent that is zero elsewhere.
    """
    known = tangent_of(target, level)
    if known is None:
        if found is None:
            return
        root = root_of(target)
        if root is target:
            set_tangent(target, level, placed(fitted(found, target, lent), target))
            return
        set_tangent(root, level, placed(zeros_for(root, (found,)), root))
        known = tangent_of(target, level)
        assert known is not None
    if found is None:
        known.zero_()
    else:
        known.copy_(real_part(found) if found.is_complex() and not known.is_complex() else found)


# How operations come to ask for tangents: when the first level is entered, and not before.


def arm() -> None:
    """Makes operations ask for tangents from now on; does nothing the second time."""
    if DUALS.armed:
        return
    DUALS.run, DUALS.write, DUALS.by_hand = run, write, by_hand
    DUALS.armed = True
    write_again()
