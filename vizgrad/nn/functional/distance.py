"""Similarities, distances and normalisation by a norm."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.dtypes import promote_types
from vizgrad.core.ops.public.arguments import as_float, written
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.tensor import Tensor


def _norm(x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    return x.norm(p, dim, keepdim=keepdim)


def normalize(
    input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None
) -> Tensor:
    """x / max(norm, eps) along `dim`."""
    size = _norm(input, p, dim, True).clamp_min(eps).expand_as(input)
    result = input / size
    return result if out is None else written(out, result, "div", input)


@takes_tensors
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`."""
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps}")
    common = promote_types(x1.dtype, x2.dtype)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {common.name}"
        )
    x1, x2 = broadcast_tensors(as_float(x1), as_float(x2))
    return (x1 / _raised(x1, dim, eps) * (x2 / _raised(x2, dim, eps))).sum(dim)


def _raised(x: Any, dim: int, eps: float) -> Any:
    """The norm, at least `eps`; the derivative is that of the norm there, too, as in PyTorch."""
    norm = _norm(x, 2, dim, True).clone()
    before = set_grad_mode(False)
    try:
        return norm.clamp_min_(eps)
    finally:
        set_grad_mode(before)


@takes_tensors
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dimension."""
    return _norm(x1 - x2 + eps, p, -1, keepdim)


@takes_tensors
def pdist(input: Any, p: float = 2.0) -> Tensor:
    """The distances of all pairs i < j of rows, in order."""
    from vizgrad.core.arrays import xp
    from vizgrad.core.tensor.tensor import new_tensor

    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.is_floating_point():
        raise RuntimeError(f"pdist only supports floating-point dtypes, got {input.dtype.name}")
    if not p >= 0:
        raise RuntimeError(f"pdist only supports non-negative p values, got {p}")
    i, j = xp.triu_indices(input.shape[0], 1)
    difference = input[new_tensor(i)] - input[new_tensor(j)]
    return difference.sgn().abs().sum(-1) if p == 0 else _norm(difference, p, -1, False)
