"""Bernoulli numbers drawn softly: between 0 and 1, near them when it is cold (Maddison et al. 2017)."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import (
    batch_of,
    broadcast_all,
    clamp_probs,
)
from vizgrad.distributions.probs_or_logits import ProbsOrLogits
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import SigmoidTransform
from vizgrad.nn.functional import softplus


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The log-odds of RelaxedBernoulli: logistic noise plus `logits`, divided by `temperature`."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.real

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(batch_of(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u: Any = clamp_probs(rand(shape, dtype=self._param.dtype, device=self._param.device))
        return (u.log() - (-u).log1p() + self.logits) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        t = (
            self.temperature
            if isinstance(self.temperature, Tensor)
            else logits.new_tensor(self.temperature)
        )
        off = logits - value * t
        return t.log() + off - 2 * softplus(off)


class RelaxedBernoulli(TransformedDistribution):
    """Bernoulli at a `temperature`, with gradients, from `probs` or `logits`."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Any:
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
