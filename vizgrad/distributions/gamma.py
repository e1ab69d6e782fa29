"""The gamma distribution."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.function.transform_tensor import draws
from vizgrad.core.ops import special
from vizgrad.core.ops.public.special import gammainc
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import batch_of, broadcast_all, smallest
from vizgrad.distributions.exp_family import ExponentialFamily


@draws("chances")
def standard_gamma(concentration: Tensor) -> Tensor:
    return special.standard_gamma.record(concentration)


def drawn(concentration: Tensor) -> Tensor:
    """Gamma numbers of rate 1, never 0, with gradients for their concentration."""
    made: Any = standard_gamma(concentration)
    return made + (smallest(made) - made.detach()).clamp(min=0)  # what underflowed is lifted


class Gamma(ExponentialFamily):
    """Shape `concentration`, inverse scale `rate`.

    Samples have the exact gradient of the quantile at which they lie (implicit reparametrisation, Figurnov,
    Mohamed and Mnih 2018).
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(batch_of(concentration, rate), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return drawn(self.concentration.expand(shape)) / self.rate.expand(shape)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a, rate = self.concentration, self.rate
        return a.xlogy(rate) + (a - 1).xlogy(value) - rate * value - a.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        """Has no derivative in the concentration, as in PyTorch."""
        self._validate_sample(value)
        return gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        x, y = natural_params
        return (x + 1).lgamma() - (x + 1) * (-y).log()
