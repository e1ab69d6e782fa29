"""Distributions to try properties on: single numbers, counts and larger values."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from vizgrad import distributions as D


def t(*values: Any) -> Any:
    (first, *more) = values
    return vg.tensor([first, *more] if more else first, dtype=vg.float64)


#: Name -> distribution of single numbers, and the ends of an interval outside which there is next to nothing.
CONTINUOUS = {
    "Cauchy": (lambda: D.Cauchy(t(0.5), t(0.7)), (-1e5, 1e5)),
    "Chi2": (lambda: D.Chi2(t(3.0)), (0.0, 90.0)),
    "ContinuousBernoulli": (lambda: D.ContinuousBernoulli(t(0.2)), (0.0, 1.0)),
    "ContinuousBernoulli near a half": (lambda: D.ContinuousBernoulli(t(0.5001)), (0.0, 1.0)),
    "FisherSnedecor": (lambda: D.FisherSnedecor(t(4.0), t(12.0)), (0.0, 1e4)),
    "GeneralizedPareto": (lambda: D.GeneralizedPareto(t(1.0), t(2.0), t(0.2)), (1.0, 1e5)),
    "GeneralizedPareto of exponential tails": (
        lambda: D.GeneralizedPareto(t(1.0), t(2.0), t(0.0)),
        (1.0, 100.0),
    ),
    "GeneralizedPareto with an end": (
        lambda: D.GeneralizedPareto(t(1.0), t(2.0), t(-0.5)),
        (1.0, 5.0),
    ),
    "Gumbel": (lambda: D.Gumbel(t(0.5), t(2.0)), (-20.0, 100.0)),
    "HalfCauchy": (lambda: D.HalfCauchy(t(0.7)), (0.0, 1e5)),
    "HalfNormal": (lambda: D.HalfNormal(t(1.5)), (0.0, 20.0)),
    "InverseGamma": (lambda: D.InverseGamma(t(5.0), t(2.0)), (1e-3, 1e3)),
    "Kumaraswamy": (lambda: D.Kumaraswamy(t(2.0), t(3.0)), (0.0, 1.0)),
    "LogNormal": (lambda: D.LogNormal(t(0.5), t(0.4)), (1e-3, 100.0)),
    "Pareto": (lambda: D.Pareto(t(1.5), t(5.0)), (1.5, 1e4)),
    "RelaxedBernoulli": (lambda: D.RelaxedBernoulli(t(1.5), t(0.3)), (1e-9, 1 - 1e-9)),
    "StudentT": (lambda: D.StudentT(t(7.0), t(0.5), t(2.0)), (-1e3, 1e3)),
    "VonMises": (lambda: D.VonMises(t(0.5), t(2.0)), (-3.141592653589793, 3.141592653589793)),
    "Weibull": (lambda: D.Weibull(t(1.5), t(2.5)), (0.0, 20.0)),
    "Mixture": (
        lambda: D.MixtureSameFamily(
            D.Categorical(t(0.3, 0.7)), D.Normal(t(-1.0, 2.0), t(0.5, 1.0))
        ),
        (-20.0, 20.0),
    ),
    "Squashed": (
        lambda: D.TransformedDistribution(
            D.Normal(t(0.3), t(0.8)), [D.TanhTransform(), D.AffineTransform(1.0, -2.0)]
        ),
        (-1 + 1e-9, 3 - 1e-9),
    ),
}
#: Name -> distribution of counts, and a count beyond which there is next to nothing.
COUNTS = {
    "Binomial": (lambda: D.Binomial(7, t(0.3)), 7),
    "Geometric": (lambda: D.Geometric(t(0.3)), 150),
    "NegativeBinomial": (lambda: D.NegativeBinomial(t(3.5), t(0.4)), 150),
}
#: Name -> distribution of vectors or matrices.
LARGER = {
    "LogisticNormal": lambda: D.LogisticNormal(t(0.5, -1.0), t(1.0, 0.3)),
    "LowRankMultivariateNormal": lambda: D.LowRankMultivariateNormal(
        t(1.0, -1.0, 0.5), t([1.0], [0.5], [-2.0]), t(0.5, 1.0, 2.0)
    ),
    "Multinomial": lambda: D.Multinomial(5, t(0.2, 0.3, 0.5)),
    "OneHotCategoricalStraightThrough": lambda: D.OneHotCategoricalStraightThrough(
        t(0.2, 0.3, 0.5)
    ),
    "RelaxedOneHotCategorical": lambda: D.RelaxedOneHotCategorical(t(0.8), t(0.2, 0.3, 0.5)),
    "Wishart": lambda: D.Wishart(t(6.0), t([2.0, 0.5], [0.5, 1.0])),
    "Mixture of vectors": lambda: D.MixtureSameFamily(
        D.Categorical(t(0.3, 0.7)), D.Independent(D.Normal(t([-1.0, 0.0], [2.0, 1.0]), t(0.5)), 1)
    ),
    "LKJCholesky": lambda: D.LKJCholesky(3, t(1.5)),
}
