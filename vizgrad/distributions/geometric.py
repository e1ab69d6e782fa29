"""The geometric distribution: failures before the first success."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import (
    batch_of,
    broadcast_all,
    described,
    smallest,
)
from vizgrad.distributions.probs_or_logits import ProbsOrLogits
from vizgrad.nn.functional import binary_cross_entropy_with_logits


class Geometric(ProbsOrLogits):
    """Trials succeed with probability `probs`, above 0, or sigmoid(`logits`)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._take(probs, logits)
        super().__init__(batch_of(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            raise ValueError(
                f"Expected parameter probs ({described(self.probs)}) of distribution {self!r} to be "
                f"positive but found invalid values:\n{self.probs}"
            )

    @property
    def mean(self) -> Tensor:
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        return self.probs.detach() * 0

    @property
    def variance(self) -> Tensor:
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """By inversion: log u / log(1 - p), rounded down."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            u: Any = rand(shape, dtype=self.probs.dtype, device=self.probs.device)
            return (u.clamp(min=smallest(u)).log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = where(probs.eq(1) & value.eq(0), 0.0, probs)  # 0 * log 0 is 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        cross = binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return cross / self.probs
