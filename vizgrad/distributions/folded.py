"""Distributions folded at zero: the absolute values of symmetric ones."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import AbsTransform


class FoldedAtZero(TransformedDistribution):
    """|x| for an x symmetric about 0: twice its density above zero, none below."""

    has_rsample = True
    support = constraints.nonnegative

    def __init__(self, base: Distribution, validate_args: bool | None = None) -> None:
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return self.scale.detach() * 0

    def log_prob(self, value: Any) -> Tensor:
        self._validate_sample(value)
        found = self.base_dist.log_prob(value) + math.log(2)
        return where(value >= 0, found, -math.inf)

    def cdf(self, value: Any) -> Tensor:
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
