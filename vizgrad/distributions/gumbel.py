"""The Gumbel distribution: the largest of many numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import EULER, broadcast_all, precision, smallest
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import AffineTransform, ExpTransform
from vizgrad.distributions.uniform import Uniform


class Gumbel(TransformedDistribution):
    """Mode `loc`, and `scale`: loc - scale * log(-log u) for a uniform u."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        low, high = smallest(self.loc), 1 - precision(self.loc)
        zero = self.loc.detach() * 0
        base = Uniform(zero + low, zero + high, validate_args=validate_args)
        if not isinstance(loc, Tensor) and not isinstance(scale, Tensor):
            base = Uniform(low, high, validate_args=validate_args)
        super().__init__(
            base,
            [
                ExpTransform().inv,
                AffineTransform(loc=0, scale=-1.0),
                ExpTransform().inv,
                AffineTransform(loc=self.loc, scale=-self.scale),
            ],
            validate_args=validate_args,
        )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = super().expand(batch_shape, _instance)
        new.transforms = [*self.transforms[:-1], AffineTransform(new.loc, -new.scale)]
        return new

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * EULER

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + 1 + EULER
