"""The beta distribution: a share between 0 and 1, the Dirichlet distribution of two."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.ops.public.joining import stack
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.dirichlet import Dirichlet
from vizgrad.distributions.distribution import batch_of, broadcast_all
from vizgrad.distributions.exp_family import ExponentialFamily


class Beta(ExponentialFamily):
    """A share between 0 and 1: `concentration1` for it, `concentration0` for the rest."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration1": constraints.positive, "concentration0": constraints.positive,
    }  # fmt: skip
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        super().__init__(batch_of(concentration1, concentration0), validate_args=validate_args)

    @property
    def _both(self) -> Dirichlet:
        return Dirichlet(stack([self.concentration1, self.concentration0], -1), validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._both.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._both.rsample(sample_shape)[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        return self._both.log_prob(stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        return self._both.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1 - 1, self.concentration0 - 1

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        x, y = natural_params
        return (x + 1).lgamma() + (y + 1).lgamma() - (x + y + 2).lgamma()
