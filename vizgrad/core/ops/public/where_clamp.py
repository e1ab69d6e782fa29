"""`where`, `clamp`, `maximum` and related operations with PyTorch's signatures."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.dtypes import finfo
from vizgrad.core.errors import warn_once
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.function.typing import number, result_dtype
from vizgrad.core.graph.edges import edge_of
from vizgrad.core.graph.saved import in_graph
from vizgrad.core.ops import activation, pointwise_binary, select
from vizgrad.core.ops.copying import to_copy
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import (
    beside_number,
    check_kind,
    check_number,
    element,
    rounded,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.sort_search import nonzero
from vizgrad.core.tensor.duals import DUALS, is_dual
from vizgrad.core.tensor.requirements import MASK, ZeroDim, not_a_tensor
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public
def where(
    condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None
) -> Any:
    """Elements of `input` where the bool `condition` holds, else of `other`; all are broadcast.

    With the condition alone: `nonzero(condition, as_tuple=True)`.
    """
    if input is None or other is None:
        return _places(condition, input, other)
    if not isinstance(condition, Tensor):
        raise not_a_tensor("where", "condition", 1, condition)
    if condition._array.dtype.kind != "b":
        condition = _as_mask(condition)
    if not isinstance(input, Tensor):
        if isinstance(other, Tensor):
            input = _beside(input, other)
        else:
            input, other = _two_numbers(input, other)
    elif not isinstance(other, Tensor):
        other = _beside(other, input)
    if input._array.dtype is not other._array.dtype:
        both = (input, other)
        dtype = result_dtype(both).np
        # held until the node has them: a leaf does not hold the one that adds to its .grad
        edges = [edge_of(t) for t in both]
        input, other = (_in_type(t, dtype, e) for t, e in zip(both, edges, strict=True))
    result = select.where.record(input, other, condition)
    return result if out is None else written(out, result, "where", condition, input, other)


def _in_type(tensor: Tensor, dtype: Any, edge: Any) -> Tensor:
    """In another type, with the history of the tensor itself: gradients are cast where they arrive."""
    if tensor._array.dtype == dtype:
        return tensor
    if edge is None or tensor.__class__ is Wrapped or (DUALS.on and is_dual(tensor)):
        return to_copy.record(tensor, dtype=dtype)
    return in_graph(tensor._array.astype(dtype), None, edge)


def _places(condition: Any, input: Any, other: Any) -> Any:
    if input is not None or other is not None:
        raise TypeError("where() takes a condition alone, or with an input and an other")
    return nonzero(condition, as_tuple=True)


def _as_mask(condition: Tensor) -> Tensor:
    mask = condition._array
    if mask.dtype != xp.uint8:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.name}"
        )
    warn_once("where received a uint8 condition tensor: this is deprecated, use a bool one")
    return condition.to(dtypes.bool_)


def _beside(value: Any, tensor: Tensor) -> Any:
    """A number that the type of the result holds, as an operand, or RuntimeError. Halves make an infinity
    of it.
    """
    own = dtypes.of_scalar(value)
    if own is None:
        raise not_a_tensor("where", "other", 3, value)
    dtype = tensor.dtype
    if own.category > dtype.category:
        dtype = own if own.category != 3 else dtypes.promote_types(own, dtype)
    if dtype.itemsize != 2 or dtype.category != 2:
        value = element(value, dtype.np)
    return number(value, tensor)


def _two_numbers(input: Any, other: Any) -> tuple[Tensor, Tensor]:
    kinds = [dtypes.of_scalar(v) for v in (input, other)]
    if kinds[0] is None or kinds[1] is None:
        raise TypeError(
            f"where(): expected Tensors or numbers, not {type(input).__name__} and "
            f"{type(other).__name__}"
        )
    dtype = dtypes.promote_types(kinds[0], kinds[1]).np
    input, other = element(input, dtype), element(other, dtype)
    return new_tensor(xp.asarray(input, dtype)), new_tensor(xp.asarray(other, dtype))


@method(name="where")
def where_method(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """`where(condition, self, other)`."""
    return where(condition, self, other)


@public(method=True, aliases="clip")
@takes_tensors
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """`input` moved into [min, max] (numbers or tensors); `max` wins where they cross."""
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    min, max = bounds_of_a_kind("clamp", min, max)
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if max is None:
            result = select.clamp_low.record(input, min)
        elif min is None:
            result = select.clamp_high.record(input, max)
        else:
            check_bounds(input, min, max)
            result = select.clamp_both.record(input, min, max)
    else:
        if isinstance(min, complex) or isinstance(max, complex):
            raise NotImplementedError(
                "clamp is not supported for complex types, which have no order"
            )
        if input._array.dtype.kind not in "fV":
            input = _ordered("clamp", beside_number(input, min, max))
        result = select.clamp.record(input, min=rounded(min, input), max=rounded(max, input))
    return result if out is None else written(out, result, "clamp", input, min, max)


def _ordered(name: str, input: Tensor) -> Tensor:
    if input._array.dtype.kind == "b":
        raise NotImplementedError(f'"{name}" not implemented for bool')
    return input


def bounds_of_a_kind(called: str, low: Any, high: Any) -> tuple[Any, Any]:
    """Both as given, or as numbers where one is a number and the other a tensor without dimensions.

    Raises TypeError for a number beside a tensor that has dimensions, or requires grad.
    """
    if low is None or high is None or isinstance(low, Tensor) is isinstance(high, Tensor):
        return low, high
    name, bound = ("min", low) if isinstance(low, Tensor) else ("max", high)
    if isinstance(bound, Wrapped):
        return low, high
    if bound._array.ndim or bound.requires_grad:
        raise TypeError(
            f"{called}(): beside a number '{name}' must be a number, or a 0-dim Tensor that does not require "
            f"grad, but it is a Tensor of the shape {list(bound._array.shape)}; make both bounds Tensors"
        )
    return (bound.item(), high) if bound is low else (low, bound.item())


def check_bounds(input: Tensor, min: Any, max: Any) -> None:
    """NotImplementedError for bools between bools: PyTorch clamps them by one bound alone."""
    if all(t.dtype.name == "bool" for t in (input, min, max) if isinstance(t, Tensor)):
        raise NotImplementedError('"clamp" not implemented for bool')


@public(method=True)
@takes_tensors
def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """`input` raised to at least `min`."""
    if isinstance(min, Tensor):
        result = select.clamp_low.record(input, min)
    else:
        check_number("clamp_min", "min", min)
        input = _ordered("clamp_min", beside_number(input, min))
        result = select.clamp_min.record(input, min=rounded(min, input))
    return result if out is None else written(out, result, "clamp_min", input, min)


@public(method=True)
@takes_tensors
def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """`input` lowered to at most `max`."""
    if isinstance(max, Tensor):
        result = select.clamp_high.record(input, max)
    else:
        check_number("clamp_max", "max", max)
        input = _ordered("clamp_max", beside_number(input, max))
        result = select.clamp_max.record(input, max=rounded(max, input))
    return result if out is None else written(out, result, "clamp_max", input, max)


FILL_VALUE = ZeroDim(
    "{called} only supports a 0-dimensional value tensor, but got tensor with {ndim} dimension(s)."
)


@public(method=True)
@takes_tensors
def masked_fill(
    input: Tensor, mask: Annotated[Tensor, MASK], value: Annotated[Any, FILL_VALUE]
) -> Tensor:
    """`input` with `value` (a number or 0-dim tensor) where the bool mask, broadcast, holds."""
    if isinstance(value, Tensor):
        check_real_value("masked_fill", input, value)
        return select.masked_fill_tensor.record(input, mask, value)
    value = fill_value("masked_fill", input, value)
    return select.masked_fill.record(input, mask, value=value)


def check_real_value(name: str, input: Tensor, value: Tensor) -> None:
    """RuntimeError for a number that is to be written into a tensor of a type that does not hold it."""
    if (
        value._array.dtype != input._array.dtype
        and value._array.size == 1
        and is_on_host(value._array)
    ):
        element(value._array.item(), input._array.dtype)


def fill_value(name: str, input: Tensor, value: Any) -> Any:
    check_number(name, "value", value)
    return element(value, input._array.dtype)


@public(method=True)
@takes_tensors
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """NaN and infinities replaced (None: NaN by 0, infinities by the largest and smallest finite value)."""
    numbers = in_place_of_none(input, nan, posinf, neginf)
    result = select.nan_to_num.record(input, **numbers)
    return result if out is None else written(out, result, "nan_to_num", input)


def in_place_of_none(
    input: Tensor, nan: float | None, posinf: float | None, neginf: float | None
) -> dict[str, float | None]:
    """By what NaN and infinities are replaced; None is left where the kernel knows the largest number."""
    if input._array.dtype in dtypes.NARROW:  # it is computed in a type of larger ones
        limits = finfo(input.dtype)
        posinf = limits.max if posinf is None else posinf
        neginf = limits.min if neginf is None else neginf
    return {"nan": 0.0 if nan is None else nan, "posinf": posinf, "neginf": neginf}


# Functions element by element that read settings; the others are declared in
# `vizgrad/core/ops/pointwise.py`.


@public(method=True)
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above, and `values` at 0. Not differentiable."""
    result = pointwise_binary.heaviside.record(input, values)
    return result if out is None else written(out, result, "heaviside", input, values)


@method
def hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    """`nn.functional.hardshrink`."""
    check_kind("hardshrink", self)
    return activation.hardshrink.record(self, lambd=rounded(lambd, self))
