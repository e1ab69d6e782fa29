"""The chi-squared distribution, a gamma distribution, and the two that are quotients with it."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all
from vizgrad.distributions.gamma import Gamma, drawn


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        return self.concentration * 2

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = super().expand(batch_shape, _instance)
        new.concentration = self.concentration.expand(new.batch_shape)
        new.rate = self.rate.expand(new.batch_shape)
        return new


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


class FisherSnedecor(Distribution):
    """The quotient of two mean squares with `df1` and `df2` degrees of freedom (the F distribution)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "df1": constraints.positive, "df2": constraints.positive,
    }  # fmt: skip
    support = constraints.positive
    has_rsample = True
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(batch_of(df1, df2), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def mode(self) -> Tensor:
        a, b = self.df1, self.df2
        return where(a > 2, (a - 2) / a * b / (b + 2), math.nan)

    @property
    def variance(self) -> Tensor:
        a, b = self.df1, where(self.df2 > 4, self.df2, math.nan)
        return 2 * b.pow(2) * (a + b - 2) / (a * (b - 2).pow(2) * (b - 4))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        a, b = self.df1.expand(shape), self.df2.expand(shape)
        return (drawn(a / 2) / a) / (drawn(b / 2) / b)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a, b = self.df1 / 2, self.df2 / 2
        ratio = self.df1 / self.df2
        constant = (a + b).lgamma() - a.lgamma() - b.lgamma() + a * ratio.log()
        return constant + (a - 1) * value.log() - (a + b) * (ratio * value).log1p()
