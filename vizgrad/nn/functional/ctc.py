"""Connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops.joining import cat_any, stack_any
from vizgrad.core.ops.public.arguments import check_kind
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.functional.loss_arguments import how_reduced

#: Stands for log(0): far below any score, and without the NaN gradients of -inf.
_NEVER = -1e30


@takes_tensors
@of_examples
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Minus the log-probability of the targets, over all ways to align them with the input.

    Shapes: log_probs (T, N, C) or (T, C), targets (N, S), or all in one row, lengths (N). The mean is
    over samples, each divided by its target's length. A. Graves et al., Connectionist Temporal
    Classification (2006), section 4.1, in logarithms.
    """
    how_reduced(reduction)
    if log_probs.ndim not in (2, 3):
        raise RuntimeError(
            f"ctc_loss: Expected 3-dimensional tensor (T, N, C), or (T, C), but got shape "
            f"{list(log_probs.shape)} for argument #1 'log_probs'"
        )
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
    rows = _rows(targets if targets.dtype.category == 1 else targets.long(), lengths, samples)
    check_kind("ctc_loss", log_probs)
    losses = [_one(scores[: inputs[n], n], rows[n], blank, zero_infinity) for n in range(samples)]
    if max(inputs, default=0) > steps:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, got {max(inputs)}"
        )
    loss: Any = stack_any(losses, 0)
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
        beside(scores._array, xp.where(xp.asarray(may_skip), 0.0, _NEVER).astype(kind))
    )
    never: Any = new_tensor(beside(scores._array, xp.full(2, _NEVER, kind)))
    opening = xp.full(count, _NEVER, kind)
    opening[:2] = 0
    alpha = emitted[0] + new_tensor(beside(scores._array, opening))
    for t in range(1, scores.shape[0]):
        padded = cat_any([never, alpha], 0)
        ways = stack_any([alpha, padded[1 : count + 1], padded[:count] + closed], 0)
        alpha = ways.logsumexp(0) + emitted[t]
    total = alpha[-2:].logsumexp(0)
    if total.item() < _NEVER / 2:  # no alignment fits
        everywhere = new_tensor(beside(scores._array, xp.asarray(True)))
        if zero_infinity:
            return scores.sum().masked_fill(everywhere, 0.0)
        # What is infinite whatever the scores are has no slope: NaN, as in PyTorch.
        return (scores.sum() * xp.nan).masked_fill(everywhere, xp.inf)
    # PyTorch's gradient is that of log_softmax and this loss together, divided by that of log_softmax:
    # exact where the scores are logarithms of probabilities, as they should be; elsewhere exp(score) more.
    probabilities = scores.exp()
    return (probabilities - probabilities.detach()).sum() - total
