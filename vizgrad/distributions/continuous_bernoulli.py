"""The continuous Bernoulli distribution: Bernoulli's density on all of [0, 1] (Loaiza-Ganem and
Cunningham 2019, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders").
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import (
    batch_of,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    only_one,
    probs_to_logits,
)
from vizgrad.distributions.exp_family import ExponentialFamily
from vizgrad.nn.functional import binary_cross_entropy_with_logits


class ContinuousBernoulli(ExponentialFamily):
    """Density proportional to probs^x (1 - probs)^(1 - x); `logits` are the log-odds of `probs`.

    `lims`: between these, formulas that divide by 1 - 2 probs are replaced by Taylor series about 1/2.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        only_one(probs, logits)
        if probs is not None:
            (given,) = broadcast_all(probs)
            if validate_args is not None and not constraints.unit_interval.check(given).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(given)
        else:
            (self.logits,) = broadcast_all(logits)
        self._lims = lims
        super().__init__(batch_of(probs, logits), validate_args=validate_args)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Any:
        return self._param.size()

    def _far(self) -> Tensor:
        """Where `probs` is far enough from 1/2."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Any:
        """`probs`, moved away where it is near 1/2: its formulas are not used there."""
        return where(self._far(), self.probs, self._lims[0])

    def _log_constant(self) -> Tensor:
        """log of 2 atanh(1 - 2 probs) / (1 - 2 probs), by which the density is normalised."""
        cut = self._cut()
        spread = ((-cut).log1p() - cut.log()).abs().log()  # log |2 atanh(1 - 2 cut)|
        off = self.probs - 0.5
        series = math.log(2) + (4 / 3 + 104 / 45 * off.pow(2)) * off.pow(2)
        return where(self._far(), spread - (1 - 2 * cut).abs().log(), series)

    @property
    def mean(self) -> Tensor:
        cut = self._cut()
        found = cut / (2 * cut - 1) + 1 / ((-cut).log1p() - cut.log())
        off = self.probs - 0.5
        return where(self._far(), found, 0.5 + (1 / 3 + 16 / 45 * off.pow(2)) * off)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    @property
    def variance(self) -> Tensor:
        cut = self._cut()
        found = cut * (cut - 1) / (1 - 2 * cut).pow(2) + 1 / ((-cut).log1p() - cut.log()).pow(2)
        square = (self.probs - 0.5).pow(2)
        return where(self._far(), found, 1 / 12 - (1 / 15 - 128 / 945 * square) * square)

    def _uniform(self, sample_shape: Any) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return rand(shape, dtype=self.probs.dtype, device=self.probs.device)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self.icdf(self._uniform(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(self._uniform(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        fit = -binary_cross_entropy_with_logits(logits, value, reduction="none")
        return fit + self._log_constant()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        cut = self._cut()
        grown = cut.pow(value) * (1 - cut).pow(1 - value)
        found = where(self._far(), (grown + cut - 1) / (2 * cut - 1), value)
        return where(value <= 0, 0.0, where(value >= 1, 1.0, found))

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut()
        found = (-cut + value * (2 * cut - 1)).log1p() - (-cut).log1p()
        return where(self._far(), found / (cut.log() - (-cut).log1p()), value)

    def entropy(self) -> Tensor:
        yes, no = self.probs.log(), (-self.probs).log1p()
        return self.mean * (no - yes) - self._log_constant() - no

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        """log of (exp(x) - 1) / x, by its series where x is near 0."""
        (x,) = natural_params
        low, high = self._lims
        far = (x <= math.log(low / (1 - low))) | (x > math.log(high / (1 - high)))
        cut = where(far, x, low - 0.5)
        found = (cut.exp() - 1).abs().log() - cut.abs().log()
        return where(far, found, 0.5 * x + x.pow(2) / 24 - x.pow(4) / 2880)
