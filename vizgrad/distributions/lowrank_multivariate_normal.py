"""Normal vectors whose covariance is a diagonal plus a matrix of low rank."""

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
from vizgrad.distributions.multivariate_normal import mahalanobis


class LowRankMultivariateNormal(Distribution):
    """Mean `loc`, covariance W W^T + diag(D) with W = `cov_factor` and D = `cov_diag`.

    Inverse and determinant are those of the small capacitance matrix I + W^T D^-1 W (Woodbury 1950, and the
    matrix determinant lemma). Raises ValueError for shapes that do not fit.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    loc: Tensor
    cov_factor: Tensor
    cov_diag: Tensor

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            batch = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as e:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from e
        self.loc = loc.expand((*batch, *event))
        self.cov_factor = cov_factor.expand((*batch, *cov_factor.shape[-2:]))
        self.cov_diag = cov_diag.expand((*batch, *event))
        super().__init__(Size(batch), Size(event), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.cov_factor.pow(2).sum(-1) + self.cov_diag

    def _shrunk(self) -> Tensor:
        """W^T D^-1."""
        return self.cov_factor.mT / self.cov_diag.unsqueeze(-2)

    def _capacitance(self) -> Tensor:
        """The Cholesky factor of I + W^T D^-1 W."""
        rank = self.cov_factor.shape[-1]
        unit = eye(rank, dtype=self.loc.dtype, device=self.loc.device)
        return linalg.cholesky(self._shrunk() @ self.cov_factor + unit)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @lazy_property
    def scale_tril(self) -> Tensor:
        return linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        part = linalg.solve_triangular(self._capacitance(), self._shrunk(), upper=False)
        return self.cov_diag.reciprocal().diag_embed() - part.mT @ part

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = super().expand(batch_shape, _instance)
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            new.__dict__.pop(name, None)  # those of the larger batch are made when asked for
        return new

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        rank = self.cov_factor.shape[-1]
        kind: Any = {"dtype": self.loc.dtype, "device": self.loc.device}
        shared: Any = randn((*shape[:-1], rank), **kind)
        own: Any = randn(shape, **kind)
        return (
            self.loc
            + (self.cov_factor @ shared.unsqueeze(-1)).squeeze(-1)
            + self.cov_diag.sqrt() * own
        )

    def _half_log_det(self) -> Tensor:
        small = self._capacitance().diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return small + 0.5 * self.cov_diag.log().sum(-1)

    def distance(self, offset: Tensor) -> Tensor:
        """Squared length of `offset` in units of the covariance."""
        projected = (self._shrunk() @ offset.unsqueeze(-1)).squeeze(-1)
        whole = (offset.pow(2) / self.cov_diag).sum(-1)
        return whole - mahalanobis(self._capacitance(), projected)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self.distance(value - self.loc)) - self._half_log_det()

    def entropy(self) -> Tensor:
        n = self._event_shape[0]
        return 0.5 * n * (1 + math.log(2 * math.pi)) + self._half_log_det()
