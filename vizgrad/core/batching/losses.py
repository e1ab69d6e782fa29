"""Losses: those of all elements are computed at once, and then reduced within each example."""

from __future__ import annotations

from typing import Any

from vizgrad.core.batching.pointwise import beside, one_type
from vizgrad.core.batching.reductions import all_of
from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import filled, merged, reshaped, with_ndim
from vizgrad.core.ops import copying, losses, reduce
from vizgrad.core.ops.optional import ABSENT
from vizgrad.core.tensor.tensor import Tensor


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The losses of a batch as the loss of each example."""
    if reduction == "none":
        return loss
    make = reduce.mean_dims if reduction == "mean" else reduce.sum_dims
    return make.record(loss, dims=all_of(loss), keepdim=False)


@rule(
    "mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
)  # fmt: skip
def elementwise(call: Call, *, reduction: str, **settings: Any) -> Any:
    values = beside(call)
    if call.op.typing == "promote":
        values = one_type(call, values)
    return reduced(call.op.record(*_full(call, values), reduction="none", **settings), reduction)


@rule("weighted_binary_cross_entropy", "weighted_binary_cross_entropy_with_logits")
def weighted(call: Call, *, reduction: str) -> Any:
    values = beside(call)
    return reduced(call.op.record(*_full(call, values), reduction="none"), reduction)


def _full(call: Call, values: list[Tensor]) -> list[Tensor]:
    """All that was given as batches of examples of one shape."""
    present = [v for v in values if v is not ABSENT]
    ndim = max(v.ndim for v in present)
    return [
        v if v is ABSENT or (v.ndim == ndim and b) else with_ndim(filled(v, b, call.size), ndim - 1)
        for v, b in zip(values, call.batched, strict=True)
    ]


@rule(
    "mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward", "soft_margin_loss_backward",
    "binary_cross_entropy_backward", "weighted_binary_cross_entropy_backward",
)  # fmt: skip
def elementwise_backward(call: Call, *, reduction: str, **settings: Any) -> Any:
    grad, *others = beside(call)
    if reduction == "mean":
        sizes = [v.shape[b:] for v, b in zip(call.values[1:], call.batched[1:], strict=True)]
        grad = grad / max(_count(size) for size in sizes)
    return call.op.record(grad, *others, reduction="none", **settings)


def _count(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


# --- by class ------------------------------------------------------------------------------------------


@rule("nll_loss", "nll_loss2d", "weighted_nll_loss", "weighted_nll_loss2d")
def nll(call: Call, *, reduction: str, ignore_index: int) -> Any:
    scores, target = (
        filled(v, b, call.size) for v, b in zip(call.values[:2], call.batched[:2], strict=True)
    )
    several = scores.ndim > 2
    rows, classes = (merged(scores), merged(target)) if several else (scores, target)
    plain = losses.nll_loss if rows.ndim == 2 else losses.nll_loss2d
    loss, _ = plain.record(rows, classes, reduction="none", ignore_index=ignore_index)
    loss = reshaped(loss, *target.shape)
    used = copying.converted(target.ne(ignore_index), scores._array.dtype)
    if len(call.values) > 2:
        used = used * _weights(call, target, ignore_index)
        loss = loss * used
    if reduction == "none":
        return loss, used.new_zeros((call.size,))
    total, loss = _of_rows(call, used), _of_rows(call, loss)
    return (loss / total if reduction == "mean" else loss), total


def _of_rows(call: Call, value: Tensor) -> Tensor:
    """The sum over the rows of each example."""
    rows = _count(value.shape[1:])
    if rows == 1:
        return reshaped(value, call.size)
    dims = tuple(range(1, value.ndim))
    return reduce.sum_dims.record(value, dims=dims, keepdim=False)


def _weights(call: Call, target: Tensor, ignore_index: int) -> Tensor:
    """The weight of each target class."""
    weight, batched = call.values[2], call.batched[2]
    safe = target.masked_fill(target.eq(ignore_index), 0)
    if not batched:
        return weight[safe]
    flat = reshaped(safe, call.size, _count(safe.shape[1:]))
    return reshaped(weight.gather(1, flat), *safe.shape)


@rule("nll_loss_backward", "weighted_nll_loss_backward")
def nll_backward(call: Call, *, shape: Any, reduction: str, ignore_index: int) -> Any:
    values = [filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)]
    grad, target, total = values[0], values[1], values[-1]
    if reduction == "mean":
        grad = grad / total
    if reduction != "none":
        grad = reshaped(grad, call.size, *(1,) * (target.ndim - 1)).expand(target.shape)
    if len(values) == 4:
        weights = call.of(call.op, (None, None, call.values[2]), (True, True, call.batched[2]))
        grad = grad * _weights(weights, target, ignore_index)
    if len(shape) == 1:
        sizes: tuple[int, ...] = (call.size, *shape)
    else:
        grad, target = merged(grad), merged(target)
        sizes = (call.size * shape[0], *shape[1:])
    found = losses.nll_loss_backward.record(
        grad, target, total.new_zeros(()), shape=sizes, reduction="none", ignore_index=ignore_index
    )
    return reshaped(found, call.size, *shape)
