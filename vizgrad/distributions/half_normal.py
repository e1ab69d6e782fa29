"""The half-normal distribution: a normal distribution folded at zero."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.folded import FoldedAtZero
from vizgrad.distributions.normal import Normal


class HalfNormal(FoldedAtZero):
    """|x| for an x of Normal(0, `scale`)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"scale": constraints.positive}

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
