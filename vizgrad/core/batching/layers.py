"""Layers: the batch joins the dimension that they have for it already, or the channels."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.batching.reductions import all_of, beside, one_type
from vizgrad.core.batching.rules import Call, each_example, rule
from vizgrad.core.batching.values import (
    divided,
    filled,
    marked,
    merged,
    reshaped,
    to_front,
    with_ndim,
)
from vizgrad.core.ops import copying, losses, normalization, reduce, shape
from vizgrad.core.ops import indexing as tables
from vizgrad.core.ops.constants import ABSENT
from vizgrad.core.tensor.tensor import Tensor


def _rows(call: Call) -> list[Tensor]:
    """All operands as batches, the batch being more rows of their first dimension."""
    return [
        v if v is ABSENT else merged(filled(v, b, call.size))
        for v, b in zip(call.values, call.batched, strict=True)
    ]


def _apart(call: Call, result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_apart(call, each) for each in result)
    return divided(result, 0, call.size) if call.size else result.new_zeros((0, *result.shape))


# --- what works on the last dimensions, whatever lies before them --------------------------------------


@rule(
    "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d",
    "replication_pad3d", "circular_pad1d", "circular_pad2d", "circular_pad3d", "add_back",
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_nearest_exact1d",
    "upsample_nearest_exact2d", "upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d",
    "upsample_trilinear3d", "upsample_bicubic2d", "upsample_bilinear2d_aa", "upsample_bicubic2d_aa",
    "resample", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool2d", "avg_pool3d", "spread_mean",
    "max_pool2d_with_indices", "max_pool3d_with_indices", "pixel_shuffle", "pixel_unshuffle",
)  # fmt: skip
def of_planes(call: Call, **attributes: Any) -> Any:
    return call.op.record(*call.values, **attributes)


@rule(
    "take_places", "put_places", "adaptive_max_pool2d", "adaptive_max_pool3d", "fractional_max_pool2d",
    "fractional_max_pool3d", "max_unpool2d", "max_unpool3d",
)  # fmt: skip
def at_places(call: Call, **attributes: Any) -> Any:
    every = (filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True))
    return call.op.record(*every, **attributes)


@rule("spread_to", "take_from")
def in_windows(call: Call, *, where: Any, **attributes: Any) -> Any:
    every = xp.broadcast_to(where, (call.size, *where.shape))
    return call.op.record(*call.values, where=every, **attributes)


@rule("constant_pad_nd")
def constant_pad_nd(call: Call, *, pad: Any, value: Any) -> Any:
    sides = tuple(pad)
    if len(sides) == call.values[0].ndim - 1:
        sides = ((0, 0), *sides)
    return call.op.record(call.values[0], pad=sides, value=value)


# --- more rows -----------------------------------------------------------------------------------------


@rule(
    "unfold_windows", "fold_windows", "channel_shuffle", "grid_sampler_2d", "grid_sampler_3d",
    "grid_sampler_2d_slope", "grid_sampler_3d_slope", "grid_sampler_2d_spread", "grid_sampler_3d_spread",
    "grid_sampler_2d_by_grid", "grid_sampler_3d_by_grid", "affine_grid_generator",
)  # fmt: skip
def more_rows(call: Call, **attributes: Any) -> Any:
    return _apart(call, call.op.record(*_rows(call), **attributes))


# --- convolutions --------------------------------------------------------------------------------------


@rule("convolution", "convolution_transpose")
def convolution(call: Call, *, groups: int, **settings: Any) -> Any:
    (image, weight, bias), (of_image, of_weight, of_bias) = call.values, call.batched
    if not call.size:
        return each_example(call, groups=groups, **settings)
    if not of_weight:
        rows = merged(filled(image, of_image, call.size))
        own = ABSENT if of_bias else bias
        found = divided(call.op.record(rows, weight, own, groups=groups, **settings), 0, call.size)
        if of_bias:
            found = found + reshaped(bias, call.size, 1, -1, *(1,) * (found.ndim - 3))
        return found
    # a filter for each example: the channels of all examples side by side, as groups of their own
    image = filled(image, of_image, call.size)
    wide = merged(to_front_of(image, 1), 1)
    found = call.op.record(wide, merged(weight), ABSENT, groups=groups * call.size, **settings)
    found = to_front(divided(found, 1, call.size), 1)
    if bias is not ABSENT:
        bias = filled(bias, of_bias, call.size)
        found = found + reshaped(bias, call.size, 1, -1, *(1,) * (found.ndim - 3))
    return found


def to_front_of(value: Tensor, dim: int) -> Tensor:
    """Dimension 0 moved to place `dim`."""
    order = [*range(1, value.ndim)]
    order.insert(dim, 0)
    return shape.permute.record(value, dims=tuple(order))


@rule("convolution_weight")
def convolution_weight(call: Call, *, groups: int, **settings: Any) -> Any:
    if not call.size:
        return each_example(call, groups=groups, **settings)
    image, grad = (
        merged(to_front_of(filled(v, b, call.size), 1), 1)
        for v, b in zip(call.values, call.batched, strict=True)
    )
    found = call.op.record(image, grad, groups=groups * call.size, **settings)
    return divided(found, 0, call.size)


# --- normalisation -------------------------------------------------------------------------------------


@rule("layer_norm")
def layer_norm(call: Call, *, dims: int, eps: float) -> Any:
    (x, weight, bias), (_, of_weight, of_bias) = call.values, call.batched
    x = filled(x, call.batched[0], call.size)
    if not of_weight and not of_bias:
        return call.op.record(x, weight, bias, dims=dims, eps=eps)
    found, *others = call.op.record(x, ABSENT, ABSENT, dims=dims, eps=eps)
    return _scaled(call, found, lambda v: with_ndim(v, x.ndim - 1)), *others


def _scaled(call: Call, found: Tensor, laid: Any) -> Tensor:
    """times weight, plus bias."""
    for place, combine in ((1, "mul"), (2, "add")):
        value, batched = call.values[place], call.batched[place]
        if value is not ABSENT:
            found = getattr(found, combine)(laid(filled(value, batched, call.size)))
    return found


@rule("group_norm")
def group_norm(call: Call, *, groups: int, eps: float) -> Any:
    (x, weight, bias), (of_x, of_weight, of_bias) = call.values, call.batched
    x = filled(x, of_x, call.size)
    plain = not of_weight and not of_bias
    own = (weight, bias) if plain else (ABSENT, ABSENT)
    found, *others = _apart(call, call.op.record(merged(x), *own, groups=groups, eps=eps))
    return (found if plain else _scaled(call, found, _by_channel(found))), *others


def _by_channel(found: Tensor) -> Any:
    return lambda v: reshaped(v, v.shape[0], 1, v.shape[1], *(1,) * (found.ndim - 3))


@rule("batch_norm", "batch_norm_fixed")
def batch_norm(call: Call, *, eps: float) -> Any:
    """Channels of all examples side by side: each has statistics of its own."""
    image = filled(call.values[0], call.batched[0], call.size)
    if call.op is normalization.batch_norm_fixed and not any(call.batched[1:]):
        return _apart(call, call.op.record(merged(image), *call.values[1:], eps=eps))
    wide = merged(to_front_of(image, 1), 1)
    others = [
        v if v is ABSENT else merged(filled(v, b, call.size))
        for v, b in zip(call.values[1:], call.batched[1:], strict=True)
    ]
    results = call.op.record(wide, *others, eps=eps)
    if not isinstance(results, tuple):
        return to_front(divided(results, 1, call.size), 1)
    found, *statistics = results
    return to_front(divided(found, 1, call.size), 1), *(_apart(call, each) for each in statistics)


# --- tables --------------------------------------------------------------------------------------------


@rule("embedding", "embedding_take")
def embedding(call: Call, *, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    (weight, indices), (of_weight, _) = call.values, call.batched
    settings = {"padding_idx": padding_idx, "scale_grad_by_freq": scale_grad_by_freq}
    if not of_weight and not scale_grad_by_freq:
        return call.op.record(weight, indices, **settings)
    if padding_idx >= 0 or scale_grad_by_freq:
        return each_example(call, **settings)
    indices = filled(indices, call.batched[1], call.size)
    tables = marked(call.level, merged(weight), 0, weight.shape[1])
    starts = _starts(call, indices, weight.shape[1])
    return call.op.record(tables, indices + starts, **settings)


def _starts(call: Call, indices: Tensor, rows: int) -> Tensor:
    """Where the table of each example begins among all rows."""
    first = (
        indices.new_tensor(range(0, call.size * rows, max(rows, 1)))
        if rows
        else indices.new_zeros((call.size,))
    )
    return reshaped(first, call.size, *(1,) * (indices.ndim - 1))


@rule("embedding_backward")
def embedding_backward(call: Call, *, rows: int, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    settings = {"padding_idx": padding_idx, "scale_grad_by_freq": scale_grad_by_freq}
    if padding_idx >= 0 or scale_grad_by_freq:
        return each_example(call, rows=rows, **settings)
    grad, indices = (
        filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)
    )
    places = indices + _starts(call, indices, rows)
    found = tables.embedding_backward.record(grad, places, rows=rows * call.size, **settings)
    return divided(found, 0, call.size)


# Losses: those of all elements are computed at once, and then reduced within each example.


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


@rule("multilabel_margin_loss")
def of_each_row(call: Call) -> Any:
    return _apart(call, call.op.record(*_rows(call)))


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
