"""Losses of each element beside its target (T-42). `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.dtypes import NARROW, DType, result_type, type_name
from vizgrad.core.errors import warn_outside
from vizgrad.core.function.failing import broadcast_error
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops import losses as op
from vizgrad.core.ops.activation import log_sigmoid
from vizgrad.core.ops.constants import given
from vizgrad.core.ops.public.arguments import check_kind, takes_tensors
from vizgrad.core.ops.public.arithmetic import refuse_bool_minus
from vizgrad.core.ops.public.broadcasting import broadcast_shapes, broadcast_tensors
from vizgrad.core.tensor.duals import DUALS, is_dual
from vizgrad.core.tensor.modes import GUARD, MODES, is_grad_enabled
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

# Checks of the arguments of losses: the word for the reduction, sizes, element types.


def how_reduced(
    reduction: str, size_average: bool | None = None, reduce: bool | None = None
) -> str:
    """The reduction asked for, old flags included; ValueError for a word that is none."""
    if size_average is not None or reduce is not None:
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"{reduction} is not a valid value for reduction: use 'mean', 'sum' or 'none'"
        )
    return reduction


def reduced(loss: Any, reduction: str) -> Any:
    how_reduced(reduction)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both as large as they are together; before types are compared: 0-dim tensors decide them, too."""
    if input._array.shape == target._array.shape:
        return input, target
    if (error := broadcast_error(input._array.shape, target._array.shape)) is not None:
        raise error
    warn_outside(
        f"Using a target size ({list(target.shape)}) that is different to the input size "
        f"({list(input.shape)}): they are broadcast, which is seldom meant for a loss.",
    )
    input, target = broadcast_tensors(input, target)
    return input, target


def check_weight(weight: Tensor, input: Tensor) -> None:
    """ValueError unless there is a weight for each element of the input, as it is given."""
    if weight._array.shape != input._array.shape:
        raise ValueError(
            f"Weights and input must have the same size, got {list(weight.shape)} and {list(input.shape)}"
        )


def computed_in(dtype: DType, *operands: Tensor | None) -> None:
    """RuntimeError where a loss whose type is `dtype` has operands of a higher category."""
    for operand in operands:
        if operand is not None and (operand.dtype.category > dtype.category or dtype.category < 2):
            common = result_type([operand.dtype, dtype], [], [])
            raise wrong_call(
                RuntimeError(
                    f"result type {common.name} can't be cast to the desired output type {dtype.name}"
                ),
                "give input and target of one floating point type: target.to(input.dtype)",
                "cut-dtype",
            )


def one_type(name: str, input: Tensor, target: Tensor) -> None:
    """RuntimeError for a target of another type than the input."""
    if input._array.dtype != target._array.dtype:
        raise wrong_call(
            RuntimeError(
                f"Found dtype {target.dtype.name} but expected {input.dtype.name} ({name})"
            ),
            f"convert the target: target.to({input.dtype})",
            "cut-dtype",
        )


def of_type(what: str, tensor: Tensor | None, *names: str) -> None:
    """RuntimeError for what must be of a type named, and is not."""
    if tensor is not None and tensor.dtype.name not in names:
        wanted = " or ".join(f"{_scalar(name)} ({name})" for name in names)
        found = tensor.dtype.name
        raise wrong_call(
            RuntimeError(
                f"expected scalar type {wanted} but found {_scalar(found)} ({found}) for the {what}"
            ),
            f"convert it: .to({names[0]})",
            "cut-dtype",
        )


def _scalar(dtype: str) -> str:
    """The name of an element type in PyTorch's messages: Long for int64."""
    return type_name(dtype).removesuffix("Tensor")


# Arguments by which there is no derivative.


def no_gradient_of(name: str, **arguments: Tensor | None) -> None:
    """RuntimeError, as in PyTorch, for an argument that requires grad though nothing would reach it.

    So it is for one with a tangent, of which PyTorch makes a silent zero.
    """
    for argument, value in arguments.items():
        if is_differentiated(value):
            raise wrong_call(
                RuntimeError(
                    f"The function '{name}' is not differentiable with respect to argument '{argument}'. "
                    "This input cannot have requires_grad True."
                ),
                f"give it without history: {argument}.detach()",
            )


def is_differentiated(value: Tensor | None) -> bool:
    """Is a gradient by it asked for, or has it a tangent?"""
    if value is None:
        return False
    if value.requires_grad and is_grad_enabled():
        return True
    while isinstance(value, Wrapped):
        value = value.value
    return bool(DUALS.on and is_dual(value))


def inside_a_transform() -> bool:
    return bool(GUARD.transforms and MODES.transforms)


@takes_tensors
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """(input - target)^2."""
    reduction = how_reduced(reduction, size_average, reduce)
    given = input
    input, target = of_one_size(input, target)
    if weight is not None:
        check_weight(weight, given)
        return _weighed(((input - target) ** 2), weight, reduction)
    return op.mse_loss.record(input, target, reduction=reduction)


@takes_tensors
def l1_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """|input - target|; with `weight` times that, and the mean divided by the sum of the weights."""
    reduction = how_reduced(reduction, size_average, reduce)
    given = input
    input, target = of_one_size(input, target)
    if weight is not None:
        check_weight(weight, given)
        return _weighed((input - target).abs(), weight, reduction)
    return reduced((input - target).abs(), reduction)


def _weighed(each: Any, weight: Tensor, reduction: str) -> Tensor:
    """Losses times weights; their mean is divided by the sum of the weights."""
    each = each * weight
    if reduction == "none":
        return each
    return each.sum() / weight.sum() if reduction == "mean" else each.sum()


@takes_tensors
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """d^2 / (2 beta) where |d| < beta, else |d| - beta / 2. R. Girshick, Fast R-CNN (2015)."""
    reduction = how_reduced(reduction, size_average, reduce)
    input, target = of_one_size(input, target)
    if not beta >= 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta, got {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return op.smooth_l1_loss.record(input, target, reduction=reduction, beta=float(beta))


@takes_tensors
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2)."""
    if weight is not None:
        check_weight(weight, input)
    input, target = of_one_size(input, target)
    if not delta > 0:
        raise RuntimeError(
            f"huber_loss does not support non-positive values for delta, got {delta}"
        )
    given_as = target.dtype
    if given_as is not input.dtype:
        computed_in(input.dtype, target)
        target = target.to(input.dtype)
    each: Any = op.huber_loss.record(
        input, target, delta=float(delta), target_dtype=given_as,
        reduction=how_reduced(reduction) if weight is None else "none",
    )  # fmt: skip
    return each if weight is None else reduced(each * weight, reduction)


@takes_tensors
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(t log p + (1 - t) log(1 - p)); logarithms end at -100.

    Raises ValueError for sizes that differ, RuntimeError for probabilities outside [0, 1].
    """
    # T-79
    reduction = how_reduced(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({list(target.shape)}) that is different to the input size "
            f"({list(input.shape)}) is deprecated. Please ensure they have the same size."
        )
    one_type("binary_cross_entropy", input, target)
    no_gradient_of("binary_cross_entropy", weight=weight)
    if weight is None:
        return op.binary_cross_entropy.record(input, target, reduction=reduction)
    computed_in(input.dtype, weight)
    return op.weighted_binary_cross_entropy.record(
        input, target, weight.to(input.dtype), reduction=reduction
    )


@takes_tensors
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`binary_cross_entropy` of sigmoid(input), stable for all values."""
    # T-78
    reduction = how_reduced(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Target size ({list(target.shape)}) must be the same as input size ({list(input.shape)})"
        )
    check_kind("log_sigmoid", input)
    refuse_bool_minus(target, pos_weight)
    loss_type = target.dtype
    if loss_type is not input.dtype:
        computed_in(loss_type, input)
    computed_in(loss_type, weight, pos_weight)
    if any(t is not None and t._array.dtype in NARROW for t in (input, target, weight, pos_weight)):
        # the kernel converts between numpy's types alone; then what was given is saved, not a copy
        input = input.to(loss_type)
        weight, pos_weight = (None if t is None else t.to(loss_type) for t in (weight, pos_weight))
    if inside_a_transform() and (is_differentiated(weight) or is_differentiated(pos_weight)):
        return reduced(_composed(input, target, weight, pos_weight).to(loss_type), reduction)
    no_gradient_of("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if weight is None and pos_weight is None:
        return op.binary_cross_entropy_with_logits.record(input, target, reduction=reduction)
    for each in (weight, pos_weight):
        if each is not None and broadcast_shapes(input.shape, each.shape) != input.shape:
            raise RuntimeError(
                f"output with shape {list(input.shape)} doesn't match the broadcast shape "
                f"{list(broadcast_shapes(input.shape, each.shape))} of the input and a weight"
            )
    return op.weighted_binary_cross_entropy_with_logits.record(
        input, target, given(weight), given(pos_weight), reduction=reduction
    )


def _composed(input: Tensor, target: Tensor, weight: Any, pos_weight: Any) -> Tensor:
    """The losses out of operations that have a derivative by the weights; transforms may ask for it."""
    positive: Any = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    loss: Any = (1 - target) * input - positive * log_sigmoid.record(input)
    return loss if weight is None else loss * weight


@takes_tensors
def kl_div(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """target (log(target) - input): `input` holds log-probabilities, so does target if `log_target`.

    "batchmean" divides by the first dimension, as the mathematical definition has it; "mean" divides
    by the number of elements. A target of 0 adds 0.
    """
    # T-79
    if reduction == "mean":
        warn_outside(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. "
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition.",
        )
    for each in (input, target):
        if each._array.dtype.kind not in "fV":
            raise RuntimeError(
                f"kl_div: Integral and complex inputs not supported. Got {each.dtype.name}"
            )
    # of logarithms neither operand is saved as it is: both may be written to
    sure = target.exp() * (target - input) if log_target else None
    loss = target.xlogy(target) - target * input if sure is None else sure
    if reduction == "batchmean":
        return loss.sum() / input.shape[0] if input.ndim else loss.sum()
    return reduced(loss, how_reduced(reduction, size_average, reduce))
