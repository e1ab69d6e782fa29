"""Operations on single elements: dimensions are laid beside each other, and numpy broadcasts the rest."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.sparse import SparseUnsupported
from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import example_ndim, with_ndim
from vizgrad.core.function.typing import WrappedNumber
from vizgrad.core.ops import copying, select
from vizgrad.core.ops.copying import converted
from vizgrad.core.ops.joining import record_stack
from vizgrad.core.ops.optional import ABSENT
from vizgrad.core.tensor.tensor import Tensor


@rule("pointwise")
def pointwise(call: Call, **attributes: Any) -> Any:
    try:
        if not attributes and alike(call):
            return call.op.record(*call.values)
        values = beside(call, attributes)
        if call.op.typing in ("promote", "float"):
            values = one_type(call, values)
        return call.op.record(*values, **attributes)
    except SparseUnsupported:
        copies = _sparse_for_each(call)
        if copies is None:
            raise
        return pointwise(copies, **attributes)


def _sparse_for_each(call: Call) -> Call | None:
    """With a copy, for each example, of sparse operands: which do not broadcast; None if there are none."""
    pairs = list(zip(call.values, call.batched, strict=True))
    found = [isinstance(v, Tensor) and not on and v.is_sparse for v, on in pairs]
    if True not in found:
        return None
    values = [
        record_stack([v] * call.size, 0) if each else v
        for v, each in zip(call.values, found, strict=True)
    ]
    return call.of(call.op, values, [a or b for a, b in zip(call.batched, found, strict=True)])


@rule("masked_fill_tensor")
def masked_fill_tensor(call: Call) -> Any:
    """The value is one number of each example, and in a batch of such it has dimensions."""
    target, mask, value = beside(call)
    if not call.batched[2]:
        return call.op.record(target, mask, value)
    return select.where.record(copying.converted(value, target._array.dtype), target, mask)


def alike(call: Call) -> bool:
    """Are all operands of one type, and lie beside each other as they are?"""
    dtype: Any = None
    ndim = narrow = 0
    for value, batched in zip(call.values, call.batched, strict=True):
        if not isinstance(value, Tensor):
            return False
        array = value._array
        if array.dtype is not dtype:
            if dtype is not None:
                return False
            dtype = array.dtype
        if not batched:
            narrow = max(narrow, array.ndim + 1)
        elif ndim not in (0, array.ndim):
            return False
        else:
            ndim = array.ndim
    return narrow <= ndim


def beside(call: Call, attributes: Any = ()) -> list[Any]:
    """The operands with as many dimensions behind that of the batch as the widest example has."""
    masks = [getattr(attributes[name], "ndim", 0) for name in attributes]  # plain arrays
    pairs = list(zip(call.values, call.batched, strict=True))
    ndim = max([example_ndim(v, b) for v, b in pairs if v is not ABSENT] + masks)
    return [with_ndim(value, ndim) if batched else value for value, batched in pairs]


def one_type(call: Call, values: list[Any]) -> list[Any]:
    """The operands in the type that those of one example would have.

    A 0-dim tensor gives way to others (T-3); a batch of such has a dimension.
    """
    tensors = [v for v in call.values if isinstance(v, Tensor)]
    if len({t.dtype for t in tensors}) < 2 and len(tensors) == len(values):
        return values
    groups: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for value, batched in zip(call.values, call.batched, strict=True):
        if isinstance(value, WrappedNumber) or not isinstance(value, Tensor):
            dtype = value.dtype if isinstance(value, Tensor) else dtypes.of_scalar(value)
            groups[2].append(dtype)
        else:
            groups[1 if example_ndim(value, batched) == 0 else 0].append(value.dtype)
    wanted = dtypes.result_type(*groups)
    return [
        converted(value, wanted.np)
        if isinstance(value, Tensor) and not isinstance(value, WrappedNumber)
        else value
        for value in values
    ]
