"""The Wishart distribution: sums of squares and products of normal vectors."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

from vizgrad.core.ops.public import linalg
from vizgrad.core.ops.public.broadcasting import broadcast_shapes
from vizgrad.core.ops.public.creation import arange, eye
from vizgrad.core.ops.public.linalg_factors import cholesky_solve
from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import lazy_property
from vizgrad.distributions.exp_family import ExponentialFamily
from vizgrad.distributions.gamma import drawn
from vizgrad.distributions.multivariate_normal import factor_of_inverse


class Wishart(ExponentialFamily):
    """`df` degrees of freedom, above the dimension less 1, and one of a covariance, its inverse
    (precision) or its Cholesky factor (scale_tril).

    Warns of a `df` below the dimension: samples are then nearly singular.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.greater_than(0),
    }
    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    df: Tensor

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }  # fmt: skip
        found = [(name, value) for name, value in given.items() if value is not None]
        if len(found) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((name, matrix),) = found
        if matrix.dim() < 2:
            raise ValueError(
                f"{name} must be at least two-dimensional, with optional leading batch dimensions"
            )
        df = df if isinstance(df, Tensor) else matrix.new_tensor(df)
        batch = broadcast_shapes(df.shape, matrix.shape[:-2])
        n = matrix.shape[-1]
        self.df = df.expand(batch)
        setattr(self, name, matrix.expand((*batch, *matrix.shape[-2:])))
        self.arg_constraints = {  # type: ignore[misc]  of this object: it depends on the event
            **type(self).arg_constraints, "df": constraints.greater_than(n - 1),
        }  # fmt: skip
        if (self.df <= n - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        super().__init__(Size(batch), Size(matrix.shape[-2:]), validate_args)
        if (self.df < n).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim.",
                stacklevel=2,
            )

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
        n = self._event_shape[-1]
        unit = eye(n, dtype=self.scale_tril.dtype, device=self.scale_tril.device)
        inverse = linalg.solve_triangular(
            self.scale_tril, unit.expand(self.scale_tril.shape), upper=False
        )
        return inverse.mT @ inverse

    @property
    def mean(self) -> Tensor:
        return self.df[..., None, None] * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """NaN where the density has no peak: up to dimension + 1 degrees of freedom."""
        factor = self.df - self._event_shape[-1] - 1
        return where(factor <= 0, math.nan, factor)[..., None, None] * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        cov = self.covariance_matrix
        own = cov.diagonal(dim1=-2, dim2=-1)
        outer = own.unsqueeze(-1) * own.unsqueeze(-2)
        return self.df[..., None, None] * (cov.pow(2) + outer)

    def _degrees(self) -> Tensor:
        """df, df - 1, ...: those of each dimension."""
        n = self._event_shape[-1]
        return self.df.unsqueeze(-1) - arange(n, dtype=self.df.dtype, device=self.df.device)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Bartlett's decomposition (1933): chi numbers on the diagonal, normal ones below."""
        shape = self._extended_shape(sample_shape)
        kind: Any = {"dtype": self.df.dtype, "device": self.df.device}
        below: Any = randn(shape, **kind).tril(-1)
        chi = (2 * drawn((self._degrees() / 2).expand(shape[:-1]))).sqrt()
        factor = self.scale_tril @ (below + chi.diag_embed())
        return factor @ factor.mT

    def _half_log_det(self) -> Tensor:
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        df, n = self.df, self._event_shape[-1]
        log_det = linalg.slogdet(value).logabsdet
        solved = cholesky_solve(value, self.scale_tril)
        trace = solved.diagonal(dim1=-2, dim2=-1).sum(-1)
        constant = df * (self._half_log_det() + 0.5 * n * math.log(2)) + (0.5 * df).mvlgamma(n)
        return 0.5 * ((df - n - 1) * log_det - trace) - constant

    def entropy(self) -> Tensor:
        df, n = self.df, self._event_shape[-1]
        slopes = (0.5 * self._degrees()).digamma().sum(-1)
        return (
            (n + 1) * (self._half_log_det() + 0.5 * n * math.log(2))
            + (0.5 * df).mvlgamma(n)
            - 0.5 * (df - n - 1) * slopes
            + 0.5 * df * n
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -0.5 * self.precision_matrix, 0.5 * (self.df - self._event_shape[-1] - 1)

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        x, y = natural_params
        n = self._event_shape[-1]
        half = y + 0.5 * (n + 1)
        return half * (n * math.log(2) - linalg.slogdet(-2 * x).logabsdet) + half.mvlgamma(n)
