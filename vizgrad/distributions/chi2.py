"""The chi-squared distribution: a gamma distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.gamma import Gamma


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        return self.concentration * 2

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = super().expand(batch_shape, _instance)
        new.concentration = self.concentration.expand(new.batch_shape)
        new.rate = self.rate.expand(new.batch_shape)
        return new
