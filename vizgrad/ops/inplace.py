"""In-place methods: `op_` writes the result of `op` into its first operand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.errors import wrap_dim
from vizgrad.function.inplace import write
from vizgrad.function.primitive import Primitive
from vizgrad.ops import arithmetic as basic
from vizgrad.ops import (
    arrange,
    bessel,
    compare,
    complexes,
    joining,
    pointwise,
    pointwise_binary,
    powers,
    select,
    special,
    statistics,
)
from vizgrad.ops.public import arithmetic, inplace_methods, where_clamp
from vizgrad.ops.public.arguments import beside_number
from vizgrad.tensor.tensor import Tensor

#: Functions of one tensor without arguments: their methods, in place too, are made from the primitive.
UNARY = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "sin",
    "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "sigmoid", "relu", "abs", "sign", "sgn", "floor", "ceil", "trunc", "frac", "erf", "erfc",
    "erfinv", "lgamma", "digamma", "sinc", "deg2rad", "rad2deg", "i0",
]  # fmt: skip
#: In-place methods that torch offers as functions, too.
FUNCTIONS = [
    "abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_",
    "arctanh_", "as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_",
    "clamp_max_", "clamp_min_", "clip_", "conj_physical_", "cos_", "cosh_", "deg2rad_", "detach_",
    "erf_", "erfc_", "exp2_", "exp_", "expm1_", "fill_", "fix_", "floor_", "frac_", "gcd_", "i0_",
    "index_put_", "lcm_", "ldexp_", "log10_", "log1p_", "log2_", "log_", "logit_", "nan_to_num_",
    "neg_", "negative_", "rad2deg_", "reciprocal_", "relu_", "round_", "rsqrt_", "sigmoid_", "sin_",
    "sinc_", "sinh_", "sqrt_", "square_", "tan_", "tanh_", "trunc_", "xlogy_", "zero_",
]  # fmt: skip
#: As `UNARY`, of two operands.
BINARY = ["atan2", "copysign", "hypot", "xlogy"]
#: Of two operands, without a derivative; by file.
CONSTANT: dict[Any, str] = {
    compare: "eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor "
    "bitwise_left_shift bitwise_right_shift bitwise_not logical_not",
    pointwise_binary: "gcd lcm nextafter",
}


def unary(name: str) -> Primitive:
    """The primitive of one of `UNARY`."""
    return next(getattr(m, name) for m in (pointwise, special, bessel) if hasattr(m, name))


def _inplace(op: Primitive, name: str) -> Callable[..., Tensor]:
    """The method `name` that writes the result of `op` into its first operand."""
    shown = f"{op.name}_" if name.startswith("__") else name  # the write log says mul_ for *=

    def alone(input: Tensor) -> Tensor:
        return write(op, input, name=shown)

    def method(input: Tensor, other: Any) -> Tensor:
        return write(op, input, other, name=shown)

    return _named(alone if len(op.inputs) == 1 else method, name, op)


def _named(method: Any, name: str, op: Primitive) -> Any:
    method.__name__ = name
    method.__doc__ = f"In-place version of `{op.name}`: {op.__doc__}"
    return method


def _add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input += alpha * other."""
    if alpha == 1:
        return write(basic.add, input, other, name="add_")
    return write(basic.add_scaled, input, other, name="add_", alpha=alpha)


def _sub_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """input -= alpha * other."""
    arithmetic.refuse_bool_minus(input, other)
    if alpha == 1:
        return write(basic.sub, input, other, name="sub_")
    return write(basic.sub_scaled, input, other, name="sub_", alpha=alpha)


def _div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input /= other."""
    if rounding_mode is None:
        return write(basic.div, input, other, name="div_")
    return write(basic.div_rounded, input, other, name="div_", rounding_mode=rounding_mode)


def _pow_(input: Tensor, exponent: Any) -> Tensor:
    """input **= exponent."""
    if isinstance(exponent, Tensor):
        return write(powers.pow, input, exponent, name="pow_")
    _refuse_number("pow_", input, exponent)
    return write(powers.pow_number, input, name="pow_", exponent=exponent)


def _refuse_number(name: str, input: Tensor, *numbers: Any) -> None:
    """A float cannot be worked into an integer tensor in place (V-6)."""
    wider = beside_number(input.detach(), *numbers)
    if wider.dtype is not input.dtype:
        raise RuntimeError(
            f"result type {wider.dtype.name} can't be cast to the desired output type "
            f"{input.dtype.name} of the in-place operation {name}"
        )


def _square_(input: Tensor) -> Tensor:
    """input *= input, with the old value lost."""
    return write(powers.pow_number, input, name="square_", exponent=2)


def _floor_divide_(input: Tensor, other: Any) -> Tensor:
    """input //= other."""
    op = basic.floor_divide if isinstance(other, Tensor) else basic.floor_divide_number
    return write(op, input, other, name="floor_divide_")


def _remainder_(input: Tensor, other: Any) -> Tensor:
    """input %= other."""
    op = basic.remainder if isinstance(other, Tensor) else basic.remainder_number
    return write(op, input, other, name="remainder_")


def _fmod_(input: Tensor, other: Any) -> Tensor:
    op = basic.fmod if isinstance(other, Tensor) else basic.fmod_number
    return write(op, input, other, name="fmod_")


def _clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`clamp`, in place."""
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if max is None:
            return write(select.clamp_low, input, min, name="clamp_")
        if min is None:
            return write(select.clamp_high, input, max, name="clamp_")
        return write(select.clamp_both, input, min, max, name="clamp_")
    _refuse_number("clamp_", input, min, max)
    return write(select.clamp, input, name="clamp_", min=min, max=max)


def _clamp_min_(input: Tensor, min: Any) -> Tensor:
    return write(select.clamp_min, input, name="clamp_min_", min=min)


def _clamp_max_(input: Tensor, max: Any) -> Tensor:
    return write(select.clamp_max, input, name="clamp_max_", max=max)


def _masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`masked_fill`, in place."""
    where_clamp.check_mask("masked_fill_", mask)
    if isinstance(value, Tensor):
        return write(select.masked_fill_tensor, input, mask, value, name="masked_fill_")
    return write(select.masked_fill, input, mask, name="masked_fill_", value=value)


def _lerp_(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    arithmetic.check_lerp(input, end, weight)
    if isinstance(weight, Tensor):
        return write(basic.lerp, input, end, weight, name="lerp_")
    return write(basic.lerp_number, input, end, name="lerp_", weight=weight)


def _addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return write(basic.addcmul, input, tensor1, tensor2, name="addcmul_", value=value)


def _addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return write(basic.addcdiv, input, tensor1, tensor2, name="addcdiv_", value=value)


def _round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    return write(pointwise.round, input, name="round_", decimals=decimals)


def _nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: Any = None, neginf: Any = None
) -> Tensor:
    return write(
        select.nan_to_num, input, name="nan_to_num_", nan=nan or 0.0, posinf=posinf, neginf=neginf
    )


def _tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    return write(arrange.tril, input, name="tril_", diagonal=diagonal)


def _triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    return write(arrange.triu, input, name="triu_", diagonal=diagonal)


def _check_kept(name: str, input: Tensor, dtype: Any) -> None:
    if dtype is not None and dtype is not input.dtype:
        raise RuntimeError(
            f"Bad in-place call: {name} cannot change the dtype of its tensor from {input.dtype.name} to "
            f"{dtype.name}; the two should match"
        )


def _cumsum_(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    _check_kept("cumsum_", input, dtype)
    return write(joining.cumsum, input, name="cumsum_", dim=wrap_dim(dim, input._array.ndim))


def _cumprod_(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    _check_kept("cumprod_", input, dtype)
    return write(statistics.cumprod, input, name="cumprod_", dim=wrap_dim(dim, input._array.ndim))


def _heaviside_(input: Tensor, values: Tensor) -> Tensor:
    return write(pointwise_binary.heaviside, input, values, name="heaviside_")


INPLACE: dict[str, Callable[..., Any]] = {
    "__iadd__": _inplace(basic.add, "__iadd__"),
    "__isub__": _inplace(basic.sub, "__isub__"),
    "__imul__": _inplace(basic.mul, "__imul__"),
    "__itruediv__": _inplace(basic.div, "__itruediv__"),
    "__ifloordiv__": _floor_divide_,
    "__imod__": _remainder_,
    "__ipow__": _pow_,
    "__iand__": _inplace(compare.bitwise_and, "__iand__"),
    "__ior__": _inplace(compare.bitwise_or, "__ior__"),
    "__ixor__": _inplace(compare.bitwise_xor, "__ixor__"),
    "add_": _add_, "sub_": _sub_, "mul_": _inplace(basic.mul, "mul_"), "div_": _div_, "pow_": _pow_,
    "square_": _square_, "remainder_": _remainder_, "fmod_": _fmod_, "clamp_": _clamp_, "clip_": _clamp_,
    "clamp_min_": _clamp_min_, "clamp_max_": _clamp_max_, "masked_fill_": _masked_fill_, "lerp_": _lerp_,
    "addcmul_": _addcmul_, "addcdiv_": _addcdiv_, "round_": _round_,
    "nan_to_num_": _nan_to_num_, "tril_": _tril_, "triu_": _triu_, "cumsum_": _cumsum_, "cumprod_": _cumprod_,
    "floor_divide_": _floor_divide_, "heaviside_": _heaviside_,
    "conj_physical_": _inplace(complexes.conj_physical, "conj_physical_"),
    "neg_": _inplace(pointwise.neg, "neg_"),
    "igamma_": _inplace(bessel.gammainc, "igamma_"), "igammac_": _inplace(bessel.gammaincc, "igammac_"),
    **{name + "_": _inplace(unary(name), name + "_") for name in UNARY},
    **{name + "_": _inplace(getattr(pointwise_binary, name), name + "_") for name in BINARY},
    **{
        name + "_": inplace_methods.constant(getattr(module, name), name + "_")
        for module, names in CONSTANT.items()
        for name in names.split()
    },
}  # fmt: skip
