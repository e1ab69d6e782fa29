"""Losses (T-42). `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any

from vizgrad import errors
from vizgrad.function.failing import broadcast_error
from vizgrad.nn.functional.activation import log_softmax
from vizgrad.nn.functional.differentiable import no_gradient_of
from vizgrad.nn.functional.linear import linear
from vizgrad.ops import losses as op
from vizgrad.ops import shape
from vizgrad.ops.optional import given
from vizgrad.ops.public.broadcasting import broadcast_tensors
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.place import caller
from vizgrad.tensor.tensor import Tensor
from vizgrad.tensor.wrong_call import wrong_call


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


def _of_one_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both as large as they are together; before types are compared: 0-dim tensors decide them, too."""
    if input._array.shape == target._array.shape:
        return input, target
    if (error := broadcast_error(input._array.shape, target._array.shape)) is not None:
        raise error
    warnings.warn(
        f"Using a target size ({list(target.shape)}) that is different to the input size "
        f"({list(input.shape)}): they are broadcast, which is seldom meant for a loss.",
        UserWarning,
        stacklevel=3,
    )
    input, target = broadcast_tensors(input, target)
    return input, target


def _check_weight(input: Tensor, weight: Tensor) -> None:
    if weight._array.shape != input._array.shape:
        raise ValueError(
            f"Weights and input must have the same size, got {list(weight.shape)} and {list(input.shape)}"
        )


@takes_tensors
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """(input - target)^2."""
    reduction = how_reduced(reduction, size_average, reduce)
    input, target = _of_one_size(input, target)
    if weight is not None:
        _check_weight(input, weight)
        squares: Any = op.mse_loss.record(input, target, reduction="none")
        total = (squares * weight).sum() if reduction != "none" else squares * weight
        return total / weight.sum() if reduction == "mean" else total
    return op.mse_loss.record(input, target, reduction=reduction)


@takes_tensors
def l1_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """|input - target|; with `weight` times that, and the mean divided by the sum of the weights."""
    reduction = how_reduced(reduction, size_average, reduce)
    input, target = _of_one_size(input, target)
    if weight is not None:
        _check_weight(input, weight)
        weighed: Any = (input - target).abs() * weight
        total = weighed if reduction == "none" else weighed.sum()
        return total / weight.sum() if reduction == "mean" else total
    return reduced((input - target).abs(), reduction)


@takes_tensors
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """d^2 / (2 beta) where |d| < beta, else |d| - beta / 2. R. Girshick, Fast R-CNN (2015)."""
    reduction = how_reduced(reduction, size_average, reduce)
    input, target = _of_one_size(input, target)
    if not beta >= 0:
        raise RuntimeError(f"smooth_l1_loss does not support negative values for beta, got {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return op.smooth_l1_loss.record(input, target, reduction=reduction, beta=beta)


@takes_tensors
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2)."""
    input, target = _of_one_size(input, target)
    if not delta > 0:
        raise RuntimeError(
            f"huber_loss does not support non-positive values for delta, got {delta}"
        )
    if target._array.dtype != input._array.dtype:
        _check_result(input, input, target)
        target = target.to(input.dtype)
    if weight is not None:
        _check_weight(input, weight)
        each: Any = op.huber_loss.record(input, target, reduction="none", delta=delta)
        return reduced(each * weight, reduction)
    return op.huber_loss.record(input, target, reduction=how_reduced(reduction), delta=delta)


@takes_tensors
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(t log p + (1 - t) log(1 - p)); logarithms end at -100 (T-79).

    Raises ValueError for sizes that differ, RuntimeError for probabilities outside [0, 1].
    """
    reduction = how_reduced(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Using a target size ({list(target.shape)}) that is different to the input size "
            f"({list(input.shape)}) is deprecated. Please ensure they have the same size."
        )
    _same_types("binary_cross_entropy", input, target)
    no_gradient_of("binary_cross_entropy", weight=weight)
    if weight is None:
        return op.binary_cross_entropy.record(input, target, reduction=reduction)
    return op.weighted_binary_cross_entropy.record(
        input, target, weight.to(input.dtype), reduction=reduction
    )


@takes_tensors
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`binary_cross_entropy` of sigmoid(input), stable for all values (T-78)."""
    reduction = how_reduced(reduction, size_average, reduce)
    if input._array.shape != target._array.shape:
        raise ValueError(
            f"Target size ({list(target.shape)}) must be the same as input size ({list(input.shape)})"
        )
    if target._array.dtype != input._array.dtype:
        _check_result(target, target, input)
        input = input.to(target.dtype)
    no_gradient_of("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if weight is None and pos_weight is None:
        return op.binary_cross_entropy_with_logits.record(input, target, reduction=reduction)
    return op.weighted_binary_cross_entropy_with_logits.record(
        input,
        target,
        *(given(_in_type_of(input, w)) for w in (weight, pos_weight)),
        reduction=reduction,
    )


def _check_result(out: Tensor, *operands: Tensor) -> None:
    """RuntimeError where the type that a loss is computed in is of a lower category than its operands'."""
    wide = max(operands, key=lambda t: t.dtype.category)
    if out._array.dtype.kind not in "fcV" or wide.dtype.category > out.dtype.category:
        raise wrong_call(
            RuntimeError(
                f"result type {wide.dtype.name} can't be cast to the desired output type {out.dtype.name}"
            ),
            "give input and target of one floating point type: target.to(input.dtype)",
            "cut-dtype",
        )


def _in_type_of(input: Tensor, weight: Tensor | None) -> Tensor | None:
    """The loss has the type of `input`, whatever that of the weights is."""
    return None if weight is None else weight.to(input.dtype)


def _same_types(name: str, input: Tensor, target: Tensor) -> None:
    if input._array.dtype != target._array.dtype:
        raise errors.explained(
            RuntimeError(
                f"Found dtype {target.dtype.name} but expected {input.dtype.name} ({name})"
            ),
            kind="cut-dtype",
            fix=f"convert the target: target.to({input.dtype})",
            culprit=errors.place_of(caller()),
        )


@takes_tensors
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probability of each target class (T-80).

    Shapes: input (N, C), (C) or (N, C, d1, ...), target (N), () or (N, d1, ...) of class numbers,
    weight (C). Targets equal to `ignore_index` do not count; the mean is over the weights used.
    Raises ValueError or RuntimeError for shapes, IndexError for a class that is not there.
    """
    reduction = how_reduced(reduction, size_average, reduce)
    x, t = input._array, target._array
    if t.dtype.kind not in "iu" or t.dtype.name not in ("int64", "uint8"):
        raise errors.explained(
            RuntimeError(
                "expected scalar type Long or Byte for the target classes, but found "
                f"{target.dtype.name}"
            ),
            kind="cut-dtype",
            fix="give class numbers as int64: target.long()",
            culprit=errors.place_of(caller()),
        )
    _check_class_shapes(input, target, weight)
    if x.ndim <= 2:
        return _nll(input, target, weight, reduction, ignore_index)
    if x.ndim == 4:
        return _nll2d(input, target, weight, reduction, ignore_index)
    flat: Any = input  # any other number of dimensions is taken as one row of places
    rows: Any = target
    places = prod(t.shape[1:])
    out: Any = _nll2d(
        shape.reshape(flat, shape=(*x.shape[:2], 1, places)),
        shape.reshape(rows, shape=(x.shape[0], 1, places)), weight, reduction, ignore_index,
    )  # fmt: skip
    return out.view(*t.shape) if reduction == "none" else out


def _nll(input: Tensor, target: Tensor, weight: Any, reduction: str, ignored: int) -> Tensor:
    if weight is None:
        return op.nll_loss.record(input, target, reduction=reduction, ignore_index=ignored)[0]
    no_gradient_of("nll_loss", weight=weight)
    return op.weighted_nll_loss.record(
        input, target, weight, reduction=reduction, ignore_index=ignored
    )[0]


def _nll2d(input: Any, target: Any, weight: Any, reduction: str, ignored: int) -> Tensor:
    if weight is None:
        return op.nll_loss2d.record(input, target, reduction=reduction, ignore_index=ignored)[0]
    no_gradient_of("nll_loss", weight=weight)
    return op.weighted_nll_loss2d.record(
        input, target, weight, reduction=reduction, ignore_index=ignored
    )[0]


def _check_class_shapes(input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    x, t = input._array, target._array
    if x.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {x.ndim})")
    expected = () if x.ndim == 1 else (x.shape[0], *x.shape[2:])
    if x.ndim > 1 and t.ndim and t.shape[0] != x.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({t.shape[0]})."
        )
    if t.shape != expected:
        kind = ValueError if x.ndim == 1 and t.ndim else RuntimeError
        raise kind(
            f"Expected target size {list(expected)}, got {list(t.shape)}: for scores of shape "
            f"{list(x.shape)} there is one class number each"
        )
    classes = x.shape[0 if x.ndim == 1 else 1]
    if weight is not None and weight._array.shape != (classes,):
        raise RuntimeError(
            "weight tensor should be defined either for all classes or no classes: there are "
            f"{classes} classes, and the weight has shape {list(weight.shape)}"
        )


@takes_tensors
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """nll_loss of log_softmax: the loss of a classifier (T-80).

    `target` holds class numbers, (N) or (N, d1, ...), or probabilities of the shape of `input`.
    With `label_smoothing` s the target becomes a mixture, 1 - s of it and s / C of each class.
    """
    reduction = how_reduced(reduction, size_average, reduce)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    x, t = input._array, target._array
    dim = 0 if x.ndim == 1 else 1
    if x.shape == t.shape and t.dtype.kind in "fV":
        return _soft_targets(input, target, weight, reduction, label_smoothing, dim, ignore_index)
    if x.ndim > 1 and x.shape[0] != (t.shape[0] if t.ndim else 0):
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size "
            f"({t.shape[0] if t.ndim else 0}); the shapes are {list(x.shape)} and {list(t.shape)}."
        )
    scores = log_softmax(input, dim)
    if label_smoothing == 0:
        return nll_loss(scores, target, weight, ignore_index=ignore_index, reduction=reduction)
    return _smoothed(scores, target, weight, ignore_index, reduction, label_smoothing, dim)


@takes_tensors
def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: None = None,
) -> Tensor:  # fmt: skip
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`.

    Shapes: input (N, in) or (in); linear_weight (C, in), or (C, d1, ..., in) for losses of several
    dimensions; linear_bias (C, d1, ...); target as for scores (N, C, d1, ...). `options`, PyTorch's way of
    computing it by parts, is not there: NotImplementedError. Raises RuntimeError for shapes that do not fit.
    """
    if options is not None:
        raise NotImplementedError("linear_cross_entropy: options is not supported, leave it away")
    x, w = input.shape, linear_weight.shape
    if len(x) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(x)}")
    if len(w) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(w)}")
    if x[-1] != w[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {x[-1]} and {w[-1]}"
        )
    if linear_bias is not None and linear_bias.shape != w[:-1]:
        raise RuntimeError(
            f"expected linear_bias shape {tuple(w[:-1])}, got {tuple(linear_bias.shape)}"
        )
    if len(w) > 2 and len(x) == 1:
        raise RuntimeError(
            f"the loss of several dimensions of linear_weight {list(w)} requires batched input, got "
            f"{list(x)}"
        )
    scores: Any = linear(
        input, linear_weight.reshape(-1, w[-1]),
        None if linear_bias is None else linear_bias.reshape(-1),
    ).reshape(*x[:-1], *w[:-1])  # fmt: skip
    if target.shape == scores.shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    return cross_entropy(
        scores, target, weight, ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction, label_smoothing=label_smoothing,
    )  # fmt: skip


def _soft_targets(
    input: Tensor,
    target: Any,
    weight: Any,
    reduction: str,
    smoothing: float,
    dim: int,
    ignored: int,
) -> Tensor:
    if ignored >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    classes = input._array.shape[dim]
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    scores: Any = log_softmax(input, dim)
    if weight is not None:
        scores = scores * weight.view(*(-1 if d == dim else 1 for d in range(input._array.ndim)))
    if reduction == "none":
        return -(scores * target).sum(dim)
    total = -(scores * target).sum()
    if reduction == "sum":
        return total
    return total / (input._array.size // max(1, classes))


def _smoothed(
    scores: Any, target: Any, weight: Any, ignored: int, reduction: str, smoothing: float, dim: int
) -> Tensor:
    hard: Any = nll_loss(scores, target, weight, ignore_index=ignored, reduction=reduction)
    if weight is not None:
        shape = [1] * scores.ndim
        shape[dim] = -1
        even = -(scores * weight.view(*shape)).sum(dim)
    else:
        even = -scores.sum(dim)
    skipped = target == ignored
    even = even.masked_fill(skipped, 0.0)
    if reduction == "sum":
        even = even.sum()
    elif reduction == "mean":
        if weight is None:
            even = even.sum() / (~skipped).sum()
        else:
            safe = target.masked_fill(skipped, 0)
            used = weight[safe].masked_fill(skipped, 0.0)
            even = even.sum() / used.sum()
    share = smoothing / scores.shape[dim]
    return hard * (1 - smoothing) + even * share


@takes_tensors
def kl_div(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """target (log(target) - input): `input` holds log-probabilities, so does target if `log_target`.

    "batchmean" divides by the first dimension, as the mathematical definition has it; "mean" divides
    by the number of elements. A target of 0 adds 0 (T-79).
    """
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. "
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition.",
            UserWarning,
            stacklevel=2,
        )
    for each in (input, target):
        if each._array.dtype.kind not in "fV":
            raise RuntimeError(
                f"kl_div: Integral and complex inputs not supported. Got {each.dtype.name}"
            )
    sure = target.exp() * target if log_target else target.xlogy(target)
    loss = sure - (target.exp() if log_target else target) * input
    if reduction == "batchmean":
        return loss.sum() / input.shape[0] if input.ndim else loss.sum()
    return reduced(loss, how_reduced(reduction, size_average, reduce))
