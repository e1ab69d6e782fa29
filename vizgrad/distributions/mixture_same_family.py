"""MixtureSameFamily: one of several distributions of a kind, drawn anew for each sample."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.categorical import Categorical
from vizgrad.distributions.constraints import MixtureSameFamilyConstraint
from vizgrad.distributions.distribution import Distribution


class MixtureSameFamily(Distribution):
    """`component_distribution`, whose last batch dimension holds the components, weighted by
    `mixture_distribution`, a Categorical. Raises ValueError where the two do not fit.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}

    def __init__(
        self,
        mixture_distribution: Any,
        component_distribution: Any,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                "The Mixture distribution needs to be an instance of distributions.Categorical, not "
                f"{type(mixture_distribution).__name__}"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of distributions.Distribution, not "
                f"{type(component_distribution).__name__}"
            )
        own, theirs = mixture_distribution.batch_shape, component_distribution.batch_shape
        if not theirs:
            raise IndexError("component_distribution has no batch dimension for its components")
        for a, b in zip(reversed(own), reversed(theirs[:-1]), strict=False):
            if 1 not in (a, b) and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({own}) is not compatible with "
                    f"`component_distribution.batch_shape`({theirs[:-1]})"
                )
        count = mixture_distribution._num_events
        if count != theirs[-1]:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({theirs[-1]})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = count
        super().__init__(Size(theirs[:-1]), component_distribution.event_shape, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new: Any = super().expand(batch_shape, _instance)
        components = self._component_distribution.expand((*batch_shape, self._num_component))
        new._component_distribution = components
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return new

    @constraints.dependent_property
    def support(self) -> constraints.Constraint:
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        return self._component_distribution

    def _weights(self) -> Tensor:
        """Probabilities of components, with a dimension of 1 for each of a value's."""
        probs: Any = self._mixture_distribution.probs
        return probs.reshape((*probs.shape, *(1,) * len(self._event_shape)))

    def _over_components(self, value: Any) -> Tensor:
        return (self._weights() * value).sum(-1 - len(self._event_shape))

    @property
    def mean(self) -> Tensor:
        return self._over_components(self._component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the components' variances plus the variance of their means."""
        means = self._component_distribution.mean
        away = means - self.mean.unsqueeze(-1 - len(self._event_shape))
        return self._over_components(self._component_distribution.variance + away.pow(2))

    def _for_each(self, value: Tensor) -> Tensor:
        """A value, with a dimension for the components."""
        return value.unsqueeze(-1 - len(self._event_shape))

    def cdf(self, value: Tensor) -> Tensor:
        found = self._component_distribution.cdf(self._for_each(value))
        return (found * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        found = self._component_distribution.log_prob(self._for_each(value))
        weights = self._mixture_distribution.logits.log_softmax(-1)
        return (found + weights).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            dim = len(tuple(sample_shape)) + len(self._batch_shape)
            events = len(self._event_shape)
            chosen: Any = self._mixture_distribution.expand(self._batch_shape).sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            chosen = chosen.reshape((*chosen.shape, 1, *(1,) * events))
            chosen = chosen.expand((*chosen.shape[: dim + 1], *self._event_shape))
            return drawn.gather(dim, chosen).squeeze(dim)

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )
