"""The Dirichlet distribution: shares of a whole."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.exp_family import ExponentialFamily
from vizgrad.distributions.gamma import drawn
from vizgrad.nn.functional import one_hot


class Dirichlet(ExponentialFamily):
    """`concentration`: one positive number for each share, along the last dimension.

    Samples are gamma numbers divided by their sum, and so are their gradients made: right on average, while
    those of a single sample differ from PyTorch's.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True
    _mean_carrier_measure = 0
    concentration: Tensor

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(Size(shape[:-1]), Size(shape[-1:]), validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0)
        found = above / above.sum(-1, keepdim=True)
        corner = one_hot(found.argmax(-1), self.event_shape[0]).to(found)
        return where((self.concentration < 1).all(-1, keepdim=True), corner, found)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        total = a.sum(-1, keepdim=True)
        return a * (total - a) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        made = drawn(self.concentration.expand(self._extended_shape(sample_shape)))
        return made / made.sum(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate_sample(value)
        a = self.concentration
        return (a - 1).xlogy(value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        a = self.concentration
        total, count = a.sum(-1), a.shape[-1]
        return (
            a.lgamma().sum(-1)
            - total.lgamma()
            - (count - total) * total.digamma()
            - ((a - 1) * a.digamma()).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration - 1,)

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        (x,) = natural_params
        return (x + 1).lgamma().sum(-1) - (x + 1).sum(-1).lgamma()
