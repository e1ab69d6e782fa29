"""The uniform distribution on an interval."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all


class Uniform(Distribution):
    """From `low` to `high`. Raises ValueError unless low < high everywhere."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "low": constraints.dependent,
        "high": constraints.dependent,
    }
    has_rsample = True
    low: Tensor
    high: Tensor

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_of(low, high), validate_args=validate_args)
        if self._validate_args and not (self.low < self.high).all():
            raise ValueError(
                f"Expected parameter low of distribution {self!r} to satisfy the constraint low < high, "
                f"but found invalid values:\n{self.low}"
            )

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """No value is likelier than another: NaN."""
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        share = rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + share * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        inside = ((self.low <= value) & (self.high > value)).type_as(self.low)
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()
