"""Regions of memory: the examples lie one after the other, each with the geometry of one."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout
from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import filled
from vizgrad.core.function.strided import Geometry
from vizgrad.core.ops.tangents.layouts import laid_out


@rule("as_strided")
def as_strided(call: Call, *, geometry: Geometry) -> Any:
    """A view of each example, wherever in memory that is."""
    value = call.values[0]
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
