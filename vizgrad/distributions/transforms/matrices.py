"""Transforms to Cholesky factors and to the matrices that have them."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.ops.public import linalg
from vizgrad.core.ops.public.creation import eye
from vizgrad.core.ops.public.from_values import ones_like
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import precision
from vizgrad.distributions.transforms.transform import OfOneKind, Transform, needs_dims
from vizgrad.distributions.triangles import tril_matrix_to_vec, vec_to_tril_matrix
from vizgrad.nn.functional import softplus


class LowerCholeskyTransform(OfOneKind):
    """A square matrix to a factor: the lower triangle, exp of the diagonal. Not bijective: the upper
    triangle is lost.
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(OfOneKind):
    """A square matrix to L L^T, with L as of LowerCholeskyTransform."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """D(D - 1)/2 numbers to the Cholesky factor of a D x D correlation matrix: rows of length 1.

    tanh of the numbers are canonical partial correlations; each takes its part of what its row has left
    (Lewandowski, Kurowicka and Joe 2009; Stan Reference Manual, "Cholesky factors of correlation
    matrices").
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = precision(x)
        partial = x.tanh().clamp(min=-1 + eps, max=1 - eps)
        size = self.forward_shape(x.shape)[-1]
        partial = vec_to_tril_matrix(partial, -1)
        left = (1 - partial.pow(2)).sqrt().cumprod(-1)  # of the row, after each column
        before = cat([ones_like(left[..., :1]), left[..., :-1]], -1)
        return (partial + eye(size, dtype=x.dtype, device=x.device)) * before

    def _before(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Entries of y below the diagonal, and the squared length their rows have left before them."""
        used = y.pow(2).cumsum(-1)
        before = 1 - cat([used[..., :1] * 0, used[..., :-1]], -1)
        return tril_matrix_to_vec(y, -1), tril_matrix_to_vec(before, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        entries, before = self._before(y)
        return (entries / before.sqrt()).atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Triangular: each entry is tanh(x) times the root of what is left of its row."""
        _, before = self._before(y)
        slopes = 2 * (math.log(2) - x - softplus(-2 * x))
        return (0.5 * before.log() + slopes).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        needs_dims(shape, 1)
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError(
                f"Input is not a flattened lower-diagonal number: {count} is not D(D - 1)/2 for any D"
            )
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        needs_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError(f"Input is not square: {tuple(shape)}")
        size = shape[-1]
        return Size((*shape[:-2], size * (size - 1) // 2))
