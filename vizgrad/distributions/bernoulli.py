"""The Bernoulli distribution: yes or no."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.creation import arange
from vizgrad.core.ops.public.random_sampling import bernoulli
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import (
    batch_of,
    broadcast_all,
)
from vizgrad.distributions.exp_family import ExponentialFamily
from vizgrad.distributions.probs_or_logits import ProbsOrLogits
from vizgrad.nn.functional import binary_cross_entropy_with_logits


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """1 with probability `probs`, or sigmoid(`logits`); else 0."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        super().__init__(batch_of(probs, logits), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The likelier value; NaN where both are equally likely."""
        return where(self.probs == 0.5, math.nan, (self.probs >= 0.5).to(self.probs))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        param = self._param
        values: Any = arange(2, dtype=param.dtype, device=param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        (x,) = natural_params
        return x.exp().log1p()
