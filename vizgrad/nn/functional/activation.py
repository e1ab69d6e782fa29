"""Activation functions, and softmax with its relatives."""

from __future__ import annotations

import math
from typing import Annotated, Any

from vizgrad.core import errors
from vizgrad.core.arrays.dtypes import DType, finfo, int64
from vizgrad.core.function.inplace import write
from vizgrad.core.function.primitive import Primitive
from vizgrad.core.ops import activation as op
from vizgrad.core.ops import activation as over
from vizgrad.core.ops import normalization as softmax_op
from vizgrad.core.ops import pointwise
from vizgrad.core.ops.public.arguments import (
    check_dtype,
    check_kind,
    check_number,
    element,
    factor,
    number_of,
    rounded,
    takes_tensors,
)
from vizgrad.core.tensor.requirements import DimOf, DtypeKind, RankAtMost, Requirement, SameDtype
from vizgrad.core.tensor.tensor import Tensor

#: In place: those whose slope is read off the result, so that the operand need not be copied.
_OVER = {op.leaky_relu: over.leaky_relu_over, op.elu: over.elu_over, op.celu: over.celu_over}
#: PyTorch computes these for integers, too; their kernels stay in the type.
_OF_INTEGERS = (pointwise.relu, op.hardtanh, op.threshold)


def _apply(primitive: Primitive, name: str, input: Tensor, inplace: bool, **options: Any) -> Tensor:
    """`primitive` of the input; with `inplace` written over it and recorded as `name` with "_"."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
    if input._array.dtype.kind not in "fcV" and primitive not in _OF_INTEGERS:
        raise NotImplementedError(f'"{name}" not implemented for {input.dtype.name} tensors')
    for key, value in options.items():
        if isinstance(value, Tensor):
            return _apply(primitive, name, input, inplace, **(options | {key: number_of(value)}))
        if value.__class__ is str and key != "approximate":
            raise TypeError(f"{name}(): argument '{key}' must be Number, not str")
        if value.__class__ is complex or (value.__class__ is not str and not -1e38 < value < 1e38):
            factor(value, input._array.dtype)
    if inplace:
        if options.get("negative_slope", options.get("alpha", 0)) >= 0:
            primitive = _OVER.get(primitive, primitive)
        return write(primitive, input, name=name + "_", **options)
    return primitive.record(input, **options)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0)."""
    return write(pointwise.relu, input, name="relu_") if inplace else pointwise.relu.record(input)


def relu_(input: Tensor) -> Tensor:
    return relu(input, inplace=True)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return pointwise.tanh.record(input)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return pointwise.sigmoid.record(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x above 0, negative_slope * x below."""
    return _apply(op.leaky_relu, "leaky_relu", input, inplace, negative_slope=negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return leaky_relu(input, negative_slope, inplace=True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, alpha * (exp(x) - 1) below."""
    return _apply(op.elu, "elu", input, inplace, alpha=alpha, scale=1.0, input_scale=1.0)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return elu(input, alpha, inplace=True)


#: The two constants that keep mean 0 and variance 1 (G. Klambauer et al., Self-Normalizing Neural
#: Networks, 2017).
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with the alpha and scale that keep activations normalised."""
    return _apply(
        op.elu, "selu", input, inplace, alpha=SELU_ALPHA, scale=SELU_SCALE, input_scale=1.0
    )


def selu_(input: Tensor) -> Tensor:
    return selu(input, inplace=True)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above 0, alpha * (exp(x / alpha) - 1) below."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _apply(op.celu, "celu", input, inplace, alpha=alpha)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    return celu(input, alpha, inplace=True)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """x * Phi(x), Phi the normal distribution function; approximate="tanh" for the faster form."""
    if approximate not in ("none", "tanh"):
        if not isinstance(approximate, str):
            raise TypeError(
                f"gelu(): argument 'approximate' must be str, not {type(approximate).__name__}"
            )
        raise RuntimeError(
            f"approximate argument must be either none or tanh, but got {approximate!r}"
        )
    return _apply(op.gelu, "gelu", input, False, approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x)."""
    return _apply(op.silu, "silu", input, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x))."""
    return _apply(op.mish, "mish", input, inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
    return _apply(op.softplus, "softplus", input, False, beta=beta, threshold=threshold)


def softsign(input: Any) -> Tensor:
    """x / (1 + |x|)."""
    return input / (1 + input.abs())


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """x moved into [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError(f"min_val cannot be greater than max_val, got {min_val} and {max_val}")
    return _within(input, min_val, max_val, inplace)


def _within(input: Tensor, min_val: float, max_val: float, inplace: bool) -> Tensor:
    if isinstance(input, Tensor) and input._array.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types: they have no order")
    if isinstance(input, Tensor) and input._array.dtype.kind in "iub":
        min_val, max_val = _whole_limits(input, min_val, max_val)
    if isinstance(input, Tensor):
        min_val, max_val = (element(limit, input._array.dtype) for limit in (min_val, max_val))
    return _apply(op.hardtanh, "hardtanh", input, inplace, min_val=min_val, max_val=max_val)


def _whole_limits(input: Tensor, min_val: float, max_val: float) -> tuple[int, int]:
    """The limits as integers, cut towards 0."""
    kind = input._array.dtype.kind
    if kind == "b":
        raise NotImplementedError("Bool inputs not supported for hardtanh")
    low, high = (element(limit, int64.np) for limit in (min_val, max_val))
    if kind == "u" and (low < 0 or high < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return low, high


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh`, in place; of limits in the wrong order the upper one counts, as in PyTorch."""
    return _within(input, min_val, max_val, inplace=True)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """x / 6 + 1 / 2 moved into [0, 1]."""
    return _apply(op.hardsigmoid, "hardsigmoid", input, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * hardsigmoid(x)."""
    return _apply(op.hardswish, "hardswish", input, inplace)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| > lambd, else 0."""
    if isinstance(input, Tensor):
        lambd = rounded(lambd, input)
    return _apply(op.hardshrink, "hardshrink", input, False, lambd=lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by lambd, as far as 0."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}")
    if (
        isinstance(input, Tensor)
        and input.is_floating_point()
        and not lambd <= finfo(input.dtype).max
    ):
        raise RuntimeError(
            f"lambda must be in range [0, {finfo(input.dtype).max}] for input dtype {input.dtype.name}, but "
            f"found {lambd}"
        )
    return _apply(op.softshrink, "softshrink", input, False, lambd=lambd)


def tanhshrink(input: Any) -> Tensor:
    """x - tanh(x)."""
    return input - tanh(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, else `value`."""
    return _threshold(input, threshold, value, inplace)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    return _threshold(input, threshold, value, True)


def _threshold(input: Tensor, threshold: float, value: float, inplace: bool) -> Tensor:
    check_number("threshold", "threshold", threshold)
    check_number("threshold", "value", value)
    if isinstance(input, Tensor):
        check_kind("threshold", input, "iufV")
        dtype = input._array.dtype
        threshold, value = element(threshold, dtype), element(value, dtype)
    return _apply(op.threshold, "threshold", input, inplace, threshold=threshold, value=value)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), without overflow."""
    return _apply(op.log_sigmoid, "logsigmoid", input, False)


@takes_tensors
def prelu(
    input: Tensor,
    weight: Annotated[
        Tensor,
        SameDtype("input", "prelu: Type promoting not supported. Got {other} and {dtype}"),
        RankAtMost(
            1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {ndim}"
        ),
    ],
) -> Tensor:
    """x above 0, weight * x below; `weight` has one element, or one for each channel (dimension 1)."""
    x, w = input._array, weight._array
    check_kind("prelu", input)
    if w.size != 1 and (x.ndim < 2 or w.size != x.shape[1]):
        channels = 1 if x.ndim < 2 else x.shape[1]
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{w.size} and channel size = {channels}"
        )
    wide: Any = weight
    shape = (w.size,) if x.ndim < 2 else (1, w.size, *(1,) * (x.ndim - 2))
    return op.prelu.record(input, wide.view(shape if x.ndim else ()))


@takes_tensors
def glu(
    input: Tensor,
    dim: Annotated[
        int,
        DimOf(),
        Requirement(
            "not {1}._array.ndim",
            "glu does not support scalars because halving size must be even",
            other="",
        ),
    ] = -1,
) -> Tensor:
    """The first half along `dim` times the sigmoid of the second; RuntimeError for an odd size."""
    dim = errors.wrap_dim(dim, input._array.ndim)
    size = input._array.shape[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    return op.glu.record(input, dim=dim)


@takes_tensors
def rrelu(
    input: Annotated[Any, DtypeKind("fV", '"rrelu" not implemented for {dtype} tensors')],
    lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False,
) -> Tensor:  # fmt: skip
    """`leaky_relu` with slopes drawn from U(lower, upper) in training, their mean otherwise."""
    lower, upper = number_of(lower), number_of(upper)
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError(
            f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}"
        )
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    slopes = input.detach().clone().uniform_(lower, upper)
    slopes = slopes.masked_fill_(input.detach() > 0, 1.0)
    return input.mul_(slopes) if inplace else input * slopes


def rrelu_(
    input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    return rrelu(input, lower, upper, training, inplace=True)


# --- softmax ------------------------------------------------------------------------------------


def _soft(primitive: Primitive, input: Tensor, dim: int | None, dtype: DType | None) -> Tensor:
    ndim = input._array.ndim
    if dim is None:
        dim = 0 if ndim in (0, 1, 3) else 1  # the old rule, still PyTorch's
    dim = errors.wrap_dim(dim, ndim)
    x: Any = input if dtype is None else input.to(check_dtype(primitive.name, dtype))
    if x._array.dtype.kind not in "fV":
        if x._array.dtype.kind in "iu" and not x._array.size:
            return x.clone()  # PyTorch asks the kernel, and there is none to ask
        raise NotImplementedError(
            f'"{primitive.name}" not implemented for {x.dtype.name} tensors: convert with .float()'
        )
    return primitive.record(x, dim=dim)


@takes_tensors
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, in `dtype` if given; never overflows."""
    # T-78
    return _soft(softmax_op.softmax, input, dim, dtype)


@takes_tensors
def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """log(softmax(x)) along `dim`, computed stably in one step."""
    return _soft(softmax_op.log_softmax, input, dim, dtype)


def softmin(
    input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """softmax(-x)."""
    return softmax(-input, dim, dtype=dtype)


@takes_tensors
def gumbel_softmax(
    logits: Any, tau: Any = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample from the relaxed categorical distribution; `hard`: one-hot, with the soft gradient.

    E. Jang, S. Gu, B. Poole, Categorical Reparameterization with Gumbel-Softmax (2017).
    """
    noise = -logits.detach().clone().exponential_().log()
    soft: Any = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.detach().argmax(dim, keepdim=True)
    one = (soft.detach() * 0).scatter(dim, index, 1.0)
    return one - soft.detach() + soft
