"""The logistic-normal distribution: shares of a whole, made from normal numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.normal import Normal
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import StickBreakingTransform


class LogisticNormal(TransformedDistribution):
    """StickBreakingTransform of vectors of Normal(`loc`, `scale`): one share more than numbers."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        return self.base_dist.base_dist.scale
