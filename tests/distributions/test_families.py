"""The other families: densities, samples, moments, entropies and quantiles agree with each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.distributions.kinds import CONTINUOUS, COUNTS, LARGER, t
from vizgrad import distributions as D


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    vg.manual_seed(11)


def integrals(kind: str) -> tuple[Any, Any, Any]:
    """Of a density over its interval: values, their log-densities, and weights that sum over the interval."""
    make, (low, high) = CONTINUOUS[kind]
    # t -> sinh-tanh of t crowds the points at both ends (double exponential quadrature)
    steps = np.arange(-4.5, 4.5, 1e-3)
    shape = np.tanh(np.pi / 2 * np.sinh(steps))
    slope = np.pi / 2 * np.cosh(steps) / np.cosh(np.pi / 2 * np.sinh(steps)) ** 2 * 1e-3
    if (
        high - low > 1e3
    ):  # heavy tails: over the logarithm of the distance from an end or the middle
        return _of_heavy_tails(make(), low, high, shape, slope)
    x = (low + high) / 2 + (high - low) / 2 * shape
    inside = (x > low) & (x < high)
    return _with_densities(make(), x[inside], ((high - low) / 2 * slope)[inside])


def _of_heavy_tails(
    d: Any, low: float, high: float, shape: Any, slope: Any
) -> tuple[Any, Any, Any]:
    ends = (math.log(1e-9), math.log(high - max(low, 0.0)))
    logs = sum(ends) / 2 + (ends[1] - ends[0]) / 2 * shape
    distance = np.exp(logs)
    weights = distance * (ends[1] - ends[0]) / 2 * slope
    if low < 0:
        return _with_densities(
            d, np.concatenate([-distance, distance]), np.concatenate([weights, weights])
        )
    return _with_densities(d, low + distance, weights)


def _with_densities(d: Any, x: Any, weights: Any) -> tuple[Any, Any, Any]:
    return x, d.log_prob(vg.tensor(x, dtype=vg.float64)).numpy(), weights


def _outside(kind: str) -> float:
    """What the tails beyond the interval hold of heavy-tailed ones."""
    return 2e-5 if "Cauchy" in kind else 1e-7


@pytest.mark.parametrize("kind", CONTINUOUS)
def test_densities_integrate_to_one(kind: str) -> None:
    _, logs, weights = integrals(kind)
    assert (np.exp(logs) * weights).sum() == pytest.approx(1, abs=_outside(kind) + 1e-6)


def known(d: Any, name: str) -> float | None:
    try:
        found = getattr(d, name)
        return float(found() if callable(found) else found)
    except NotImplementedError:
        return None


@pytest.mark.parametrize("kind", [k for k in CONTINUOUS if "Cauchy" not in k and k != "VonMises"])
def test_moments_are_those_of_the_density(kind: str) -> None:
    x, logs, weights = integrals(kind)
    d = CONTINUOUS[kind][0]()
    chances = np.exp(logs) * weights
    mean = (x * chances).sum()
    expected = {
        "mean": mean,
        "variance": ((x - mean) ** 2 * chances).sum(),
        "entropy": -(np.where(chances > 0, logs, 0) * chances).sum(),
    }
    compared = 0
    for name, value in expected.items():
        if (found := known(d, name)) is not None:
            assert found == pytest.approx(value, rel=2e-4), name
            compared += 1
    assert compared or kind in ("RelaxedBernoulli", "Squashed")


def test_the_moments_of_angles_are_those_of_their_direction() -> None:
    x, logs, weights = integrals("VonMises")
    d = CONTINUOUS["VonMises"][0]()
    chances = np.exp(logs) * weights
    direction = (np.exp(1j * x) * chances).sum()
    assert np.angle(direction) == pytest.approx(float(d.mean), abs=1e-6)
    assert 1 - abs(direction) == pytest.approx(float(d.variance), abs=1e-6)


@pytest.mark.parametrize("kind", ["Cauchy", "HalfCauchy"])
def test_entropies_of_heavy_tails(kind: str) -> None:
    """The mean of -log p over quantiles at equal steps."""
    d = CONTINUOUS[kind][0]()
    places = vg.tensor((np.arange(200_000) + 0.5) / 200_000, dtype=vg.float64)
    assert float(d.entropy()) == pytest.approx(float(-d.log_prob(d.icdf(places)).mean()), abs=1e-3)


@pytest.mark.parametrize("kind", CONTINUOUS)
def test_probabilities_are_those_of_the_density(kind: str) -> None:
    d = CONTINUOUS[kind][0]()
    x, logs, weights = integrals(kind)
    order = np.argsort(x)
    x, chances = x[order], (np.exp(logs) * weights)[order]
    grown = np.cumsum(chances) - chances / 2
    at = [np.searchsorted(grown, p) for p in (0.1, 0.5, 0.9)]
    values = vg.tensor(x[at], dtype=vg.float64)
    try:
        found = d.cdf(values)
    except NotImplementedError:
        assert kind in (
            "Chi2",
            "FisherSnedecor",
            "InverseGamma",
            "StudentT",
            "VonMises",
            "RelaxedBernoulli",
        )
        return
    assert found.tolist() == pytest.approx(grown[at].tolist(), abs=1e-4)
    try:
        back = d.icdf(found)
    except NotImplementedError:
        assert kind in ("Chi2", "InverseGamma", "Mixture")
        return
    assert back.tolist() == pytest.approx(values.tolist(), rel=1e-6)


@pytest.mark.parametrize("kind", CONTINUOUS)
def test_samples_are_where_the_density_says(kind: str) -> None:
    """Kolmogorov and Smirnov's distance of 4000 samples from the integrated density."""
    d = CONTINUOUS[kind][0]()
    count = 4000
    drawn = d.sample((count,))
    assert drawn.shape == (count,)
    assert bool(d.support.check(drawn).all())
    x, logs, weights = integrals(kind)
    order = np.argsort(x)
    grown = np.cumsum((np.exp(logs) * weights)[order])
    expected = np.interp(np.sort(drawn.numpy()), x[order], grown)
    distance = np.abs(expected - (np.arange(count) + 0.5) / count).max()
    assert distance < 1.95 / math.sqrt(count)  # one seed in a thousand is farther


@pytest.mark.parametrize("kind", COUNTS)
def test_probabilities_of_counts(kind: str) -> None:
    make, most = COUNTS[kind]
    d = make()
    values = vg.arange(most + 1, dtype=vg.float64)
    chances = d.log_prob(values).exp()
    assert float(chances.sum()) == pytest.approx(1, abs=1e-9)
    mean = (chances * values).sum()
    assert float(d.mean) == pytest.approx(float(mean), rel=1e-7)
    assert float(d.variance) == pytest.approx(
        float((chances * (values - mean) ** 2).sum()), rel=1e-7
    )
    assert float(d.mode) == int(chances.argmax())
    if (found := known(d, "entropy")) is not None:
        assert found == pytest.approx(-float((chances * chances.log()).sum()), rel=1e-7)
    drawn = d.sample((20_000,))
    for value in range(5):
        share = float((drawn == value).to(vg.float64).mean())
        assert share == pytest.approx(float(chances[value]), abs=0.015)


@pytest.mark.parametrize("kind", LARGER)
def test_samples_of_vectors_have_the_moments_that_are_claimed(kind: str) -> None:
    d = LARGER[kind]()
    count = 20_000
    drawn = d.sample((count,))
    assert drawn.shape == (count, *d.event_shape)
    assert bool(d.support.check(drawn).all())
    try:
        mean, variance = d.mean, d.variance
    except NotImplementedError:
        assert kind in ("LogisticNormal", "RelaxedOneHotCategorical", "LKJCholesky")
        return
    assert bool(((drawn.mean(0) - mean).abs() < 5 * (variance / count).sqrt() + 1e-9).all())
    assert vg.allclose(drawn.var(0), variance, rtol=0.1)


def test_counts_of_classes_have_the_entropy_of_all_their_values() -> None:
    d = D.Multinomial(3, t(0.2, 0.3, 0.5))
    values = [[a, b, 3 - a - b] for a in range(4) for b in range(4 - a)]
    logs = d.log_prob(vg.tensor(values, dtype=vg.float64))
    assert float(logs.exp().sum()) == pytest.approx(1)
    assert float(d.entropy()) == pytest.approx(-float((logs.exp() * logs).sum()))


def test_correlations_are_distributed_as_beta_numbers() -> None:
    """Each correlation of LKJ(eta) in d dimensions is 2 Beta(a, a) - 1 with a = eta - 1 + d/2."""
    for dim, eta in ((2, 0.5), (3, 1.0), (4, 3.0)):
        factors = D.LKJCholesky(dim, t(eta)).sample((20_000,))
        correlations = (factors @ factors.mT)[:, 1, 0]
        a = eta - 1 + dim / 2
        assert float(correlations.mean()) == pytest.approx(0, abs=0.02)
        assert float(correlations.var()) == pytest.approx(1 / (2 * a + 1), rel=0.05)


def test_densities_of_correlations_integrate_to_one() -> None:
    """Two dimensions: over the correlation r, whose factor is [[1, 0], [r, sqrt(1 - r^2)]]."""
    for eta in (0.7, 1.0, 4.0):
        angles = (np.arange(20_000) + 0.5) / 20_000 * np.pi
        r = vg.tensor(np.cos(angles), dtype=vg.float64)
        last = (1 - r * r).sqrt()
        factors = vg.stack([vg.stack([vg.ones_like(r), 0 * r], -1), vg.stack([r, last], -1)], -2)
        density = D.LKJCholesky(2, t(eta), validate_args=False).log_prob(factors).exp()
        assert float((density * last).sum()) * np.pi / 20_000 == pytest.approx(1, rel=1e-3)


def test_low_rank_is_the_normal_of_its_covariance() -> None:
    low = LARGER["LowRankMultivariateNormal"]()
    full = D.MultivariateNormal(low.loc, low.covariance_matrix)
    x = low.sample((5,))
    assert vg.allclose(low.log_prob(x), full.log_prob(x))
    assert vg.allclose(low.entropy(), full.entropy())
    assert vg.allclose(low.precision_matrix, full.precision_matrix)
    assert vg.allclose(low.scale_tril, full.scale_tril)
    assert low.expand((2,)).covariance_matrix.shape == (2, 3, 3)


FAMILIES = {
    "Normal": lambda p: D.Normal(p, p + 1),
    "Exponential": D.Exponential,
    "Gamma": lambda p: D.Gamma(p, p + 1),
    "Chi2": D.Chi2,
    "Beta": lambda p: D.Beta(p, p + 1),
    "Bernoulli": lambda p: D.Bernoulli(p.sigmoid()),
    "Dirichlet": lambda p: D.Dirichlet(vg.stack([p, p + 1], -1)),
    "ContinuousBernoulli": lambda p: D.ContinuousBernoulli(p.sigmoid()),
    "Wishart": lambda p: D.Wishart(p + 3, vg.eye(2, dtype=p.dtype) * 2),
}


@pytest.mark.parametrize("kind", FAMILIES)
def test_the_log_normaliser_of_a_family_gives_its_entropy(kind: str) -> None:
    p = vg.tensor([0.5, 2.0], dtype=vg.float64, requires_grad=True)
    d = FAMILIES[kind](p)
    own, general = d.entropy(), D.ExponentialFamily.entropy(d)
    assert vg.allclose(own, general)
    (expected,), (found,) = (
        vg.autograd.grad(e.sum(), p, retain_graph=True) for e in (own, general)
    )
    assert vg.allclose(found, expected)


@pytest.mark.parametrize("kind", FAMILIES)
def test_the_log_normaliser_of_a_family_gives_its_divergence(kind: str) -> None:
    p = vg.tensor([0.5, 2.0], dtype=vg.float64, requires_grad=True)
    q = vg.tensor([0.9, 1.2], dtype=vg.float64, requires_grad=True)
    from vizgrad.distributions.exp_family import bregman

    general = bregman(FAMILIES[kind](p), FAMILIES[kind](q))
    own = D.kl_divergence(FAMILIES[kind](p), FAMILIES[kind](q))
    assert vg.allclose(own, general)
    for leaf in (p, q):
        (expected,), (found,) = (
            vg.autograd.grad(e.sum(), leaf, retain_graph=True) for e in (own, general)
        )
        assert vg.allclose(found, expected)


def test_a_family_must_say_what_it_is() -> None:
    made = D.ExponentialFamily(validate_args=False)
    for ask in (
        made.entropy,
        lambda: made._natural_params,
        lambda: made._log_normalizer(vg.ones(1)),
    ):
        with pytest.raises(NotImplementedError, match="ExponentialFamily does not"):
            ask()
    with pytest.raises(NotImplementedError, match="carrier measure"):
        D.Poisson(1.0).entropy()


def test_one_weight_for_all_of_a_mixture() -> None:
    d = D.MixtureSameFamily(
        D.Categorical(t(0.2, 0.8)), D.Normal(t([0.0, 9.0], [1.0, 9.0], [2.0, 9.0]), 0.1)
    )
    assert d.sample((4,)).shape == (4, 3)
    assert float((d.sample((2000,)) > 5).to(vg.float64).mean()) == pytest.approx(0.8, abs=0.02)


def test_gradients_reach_the_parameters_of_samples() -> None:
    """The mean of the samples' gradients is the gradient of the mean."""
    for make in (
        lambda p: D.LogNormal(p, 0.3),
        lambda p: D.Weibull(p, 2.0),
        lambda p: D.Gumbel(p, 1.0),
        lambda p: D.Kumaraswamy(p, 2.0),
        lambda p: D.InverseGamma(p + 4, 2.0),
        D.HalfNormal,
        D.Chi2,
        lambda p: D.StudentT(9.0, p),
        lambda p: D.ContinuousBernoulli(p.sigmoid()),
        lambda p: D.Pareto(p, 9.0),
        lambda p: D.FisherSnedecor(8.0, p + 12),
        lambda p: D.Wishart(p + 2, vg.eye(2, dtype=p.dtype)),
    ):
        p = vg.tensor(0.8, dtype=vg.float64, requires_grad=True)
        (found,) = vg.autograd.grad(make(p).rsample((20_000,)).mean(0).sum(), p)
        (expected,) = vg.autograd.grad(make(p).mean.sum(), p)
        assert float(found) == pytest.approx(float(expected), rel=0.06, abs=0.01)


def test_divergences_of_families_are_what_samples_say() -> None:
    pairs = [
        (D.Gumbel(t(0.5), 1.0), D.Gumbel(t(0.0), 2.0)),
        (D.Gumbel(t(0.5), 1.0), D.Normal(0.0, 2.0)),
        (D.Normal(t(0.5), 1.0), D.Gumbel(t(0.0), 2.0)),
        (D.Gamma(t(2.0), 2.0), D.Gumbel(t(0.0), 2.0)),
        (D.Pareto(t(1.0), 4.0), D.Gamma(2.0, 1.0)),
        (D.Pareto(t(1.0), 4.0), D.Pareto(0.5, 2.0)),
        (D.Cauchy(t(0.5), 1.0), D.Cauchy(0.0, 2.0)),
        (D.Geometric(t(0.3)), D.Geometric(0.5)),
        (D.Beta(t(2.0), 3.0), D.ContinuousBernoulli(t(0.3))),
        (D.ContinuousBernoulli(t(0.3)), D.Exponential(1.0)),
        (D.Uniform(t(0.2), 0.9), D.ContinuousBernoulli(t(0.3))),
        (D.ContinuousBernoulli(t(0.3)), D.Uniform(0.0, 1.0)),
        (D.HalfNormal(t(1.0)), D.HalfNormal(2.0)),
        (D.HalfCauchy(t(1.0)), D.HalfCauchy(2.0)),
        (D.LogNormal(t(0.5), 1.0), D.LogNormal(0.0, 2.0)),
        (D.Binomial(3, t(0.3)), D.Binomial(3, t(0.5))),
        (
            D.Wishart(t(5.0), vg.eye(2, dtype=vg.float64)),
            D.Wishart(t(4.0), vg.eye(2, dtype=vg.float64) * 1.3),
        ),
    ]
    for p, q in pairs:
        x = p.sample((20_000,))
        estimate = (p.log_prob(x) - q.log_prob(x)).mean()
        assert float(D.kl_divergence(p, q)) == pytest.approx(float(estimate), abs=0.04), (p, q)


def test_angles_far_from_uniform_and_near_it() -> None:
    for k in (1e-7, 0.3, 50.0, 1e4):
        d = D.VonMises(t(3.0), t(k))
        drawn = d.sample((4000,))
        assert bool(((drawn >= -math.pi) & (drawn < math.pi)).all())
        length = float((drawn - 3.0).cos().mean())
        assert length == pytest.approx(1 - float(d.variance), abs=0.05)
    assert float(D.VonMises(t(0.0), t(1e4)).log_prob(t(0.0))) == pytest.approx(
        0.5 * math.log(1e4 / (2 * math.pi)), abs=1e-4
    )


def test_expanded_families_draw_apart() -> None:
    """Each of a larger batch draws its own numbers."""
    for kind, (make, _) in {**CONTINUOUS, **COUNTS}.items():
        drawn = make().expand((50,)).sample()
        assert drawn.shape == (50,), kind
        assert len(set(drawn.tolist())) > 2, kind
