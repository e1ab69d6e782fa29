"""Statistics of the rows of a matrix."""

from __future__ import annotations

from typing import Any

from vizgrad.errors import wrap_dim
from vizgrad.ops.public import (
    arranging,
    multiplying,
    reducing,
    slicing,
    statistics,
)
from vizgrad.ops.public.complexes import adjoint, real
from vizgrad.ops.public.keywords import takes_out
from vizgrad.tensor.tensor import Tensor


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Covariances of the rows (variables) of a matrix of observations (columns)."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("cov: weights are not supported")
    rows: Any = arranging.atleast_2d(input)
    centred = rows - reducing.mean(rows, 1, keepdim=True)
    freedom = rows.shape[1] - correction
    product: Any = multiplying.mm(centred, adjoint(centred))
    return arranging.squeeze(product / max(freedom, 0) if freedom > 0 else product / 0.0)


def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows of a matrix."""
    c: Any = cov(input)
    if c.ndim == 0:
        return c / c
    scale: Any = real(slicing.diagonal(c)) ** 0.5
    return c / arranging.unsqueeze(scale, 1) / arranging.unsqueeze(scale, 0)


@takes_out
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Slices along `dim` scaled down to a p-norm of at most `maxnorm`."""
    ndim = input._array.ndim
    at = wrap_dim(dim, ndim)
    others = [d for d in range(ndim) if d != at]
    norms: Any = statistics.vector_norm(input, p, others, keepdim=True)
    from vizgrad.ops.public.selecting import where

    factor = where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return input * factor
