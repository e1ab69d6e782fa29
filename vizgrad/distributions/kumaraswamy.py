"""The Kumaraswamy distribution: like the beta distribution, with a distribution function in closed form
(Jones 2009, "Kumaraswamy's distribution").
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import EULER, broadcast_all
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import AffineTransform, PowerTransform
from vizgrad.distributions.uniform import Uniform


class Kumaraswamy(TransformedDistribution):
    """P(X <= x) = 1 - (1 - x^a)^b with a = `concentration1` and b = `concentration0`."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        zero = self.concentration0.detach() * 0
        super().__init__(
            Uniform(zero, zero + 1, validate_args=validate_args),
            self._transforms(),
            validate_args=validate_args,
        )

    def _transforms(self) -> list[Any]:
        return [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = super().expand(batch_shape, _instance)
        new.transforms = new._transforms()
        return new

    def _moment(self, n: int) -> Tensor:
        """The mean of X^n: b B(1 + n/a, b)."""
        b = self.concentration0
        at = 1 + n / self.concentration1
        return (b.log() + at.lgamma() + b.lgamma() - (at + b).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """NaN where the density has no peak inside."""
        a, b = self.concentration1, self.concentration0
        found = (((a - 1).log() - (a * b - 1).log()) / a).exp()
        return where((a < 1) | (b < 1), math.nan, found)

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + EULER
        return 1 - 1 / b + (1 - 1 / a) * harmonic - a.log() - b.log()
