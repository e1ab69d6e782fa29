"""In-place methods that read settings; the others are made from their declarations."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.inplace import write
from vizgrad.core.ops import arithmetic as basic
from vizgrad.core.ops import joining, pointwise, pointwise_binary, products, select, shape
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import arithmetic, where_clamp
from vizgrad.core.ops.public.arguments import (
    beside_number,
    check_kind,
    check_number,
    factor,
    own_number,
    rounded,
    takes_tensors,
)
from vizgrad.core.tensor.requirements import MASK, MATRICES, DtypeKind, not_a_tensor
from vizgrad.core.tensor.tensor import Tensor


@method
def add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input += alpha * other."""
    if alpha.__class__ is int and alpha == 1:
        return write(basic.add, input, other, name="add_")
    alpha = arithmetic.scaled_by(alpha, input, other)
    return write(basic.add_scaled, input, other, name="add_", alpha=alpha)


@method(aliases="subtract_")
def sub_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input -= alpha * other."""
    arithmetic.refuse_bool_minus(input, other)
    if alpha.__class__ is int and alpha == 1:
        return write(basic.sub, input, other, name="sub_")
    alpha = arithmetic.scaled_by(alpha, input, other)
    return write(basic.sub_scaled, input, other, name="sub_", alpha=alpha)


@method(aliases="divide_ true_divide_")
def div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input /= other."""
    if rounding_mode is None:
        return write(basic.div, input, other, name="div_")
    arithmetic.check_rounding(rounding_mode)
    return write(basic.div_rounded, input, other, name="div_", rounding_mode=rounding_mode)


@method
def pow_(input: Tensor, exponent: Any) -> Tensor:
    """input **= exponent."""
    if isinstance(exponent, Tensor):
        return write(pointwise_binary.pow, input, exponent, name="pow_")
    _refuse_number("pow_", input, exponent)
    arithmetic.check_exponent(input, exponent)
    return write(pointwise_binary.pow_number, input, name="pow_", exponent=exponent)


def _refuse_number(name: str, input: Tensor, *numbers: Any) -> None:
    """A float cannot be worked into an integer tensor in place (V-6)."""
    for each in numbers:
        if each is not None:
            check_number(name, "other", each)
    wider = beside_number(input.detach(), *numbers)
    if wider.dtype is not input.dtype:
        raise RuntimeError(
            f"result type {wider.dtype.name} can't be cast to the desired output type "
            f"{input.dtype.name} of the in-place operation {name}"
        )


@public(method=True)
@takes_tensors
def square_(
    input: Annotated[
        Tensor,
        DtypeKind(
            "iufcV",
            "result type int64 can't be cast to the desired output type bool of square_",
            RuntimeError,
        ),
    ],
) -> Tensor:
    """input *= input, with the old value lost."""
    return write(pointwise_binary.pow_number, input, name="square_", exponent=2)


@method
def floor_divide_(input: Tensor, other: Any) -> Tensor:
    """input //= other."""
    op = basic.floor_divide if isinstance(other, Tensor) else basic.floor_divide_number
    return write(op, input, other, name="floor_divide_")


@method
def remainder_(input: Tensor, other: Any) -> Tensor:
    """input %= other."""
    op = basic.remainder if isinstance(other, Tensor) else basic.remainder_number
    return write(op, input, other, name="remainder_")


@method
def fmod_(input: Tensor, other: Any) -> Tensor:
    op = basic.fmod if isinstance(other, Tensor) else basic.fmod_number
    return write(op, input, other, name="fmod_")


@public(method=True, aliases="clip_")
def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`clamp`, in place."""
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    min, max = where_clamp.bounds_of_a_kind("clamp_", min, max)
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if max is None:
            return write(select.clamp_low, input, min, name="clamp_")
        if min is None:
            return write(select.clamp_high, input, max, name="clamp_")
        where_clamp.check_bounds(input, min, max)
        return write(select.clamp_both, input, min, max, name="clamp_")
    if not isinstance(input, Tensor):
        raise not_a_tensor("clamp_", "input", 1, input)
    _refuse_number("clamp_", input, min, max)
    if input._array.dtype.kind == "b" and (min is None or max is None):
        raise NotImplementedError('"clamp" not implemented for bool')
    return write(
        select.clamp, input, name="clamp_", min=rounded(min, input), max=rounded(max, input)
    )


@public(method=True, aliases="absolute_")
@takes_tensors
def abs_(
    input: Annotated[
        Tensor,
        DtypeKind("biufV", "In-place abs is not supported for complex tensors.", RuntimeError),
    ],
) -> Tensor:
    """`abs`, in place; RuntimeError for complex numbers, whose absolute values are of another type."""
    return write(pointwise.abs, input, name="abs_")


@public(method=True)
@takes_tensors
def clamp_min_(input: Tensor, min: Any) -> Tensor:
    if isinstance(min, Tensor):
        return write(select.clamp_low, input, min, name="clamp_min_")
    check_number("clamp_min_", "min", min)
    check_kind("clamp_min_", input, "iufcV")
    _refuse_number("clamp_min_", input, min)
    return write(select.clamp_min, input, name="clamp_min_", min=rounded(min, input))


@public(method=True)
@takes_tensors
def clamp_max_(input: Tensor, max: Any) -> Tensor:
    if isinstance(max, Tensor):
        return write(select.clamp_high, input, max, name="clamp_max_")
    check_number("clamp_max_", "max", max)
    check_kind("clamp_max_", input, "iufcV")
    _refuse_number("clamp_max_", input, max)
    return write(select.clamp_max, input, name="clamp_max_", max=rounded(max, input))


@method
def masked_fill_(
    input: Tensor, mask: Annotated[Tensor, MASK], value: Annotated[Any, where_clamp.FILL_VALUE]
) -> Tensor:
    """`masked_fill`, in place."""
    value = own_number(input, value)
    if isinstance(value, Tensor):
        where_clamp.check_real_value("masked_fill_", input, value)
        return write(select.masked_fill_tensor, input, mask, value, name="masked_fill_")
    value = where_clamp.fill_value("masked_fill_", input, value)
    return write(select.masked_fill, input, mask, name="masked_fill_", value=value)


@method
@takes_tensors
def lerp_(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    arithmetic.check_lerp(input, end, weight)
    if isinstance(weight, Tensor):
        return write(basic.lerp, input, end, weight, name="lerp_")
    weight = factor(weight, input._array.dtype)
    return write(basic.lerp_number, input, end, name="lerp_", weight=weight)


@method
@takes_tensors
def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    arithmetic.refuse_bool_products(input, tensor1, tensor2)
    if value != 1:
        value = arithmetic.cut(value, input, tensor1, tensor2)
    return write(basic.addcmul, input, tensor1, tensor2, name="addcmul_", value=value)


@method
@takes_tensors
def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    arithmetic.check_fractions(tensor1, tensor2)
    if value != 1:
        value = arithmetic.cut(value, input, tensor1, tensor2)
    return write(basic.addcdiv, input, tensor1, tensor2, name="addcdiv_", value=value)


@public(method=True)
@takes_tensors
def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    if decimals:
        check_kind("round", input)
    return write(pointwise.round, input, name="round_", decimals=decimals)


@public(method=True)
@takes_tensors
def nan_to_num_(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    numbers = where_clamp.in_place_of_none(input, nan, posinf, neginf)
    return write(select.nan_to_num, input, name="nan_to_num_", **numbers)


@method
@takes_tensors
def tril_(input: Annotated[Tensor, MATRICES], diagonal: int = 0) -> Tensor:
    return write(shape.tril, input, name="tril_", diagonal=diagonal)


@method
@takes_tensors
def triu_(input: Annotated[Tensor, MATRICES], diagonal: int = 0) -> Tensor:
    return write(shape.triu, input, name="triu_", diagonal=diagonal)


def _check_kept(name: str, input: Tensor, dtype: Any) -> None:
    if dtype is not None and dtype is not input.dtype:
        raise RuntimeError(
            f"Bad in-place call: {name} cannot change the dtype of its tensor from {input.dtype.name} to "
            f"{dtype.name}; the two should match"
        )
    if input._array.ndim and input._array.size:  # one bool is its own sum and product
        check_kind(name, input, "iufcV")


@method
@takes_tensors
def cumsum_(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    _check_kept("cumsum_", input, dtype)
    return write(joining.cumsum, input, name="cumsum_", dim=wrap_dim(dim, input._array.ndim))


@method
@takes_tensors
def cumprod_(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    _check_kept("cumprod_", input, dtype)
    only = wrap_dim(dim, input._array.ndim)
    return write(products.cumprod, input, name="cumprod_", dim=only, dtype=None)


@method
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    if not isinstance(values, Tensor):
        raise not_a_tensor("heaviside_", "values", 1, values)
    return write(pointwise_binary.heaviside, input, values, name="heaviside_")
