"""Exponential families: densities h(x) exp(<t(x), natural parameters> - log normaliser)."""

from __future__ import annotations

from typing import Any

from vizgrad.autograd import grad
from vizgrad.autograd.grad_mode import enable_grad
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions.distribution import Distribution


class ExponentialFamily(Distribution):
    """Base class. A subclass defines `_natural_params`, `_log_normalizer(*natural)` and, for the entropy,
    `_mean_carrier_measure`: the mean of log h(x).

    Entropy and divergence follow from the log normaliser, whose gradient is the mean of t(x) (Nielsen and
    Nock 2010, "Entropies and cross-entropies of exponential families").
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError(f"{type(self).__name__} does not define its natural parameters")

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not define its log normaliser")

    def _no_carrier_measure(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not know its mean carrier measure")

    _mean_carrier_measure: Any = property(_no_carrier_measure)

    def _normaliser_and_means(self) -> tuple[list[Any], Tensor, tuple[Any, ...]]:
        """Natural parameters, the log normaliser there, and its gradient."""
        with enable_grad():
            natural = [
                p if p.requires_grad else p.detach().requires_grad_() for p in self._natural_params
            ]
            found = self._log_normalizer(*natural)
            means = grad(found.sum(), natural, create_graph=True)
        return natural, found, means

    def entropy(self) -> Tensor:
        carrier = self._mean_carrier_measure  # asked first: it may not be known
        natural, found, means = self._normaliser_and_means()
        total: Any = found - carrier
        for p, mean in zip(natural, means, strict=True):
            total = total - _over_event(p * mean, total)
        return total


def _over_event(term: Any, like: Any) -> Tensor:
    """Summed over the dimensions of one value, which a log normaliser does not have."""
    more = term.dim() - like.dim()
    return term.sum(tuple(range(-more, 0))) if more > 0 else term


def bregman(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """KL(p || q) of two of one exponential family, from their log normalisers."""
    natural, own, means = p._normaliser_and_means()
    total: Any = q._log_normalizer(*q._natural_params) - own
    for a, b, mean in zip(natural, q._natural_params, means, strict=True):
        total = total - _over_event((b - a) * mean, total)
    return total
