"""Shapes: every dimension that is named lies one further back, behind that of the batch."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout
from vizgrad.core.batching.rules import Call, each_example, rule
from vizgrad.core.batching.values import divided, filled, merged, reshaped, with_ndim
from vizgrad.core.function.strided import Geometry
from vizgrad.core.ops import copying, shape
from vizgrad.core.ops.shape import reshape, view
from vizgrad.core.ops.tangents.structure import laid_out, laid_out_in
from vizgrad.core.tensor.state import wrong_call

_FULL = slice(None)


@rule(
    "clone", "contiguous_copy", "alias", "dense", "view_as_real", "view_as_complex", "to_copy", "to_device",
    "zero", "fill_number", "tril", "triu", "frexp", "fw_primal",
)  # fmt: skip
def as_they_are(call: Call, **attributes: Any) -> Any:
    """The same for a batch as for one example: elements stay where they are, or matrices come last."""
    return call.op.record(*call.values, **attributes)


@rule("clone_in", "to_copy_in")
def in_format(call: Call, **attributes: Any) -> Any:
    """Each example in the order of a memory format, in which the first dimension comes first."""
    value = call.values[0]
    if value.ndim < 2 or not call.size:
        return each_example(call, **attributes)
    return divided(call.op.record(merged(value), **attributes), 0, call.size)


@rule("view", "unsafe_view", "pad_zeros", "crop")
def to_shape(call: Call, *, shape: Any, **attributes: Any) -> Any:
    if (
        call.level.of_tangents and call.op is view
    ):  # of what allows it; a batch of tangents may lie otherwise
        return reshape(call.values[0], shape=(call.size, *shape))
    return call.op.record(call.values[0], shape=(call.size, *shape), **attributes)


@rule("put", "take")
def by_key(call: Call, *, key: Any, **attributes: Any) -> Any:
    if "shape" in attributes:
        attributes["shape"] = (call.size, *attributes["shape"])
    return call.op.record(call.values[0], key=(_FULL, *key), **attributes)


@rule("expand")
def expand(call: Call, *, shape: Any) -> Any:
    value = with_ndim(call.values[0], len(shape))
    return call.op.record(value, shape=(call.size, *shape))


@rule("sum_to")
def sum_to(call: Call, *, shape: Any) -> Any:
    value = call.values[0]
    new = value.ndim - 1 - len(shape)
    summed = call.op.record(value, shape=(call.size, *(1,) * new, *shape))
    return reshaped(summed, call.size, *shape)


@rule("permute")
def permute(call: Call, *, dims: Any) -> Any:
    return call.op.record(call.values[0], dims=(0, *(d + 1 for d in dims)))


@rule("transpose")
def transpose(call: Call, *, dim0: int, dim1: int) -> Any:
    value = call.values[0]
    if value.ndim == 1:
        return shape.alias.record(value)
    return call.op.record(value, dim0=_behind(dim0, value), dim1=_behind(dim1, value))


def _behind(dim: int, value: Any) -> int:
    """A dimension of one example, as that of the batch."""
    return dim + 1 if dim >= 0 else value.ndim + dim


@rule("t")
def t(call: Call) -> Any:
    value = call.values[0]
    if value.ndim < 3:
        return shape.alias.record(value)
    return shape.transpose.record(value, dim0=1, dim1=2)


@rule("squeeze_all")
def squeeze_all(call: Call) -> Any:
    value = call.values[0]
    ones = tuple(d for d in range(1, value.ndim) if value.shape[d] == 1)
    return shape.squeeze_dims.record(value, dims=ones)


@rule("squeeze_dims")
def squeeze_dims(call: Call, *, dims: Any) -> Any:
    value = call.values[0]
    if value.ndim == 1:
        return shape.alias.record(value)
    return call.op.record(value, dims=tuple(_behind(d, value) for d in dims))


@rule("unsqueeze", "select", "slice_dim", "squeeze_dim", "drop_dim", "unfold_add")
def along(call: Call, *, dim: int, **attributes: Any) -> Any:
    value = call.values[0]
    if value.ndim == 1 and call.op.name in ("squeeze_dim", "drop_dim"):
        return shape.alias.record(value)
    if "shape" in attributes:
        attributes["shape"] = (call.size, *attributes["shape"])
    return call.op.record(value, dim=dim + 1, **attributes)


@rule("unfold")
def unfold(call: Call, *, dim: int, size: int, step: int) -> Any:
    value = call.values[0]
    if value.ndim == 1:  # one window of the one element there is, or of none
        row = shape.unsqueeze.record(value, dim=1)
        return shape.slice_dim.record(row, dim=1, start=0, end=size, step=1)
    return call.op.record(value, dim=_behind(dim, value), size=size, step=step)


@rule("diagonal", "diagonal_copy", "diagonal_put")
def diagonal(call: Call, *, dim1: int, dim2: int, **attributes: Any) -> Any:
    value = call.values[0]
    if "shape" in attributes:
        attributes["shape"] = (call.size, *attributes["shape"])
        value_ndim = len(attributes["shape"])
    else:
        value_ndim = value.ndim
    dims = [d + 1 if d >= 0 else value_ndim + d for d in (dim1, dim2)]
    return call.op.record(value, dim1=dims[0], dim2=dims[1], **attributes)


@rule("select_scatter", "slice_scatter")
def part_along(call: Call, *, dim: int, **attributes: Any) -> Any:
    whole, part = (filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True))
    return call.op.record(whole, part, dim=dim + 1, **attributes)


@rule("diagonal_scatter")
def diagonal_part(call: Call, *, dim1: int, dim2: int, offset: int) -> Any:
    whole, part = (filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True))
    return call.op.record(whole, part, offset=offset, dim1=dim1 + 1, dim2=dim2 + 1)


@rule("diag_embed")
def diag_embed(call: Call, *, offset: int, dim1: int, dim2: int) -> Any:
    value = call.values[0]
    dims = [d + 1 if d >= 0 else value.ndim + 1 + d for d in (dim1, dim2)]
    return call.op.record(value, offset=offset, dim1=dims[0], dim2=dims[1])


@rule("flip", "rot90")
def over(call: Call, *, dims: Any, **attributes: Any) -> Any:
    value = call.values[0]
    if value.ndim == 1:
        return shape.flip.record(value, dims=())
    return call.op.record(value, dims=tuple(_behind(d, value) for d in dims), **attributes)


@rule("roll")
def roll(call: Call, *, shifts: Any, dims: Any) -> Any:
    value = call.values[0]
    if dims:
        return call.op.record(value, shifts=shifts, dims=tuple(_behind(d, value) for d in dims))
    flat = reshaped(value, call.size, _count(value.shape[1:]))
    rolled = call.op.record(flat, shifts=shifts, dims=(1,))
    return reshaped(rolled, *value.shape)


def _count(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


@rule("repeat")
def repeat(call: Call, *, repeats: Any) -> Any:
    return call.op.record(with_ndim(call.values[0], len(repeats)), repeats=(1, *repeats))


@rule("copy")
def copy(call: Call) -> Any:
    target, source = (
        filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)
    )
    return call.op.record(target, with_ndim(source, target.ndim - 1))


@rule("fill")
def fill(call: Call) -> Any:
    target, value = (
        filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)
    )
    return copying.copy.record(target, with_ndim(value, target.ndim - 1))


# Regions of memory: the examples lie one after the other, each with the geometry of one.


@rule("as_strided")
def as_strided(call: Call, *, geometry: Geometry) -> Any:
    """A view of each example. RuntimeError where it leaves the example's own elements: what lies beside them
    is another's, and a batch of tangents has no more than the examples.
    """
    value = call.values[0]
    low, high = _reach(geometry.base_shape, geometry.base_strides, 0)
    first, last = _reach(geometry.size, geometry.stride, geometry.offset)
    inside = 0 not in geometry.base_shape and low <= first < last <= high
    if 0 not in geometry.size and not inside:
        raise wrong_call(
            RuntimeError(
                "as_strided can access memory outside of `tensor`: each example has the elements "
                f"{low} to {high - 1} of its memory, and the result would have {first} to {last - 1}. "
                "This is not supported inside of vmap."
            ),
            "index the example, or use narrow, unfold or expand",
        )
    step = layout.strides_of(value._array)[0] if value.ndim else 0
    return call.op.record(value, geometry=_stacked(call.size, step, geometry))


@rule("strided_take", "strided_put", "strided_replace")
def region(call: Call, *, geometry: Geometry) -> Any:
    values = [filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)]
    low, high = _reach(geometry.base_shape, geometry.base_strides, 0)
    first, last = _reach(geometry.size, geometry.stride, geometry.offset)
    step = max(high, last) - min(low, first)
    return call.op.record(*values, geometry=_stacked(call.size, step, geometry))


def _stacked(size: int, step: int, one: Geometry) -> Geometry:
    """The geometry of `size` examples, `step` elements apart."""
    return one._replace(
        base_shape=(size, *one.base_shape),
        base_strides=(step, *one.base_strides),
        size=(size, *one.size),
        stride=(step, *one.stride),
    )


def _reach(shape: Any, strides: Any, start: int) -> tuple[int, int]:
    """First and one-past-last element."""
    ends = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return start + sum(e for e in ends if e < 0), start + sum(e for e in ends if e > 0) + 1


@rule("laid_out")
def in_layout(call: Call, *, strides: Any) -> Any:
    value = call.values[0]
    shape, item = value.shape[1:], value._array.itemsize
    step = sum(abs((n - 1) * s) for n, s in zip(shape, strides, strict=True)) + item
    return laid_out.record(value, strides=(step, *strides))


@rule("laid_out_in")
def in_block(call: Call, *, strides: Any, offset: int, count: int) -> Any:
    """A block for each example, one after the other."""
    value = call.values[0]
    all_strides = (count * value._array.itemsize, *strides)
    return laid_out_in.record(value, strides=all_strides, offset=offset, count=call.size * count)
