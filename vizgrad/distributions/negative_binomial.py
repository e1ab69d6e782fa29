"""The negative binomial distribution: successes before a number of failures."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.random_sampling import poisson
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.gamma import drawn
from vizgrad.distributions.probs_or_logits import ProbsOrLogits
from vizgrad.nn.functional import logsigmoid


class NegativeBinomial(ProbsOrLogits):
    """Successes, each with probability `probs` or sigmoid(`logits`), before `total_count` failures, which
    need not be a whole number.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    total_count: Tensor

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count = count.type_as(self._param)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Poisson numbers whose rates are gamma numbers."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return poisson(drawn(self.total_count.expand(shape)) * self.logits.exp())

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n = self.total_count
        fit = n * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        ways = (n + value).lgamma() - (1 + value).lgamma() - n.lgamma()
        return fit + where((n + value).eq(0), 0.0, ways)
