"""Attaches operations to Tensor: operators, methods and in-place methods.

The files of `vizgrad.ops.public` offer functions with PyTorch's signatures; this file only says under which
names they become methods, so that one look shows what a Tensor can do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.function.inplace import write
from vizgrad.function.primitive import Primitive
from vizgrad.function.typing import number
from vizgrad.ops import arithmetic as basic
from vizgrad.ops import compare, joining, pointwise, powers, select, shape, statistics
from vizgrad.ops.public import (
    arithmetic,
    collecting,
    comparing,
    conversion,
    creation,
    elementwise,
    multiplying,
    normalizing,
    parting,
    random,
    reducing,
    searching,
    selecting,
    shaping,
)
from vizgrad.ops.public.arguments import beside_number
from vizgrad.tensor.tensor import Tensor

# --- operators -------------------------------------------------------------------------------------------


def _reversed(op: Primitive) -> Callable[[Tensor, Any], Tensor]:
    def method(self: Tensor, other: Any) -> Tensor:
        return op.record(number(other, self), self)

    return method


def _operator(op: Primitive) -> Callable[[Tensor, Any], Any]:
    """A binary operator; what is no operand is left to the other side."""
    record = op.record

    def method(self: Tensor, other: Any) -> Any:
        try:
            return record(self, other)
        except TypeError:
            return NotImplemented

    return method


def _rsub(self: Tensor, other: Any) -> Tensor:
    arithmetic.refuse_bool_minus(self, other)
    return basic.rsub_number.record(self, number(other, self))


def _rdiv(self: Tensor, other: Any) -> Tensor:
    return pointwise.reciprocal.record(self) * other  # pyright: ignore[reportOperatorIssue]


def _sub(self: Tensor, other: Any) -> Tensor:
    if self._array.dtype.kind == "b":
        arithmetic.refuse_bool_minus(self, other)
    return basic.sub.record(self, other)


def _rpow(self: Tensor, other: Any) -> Tensor:
    return arithmetic.pow(other, self)


def _rmatmul(self: Tensor, other: Any) -> Tensor:
    return multiplying.matmul(other, self)


def _invert(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "biu":
        raise TypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {self.dtype}"
        )
    return compare.bitwise_not.record(self)


def _contains(self: Tensor, element: Any) -> bool:
    return bool((self == element).any())  # pyright: ignore[reportAttributeAccessIssue]


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": basic.add.record,
    "__radd__": basic.add.record,
    "__sub__": _sub,
    "__rsub__": _rsub,
    "__mul__": basic.mul.record,
    "__rmul__": basic.mul.record,
    "__truediv__": basic.div.record,
    "__rtruediv__": _rdiv,
    "__floordiv__": arithmetic.floor_divide,
    "__rfloordiv__": _reversed(basic.floor_divide),
    "__mod__": arithmetic.remainder,
    "__rmod__": _reversed(basic.remainder),
    "__pow__": arithmetic.pow,
    "__rpow__": _rpow,
    "__matmul__": multiplying.operator,
    "__rmatmul__": _rmatmul,
    "__neg__": arithmetic.neg,
    "__pos__": arithmetic.positive,
    "__abs__": pointwise.abs.record,
    "__invert__": _invert,
    "__eq__": _operator(compare.eq),
    "__ne__": _operator(compare.ne),
    "__lt__": _operator(compare.lt),
    "__le__": _operator(compare.le),
    "__gt__": _operator(compare.gt),
    "__ge__": _operator(compare.ge),
    "__and__": _operator(compare.bitwise_and),
    "__rand__": _operator(compare.bitwise_and),
    "__or__": _operator(compare.bitwise_or),
    "__ror__": _operator(compare.bitwise_or),
    "__xor__": _operator(compare.bitwise_xor),
    "__rxor__": _operator(compare.bitwise_xor),
    "__lshift__": _operator(compare.bitwise_left_shift),
    "__rshift__": _operator(compare.bitwise_right_shift),
    "__getitem__": searching.getitem,
    "__setitem__": searching.setitem,
    "__iter__": parting.iterate,
    "__contains__": _contains,
}

# --- methods ---------------------------------------------------------------------------------------------

#: Methods that are the public function itself, by file.
SAME: dict[Any, str] = {
    arithmetic: "add sub mul div floor_divide remainder fmod pow float_power square neg positive lerp addcmul "
    "addcdiv logit round",
    selecting: "maximum minimum fmax fmin clamp clip clamp_min clamp_max masked_fill nan_to_num",
    reducing: "sum mean prod nansum nanmean any all count_nonzero max min amax amin aminmax argmax argmin median "
    "nanmedian mode kthvalue var std logsumexp norm dist trace sum_to_size cumsum cumprod cummax cummin "
    "logcumsumexp",
    shaping: "view view_as reshape reshape_as flatten ravel unflatten contiguous transpose swapaxes swapdims t "
    "permute movedim moveaxis unsqueeze squeeze expand expand_as broadcast_to diagonal diag diag_embed unfold "
    "as_strided tril triu flip fliplr flipud roll rot90 repeat tile repeat_interleave select narrow",
    parting: "split split_with_sizes chunk tensor_split hsplit vsplit dsplit unbind",
    searching: "index_put index_put_ gather take_along_dim scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ index_select "
    "index_add index_add_ index_copy index_copy_ index_fill index_fill_ masked_select masked_scatter masked_scatter_ take nonzero argwhere sort "
    "argsort topk msort bincount",
    multiplying: "matmul mm bmm mv dot vdot outer ger inner addmm addmv baddbmm kron cross",
    conversion: "to float double half int long short char byte bool cfloat cdouble cpu cuda type type_as numpy "
    "detach detach_ clone copy_ fill_ zero_",
    creation: "new_zeros new_ones new_empty new_full",
    random: "multinomial bernoulli uniform_ normal_ bernoulli_ exponential_ random_",
    comparing: "isclose allclose equal",
    collecting: "corrcoef cov diagonal_scatter diff histc isin nanquantile quantile renorm select_scatter "
    "slice_scatter unique unique_consecutive",
    elementwise: "isnan isinf isposinf isneginf isfinite signbit logical_not logical_and logical_or logical_xor "
    "bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift eq ne lt le gt ge "
    "atan2 hypot logaddexp logaddexp2 xlogy copysign nextafter heaviside gcd lcm",
    normalizing: "softmax log_softmax",
}

#: Elementwise functions whose method is the recording function itself.
DIRECT = (
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh sigmoid relu abs sign floor ceil trunc frac erf erfc erfinv lgamma digamma sinc deg2rad rad2deg"
)

ALIASES = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg",
    "absolute": "abs", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
    "not_equal": "ne", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "fix": "trunc", "concat": "cat",
}  # fmt: skip


def _polygamma(self: Tensor, n: int) -> Tensor:
    return arithmetic.polygamma(n, self)


METHODS: dict[str, Callable[..., Any]] = {
    "new_tensor": creation.new_tensor_method,
    "where": selecting.where_method,
    "polygamma": _polygamma,
    **{name: getattr(module, name) for module, names in SAME.items() for name in names.split()},
    **{name: getattr(pointwise, name).record for name in DIRECT.split()},
}

# --- in place --------------------------------------------------------------------------------------------


def _inplace(op: Primitive, name: str) -> Callable[..., Tensor]:
    """The method `name` that writes the result of `op` into its first operand."""

    shown = f"{op.name}_" if name.startswith("__") else name  # the write log says mul_ for *=

    def method(self: Tensor, *operands: Any) -> Tensor:
        return write(op, self, *operands, name=shown)

    return _named(method, name, op)


def _named(method: Any, name: str, op: Primitive) -> Any:
    method.__name__ = name
    method.__doc__ = f"In-place version of `{op.name}`: {op.__doc__}"
    return method


def _add_(self: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """self += alpha * other."""
    if alpha == 1:
        return write(basic.add, self, other, name="add_")
    return write(basic.add_scaled, self, other, name="add_", alpha=alpha)


def _sub_(self: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """self -= alpha * other."""
    arithmetic.refuse_bool_minus(self, other)
    if alpha == 1:
        return write(basic.sub, self, other, name="sub_")
    return write(basic.sub_scaled, self, other, name="sub_", alpha=alpha)


def _div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """self /= other."""
    if rounding_mode is None:
        return write(basic.div, self, other, name="div_")
    return write(basic.div_rounded, self, other, name="div_", rounding_mode=rounding_mode)


def _pow_(self: Tensor, exponent: Any) -> Tensor:
    """self **= exponent."""
    if isinstance(exponent, Tensor):
        return write(powers.pow, self, exponent, name="pow_")
    _refuse_number("pow_", self, exponent)
    return write(powers.pow_number, self, name="pow_", exponent=exponent)


def _refuse_number(name: str, self: Tensor, *numbers: Any) -> None:
    """A float cannot be worked into an integer tensor in place (V-6)."""
    wider = beside_number(self.detach(), *numbers)  # pyright: ignore[reportAttributeAccessIssue]
    if wider.dtype is not self.dtype:
        raise RuntimeError(
            f"result type {wider.dtype.name} can't be cast to the desired output type {self.dtype.name} of the "
            f"in-place operation {name}"
        )


def _square_(self: Tensor) -> Tensor:
    """self *= self, with the old value lost."""
    return write(powers.pow_number, self, name="square_", exponent=2)


def _floor_divide_(self: Tensor, other: Any) -> Tensor:
    """self //= other."""
    op = basic.floor_divide if isinstance(other, Tensor) else basic.floor_divide_number
    return write(op, self, other, name="floor_divide_")


def _remainder_(self: Tensor, other: Any) -> Tensor:
    """self %= other."""
    op = basic.remainder if isinstance(other, Tensor) else basic.remainder_number
    return write(op, self, other, name="remainder_")


def _fmod_(self: Tensor, other: Any) -> Tensor:
    op = basic.fmod if isinstance(other, Tensor) else basic.fmod_number
    return write(op, self, other, name="fmod_")


def _clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`clamp`, in place."""
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        if max is None:
            return write(select.clamp_low, self, min, name="clamp_")
        if min is None:
            return write(select.clamp_high, self, max, name="clamp_")
        return write(select.clamp_both, self, min, max, name="clamp_")
    _refuse_number("clamp_", self, min, max)
    return write(select.clamp, self, name="clamp_", min=min, max=max)


def _clamp_min_(self: Tensor, min: Any) -> Tensor:
    return write(select.clamp_min, self, name="clamp_min_", min=min)


def _clamp_max_(self: Tensor, max: Any) -> Tensor:
    return write(select.clamp_max, self, name="clamp_max_", max=max)


def _masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`masked_fill`, in place."""
    selecting.check_mask("masked_fill_", mask)
    if isinstance(value, Tensor):
        return write(select.masked_fill_tensor, self, mask, value, name="masked_fill_")
    return write(select.masked_fill, self, mask, name="masked_fill_", value=value)


def _lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    if isinstance(weight, Tensor):
        return write(basic.lerp, self, end, weight, name="lerp_")
    return write(basic.lerp_number, self, end, name="lerp_", weight=weight)


def _addcmul_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return write(basic.addcmul, self, tensor1, tensor2, name="addcmul_", value=value)


def _addcdiv_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return write(basic.addcdiv, self, tensor1, tensor2, name="addcdiv_", value=value)


def _round_(self: Tensor, *, decimals: int = 0) -> Tensor:
    return write(pointwise.round, self, name="round_", decimals=decimals)


def _neg_(self: Tensor) -> Tensor:
    return write(pointwise.neg, self, name="neg_")


def _nan_to_num_(self: Tensor, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    return write(select.nan_to_num, self, name="nan_to_num_", nan=nan, posinf=posinf, neginf=neginf)


def _tril_(self: Tensor, diagonal: int = 0) -> Tensor:
    return write(shape.tril, self, name="tril_", diagonal=diagonal)


def _triu_(self: Tensor, diagonal: int = 0) -> Tensor:
    return write(shape.triu, self, name="triu_", diagonal=diagonal)


def _cumsum_(self: Tensor, dim: int) -> Tensor:
    return write(joining.cumsum, self, name="cumsum_", dim=dim % max(self._array.ndim, 1))


def _cumprod_(self: Tensor, dim: int) -> Tensor:
    return write(statistics.cumprod, self, name="cumprod_", dim=dim % max(self._array.ndim, 1))


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
    "addcmul_": _addcmul_, "addcdiv_": _addcdiv_, "round_": _round_, "neg_": _neg_,
    "nan_to_num_": _nan_to_num_, "tril_": _tril_, "triu_": _triu_, "cumsum_": _cumsum_, "cumprod_": _cumprod_,
    "floor_divide_": _floor_divide_,
    "logical_not_": _inplace(compare.logical_not, "logical_not_"),
    **{
        name + "_": _inplace(getattr(pointwise, name), name + "_")
        for name in DIRECT.split()
    },
}  # fmt: skip


def attach() -> None:
    """Makes all of the above attributes of Tensor."""
    for table in (OPERATORS, METHODS, INPLACE):
        for name, function in table.items():
            setattr(Tensor, name, function)
    for name, original in ALIASES.items():
        for suffix in ("", "_"):
            found = getattr(Tensor, original + suffix, None)
            if found is not None:
                setattr(Tensor, name + suffix, found)
    Tensor.T = property(shaping.T)  # pyright: ignore[reportAttributeAccessIssue]
    Tensor.mT = property(shaping.mT)  # pyright: ignore[reportAttributeAccessIssue]


attach()
