"""A class drawn softly: a point on the simplex, near its corners when it is cold."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.categorical import Classes
from vizgrad.distributions.distribution import clamp_probs
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.transforms import ExpTransform


class ExpRelaxedCategorical(Classes):
    """The logarithms of RelaxedOneHotCategorical, whose density underflows less."""

    support = constraints.real_vector
    has_rsample = True
    has_enumerate_support = False

    def __init__(
        self,
        temperature: Any,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        shape = self._set(probs, logits)
        super().__init__(Size(shape[:-1]), Size(shape[-1:]), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u: Any = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        noise = -(-u.log()).log()
        return ((self.logits + noise) / self.temperature).log_softmax(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n = self._num_events
        t = self.temperature
        t = t if isinstance(t, Tensor) else self.logits.new_tensor(t)
        logits, value = broadcast_tensors(self.logits, value)
        score = (logits - value * t).log_softmax(-1).sum(-1)
        return score + logits.new_tensor(float(n)).lgamma() + (n - 1) * t.log()

    def entropy(self) -> Tensor:
        raise NotImplementedError("the entropy of a relaxed distribution has no closed form")


class RelaxedOneHotCategorical(TransformedDistribution):
    """OneHotCategorical at a `temperature`, with gradients (Maddison et al. and Jang et al., 2017)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self,
        temperature: Any,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Any:
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
