"""A class drawn softly: a point on the simplex, near its corners when it is cold."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.categorical import _Classes
from vizgrad.distributions.distribution import broadcast_all, clamp_probs


class RelaxedOneHotCategorical(_Classes):
    """OneHotCategorical at a `temperature`, with gradients (Maddison et al. and Jang et al., 2017)."""

    support = constraints.simplex
    has_rsample = True
    has_enumerate_support = False
    _common = ("temperature",)

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
        return ((self.logits + noise) / self.temperature).softmax(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        n = self._num_events
        t = self.temperature
        if not isinstance(t, Tensor):
            (t,) = broadcast_all(tensor(t, dtype=self.logits.dtype))
        logits, logs = broadcast_tensors(self.logits, value.log())
        score = logits - logs * t
        score = (score - score.logsumexp(-1, keepdim=True)).sum(-1)
        scale = tensor(float(n), dtype=logits.dtype).lgamma() + (n - 1) * t.log()
        return score + scale - logs.sum(-1)

    def entropy(self) -> Tensor:
        raise NotImplementedError("the entropy of a relaxed distribution has no closed form")
