"""Losses of scores for classes (T-80). `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.dtypes import int64
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops import ctc, shape
from vizgrad.core.ops import losses as op
from vizgrad.core.ops import normalization as softmax_op
from vizgrad.core.ops.joining import cat_any, stack_any
from vizgrad.core.ops.public.arguments import check_kind, takes_tensors
from vizgrad.core.tensor.requirements import Rank, RankAtLeast, checked
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.functional.activation import log_softmax
from vizgrad.nn.functional.linear import linear
from vizgrad.nn.functional.losses import how_reduced, no_gradient_of, of_type


@takes_tensors
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probability of each target class.

    Shapes: input (N, C), (C) or (N, C, d1, ...), target (N), () or (N, d1, ...) of class numbers,
    weight (C). Targets equal to `ignore_index` do not count; the mean is over the weights used.
    Raises ValueError or RuntimeError for shapes, IndexError for a class that is not there.
    """
    # T-80
    reduction = how_reduced(reduction, size_average, reduce)
    x, t = input._array, target._array
    if x.ndim <= 2:
        of_type("target classes", target, "int64", "uint8")
    else:
        of_type("target classes", target, "int64")
    _check_class_shapes(input, target, weight)
    of_type("weight", weight, input.dtype.name)
    check_kind("nll_loss", input)
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


@checked
def _check_class_shapes(
    input: Annotated[
        Tensor, RankAtLeast(1, "Expected 1 or more dimensions (got {ndim})", ValueError)
    ],
    target: Tensor,
    weight: Tensor | None,
) -> None:
    x, t = input._array, target._array
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
    """nll_loss of log_softmax: the loss of a classifier.

    `target` holds class numbers, (N) or (N, d1, ...), or probabilities of the shape of `input`.
    With `label_smoothing` s the target becomes a mixture, 1 - s of it and s / C of each class.
    """
    # T-80
    reduction = how_reduced(reduction, size_average, reduce)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    x, t = input._array, target._array
    dim = 0 if x.ndim == 1 else 1
    if x.shape == t.shape:
        if not target.dtype.is_floating_point:
            raise wrong_call(
                RuntimeError(
                    "Expected floating point type for target with class probabilities, got "
                    f"{target.dtype.name}"
                ),
                "as probabilities: target.float(); class numbers have one dimension less",
                "cut-dtype",
            )
        return _soft_targets(input, target, weight, reduction, label_smoothing, dim, ignore_index)
    if x.ndim > 1 and x.shape[0] != (t.shape[0] if t.ndim else 0):
        raise ValueError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size "
            f"({t.shape[0] if t.ndim else 0}); the shapes are {list(x.shape)} and {list(t.shape)}."
        )
    plain = weight is None and label_smoothing == 0 and t.ndim == 1
    if plain and x.ndim == 2 and t.dtype is int64.np and x.dtype.char in "fd":
        # as below, and nothing is left to be refused
        scores = softmax_op.log_softmax.record(input, dim=1)
        return _nll(scores, target, None, reduction, ignore_index)
    scores = log_softmax(input, dim)
    if label_smoothing == 0:
        return nll_loss(scores, target, weight, ignore_index=ignore_index, reduction=reduction)
    return _smoothed(scores, target, weight, ignore_index, reduction, label_smoothing, dim)


@takes_tensors
def linear_cross_entropy(
    input: Annotated[
        Tensor, Rank((1, 2), "expected input with dimensionality 1 or 2, got {ndim}")
    ],
    linear_weight: Annotated[
        Tensor, RankAtLeast(2, "expected linear_weight with dimensionality at least 2, got {ndim}")
    ],
    target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: Any = None,
) -> Tensor:  # fmt: skip
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`.

    Shapes: input (N, in) or (in); linear_weight (C, in), or (C, d1, ..., in) for losses of several
    dimensions; linear_bias (C, d1, ...); target as for scores (N, C, d1, ...). `options` say
    how PyTorch cuts the product in parts, which changes no value: they are ignored. Raises RuntimeError for
    shapes that do not fit.
    """
    x, w = input.shape, linear_weight.shape
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
    scores: Any = log_softmax(input, dim) * target
    if weight is not None:
        scores = scores * weight.view(*(-1 if d == dim else 1 for d in range(input._array.ndim)))
    if reduction == "none":
        return -scores.sum(dim)
    total = -scores.sum()
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
            used = weight.gather(0, safe.reshape(-1)).view_as(safe).masked_fill(skipped, 0.0)
            even = even.sum() / used.sum()
    share = smoothing / scores.shape[dim]
    return hard * (1 - smoothing) + even * share


# Connectionist temporal classification.

_SCORES = Rank(
    (2, 3),
    "ctc_loss: Expected 3-dimensional tensor (T, N, C), or (T, C), but got shape {shape} for "
    "argument #1 'log_probs'",
)


@takes_tensors
@of_examples
def ctc_loss(
    log_probs: Annotated[Any, _SCORES], targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Minus the log-probability of the targets, over all ways to align them with the input.

    Shapes: log_probs (T, N, C) or (T, C), targets (N, S), or all in one row, lengths (N). The mean is
    over samples, each divided by its target's length. A. Graves et al., Connectionist Temporal
    Classification (2006), section 4.1, in logarithms.
    """
    how_reduced(reduction)
    if not log_probs.numel():
        raise RuntimeError(
            f"ctc_loss: log_probs tensor must not be empty, but its shape is {list(log_probs.shape)}"
        )
    single = log_probs.ndim == 2
    scores = log_probs.unsqueeze(1) if single else log_probs
    steps, samples, _ = scores.shape
    for name, given in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(given, Tensor) and given.dtype.category != 1:
            raise RuntimeError(
                f"ctc_loss: {name} must be integral, but they are {given.dtype.name}"
            )
    inputs, lengths = _numbers(input_lengths), _numbers(target_lengths)
    targets = targets if targets.dtype.category == 1 else targets.long()
    check_kind("ctc_loss", log_probs)
    if max(inputs, default=0) > steps:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, got {max(inputs)}"
        )
    loss: Any
    if ctc.is_one_node(scores, targets):
        loss, _ = ctc.ctc_loss.record(
            scores, targets, input_lengths=tuple(inputs), target_lengths=tuple(lengths), blank=blank,
            zero_infinity=zero_infinity,
        )  # fmt: skip
        if zero_infinity:
            loss = loss.masked_fill(loss == xp.inf, 0.0)
    else:
        rows, kind = _rows(targets, lengths, samples), scores.dtype
        if kind.itemsize == 2:  # halves do not hold what stands for log(0)
            scores = scores.float()
        loss = stack_any(
            [_one(scores[: inputs[n], n], rows[n], blank, zero_infinity) for n in range(samples)], 0
        ).to(kind)
    if reduction == "mean":
        sizes = [max(n, 1) for n in lengths]
        divisor: Any = new_tensor(beside(loss._array, xp.asarray(sizes, loss._array.dtype)))
        return (loss / divisor).mean()
    if reduction == "sum":
        return loss.sum()
    return loss[0] if single else loss


def _numbers(lengths: Any) -> list[int]:
    if isinstance(lengths, Tensor):
        found = lengths.tolist()
        return [found] if isinstance(found, int) else found
    return [int(n) for n in lengths]


def _rows(targets: Any, lengths: list[int], samples: int) -> list[list[int]]:
    """The target of each sample, as a list."""
    if targets.ndim == 2:
        return [row[:n] for row, n in zip(targets.tolist(), lengths, strict=True)]
    flat, found, start = targets.tolist(), [], 0
    for n in lengths:
        found.append(flat[start : start + n])
        start += n
    return found[:samples]


def _one(scores: Any, target: list[int], blank: int, zero_infinity: bool) -> Any:
    """The loss of one sample: the forward recursion over its target with blanks in between."""
    states = [blank]
    for label in target:
        states += [label, blank]
    index = new_tensor(beside(scores._array, xp.asarray(states, "int64")))
    emitted = scores.index_select(1, index)
    count = len(states)
    may_skip = [i >= 2 and states[i] != blank and states[i] != states[i - 2] for i in range(count)]
    kind = scores._array.dtype
    closed = new_tensor(
        beside(scores._array, xp.where(xp.asarray(may_skip), 0.0, ctc.NEVER).astype(kind))
    )
    never: Any = new_tensor(beside(scores._array, xp.full(2, ctc.NEVER, kind)))
    opening = xp.full(count, ctc.NEVER, kind)
    opening[:2] = 0
    alpha = emitted[0] + new_tensor(beside(scores._array, opening))
    for t in range(1, scores.shape[0]):
        padded = cat_any([never, alpha], 0)
        ways = stack_any([alpha, padded[1 : count + 1], padded[:count] + closed], 0)
        alpha = ways.logsumexp(0) + emitted[t]
    total = alpha[-2:].logsumexp(0)
    if total.item() < ctc.NEVER / 2:  # no alignment fits
        everywhere = new_tensor(beside(scores._array, xp.asarray(True)))
        if zero_infinity:
            return scores.sum().masked_fill(everywhere, 0.0)
        # A loss that is infinite for all scores has no slope: NaN, as in PyTorch.
        return (scores.sum() * xp.nan).masked_fill(everywhere, xp.inf)
    # PyTorch's gradient is that of log_softmax and this loss together, divided by that of log_softmax:
    # exact where the scores are logarithms of probabilities, as they should be; elsewhere exp(score) more.
    probabilities = scores.exp()
    return (probabilities - probabilities.detach()).sum() - total
