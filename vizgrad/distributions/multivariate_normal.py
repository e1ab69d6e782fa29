"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public import linalg
from vizgrad.core.ops.public.broadcasting import broadcast_shapes
from vizgrad.core.ops.public.creation import eye
from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, lazy_property


class MultivariateNormal(Distribution):
    """Mean `loc`, and one of a covariance, its inverse (precision) or its Cholesky factor (scale_tril)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }  # fmt: skip
        found = [(name, value) for name, value in given.items() if value is not None]
        if len(found) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((name, matrix),) = found
        if matrix.dim() < 2:
            raise ValueError(
                f"{name} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch, *matrix.shape[-2:])))
        self.loc = loc.expand((*batch, loc.shape[-1]))
        super().__init__(Size(batch), Size(loc.shape[-1:]), validate_args)

    @lazy_property
    def scale_tril(self) -> Tensor:
        if "covariance_matrix" in self.__dict__:
            return linalg.cholesky(self.covariance_matrix)
        return factor_of_inverse(self.precision_matrix)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        return self.scale_tril @ self.scale_tril.mT

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return linalg.inv(self.scale_tril @ self.scale_tril.mT)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.scale_tril.pow(2).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise: Any = randn(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + (self.scale_tril @ noise.unsqueeze(-1)).squeeze(-1)

    def _half_log_det(self) -> Tensor:
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        offset = value - self.loc
        distance = mahalanobis(self.scale_tril, offset)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        n = self._event_shape[0]
        return 0.5 * n * (1 + math.log(2 * math.pi)) + self._half_log_det()


def mahalanobis(factor: Tensor, offset: Tensor) -> Tensor:
    """Squared length of `offset` in units of the covariance whose Cholesky factor is `factor`."""
    shape = (*broadcast_shapes(factor.shape[:-2], offset.shape[:-1]), offset.shape[-1])
    factor = factor.expand((*shape, shape[-1]))
    solved = linalg.solve_triangular(factor, offset.expand(shape).unsqueeze(-1), upper=False)
    return solved.pow(2).sum(-2).squeeze(-1)


def factor_of_inverse(matrix: Any) -> Tensor:
    """The Cholesky factor of a matrix's inverse, from that of the matrix turned end to end."""
    factor: Any = linalg.cholesky(matrix.flip((-2, -1)))
    upper = factor.flip((-2, -1)).mT
    unit = eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return linalg.solve_triangular(upper, unit.expand(upper.shape), upper=False)
