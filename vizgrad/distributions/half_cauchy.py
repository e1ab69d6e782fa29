"""The half-Cauchy distribution: a Cauchy distribution folded at zero."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.core.ops.public.from_values import full_like
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.cauchy import Cauchy
from vizgrad.distributions.folded import FoldedAtZero


class HalfCauchy(FoldedAtZero):
    """|x| for an x of Cauchy(0, `scale`)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"scale": constraints.positive}

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    @property
    def mean(self) -> Tensor:
        return full_like(self.scale.detach(), math.inf)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance
