"""One of several classes, as a vector with a single 1."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.creation import eye
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.categorical import Classes
from vizgrad.nn.functional import one_hot


class OneHotCategorical(Classes):
    """A class as a vector with a single 1."""

    support = constraints.one_hot

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        shape = self._set(probs, logits)
        super().__init__(Size(shape[:-1]), Size(shape[-1:]), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return one_hot(self.probs.argmax(-1), self._num_events).to(self.probs)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return one_hot(self._numbers(sample_shape), self._num_events).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, logits = broadcast_tensors(value, self.logits)
        return logits.gather(-1, value.argmax(-1, keepdim=True)).squeeze(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self._num_events
        values: Any = eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n, *(1,) * len(self._batch_shape), n))
        return values.expand((n, *self._batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose samples carry the gradient of `probs` (Bengio et al. 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
