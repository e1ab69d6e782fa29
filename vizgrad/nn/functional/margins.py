"""Losses of pairs and margins, and likelihoods of other distributions (T-42)."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.errors import existing_dim
from vizgrad.core.ops import losses as op
from vizgrad.core.ops import margins
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.public import broadcasting
from vizgrad.core.ops.public.arguments import check_kind, takes_tensors
from vizgrad.core.tensor.modes import is_grad_enabled
from vizgrad.core.tensor.requirements import OneOf, Rank, Requirement, checked, not_a_tensor
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.functional.activation import logsigmoid
from vizgrad.nn.functional.linear import pairwise_distance
from vizgrad.nn.functional.losses import computed_in, how_reduced, no_gradient_of, of_type, reduced


@takes_tensors
def poisson_nll_loss(
    input: Any, target: Tensor, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """exp(input) - target * input, or input - target * log(input + eps); `full` adds Stirling's term."""
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        term = target * target.log() - target + 0.5 * (2 * 3.141592653589793 * target).log()
        computed_in(loss.dtype, term)
        loss = loss + term.masked_fill(target <= 1, 0.0).to(loss.dtype)
    return reduced(loss, how_reduced(reduction, size_average, reduce))


def _shared_along_one(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Is it the whole shape, but for a single 1?"""
    others = [n for n, m in zip(shape, whole, strict=False) if n != m]
    return len(shape) == len(whole) and others == [1]


@takes_tensors
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """(log var + (input - target)^2 / var) / 2; var is raised to eps, without a gradient there."""
    # T-82
    if not isinstance(input, Tensor):
        raise not_a_tensor("gaussian_nll_loss", "input", 1, input)
    if isinstance(var, (int, float)):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = (input * 0).detach() + var
    elif place_of(var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = var.unsqueeze(-1)
        elif not _shared_along_one(var.shape, input.shape):
            raise ValueError(
                f"var is of incorrect size: {list(var.shape)}, and the input is {list(input.shape)}"
            )
    if var._array.dtype.kind not in "fcV":
        raise RuntimeError(
            f"result type {input.dtype.name} can't be cast to the desired output type {var.dtype.name}: give "
            "var in floating point numbers"
        )
    safe = var.clamp(min=eps).detach() - var.detach() + var
    loss = 0.5 * (safe.log() + (input - target) ** 2 / safe)
    if full:
        loss = loss + 0.9189385332046727
    return reduced(loss, reduction)


@takes_tensors
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """log(1 + exp(-target * input)), targets being 1 or -1."""
    if input._array.shape != target._array.shape:
        broadcasting.broadcast_shapes(input._array.shape, target._array.shape)
        if xp.broadcast_shapes(input._array.shape, target._array.shape) != input._array.shape:
            raise RuntimeError(
                f"output with shape {list(input._array.shape)} doesn't match the broadcast shape of the "
                f"input and the target, whose shape is {list(target._array.shape)}"
            )
    no_gradient_of("soft_margin_loss", target=target)
    computed_in(input.dtype, target)
    if input.requires_grad and is_grad_enabled():
        _differentiable(input, target)
    return op.soft_margin_loss.record(
        input, target.to(input.dtype), reduction=how_reduced(reduction, size_average, reduce)
    )


def _differentiable(input: Tensor, target: Tensor) -> None:
    """RuntimeError for types of which `soft_margin_loss` has a value and no derivative."""
    if input.is_complex():
        raise RuntimeError(
            "soft_margin_loss does not support automatic differentiation for outputs with complex dtype."
        )
    if target.dtype.category == 0:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported: targets of soft_margin_loss are "
            "1 and -1"
        )


@takes_tensors
def hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """input where target is 1, max(0, margin - input) where it is -1."""
    if input.dtype.category < 2:
        margin = int(margin)  # the loss has the type of the input
    far = (+margin - input).clamp_min(0)
    loss = far.masked_fill(target == 1, 0.0) + input.masked_fill(target == -1, 0.0)
    return reduced(loss, how_reduced(reduction, size_average, reduce))


@takes_tensors
def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, -target (input1 - input2) + margin)."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{list(input1.shape)}, input2: {list(input2.shape)}, target: {list(target.shape)}"
        )
    loss = (-target * (input1 - input2) + float(margin)).clamp_min(0)
    return reduced(loss, how_reduced(reduction, size_average, reduce))


_ONE_TARGET = Rank(
    (0, 1), "0D or 1D target tensor expected, multi-target not supported: got {ndim}D"
)


@takes_tensors
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Annotated[Any, _ONE_TARGET], margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos where target is 1, max(0, cos - margin) where it is -1."""
    dim = target.ndim
    if input1.ndim != dim + 1 or input2.ndim != dim + 1:
        raise RuntimeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    product = (input1 * input2).sum(dim)
    scale = ((input1 * input1).sum(dim) + 1e-12) * ((input2 * input2).sum(dim) + 1e-12)
    cosine = product / scale.sqrt()
    alike = (1 - cosine).masked_fill(target != 1, 0.0)
    apart = (cosine - float(margin)).clamp_min(0).masked_fill(target != -1, 0.0)
    return reduced(alike + apart, how_reduced(reduction, size_average, reduce))


@takes_tensors
def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm distance."""
    _same_ranks(anchor, positive, negative)

    def distance(a: Any, b: Any) -> Any:
        return pairwise_distance(a, b, p, eps)

    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, margin=margin, swap=swap,
        reduction=how_reduced(reduction, size_average, reduce),
    )  # fmt: skip


def _same_ranks(anchor: Any, positive: Any, negative: Any) -> None:
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


@checked
def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None,
    margin: Annotated[
        float, Requirement("{0} <= 0", "margin must be greater than 0, got {value}", ValueError)
    ] = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`triplet_margin_loss` with any distance."""
    _same_ranks(anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    if not callable(distance):
        raise TypeError(
            f"'{type(distance).__name__}' object is not callable: give a function of two tensors"
        )
    near: Any = distance(anchor, positive)
    far: Any = distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


@takes_tensors
def multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Binary cross entropy of each label with logits, averaged over the labels."""
    check_kind("log_sigmoid", input)
    existing_dim(-1, input.ndim)
    loss: Any = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    # over the labels of the input: a target that is broadcast may have more
    each = loss.sum(input.ndim - 1) / input.shape[-1]
    return reduced(each, how_reduced(reduction, size_average, reduce))


_VECTOR = Rank(1, "weight must be one-dimensional, but has the shape {shape}", ValueError)


@takes_tensors
def multi_margin_loss(
    input: Tensor, target: Tensor,
    p: Annotated[Any, OneOf((1, 2), "only p == 1 and p == 2 supported", ValueError)] = 1,
    margin: float = 1.0, weight: Annotated[Any, _VECTOR] | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """mean over other classes i of max(0, margin - x[target] + x[i]) ** p."""
    how = how_reduced(reduction, size_average, reduce)
    no_gradient_of("multi_margin_loss", weight=weight)
    rows = 1 if input.ndim < 2 else input.shape[0]
    if input.ndim and not input.shape[-1]:
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}"
        )
    if input.numel() and input.dtype.category != 2:
        raise NotImplementedError(f'"multi_margin_loss" not implemented for {input.dtype.name}')
    if input.ndim > 2 or target.ndim > 1 or target.numel() != rows:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    of_type("target classes", target, "int64")
    of_type("weight", weight, input.dtype.name)
    x = input if input.ndim == 2 else input.reshape(1, -1)
    index = target.reshape(rows, 1)
    gap: Any = +margin - x.gather(1, index) + x
    gap = margins.squared_hinge.record(gap) if p == 2 else _above_zero(gap)
    if weight is not None:
        gap = gap * weight[index]
    loss = gap.scatter(1, index, 0.0).sum(1) / x.shape[1]
    return reduced(loss.reshape(target.shape), how)


def _above_zero(gap: Tensor) -> Tensor:
    """`gap` where it is above 0, else 0 without a gradient: also where it is 0, or NaN."""
    return gap.masked_fill((gap > 0).logical_not(), 0.0)


@takes_tensors
def multilabel_margin_loss(
    input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """sum over labels j and other classes i of max(0, 1 - (x[j] - x[i])) / classes.

    A row of `target` lists the labels of a sample, up to the first -1.
    """
    how = how_reduced(reduction, size_average, reduce)
    if input.shape != target.shape or input.ndim > 2:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    if input.ndim and not input.shape[-1]:
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(input.shape)}"
        )
    of_type("target classes", target, "int64")
    check_kind("multilabel_margin_loss", input)
    x = input if input.ndim == 2 else input.reshape(1, -1)
    labels = target if target.ndim == 2 else target.reshape(1, -1)
    found = labels._array
    if is_on_host(found) and found.size and not -1 <= found.min() <= found.max() < x.shape[1]:
        raise RuntimeError(
            f"argument #2 'target' is out of range: labels are -1, 0, ..., {x.shape[1] - 1}"
        )
    loss = margins.multilabel_margin_loss.record(x, labels)
    return reduced(loss if input.ndim == 2 else loss[0], how)
