"""The multinomial distribution: how often each class was drawn."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.creation import arange
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.binomial import Binomial
from vizgrad.distributions.categorical import Categorical
from vizgrad.distributions.distribution import Distribution
from vizgrad.nn.functional import one_hot


class Multinomial(Distribution):
    """Counts of classes in `total_count` draws, one number for all of a batch, with probabilities `probs`
    (normalised here) or softmax(`logits`).
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        shape = self._categorical.param_shape
        super().__init__(Size(shape[:-1]), Size(shape[-1:]), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new: Any = super().expand(batch_shape, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> constraints.Constraint:
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            drawn = self._categorical.sample((self.total_count, *sample_shape))
            return one_hot(drawn, self._event_shape[0]).sum(0).to(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        logits, value = broadcast_tensors(self.logits, value)
        logits = where(
            (value == 0) & logits.isneginf(), 0.0, logits
        )  # never drawn, and not possible
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        """n H(probs) - log n!, plus the mean of log k! over each class's count, which is binomial."""
        n = self.total_count
        values: Any = arange(1, n + 1, dtype=self.probs.dtype, device=self.probs.device)
        values = values.view((-1,) + (1,) * self.probs.dim())
        chances = Binomial(n, probs=self.probs, validate_args=False).log_prob(values).exp()
        spread = (chances * (values + 1).lgamma()).sum((0, -1))
        whole = self.probs.new_tensor(n + 1.0).lgamma()
        return n * self._categorical.entropy() - whole + spread
