"""The F distribution of Fisher and Snedecor: the quotient of two mean squares."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all
from vizgrad.distributions.gamma import drawn


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
