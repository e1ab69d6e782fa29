"""Attaches operations to Tensor: operators, methods and in-place methods.

The files of `vizgrad.ops.public` offer functions with PyTorch's signatures; this file only says under which
names they become methods, so that one look shows what a Tensor can do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.function.primitive import Primitive
from vizgrad.function.typing import number
from vizgrad.ops import activation, compare
from vizgrad.ops import arithmetic as basic
from vizgrad.ops import pointwise as elementwise
from vizgrad.ops.inplace import INPLACE, UNARY, unary
from vizgrad.ops.public import (
    arithmetic,
    broadcasting,
    comparison,
    complexes,
    conversion,
    covariance,
    creation,
    cumulative,
    differences,
    dimensions,
    gather_scatter,
    indexing,
    inplace_methods,
    inplace_views,
    lapack,
    linalg,
    matrix_products,
    order_statistics,
    pin_memory,
    pointwise,
    put,
    quantiles,
    random_sampling,
    reduction,
    reshape,
    slice_scatter,
    slicing,
    softmax,
    sort_search,
    spectral,
    splitting,
    statistics,
    storage,
    tensor_properties,
    typed_tensors,
    unique_histogram,
    where_clamp,
)
from vizgrad.ops.public import special as special_functions
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
    return elementwise.reciprocal.record(self) * other


def _sub(self: Tensor, other: Any) -> Tensor:
    if self._array.dtype.kind == "b":
        arithmetic.refuse_bool_minus(self, other)
    return basic.sub.record(self, other)


def _rpow(self: Tensor, other: Any) -> Tensor:
    return arithmetic.pow(other, self)


def _rmatmul(self: Tensor, other: Any) -> Tensor:
    return matrix_products.matmul(other, self)


def _invert(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "biu":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors, not "
            f"{self.dtype}"
        )
    return compare.bitwise_not.record(self)


def _contains(self: Tensor, element: Any) -> bool:
    return bool((self == element).any())


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
    "__matmul__": matrix_products.operator,
    "__rmatmul__": _rmatmul,
    "__neg__": arithmetic.neg,
    "__pos__": arithmetic.positive,
    "__abs__": elementwise.abs.record,
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
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "__iter__": splitting.iterate,
    "__contains__": _contains,
}

# --- methods ---------------------------------------------------------------------------------------------

#: Methods that are the public function itself, by file.
SAME: dict[Any, str] = {
    arithmetic: "add sub mul div floor_divide remainder fmod pow float_power square neg positive lerp "
    "addcmul addcdiv logit round ldexp frexp",
    where_clamp: "maximum minimum fmax fmin clamp clip clamp_min clamp_max masked_fill nan_to_num",
    reduction: "sum mean prod nansum nanmean any all count_nonzero trace sum_to_size",
    order_statistics: "max min amax amin aminmax argmax argmin median nanmedian mode kthvalue",
    statistics: "var std logsumexp dist",
    cumulative: "cumsum cumprod cummax cummin logcumsumexp",
    reshape: "view view_as reshape reshape_as flatten ravel unflatten contiguous",
    dimensions: "transpose swapaxes swapdims t permute movedim moveaxis unsqueeze squeeze tril triu "
    "flip fliplr flipud roll rot90",
    broadcasting: "expand expand_as broadcast_to repeat tile repeat_interleave",
    slicing: "diagonal diag diag_embed unfold as_strided select narrow",
    splitting: "split split_with_sizes chunk tensor_split hsplit vsplit dsplit unbind",
    indexing: "index_put index_put_",
    gather_scatter: "gather take_along_dim scatter scatter_ scatter_add scatter_add_ scatter_reduce "
    "scatter_reduce_ index_select index_add index_add_ index_copy index_copy_ index_fill "
    "index_fill_ index_reduce",
    sort_search: "masked_select masked_scatter masked_scatter_ take nonzero argwhere sort argsort topk "
    "msort bincount",
    quantiles: "quantile nanquantile",
    unique_histogram: "unique unique_consecutive isin histc histogram",
    differences: "diff",
    covariance: "cov corrcoef renorm",
    slice_scatter: "select_scatter slice_scatter diagonal_scatter",
    matrix_products: "matmul mm bmm mv dot vdot outer ger inner addmm addmv baddbmm addr addbmm kron cross",
    linalg: "logdet matrix_exp cholesky_solve cholesky_inverse",
    conversion: "to float double half bfloat16 int long short char byte bool cfloat cdouble cpu cuda type "
    "type_as numpy detach detach_ clone copy_ fill_ zero_",
    pin_memory: "pin_memory is_pinned",
    complexes: "conj conj_physical resolve_conj resolve_neg is_conj is_neg angle isreal adjoint",
    storage: "untyped_storage set_ resize_",
    typed_tensors: "new",
    tensor_properties: "is_nonzero is_same_size is_set_to is_signed",
    lapack: "cholesky svd qr triangular_solve lu lu_solve pinverse det inverse matrix_power slogdet",
    spectral: "stft istft",
    put: "put as_strided_scatter diagflat narrow_copy",
    inplace_views: "t_ transpose_ swapaxes_ swapdims_ squeeze_ unsqueeze_ as_strided_",
    inplace_methods: "addmm_ addmv_ baddbmm_ addr_ addbmm_ logit_ polygamma_ float_power_ fill_diagonal_ "
    "ldexp_ mvlgamma_ renorm_ put_ index_reduce_ apply_ map_",
    creation: "new_zeros new_ones new_empty new_full new_empty_strided",
    random_sampling: "multinomial bernoulli uniform_ normal_ bernoulli_ exponential_ random_ geometric_ "
    "cauchy_ log_normal_",
    comparison: "isclose allclose equal",
    pointwise: "isnan isinf isposinf isneginf isfinite signbit logical_not logical_and logical_or "
    "logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift "
    "bitwise_right_shift eq ne lt le gt ge atan2 hypot logaddexp logaddexp2 xlogy copysign "
    "nextafter heaviside gcd lcm",
    softmax: "softmax log_softmax",
}

ALIASES = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg",
    "absolute": "abs", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
    "not_equal": "ne", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "fix": "trunc", "concat": "cat",
}  # fmt: skip


def _hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    return activation.hardshrink.record(self, lambd=lambd)


def _polygamma(self: Tensor, n: int) -> Tensor:
    return arithmetic.polygamma(n, self)


def _norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    return statistics.norm(input, p, dim, keepdim, dtype=dtype)


METHODS: dict[str, Callable[..., Any]] = {
    "new_tensor": creation.new_tensor_method,
    "igamma": special_functions.gammainc,
    "igammac": special_functions.gammaincc,
    "mvlgamma": special_functions.multigammaln,
    "hardshrink": _hardshrink,
    "norm": _norm,
    "where": where_clamp.where_method,
    "polygamma": _polygamma,
    **{name: getattr(module, name) for module, names in SAME.items() for name in names.split()},
    **{name: unary(name).record for name in UNARY},
}


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
    Tensor.T = property(dimensions.T)
    Tensor.mT = property(dimensions.mT)
    Tensor.H = property(complexes.H)
    Tensor.mH = property(complexes.adjoint)
    Tensor.real = property(complexes.real, complexes.set_real)
    Tensor.imag = property(complexes.imag, complexes.set_imag)


attach()
