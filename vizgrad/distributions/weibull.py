"""The Weibull distribution: the life of what ages."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import EULER, broadcast_all
from vizgrad.distributions.exponential import Exponential
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import AffineTransform, PowerTransform


class Weibull(TransformedDistribution):
    """P(X > x) = exp(-(x / scale)^concentration)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive
    scale: Tensor
    concentration: Tensor

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        super().__init__(
            Exponential(self.scale.detach() * 0 + 1, validate_args=validate_args),
            self._transforms(),
            validate_args=validate_args,
        )

    @property
    def concentration_reciprocal(self) -> Tensor:
        return self.concentration.reciprocal()

    def _transforms(self) -> list[Any]:
        power = PowerTransform(exponent=self.concentration_reciprocal)
        return [power, AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = super().expand(batch_shape, _instance)
        new.transforms = new._transforms()
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        c = self.concentration
        return self.scale * ((c - 1) / c).pow(c.reciprocal())

    @property
    def variance(self) -> Tensor:
        r = self.concentration_reciprocal
        return self.scale.pow(2) * ((1 + 2 * r).lgamma().exp() - (2 * (1 + r).lgamma()).exp())

    def entropy(self) -> Tensor:
        r = self.concentration_reciprocal
        return EULER * (1 - r) + (self.scale * r).log() + 1
