"""TransformedDistribution: what becomes of a distribution when its values are transformed."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.constraints import sum_rightmost
from vizgrad.distributions.distribution import Distribution
from vizgrad.distributions.independent import Independent
from vizgrad.distributions.transforms import ComposeTransform, Transform


class TransformedDistribution(Distribution):
    """Samples of `base_distribution`, sent through `transforms` (one or a list) in order.

    The density follows from the change of variables: log p(y) = log p(x) - log |dy/dx|. Raises
    ValueError for what are no transforms, and for a base with too few dimensions for them.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {}
    base_dist: Any
    transforms: list[Transform]

    def __init__(
        self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        base_batch, base_event = base_distribution.batch_shape, base_distribution.event_shape
        base_shape = Size((*base_batch, *base_event))
        if len(base_shape) < whole.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, "
                f"but got {base_shape}."
            )
        shape = Size(whole.forward_shape(base_shape))
        wanted = Size(
            whole.inverse_shape(shape)
        )  # larger where parameters of transforms are batches
        if wanted != base_shape:
            batch = Size(wanted[: len(wanted) - len(base_event)])
            base_distribution = base_distribution.expand(batch)
        more = whole.domain.event_dim - len(base_event)
        if more > 0:
            base_distribution = Independent(base_distribution, more)
        self.base_dist = base_distribution
        change = whole.codomain.event_dim - whole.domain.event_dim
        event_dim = max(whole.codomain.event_dim, len(base_event) + change)
        cut = len(shape) - event_dim
        super().__init__(Size(shape[:cut]), Size(shape[cut:]), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new = super().expand(batch_shape, _instance)
        shape: Any = Size((*batch_shape, *self._event_shape))
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(
            Size(shape[: len(shape) - len(self.base_dist.event_shape)])
        )
        return new

    def _base_has_rsample(self) -> bool:
        return self.base_dist.has_rsample

    has_rsample: Any = property(_base_has_rsample)

    def _last_codomain(self) -> constraints.Constraint:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self._event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    support: Any = constraints.dependent_property(_last_codomain, is_discrete=False)

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        event_dim = len(self._event_shape)
        total: Any = 0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            term = transform.log_abs_det_jacobian(x, y)
            total = total - sum_rightmost(term, event_dim - transform.domain.event_dim)
            y = x
        base = self.base_dist.log_prob(y)
        return total + sum_rightmost(base, event_dim - len(self.base_dist.event_shape))

    def _turned(self, probability: Any) -> Tensor:
        """A probability, or that of the opposite side where the transforms decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return probability
        return sign * (probability - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            transform.sign  # noqa: B018  raises where it is not monotone
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:  # in the base, so that the ends of a support have a probability
            self.base_dist._check_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._forward(self.base_dist.icdf(self._turned(value)))
