"""One of several classes, as its number."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.creation import arange, full
from vizgrad.core.ops.public.random_sampling import multinomial
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import (
    Distribution,
    lazy_property,
    logits_to_probs,
    lowest,
    only_one,
    probs_to_logits,
)


class Classes(Distribution):
    """Probabilities of classes along the last dimension, given as they are or as logits."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def _set(self, probs: Tensor | None, logits: Tensor | None) -> Size:
        """Normalises whichever was given; returns its shape."""
        only_one(probs, logits)
        for name, given in (("probs", probs), ("logits", logits)):
            if given is not None and given.dim() < 1:
                raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        elif logits is not None:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        return self._param.shape

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits)

    @property
    def _param(self) -> Tensor:
        return self.probs if "probs" in self.__dict__ else self.logits

    @property
    def param_shape(self) -> Size:
        return self._param.shape

    @property
    def _num_events(self) -> int:
        return self._param.shape[-1]

    def _numbers(self, sample_shape: Any) -> Tensor:
        """Drawn classes, by number."""
        shape = (*sample_shape, *self._batch_shape)
        count = math.prod(sample_shape)
        with no_grad():
            if not math.prod(shape):
                return full(shape, 0, dtype=arange(0).dtype, device=self._param.device)
            rows = self.probs.reshape(-1, self._num_events)
            return multinomial(rows, count, True).T.reshape(shape)

    def entropy(self) -> Tensor:
        return -(self.logits.clamp(min=lowest(self.logits)) * self.probs).sum(-1)


class Categorical(Classes):
    """The number of a class, with probabilities `probs` (normalised here) or softmax(`logits`)."""

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(Size(self._set(probs, logits)[:-1]), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> constraints.Constraint:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        """Classes have no order: NaN."""
        return full(self._batch_shape, math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def variance(self) -> Tensor:
        return self.mean

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self._numbers(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        value, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values: Any = arange(self._num_events, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values
