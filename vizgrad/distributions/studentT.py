"""Student's t distribution: a normal number divided by the root of a mean square."""  # noqa: N999  as PyTorch names it

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all
from vizgrad.distributions.gamma import drawn


class StudentT(Distribution):
    """A standard normal number divided by the root of a mean square with `df` degrees of freedom, times
    `scale`, plus `loc`.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "df": constraints.positive, "loc": constraints.real, "scale": constraints.positive,
    }  # fmt: skip
    support = constraints.real
    has_rsample = True
    df: Tensor
    loc: Tensor
    scale: Tensor

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(batch_of(df, loc, scale), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """NaN where there is none: up to one degree of freedom."""
        return where(self.df <= 1, math.nan, self.loc)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        found = self.scale.pow(2) * self.df / (self.df - 2)
        return where(self.df <= 1, math.nan, where(self.df <= 2, math.inf, found))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise: Any = randn(shape, dtype=self.df.dtype, device=self.df.device)
        square = 2 * drawn((self.df / 2).expand(shape))
        return self.loc + self.scale * noise * (square / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        df = self.df
        offset = (value - self.loc) / self.scale
        constant = (0.5 * df).lgamma() - (0.5 * (df + 1)).lgamma() + 0.5 * (df * math.pi).log()
        return -0.5 * (df + 1) * (offset**2 / df).log1p() - constant - self.scale.log()

    def entropy(self) -> Tensor:
        half, more = self.df / 2, (self.df + 1) / 2
        log_beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        slopes = more * (more.digamma() - half.digamma())
        return self.scale.log() + slopes + 0.5 * self.df.log() + log_beta
