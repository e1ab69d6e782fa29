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
from vizgrad.distributions.beta import Beta
from vizgrad.distributions.binomial import Binomial
from vizgrad.distributions.categorical import Categorical
from vizgrad.distributions.cauchy import Cauchy
from vizgrad.distributions.constraints import sum_rightmost
from vizgrad.distributions.continuous_bernoulli import ContinuousBernoulli
from vizgrad.distributions.dirichlet import Dirichlet
from vizgrad.distributions.distribution import EULER, Distribution
from vizgrad.distributions.exp_family import ExponentialFamily, bregman
from vizgrad.distributions.exponential import Exponential
from vizgrad.distributions.gamma import Gamma
from vizgrad.distributions.geometric import Geometric
from vizgrad.distributions.gumbel import Gumbel
from vizgrad.distributions.half_normal import HalfNormal
from vizgrad.distributions.independent import Independent
from vizgrad.distributions.laplace import Laplace
from vizgrad.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from vizgrad.distributions.multivariate_normal import MultivariateNormal, mahalanobis
from vizgrad.distributions.normal import Normal
from vizgrad.distributions.one_hot_categorical import OneHotCategorical
from vizgrad.distributions.pareto import Pareto
from vizgrad.distributions.poisson import Poisson
from vizgrad.distributions.transformed_distribution import TransformedDistribution
from vizgrad.distributions.uniform import Uniform

Formula = Callable[[Any, Any], Tensor]

_registry: dict[tuple[type, type], Formula] = {}


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
    (Beta, (Pareto,)),
    (ContinuousBernoulli, (Pareto,)),
    (Exponential, (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gamma, (Beta, ContinuousBernoulli, Pareto, Uniform)),
    (Gumbel, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Laplace, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Normal, (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    (Pareto, (Beta, ContinuousBernoulli, Uniform)),
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


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    """Infinite where p has more trials; with fewer, its mean of the logarithm of q has no closed form."""
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    odds = p.probs * (p.logits - q.logits)
    found = p.total_count * (odds + (-p.probs).log1p() - (-q.probs).log1p())
    return where(p.total_count > q.total_count, math.inf, found)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - p.mean * (-q.probs).log1p() - q.probs.log()


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """Chyzak and Nielsen 2019."""
    apart = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return (apart / (4 * p.scale * q.scale)).log()


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), math.inf, found)


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _from_multivariate_normal(p: Any, q: MultivariateNormal) -> Tensor:
    n = _same_size(p, q)
    shape = (*broadcast_shapes(p.batch_shape, q.batch_shape), n, n)
    solved = linalg.solve_triangular(
        q.scale_tril.expand(shape), p.scale_tril.expand(shape), upper=False
    )
    traces = solved.pow(2).sum((-2, -1))
    distance = mahalanobis(q.scale_tril, q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + 0.5 * (traces + distance - n)


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _from_low_rank(p: Any, q: LowRankMultivariateNormal) -> Tensor:
    n = _same_size(p, q)
    columns = p.scale_tril.movedim(-1, 0)  # whose outer products sum to the covariance of p
    traces = q.distance(columns).sum(0)
    distance = q.distance(q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + 0.5 * (traces + distance - n)


def _same_size(p: Any, q: Any) -> int:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be "
            f"computed: {p.event_shape} and {q.event_shape}"
        )
    return p.event_shape[0]


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the two take different numbers of dimensions as one value")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """The divergence of the bases: a bijection of both changes nothing."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("the two have different transforms or event shapes")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            f"{type(p).__name__} and {type(q).__name__} are different exponential families; write a "
            "formula with @register_kl"
        )
    return bregman(p, q)


# --- of a distribution from one of another kind: minus its entropy, minus the mean of log q ------------


def _mean_of_log_normal(q: Normal, mean: Tensor, variance: Tensor) -> Tensor:
    spread = (variance + (mean - q.loc).pow(2)) / q.variance
    return -0.5 * (math.log(2 * math.pi) + spread) - q.scale.log()


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Pareto, Normal)
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
        return -EULER - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    low, high = p.low, p.high  # Uniform
    return (high.xlogy(high) - low.xlogy(low)) / (high - low) - 1


def _positive(p: Any, found: Tensor) -> Tensor:
    """Infinite where p, if uniform, reaches below zero."""
    return where(p.low < 0, math.inf, found) if isinstance(p, Uniform) else found


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
@register_kl(Pareto, Exponential)
@register_kl(Uniform, Exponential)
def _from_exponential(p: Any, q: Exponential) -> Tensor:
    return _positive(p, -p.entropy() - q.rate.log() + q.rate * p.mean)


@register_kl(Beta, Gamma)
@register_kl(Exponential, Gamma)
@register_kl(Pareto, Gamma)
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
@register_kl(ContinuousBernoulli, Uniform)
def _within_uniform(p: Any, q: Uniform) -> Tensor:
    found = -p.entropy() + (q.high - q.low).log()
    return where((q.low > 0) | (q.high < 1), math.inf, found)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
@register_kl(Beta, ContinuousBernoulli)
@register_kl(Uniform, ContinuousBernoulli)
def _from_continuous_bernoulli(p: Any, q: ContinuousBernoulli) -> Tensor:
    mean_log_q = p.mean * q.logits + (-q.probs).log1p() + q._log_constant()
    found = -p.entropy() - mean_log_q
    return where((p.high > 1) | (p.low < 0), math.inf, found) if isinstance(p, Uniform) else found


@register_kl(Pareto, Pareto)
@register_kl(Uniform, Pareto)
def _from_pareto(p: Any, q: Pareto) -> Tensor:
    lowest = p.low if isinstance(p, Uniform) else p.scale
    mean_log_q = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log(p)
    return where(lowest < q.scale, math.inf, -p.entropy() - mean_log_q)


def _mean_exp(p: Any, t: Tensor) -> Tensor:
    """The mean of exp(-t x) over x drawn from p: its Laplace transform."""
    if isinstance(p, Normal):
        return (0.5 * (p.scale * t).pow(2) - p.loc * t).exp()
    if isinstance(p, Exponential):
        return p.rate / (p.rate + t)
    if isinstance(p, Gamma):
        return (1 + t / p.rate).pow(-p.concentration)
    if isinstance(p, Gumbel):
        return (-p.loc * t + (1 + p.scale * t).lgamma()).exp()
    return ((-p.low * t).exp() - (-p.high * t).exp()) / (t * (p.high - p.low))  # Uniform


@register_kl(Exponential, Gumbel)
@register_kl(Gamma, Gumbel)
@register_kl(Gumbel, Gumbel)
@register_kl(Normal, Gumbel)
@register_kl(Uniform, Gumbel)
def _from_gumbel(p: Any, q: Gumbel) -> Tensor:
    t = q.scale.reciprocal()
    grown = (q.loc * t).exp() * _mean_exp(p, t)
    return -p.entropy() + q.scale.log() + (p.mean - q.loc) * t + grown


@register_kl(Poisson, Binomial)
def _poisson_binomial(p: Poisson, q: Binomial) -> Tensor:
    return (p.rate + q.probs).detach() * 0 + math.inf


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
