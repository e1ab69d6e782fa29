"""Distributions: samples have the moments that are claimed, and the gradients of their quantiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.special

import vizgrad as vg
from vizgrad import distributions as D
from vizgrad.core.arrays.kernels.special import sample_slope
from vizgrad.distributions import constraints


def t(*values: Any) -> Any:
    (first, *more) = values
    return vg.tensor([first, *more] if more else first, dtype=vg.float64)


KINDS = {
    "Normal": lambda: D.Normal(t(0.5, -2.0), t(1.0, 0.3)),
    "Laplace": lambda: D.Laplace(t(0.5, -2.0), t(1.0, 0.3)),
    "Uniform": lambda: D.Uniform(t(0.5, -2.0), t(1.0, 0.3)),
    "Exponential": lambda: D.Exponential(t(0.5, 3.0)),
    "Gamma": lambda: D.Gamma(t(0.4, 8.0), t(2.0, 0.5)),
    "Beta": lambda: D.Beta(t(0.5, 3.0), t(2.0, 1.5)),
    "Dirichlet": lambda: D.Dirichlet(t([0.5, 2.0, 1.0], [3.0, 3.0, 3.0])),
    "Poisson": lambda: D.Poisson(t(0.5, 30.0)),
    "Bernoulli": lambda: D.Bernoulli(t(0.2, 0.9)),
    "OneHotCategorical": lambda: D.OneHotCategorical(t([0.2, 0.3, 0.5], [0.1, 0.8, 0.1])),
    "MultivariateNormal": lambda: D.MultivariateNormal(t(1.0, 2.0), t([2.0, 0.5], [0.5, 1.0])),
    "Independent": lambda: D.Independent(D.Normal(t(0.5, -2.0), t(1.0, 0.3)), 1),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    vg.manual_seed(7)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_mean_and_variance_that_are_claimed(kind: str) -> None:
    d = KINDS[kind]()
    count = 20_000
    drawn = d.sample((count,))
    assert bool(d.support.check(drawn).all())
    error = (d.variance / count).sqrt()
    assert bool(((drawn.mean(0) - d.mean).abs() < 5 * error).all())
    assert vg.allclose(drawn.var(0), d.variance, rtol=0.1)


def test_classes_are_drawn_as_often_as_they_should_be() -> None:
    d = D.Categorical(t([1.0, 2.0, 1.0], [0.0, 1.0, 3.0]))
    drawn = d.sample((20_000,))
    for number in range(3):
        share = (drawn == number).to(vg.float64).mean(0)
        assert vg.allclose(share, d.probs[:, number], atol=0.02)
    assert drawn.dtype is vg.int64
    assert d.sample((0,)).shape == (0, 2)


@pytest.mark.parametrize("kind", ["Normal", "Laplace", "Uniform", "Exponential", "Gamma", "Beta"])
def test_densities_are_those_of_scipy(kind: str) -> None:
    from scipy import stats  # half a second of imports, for this test alone

    d = KINDS[kind]()
    theirs = {
        "Normal": lambda: stats.norm([0.5, -2], [1, 0.3]),
        "Laplace": lambda: stats.laplace([0.5, -2], [1, 0.3]),
        "Uniform": lambda: stats.uniform([0.5, -2], [0.5, 2.3]),
        "Exponential": lambda: stats.expon(scale=[2, 1 / 3]),
        "Gamma": lambda: stats.gamma([0.4, 8], scale=[0.5, 2]),
        "Beta": lambda: stats.beta([0.5, 3], [2, 1.5]),
    }[kind]()
    x = d.sample((5,))
    assert d.log_prob(x).tolist() == pytest.approx(theirs.logpdf(x.numpy()), rel=1e-9)
    assert d.entropy().tolist() == pytest.approx(theirs.entropy(), rel=1e-9)
    if kind != "Beta":
        assert d.cdf(x).tolist() == pytest.approx(theirs.cdf(x.numpy()), rel=1e-9)


@pytest.mark.parametrize("a", [0.02, 0.3, 1.0, 2.0, 30.0, 2000.0])
def test_a_gamma_number_moves_as_its_quantile_does(a: float) -> None:
    for q in (1e-6, 0.01, 0.5, 0.99, 1 - 1e-6):
        z = scipy.special.gammaincinv(a, q)
        h = 1e-4 * min(a, math.sqrt(a))
        moved = [scipy.special.gammaincinv(a + s * h, q) for s in (-2, -1, 1, 2)]
        slope = (8 * (moved[2] - moved[1]) - (moved[3] - moved[0])) / (12 * h)
        found = sample_slope(np.array(a), np.array(z))
        assert found == pytest.approx(slope, rel=1e-5, abs=1e-290)


def test_gamma_numbers_that_underflow() -> None:
    a = vg.full((1000,), 1e-3, requires_grad=True)
    drawn = D.Gamma(a, 1.0).rsample()
    assert bool((drawn > 0).all())
    drawn.sum().backward()
    assert bool(vg.isfinite(a.grad).all())


@pytest.mark.parametrize("kind", ["Gamma", "Beta", "Dirichlet"])
def test_gradients_of_the_mean_of_samples(kind: str) -> None:
    """The mean of the samples' gradients is the gradient of the mean."""
    make = {
        "Gamma": lambda p: D.Gamma(p, 2.0),
        "Beta": lambda p: D.Beta(p, 1.5),
        "Dirichlet": lambda p: D.Dirichlet(vg.stack([p, p * 2 + 1], -1)),
    }[kind]
    p = vg.tensor([0.5, 3.0], dtype=vg.float64, requires_grad=True)
    weight = t(1.0, -2.0) if kind == "Dirichlet" else t(1.0)

    def gradient(value: Any) -> Any:
        return vg.autograd.grad((value * weight).sum(), p)[0]

    found = gradient(make(p).rsample((50_000,)).mean(0))
    expected = gradient(make(p).mean)
    assert vg.allclose(found, expected, rtol=0.05, atol=0.01)


def test_divergences_are_what_samples_say() -> None:
    pairs = [
        (D.Normal(0.5, 1.0), D.Laplace(0.0, 2.0)), (D.Laplace(0.5, 1.0), D.Normal(0.0, 2.0)),
        (D.Gamma(3.0, 2.0), D.Exponential(1.0)), (D.Exponential(2.0), D.Gamma(0.7, 1.0)),
        (D.Beta(2.0, 3.0), D.Gamma(2.0, 3.0)), (D.Uniform(0.1, 0.9), D.Beta(2.0, 3.0)),
        (D.Beta(2.0, 3.0), D.Normal(0.5, 1.0)), (D.Poisson(2.0), D.Poisson(3.0)),
        (D.Uniform(0.5, 2.0), D.Gamma(2.0, 1.0)), (D.Bernoulli(0.3), D.Bernoulli(0.6)),
    ]  # fmt: skip
    for p, q in pairs:
        x = p.sample((40_000,))
        estimate = (p.log_prob(x) - q.log_prob(x)).mean()
        assert float(D.kl_divergence(p, q)) == pytest.approx(float(estimate), abs=0.03), (p, q)


def test_a_relaxed_class_gets_harder_when_it_is_colder() -> None:
    logits = t(0.0, 1.0, 2.0)
    sharp = D.RelaxedOneHotCategorical(t(0.05), logits=logits).sample((4000,))
    assert float(sharp.max(-1).values.mean()) > 0.9
    hard = vg.nn.functional.one_hot(sharp.argmax(-1), 3).to(vg.float64).mean(0)
    assert vg.allclose(hard, logits.softmax(-1), atol=0.03)
    assert D.RelaxedOneHotCategorical(0.5, logits=logits).log_prob(sharp).shape == (4000,)


CHECKS = [
    (constraints.real, [0.0, math.inf, math.nan], [True, True, False]),
    (constraints.boolean, [0.0, 1.0, 0.5], [True, True, False]),
    (constraints.positive, [0.0, 1.0, -1.0], [False, True, False]),
    (constraints.nonnegative, [0.0, 1.0, -1.0], [True, True, False]),
    (constraints.less_than(0.5), [0.0, 1.0, 0.5], [True, False, False]),
    (constraints.unit_interval, [0.0, 1.0, 1.5], [True, True, False]),
    (constraints.half_open_interval(0, 1), [0.0, 1.0, 0.5], [True, False, True]),
    (constraints.integer_interval(0, 2), [2.0, 3.0, 0.5], [True, False, False]),
    (constraints.nonnegative_integer, [0.0, -1.0, 0.5], [True, False, False]),
    (constraints.positive_integer, [0.0, 2.0, 0.5], [False, True, False]),
    (constraints.simplex, [[0.5, 0.5], [0.5, 0.6], [1.5, -0.5]], [True, False, False]),
    (constraints.one_hot, [[0.0, 1.0], [0.5, 0.5], [1.0, 1.0]], [True, False, False]),
    (constraints.real_vector, [[0.0, 1.0], [0.5, math.nan]], [True, False]),
    (constraints.lower_triangular, [[[1.0, 0.0], [2.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]]], [True, False]),
    (constraints.lower_cholesky, [[[1.0, 0.0], [2.0, 0.0]], [[1.0, 0.0], [2.0, 3.0]]], [False, True]),
    (constraints.symmetric, [[[1.0, 2.0], [2.0, 0.0]], [[1.0, 0.0], [2.0, 3.0]]], [True, False]),
    (constraints.positive_definite, [[[1.0, 0.0], [0.0, 0.0]], [[2.0, 1.0], [1.0, 2.0]]], [False, True]),
    (constraints.positive_semidefinite, [[[1.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [2.0, 1.0]]], [True, False]),
    (constraints.square, [[1.0, 2.0]], False),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "values", "expected"), CHECKS, ids=lambda x: str(x)[:30])
def test_constraints(constraint: Any, values: Any, expected: Any) -> None:
    assert constraint.check(vg.tensor(values)).tolist() == expected


def test_constraints_that_depend() -> None:
    assert constraints.is_dependent(constraints.dependent)
    assert constraints.is_dependent(D.Uniform.support)
    assert D.Categorical.support.is_discrete
    with pytest.raises(ValueError, match="dependent constraint"):
        constraints.dependent.check(vg.ones(1))
    with pytest.raises(ValueError, match=r"Expected value.dim\(\) >= 1"):
        constraints.real_vector.check(vg.tensor(1.0))


def test_a_distribution_of_ones_own() -> None:
    class Constant(D.Distribution):
        def __init__(self, value: Any) -> None:
            self.value = value
            super().__init__(value.shape)

    with pytest.warns(UserWarning, match="Constant does not define `arg_constraints`"):
        made = Constant(vg.ones(2))
    for ask in (made.sample, made.entropy, lambda: made.mean, lambda: made.cdf(vg.ones(1))):
        with pytest.raises(NotImplementedError, match="Constant"):
            ask()
    with pytest.warns(FutureWarning, match="sample_n"):
        assert D.Normal(0.0, 1.0).sample_n(3).shape == (3,)


def test_the_same_seed_gives_the_same_numbers() -> None:
    for kind, make in KINDS.items():
        vg.manual_seed(3)
        first = make().sample((4,))
        vg.manual_seed(3)
        assert vg.equal(make().sample((4,)), first), kind
