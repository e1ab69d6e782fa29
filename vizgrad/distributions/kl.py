"""Kullback-Leibler divergence: which formula holds for which pair of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from vizgrad.core.ops.public import linalg
from vizgrad.core.ops.public.broadcasting import broadcast_shapes
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions.bernoulli import Bernoulli
from vizgrad.distributions.categorical import Categorical, OneHotCategorical
from vizgrad.distributions.dirichlet import Beta, Dirichlet
from vizgrad.distributions.distribution import Distribution
from vizgrad.distributions.exponential import Exponential
from vizgrad.distributions.gamma import Gamma
from vizgrad.distributions.independent import Independent, sum_rightmost
from vizgrad.distributions.laplace import Laplace
from vizgrad.distributions.multivariate_normal import MultivariateNormal, mahalanobis
from vizgrad.distributions.normal import Normal
from vizgrad.distributions.poisson import Poisson
from vizgrad.distributions.uniform import Uniform

Formula = Callable[[Any, Any], Tensor]

_registry: dict[tuple[type, type], Formula] = {}
_EULER = 0.5772156649015329


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """Decorator: the function is KL(p || q) for p and q of these classes, and of classes made from them.

    Raises TypeError for what is no class of distributions.
    """
    for kind in (type_p, type_q):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise TypeError(f"Expected a Distribution subclass but got {kind!r}")

    def register(formula: Formula) -> Formula:
        _registry[type_p, type_q] = formula
        return formula

    return register


def _formula(type_p: type, type_q: type) -> Formula | None:
    """The formula registered for the nearest ancestors: those of p first."""
    for ancestor_p in type_p.__mro__:
        for ancestor_q in type_q.__mro__:
            found = _registry.get((ancestor_p, ancestor_q))
            if found is not None:
                return found
    return None


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean of log p(x) - log q(x) over x drawn from p, one number for each of the batch.

    Raises NotImplementedError when no formula is registered for the two.
    """
    found = _formula(type(p), type(q))
    if found is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}; "
            "write one with @register_kl"
        )
    return found(p, q)


def _infinite(p: Any, q: Any) -> Tensor:
    """p has values that q never has."""
    return p.entropy().detach() * 0 + math.inf


for _p, _qs in (
    (Exponential, (Beta, Uniform)),
    (Gamma, (Beta, Uniform)),
    (Laplace, (Beta, Exponential, Gamma, Uniform)),
    (Normal, (Beta, Exponential, Gamma, Uniform)),
):
    for _q in _qs:
        register_kl(_p, _q)(_infinite)


# --- of a distribution from another of its kind -----------------------------------------------------


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    """Values that p never has count nothing; values that only q never has, without end."""
    yes = p.probs.xlogy(p.probs / q.probs)
    no = (1 - p.probs).xlogy((1 - p.probs) / (1 - q.probs))
    yes = where(p.probs == 0, 0.0, where(q.probs == 0, math.inf, yes))
    no = where(p.probs == 1, 0.0, where(q.probs == 1, math.inf, no))
    return yes + no


@register_kl(Categorical, Categorical)
@register_kl(OneHotCategorical, OneHotCategorical)
def _categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = where((q.probs == 0).expand_as(terms), math.inf, terms)
    return where((p.probs == 0).expand_as(terms), 0.0, terms).sum(-1)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    difference = a.digamma() - total.digamma().unsqueeze(-1)
    return (
        total.lgamma()
        - b.sum(-1).lgamma()
        - (a.lgamma() - b.lgamma()).sum(-1)
        + ((a - b) * difference).sum(-1)
    )


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    return _dirichlet(p._both, q._both)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    return (
        b * (p.rate / q.rate).log()
        + b.lgamma()
        - a.lgamma()
        + (a - b) * a.digamma()
        + (q.rate - p.rate) * (a / p.rate)
    )


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), math.inf, found)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be "
            f"computed: {p.event_shape} and {q.event_shape}"
        )
    n = p.event_shape[0]
    shape = (*broadcast_shapes(p.batch_shape, q.batch_shape), n, n)
    solved = linalg.solve_triangular(
        q.scale_tril.expand(shape), p.scale_tril.expand(shape), upper=False
    )
    traces = solved.pow(2).sum((-2, -1))
    distance = mahalanobis(q.scale_tril, q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + 0.5 * (traces + distance - n)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the two take different numbers of dimensions as one value")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# --- of a distribution from one of another kind: minus its entropy, minus the mean of log q ------------


def _mean_of_log_normal(q: Normal, mean: Tensor, variance: Tensor) -> Tensor:
    spread = (variance + (mean - q.loc).pow(2)) / q.variance
    return -0.5 * (math.log(2 * math.pi) + spread) - q.scale.log()


@register_kl(Beta, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Laplace, Normal)
@register_kl(Uniform, Normal)
def _from_normal(p: Any, q: Normal) -> Tensor:
    return -p.entropy() - _mean_of_log_normal(q, p.mean, p.variance)


def _mean_log(p: Any) -> Tensor:
    """The mean of log x over x drawn from p."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Gamma):
        return p.concentration.digamma() - p.rate.log()
    if isinstance(p, Exponential):
        return -_EULER - p.rate.log()
    low, high = p.low, p.high  # Uniform
    return (high.xlogy(high) - low.xlogy(low)) / (high - low) - 1


def _positive(p: Any, found: Tensor) -> Tensor:
    """Infinite where p, if uniform, reaches below zero."""
    return where(p.low < 0, math.inf, found) if isinstance(p, Uniform) else found


@register_kl(Beta, Exponential)
@register_kl(Gamma, Exponential)
@register_kl(Uniform, Exponential)
def _from_exponential(p: Any, q: Exponential) -> Tensor:
    return _positive(p, -p.entropy() - q.rate.log() + q.rate * p.mean)


@register_kl(Beta, Gamma)
@register_kl(Exponential, Gamma)
@register_kl(Uniform, Gamma)
def _from_gamma(p: Any, q: Gamma) -> Tensor:
    b = q.concentration
    mean_log_q = b * q.rate.log() - b.lgamma() + (b - 1) * _mean_log(p) - q.rate * p.mean
    return _positive(p, -p.entropy() - mean_log_q)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    rest = Uniform(1 - p.high, 1 - p.low, validate_args=False)
    normaliser = (a + b).lgamma() - a.lgamma() - b.lgamma()
    mean_log_q = (a - 1) * _mean_log(p) + (b - 1) * _mean_log(rest) + normaliser
    return where((p.high > 1) | (p.low < 0), math.inf, -p.entropy() - mean_log_q)


@register_kl(Beta, Uniform)
def _beta_uniform(p: Beta, q: Uniform) -> Tensor:
    found = -p.entropy() + (q.high - q.low).log()
    return where((q.low > 0) | (q.high < 1), math.inf, found)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Poisson, Bernoulli)
def _poisson_bernoulli(p: Poisson, q: Bernoulli) -> Tensor:
    return (p.rate + q.probs).detach() * 0 + math.inf


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    """The mean distance of a normal number from a point is that of the folded normal distribution."""
    offset = (p.loc - q.loc) / p.scale
    half = (-0.5 * offset.pow(2)).exp() * math.sqrt(2 / math.pi)
    distance = p.scale * (half + offset * (offset / math.sqrt(2)).erf())
    return -p.entropy() + (2 * q.scale).log() + distance / q.scale
