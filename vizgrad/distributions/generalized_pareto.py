"""The generalized Pareto distribution: what exceeds a high threshold (Pickands 1975)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all


class GeneralizedPareto(Distribution):
    """Threshold `loc`, `scale`, and `concentration`: 0 gives an exponential tail, more a heavier one,
    less one that ends at loc - scale / concentration.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real,
    }  # fmt: skip
    has_rsample = True
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(batch_of(loc, scale, concentration), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        c = self.concentration
        end = self.loc - self.scale / where(c < 0, c, -1.0)
        return constraints.interval(self.loc, where(c < 0, end, math.inf))

    def _curved(self) -> tuple[Tensor, Any]:
        """Where the tail is no exponential one, and a concentration without zero."""
        near = self.concentration.abs() <= 1e-8
        return ~near, where(near, 1.0, self.concentration)

    @property
    def mean(self) -> Tensor:
        known = self.concentration < 1
        c = where(known, self.concentration, 0.0)
        return where(known, self.loc + self.scale / (1 - c), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        known = self.concentration < 0.5
        c = where(known, self.concentration, 0.0)
        return where(known, self.scale.pow(2) / ((1 - c).pow(2) * (1 - 2 * c)), math.nan)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of more than `value`."""
        curved, c = self._curved()
        z = (value - self.loc) / self.scale
        return where(curved, -(c * z).log1p() / c, -z)

    def log_prob(self, value: Tensor) -> Tensor:
        """Each of the two factors of the density, 1 + c z to the power -1/c and -1, is a logarithm here."""
        self._validate_sample(value)
        curved, c = self._curved()
        z = (value - self.loc) / self.scale
        found = -(1 + 1 / c) * (c * z).log1p()
        return where(curved, found, -z) - self.scale.log()

    def log_cdf(self, value: Tensor) -> Tensor:
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        curved, c = self._curved()
        tail = (-value).log1p()
        return self.loc + self.scale * where(curved, (-c * tail).expm1() / c, -tail)

    def entropy(self) -> Tensor:
        return 1 + self.concentration + self.scale.log()
