"""The other families of distributions: densities, moments, gradients, larger batches, samples, refusals."""

import math

from tests.oracle.programs.distributions import see_with_gradients
from tests.oracle.registry import program

_UNIT, _WIDE = [0.5, 0.1, 0.93], [0.5, 2.0, 7.5]
#: Name -> parameters (nested lists; numbers stay numbers), values at which to ask, what has no gradient.
_KINDS = {
    "Binomial": ({"total_count": 5, "probs": [0.2, 0.5, 0.9]}, [0.0, 3.0, 5.0]),
    "Binomial of logits": ({"total_count": 3, "logits": [-2.0, 0.0, 30.0]}, [0.0, 3.0, 2.0]),
    "Cauchy": ({"loc": [0.5, -1.0, 0.0], "scale": [1.0, 0.3, 2.0]}, [0.0, -2.0, 3.5]),
    "Chi2": ({"df": [0.5, 2.0, 7.0]}, _WIDE),
    "ContinuousBernoulli": ({"probs": [0.2, 0.4999, 0.9]}, _UNIT),
    "ContinuousBernoulli of logits": ({"logits": [-2.0, 0.001, 3.0]}, _UNIT),
    "FisherSnedecor": ({"df1": [1.5, 3.0, 7.0], "df2": [1.0, 3.0, 9.0]}, _WIDE),
    "GeneralizedPareto": (
        {"loc": [0.0, 1.0, -1.0], "scale": [1.0, 0.5, 2.0], "concentration": [0.3, 0.0, -0.2]},
        [0.5, 2.0, 7.5],
    ),
    "GeneralizedPareto of heavy tails": (
        {"loc": [0.0, 1.0, -1.0], "scale": [1.0, 0.5, 2.0], "concentration": [0.7, 1.0, 2.0]},
        [0.5, 2.0, 7.5],
    ),
    "Geometric": ({"probs": [0.2, 0.5, 0.9]}, [0.0, 3.0, 5.0]),
    "Geometric of logits": ({"logits": [-2.0, 0.0, 3.0]}, [0.0, 3.0, 5.0]),
    "Gumbel": ({"loc": [0.5, -1.0, 0.0], "scale": [1.0, 0.3, 2.0]}, [0.0, -1.2, 3.5]),
    "HalfCauchy": ({"scale": [1.0, 0.3, 2.0]}, _WIDE),
    "HalfNormal": ({"scale": [1.0, 0.3, 2.0]}, _WIDE),
    "InverseGamma": ({"concentration": [0.5, 1.5, 3.0], "rate": [1.0, 0.3, 2.0]}, _WIDE),
    "Kumaraswamy": ({"concentration1": [0.5, 1.5, 3.0], "concentration0": [0.7, 2.5, 1.2]}, _UNIT),
    "LogNormal": ({"loc": [0.5, -1.0, 0.0], "scale": [1.0, 0.3, 2.0]}, _WIDE),
    "LogisticNormal": (
        {"loc": [[0.5, -1.0], [0.0, 1.0]], "scale": [[1.0, 0.3], [2.0, 1.0]]},
        [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]],
    ),
    "LowRankMultivariateNormal": (
        {
            "loc": [1.0, -1.0, 0.5],
            "cov_factor": [[1.0], [0.5], [-2.0]],
            "cov_diag": [0.5, 1.0, 2.0],
        },
        [0.1, -0.8, 3.0],
    ),
    "LowRankMultivariateNormal in a batch": (
        {
            "loc": [[1.0, -1.0], [0.0, 2.0]],
            "cov_factor": [[1.0, 0.2], [0.5, -0.3]],
            "cov_diag": [[0.5, 1.0], [2.0, 0.1]],
        },
        [0.2, 0.3],
    ),
    "Multinomial": (
        {"total_count": 4, "probs": [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]},
        [[1.0, 1.0, 2.0], [0.0, 4.0, 0.0]],
    ),
    "Multinomial of logits": ({"total_count": 3, "logits": [-1.0, 0.0, 2.0]}, [1.0, 1.0, 1.0]),
    "NegativeBinomial": (
        {"total_count": [0.5, 2.0, 7.0], "probs": [0.2, 0.5, 0.9]},
        [0.0, 3.0, 5.0],
    ),
    "NegativeBinomial of logits": (
        {"total_count": [0.5, 2.0, 7.0], "logits": [-2.0, 0.0, 3.0]},
        [0.0, 3.0, 5.0],
    ),
    "OneHotCategoricalStraightThrough": (
        {"probs": [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]},
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    ),
    "Pareto": ({"scale": [1.0, 0.5, 2.0], "alpha": [0.7, 1.5, 3.0]}, [1.5, 0.7, 7.5]),
    "RelaxedBernoulli": ({"temperature": 0.7, "probs": [0.2, 0.5, 0.9]}, _UNIT),
    "RelaxedBernoulli of logits": ({"temperature": 2.0, "logits": [-2.0, 0.0, 3.0]}, _UNIT),
    "RelaxedOneHotCategorical": ({"temperature": 0.7, "probs": [0.2, 0.3, 0.5]}, [0.2, 0.7, 0.1]),
    "StudentT": (
        {"df": [0.5, 1.5, 7.0], "loc": [0.5, -1.0, 0.0], "scale": [1.0, 0.3, 2.0]},
        [0.0, -2.0, 3.5],
    ),
    "Weibull": ({"scale": [1.0, 0.3, 2.0], "concentration": [1.5, 3.0, 2.2]}, [0.5, 0.2, 3.5]),
    "Wishart of covariance_matrix": (
        {"df": 4.5, "covariance_matrix": [[2.0, 0.3], [0.3, 1.0]]},
        [[1.0, 0.2], [0.2, 3.0]],
    ),
    "Wishart of precision_matrix": (
        {"df": [3.0, 2.5], "precision_matrix": [[2.0, 0.3], [0.3, 1.0]]},
        [[1.0, 0.2], [0.2, 3.0]],
    ),
    "Wishart of scale_tril": (
        {"df": 4.5, "scale_tril": [[[2.0, 0.0], [0.3, 1.0]], [[1.0, 0.0], [-0.3, 1.0]]]},
        [[1.0, 0.2], [0.2, 3.0]],
    ),
    "LKJCholesky": (
        {"dim": 3, "concentration": [0.5, 1.0, 4.0]},
        [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]],
    ),
}
_DISCRETE = (
    "Binomial",
    "Geometric",
    "Multinomial",
    "NegativeBinomial",
    "OneHotCategoricalStraightThrough",
)
#: PyTorch's refuse float64.
_IN_FLOAT32 = ("GeneralizedPareto", "GeneralizedPareto of heavy tails")
#: Parameters that are settings, not tensors.
_SETTINGS = ("total_count", "dim")


def made(torch, kind, **options):
    """A distribution of the table over parameters that want gradients; the parameters; the values."""
    parameters, values = _KINDS[kind]
    given, settings = {}, {}
    dtype = torch.float32 if kind in _IN_FLOAT32 else torch.float64
    for name, value in parameters.items():
        if isinstance(value, int) and name in _SETTINGS:
            settings[name] = value
        else:
            given[name] = torch.tensor(value, dtype=dtype, requires_grad=True)
    at = torch.tensor(values, dtype=dtype)
    taken = {n: v.tril() if n == "scale_tril" else v for n, v in given.items()}
    found = getattr(torch.distributions, kind.split()[0])(**settings, **taken, **options)
    return found, given, at


@program(rules="T-43", each=_KINDS)
def what_a_family_knows(torch, see, kind):
    d, given, at = made(torch, kind)
    see("shapes", (d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support))
    for name in ("mean", "mode", "variance", "stddev"):
        if (kind, name) == ("Kumaraswamy", "mode"):
            continue  # below
        see_with_gradients(torch, see, name, lambda n=name: getattr(d, n), given)
    for name in ("entropy", "perplexity"):
        see_with_gradients(torch, see, name, getattr(d, name), given)
    see_with_gradients(torch, see, "log_prob", lambda: d.log_prob(at), given)
    see.attempt("all values", d.enumerate_support)
    see.attempt("all values, once", lambda: d.enumerate_support(expand=False))


@program(rules="T-43", each=[k for k in _KINDS if k not in ("Chi2", "InverseGamma")])
def probabilities_and_quantiles(torch, see, kind):
    d, given, at = made(torch, kind)
    see_with_gradients(torch, see, "cdf", lambda: d.cdf(at), given)
    shares = torch.tensor([0.1, 0.5, 0.99], dtype=at.dtype)
    see_with_gradients(torch, see, "icdf", lambda: d.icdf(shares), given)


@program(rules="T-43", each=[k for k in _KINDS if k.split()[0] not in _DISCRETE])
def densities_by_value(torch, see, kind):
    d, _, at = made(torch, kind, validate_args=False)
    at.requires_grad_()
    see("gradient", torch.autograd.grad(d.log_prob(at).sum(), at)[0])


@program(rules="T-43", each=_KINDS)
def a_family_over_a_larger_batch(torch, see, kind):
    d, _, at = made(torch, kind)
    wide = d.expand((4, *d.batch_shape))
    see("shapes", (wide.batch_shape, wide.event_shape, type(wide).__name__))
    see("log_prob", wide.log_prob(at))
    see.attempt("mean", lambda: wide.mean.expand(wide.batch_shape + wide.event_shape))
    see("samples", (wide.sample().shape, wide.sample((5, 2)).shape))
    see("again", wide.expand((2, *wide.batch_shape)).log_prob(at))


@program(rules="T-43", each=_KINDS)
def samples_of_a_family(torch, see, kind):
    d, given, _ = made(torch, kind)
    torch.manual_seed(0)
    drawn = d.sample((50,))
    see("shape", drawn.shape)
    see("type", str(drawn.dtype).split(".")[-1])
    see("wants gradients", drawn.requires_grad)
    see("inside the support", bool(d.support.check(drawn).all()))
    see("densities", bool(torch.isfinite(d.log_prob(drawn)).all()))
    if not d.has_rsample:
        see.raises("rsample", d.rsample)
        return
    drawn = d.rsample((3,))
    see("with gradients", (drawn.shape, drawn.requires_grad))
    if kind.startswith("Wishart"):
        return  # below
    grads = torch.autograd.grad(drawn.sum(), list(given.values()), allow_unused=True)
    see(
        "gradients",
        [None if g is None else (g.shape, bool(torch.isfinite(g).all())) for g in grads],
    )


@program(
    rules="T-43",
    each=[
        "Cauchy",
        "ContinuousBernoulli",
        "GeneralizedPareto",
        "Gumbel",
        "Kumaraswamy",
        "LogNormal",
        "Pareto",
        "Weibull",
    ],
)
def how_a_sample_of_a_family_moves(torch, see, kind):
    """The gradient follows from the sample's value: its place in the distribution stays."""
    d, given, _ = made(torch, kind, validate_args=False)
    torch.manual_seed(1)
    drawn = d.rsample()
    at_that_place = d.icdf(d.cdf(drawn.detach()).detach())
    grads = torch.autograd.grad(drawn.sum(), list(given.values()), retain_graph=True)
    expected = torch.autograd.grad(at_that_place.sum(), list(given.values()))
    near = [
        bool(torch.allclose(a, b, rtol=1e-5, atol=1e-5))
        for a, b in zip(grads, expected, strict=True)
    ]
    see("as its quantile", near, expect=[True] * len(near))


@program(rules="T-43")
def angles(torch, see):
    """PyTorch's Bessel function is a polynomial with 1e-7 of error: compared in float32."""
    D = torch.distributions
    loc = torch.tensor([0.5, -1.0, 3.0], requires_grad=True)
    k = torch.tensor([0.3, 3.0, 20.0], requires_grad=True)
    d = D.VonMises(loc, k)
    see("shapes", (d.batch_shape, d.event_shape, d.has_rsample, d.support is D.constraints.real))
    found = d.log_prob(torch.tensor([0.0, -2.0, 2.5]))
    see("log_prob", found)
    grads = torch.autograd.grad(found.sum(), [loc, k])
    see("gradients", [(g * 1000).round() / 1000 for g in grads])
    see("moments", (d.mean, d.mode, d.variance))
    see("sample", (d.sample((5,)).shape, str(d.sample().dtype).split(".")[-1]))
    see("expand", d.expand((2, 3)).log_prob(torch.tensor(0.5)))
    see.raises("rsample", d.rsample)
    see.raises("entropy", d.entropy)
    see.raises("concentration", lambda: D.VonMises(0.0, 0.0), phrase="to satisfy the constraint")


@program(rules="T-43")
def families_of_numbers(torch, see):
    D = torch.distributions
    for d in (
        D.Binomial(3, torch.tensor(0.5)),
        D.Cauchy(0.0, 1.0),
        D.Chi2(3.0),
        D.ContinuousBernoulli(0.3),
        D.FisherSnedecor(2.0, 3.0),
        D.GeneralizedPareto(0.0, 1.0, 0.5),
        D.Geometric(0.3),
        D.Gumbel(0.0, 2.0),
        D.HalfCauchy(1.5),
        D.HalfNormal(1.5),
        D.InverseGamma(2.5, 1.5),
        D.Kumaraswamy(2.0, 3.0),
        D.LKJCholesky(3),
        D.LogNormal(0.0, 1.0),
        D.LogisticNormal(0.0, 1.0),
        D.NegativeBinomial(2.0, torch.tensor(0.5)),
        D.Pareto(1.0, 3.0),
        D.RelaxedBernoulli(torch.tensor(0.5), 0.3),
        D.StudentT(3.0),
        D.VonMises(0.0, 1.0),
        D.Weibull(1.0, 2.0),
        D.Wishart(3.0, torch.eye(2)),
        D.TransformedDistribution(D.Normal(0.0, 1.0), []),
    ):
        name = type(d).__name__
        see(f"{name}: repr", repr(d).replace("vizgrad.", "torch."))
        see(
            f"{name}: shapes",
            (d.batch_shape, d.event_shape, d.sample((2,)).shape, d.sample().shape),
        )
        see(f"{name}: type", str(d.sample().dtype).split(".")[-1])
        see.attempt(f"{name}: mean", lambda d=d: d.mean)
        see.attempt(f"{name}: variance", lambda d=d: d.variance)


@program(rules="T-43")
def mistakes_in_parameters_of_families(torch, see):
    D = torch.distributions
    z, o, must = torch.zeros(2), torch.ones(2), "to satisfy the constraint"
    see.raises("binomial", lambda: D.Binomial(3, 1.5 * o), phrase=must)
    see.raises("trials", lambda: D.Binomial(-1, 0.5 * o), phrase=must)
    for kind in (D.Binomial, D.NegativeBinomial, D.Multinomial):
        name = kind.__name__
        see.raises(name, lambda k=kind: k(3), phrase="Either `probs` or `logits` must be specified")
        see.raises(f"{name}: both", lambda k=kind: k(3, o / 2, o), phrase="but not both")
    for kind in (D.Geometric, D.ContinuousBernoulli):
        see.raises(kind.__name__, kind, phrase="Either `probs` or `logits` must be specified")
    see.raises(
        "counts", lambda: D.Multinomial(torch.tensor([1, 2]), o), phrase="inhomogeneous total_count"
    )
    mixed = D.Binomial(torch.tensor([1, 2]), o / 2)
    see.raises(
        "entropy", mixed.entropy, phrase="Inhomogeneous total count not supported by `entropy`"
    )
    see.raises("values", mixed.enumerate_support, phrase="not supported by `enumerate_support`")
    see.raises(
        "geometric", lambda: D.Geometric(z), phrase="to be positive but found invalid values"
    )
    see("one half, clamped", D.ContinuousBernoulli(1.5).probs)
    see.raises(
        "one half, checked",
        lambda: D.ContinuousBernoulli(1.5, validate_args=True),
        phrase="invalid values",
    )
    for name, make in {
        "cauchy": lambda: D.Cauchy(0.0, -1.0),
        "chi2": lambda: D.Chi2(0.0),
        "t": lambda: D.StudentT(-1.0),
        "f": lambda: D.FisherSnedecor(0.0, 1.0),
        "pareto": lambda: D.Pareto(-1.0, 1.0),
        "gumbel": lambda: D.Gumbel(0.0, 0.0),
        "half": lambda: D.HalfNormal(0.0),
        "half c": lambda: D.HalfCauchy(-1.0),
        "inverse": lambda: D.InverseGamma(0.0, 1.0),
        "kumaraswamy": lambda: D.Kumaraswamy(0.0, 1.0),
        "lkj": lambda: D.LKJCholesky(3, -1.0),
        "log": lambda: D.LogNormal(0.0, 0.0),
        "logistic": lambda: D.LogisticNormal(0.0, -1.0),
        "weibull": lambda: D.Weibull(1.0, 0.0),
        "negative": lambda: D.NegativeBinomial(2.0, o),
        "gpd": lambda: D.GeneralizedPareto(0.0, 0.0, 0.0),
    }.items():
        see.raises(name, make, phrase=must)
    see.raises(
        "one dimension", lambda: D.LKJCholesky(1), phrase="greater than or equal to 2. Found dim=1"
    )
    L = D.LowRankMultivariateNormal
    see.raises(
        "loc", lambda: L(torch.tensor(0.0), torch.ones(2, 1), o), phrase="at least one-dimensional"
    )
    see.raises("factor", lambda: L(z, o, o), phrase="must be at least two-dimensional")
    see.raises(
        "rows",
        lambda: L(z, torch.ones(3, 1), o),
        phrase="must be a batch of matrices with shape 2 x m",
    )
    see.raises(
        "diagonal",
        lambda: L(z, torch.ones(2, 1), torch.ones(3)),
        phrase="must be a batch of vectors",
    )
    see.raises(
        "batch",
        lambda: L(torch.zeros(5, 2), torch.ones(3, 2, 1), o),
        phrase="Incompatible batch shapes",
    )
    see.raises(
        "no matrix", lambda: D.Wishart(torch.tensor(3.0)), phrase="Exactly one of covariance_matrix"
    )
    see.raises("two", lambda: D.Wishart(3.0, torch.eye(2), torch.eye(2)), phrase="Exactly one of")
    see.raises(
        "vector", lambda: D.Wishart(torch.tensor(3.0), o), phrase="must be at least two-dimensional"
    )
    see.raises(
        "df",
        lambda: D.Wishart(torch.tensor(1.0), torch.eye(3)),
        phrase="expected to be greater than ndim - 1",
    )


@program(rules="T-43")
def mistakes_in_values_of_families(torch, see):
    D = torch.distributions
    inside = "to be within the support"
    for name, d, value in (
        ("binomial", D.Binomial(3, torch.tensor(0.5)), 4.0),
        ("chi2", D.Chi2(1.0), -1.0),
        ("f", D.FisherSnedecor(2.0, 3.0), 0.0),
        ("gpd", D.GeneralizedPareto(0.0, 1.0, -0.5), 3.0),
        ("geometric", D.Geometric(0.3), 0.5),
        ("half", D.HalfNormal(1.0), -1.0),
        ("log", D.LogNormal(0.0, 1.0), -1.0),
        ("inverse", D.InverseGamma(1.0, 1.0), 0.0),
        ("kumaraswamy", D.Kumaraswamy(2.0, 3.0), 1.5),
        ("pareto", D.Pareto(1.0, 3.0), 0.5),
        ("weibull", D.Weibull(1.0, 2.0), -0.5),
        ("negative", D.NegativeBinomial(2.0, torch.tensor(0.5)), -1.0),
        ("t", D.StudentT(3.0), math.nan),
        ("relaxed", D.RelaxedBernoulli(torch.tensor(0.5), 0.3), 1.5),
    ):
        see.raises(name, lambda d=d, v=value: d.log_prob(torch.tensor(v)), phrase=inside)
    lkj, wishart = D.LKJCholesky(2), D.Wishart(3.0, torch.eye(2))
    see.raises("lkj", lambda: lkj.log_prob(2 * torch.eye(2)), phrase=inside)
    see.raises("wishart", lambda: wishart.log_prob(-torch.eye(2)), phrase=inside)
    multinomial = D.Multinomial(3, torch.ones(2))
    see.raises("multinomial", lambda: multinomial.log_prob(torch.tensor([2.0, 2.0])), phrase=inside)
    see("unchecked", D.HalfNormal(1.0, validate_args=False).log_prob(torch.tensor(-1.0)))


@program(rules="T-43")
def edges_of_families(torch, see):
    D = torch.distributions
    t = torch.tensor
    see("no trials", D.Binomial(0, t(0.5)).log_prob(t(0.0)))
    see("sure", D.Geometric(t([1.0, 1.0])).log_prob(t([0.0, 1.0])))
    see("none", D.NegativeBinomial(0.0, t(0.5)).log_prob(t(0.0)))
    see("impossible", D.Multinomial(2, t([0.5, 0.5, 0.0])).log_prob(t([1.0, 1.0, 0.0])))
    see(
        "impossible class",
        D.Multinomial(2, logits=t([0.0, 0.0, -math.inf])).log_prob(t([2.0, 0.0, 0.0])),
    )
    see(
        "modes",
        (
            D.Kumaraswamy(0.5, 3.0).mode,
            D.FisherSnedecor(1.0, 3.0).mode,
            D.Wishart(3.0, torch.eye(2)).mode,
        ),
    )
    see(
        "moments",
        (D.Pareto(1.0, 1.0).mean, D.Pareto(1.0, 2.0).variance, D.InverseGamma(1.0, 1.0).mean),
    )
    cont = D.ContinuousBernoulli(t([0.0, 0.4995, 0.5, 0.5005, 1.0]))
    see(
        "near a half",
        (cont.mean, cont.variance, cont.entropy(), cont.log_prob(t(0.25)), cont.icdf(t(0.25))),
    )
    gpd = D.GeneralizedPareto(0.0, t([1.0, 2.0]), t([0.5, 0.0]))
    see("survival", (gpd.log_survival_function(t(1.5)), gpd.log_cdf(t(1.5))))
    straight = D.OneHotCategoricalStraightThrough(t([0.2, 0.8], requires_grad=True))
    drawn = straight.rsample()
    see("straight", sorted(round(v, 5) for v in drawn.tolist()))


@program(rules="T-43")
def a_mixture(torch, see):
    D = torch.distributions
    weights = torch.tensor([[0.2, 0.8], [0.5, 0.5]], dtype=torch.float64, requires_grad=True)
    means = torch.tensor([[-1.0, 2.0], [0.0, 0.5]], dtype=torch.float64, requires_grad=True)
    m = D.MixtureSameFamily(D.Categorical(weights), D.Normal(means, 1.5))
    see(
        "shapes",
        (m.batch_shape, m.event_shape, m.has_rsample, m.sample((3,)).shape, m.sample().shape),
    )
    see("repr", repr(m).startswith("MixtureSameFamily(\n  Categorical(probs: "))
    see("moments", (m.mean, m.variance, m.stddev))
    at = torch.tensor([0.5, -1.0], dtype=torch.float64)
    see("cdf", m.cdf(at))
    found = m.log_prob(at)
    see("log_prob", found)
    see("gradients", list(torch.autograd.grad(found.sum(), [weights, means])))
    see("broadcast", m.log_prob(torch.zeros(4, 1, dtype=torch.float64)))
    wide = m.expand((3, 2))
    see("expand", (wide.batch_shape, wide.log_prob(at), wide.sample((2,)).shape))
    see("parts", (type(m.mixture_distribution).__name__, type(m.component_distribution).__name__))
    vectors = D.MixtureSameFamily(
        D.Categorical(torch.ones(2)), D.Independent(D.Normal(torch.ones(2, 3), torch.ones(2, 3)), 1)
    )
    see(
        "vectors",
        (
            vectors.mean,
            vectors.variance,
            vectors.log_prob(torch.zeros(3)),
            vectors.sample((5,)).shape,
        ),
    )
    counts = D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Poisson(torch.tensor([1.0, 5.0])))
    see("support", (counts.support.is_discrete, counts.support.event_dim, repr(counts.support)))
    see.raises(
        "half", lambda: counts.log_prob(torch.tensor(0.5)), phrase="to be within the support"
    )
    see.raises("rsample", m.rsample)
    see.raises("entropy", m.entropy)


@program(rules="T-43")
def mistakes_in_mixtures(torch, see):
    D = torch.distributions
    c, z = D.Categorical(torch.ones(3)), torch.zeros(3)
    M = D.MixtureSameFamily
    see.raises(
        "weights",
        lambda: M(D.Normal(0.0, 1.0), D.Normal(z, 1.0)),
        phrase="The Mixture distribution needs to be",
    )
    see.raises("components", lambda: M(c, 3), phrase="The Component distribution needs to be")
    see.raises("number", lambda: M(c, D.Normal(torch.zeros(2), 1.0)), phrase="does not equal")
    see.raises("scalar", lambda: M(c, D.Normal(0.0, 1.0)))
    see.raises(
        "batch",
        lambda: M(D.Categorical(torch.ones(2, 3)), D.Normal(torch.zeros(4, 3), 1.0)),
        phrase="is not compatible with",
    )


@program(rules="T-43")
def where_families_of_pytorch_fail(torch, see):
    D = torch.distributions
    one = torch.tensor(1.0, dtype=torch.float64)
    see.differs(
        "float64",
        see.outcome(lambda: D.GeneralizedPareto(0.0, one, 0.5).log_prob(one)),
        torch=RuntimeError,
        vizgrad=-1.2163953243244932,
        because="PyTorch compares with a float32 zero",
    )
    peaked = D.Kumaraswamy(torch.tensor(2.0), torch.tensor(3.0))
    see.differs(
        "the mode, which is the root of 1/5",
        peaked.mode,
        torch=math.nan,
        vizgrad=math.sqrt(0.2),
        because="PyTorch takes the logarithm of a negative number",
    )
    scale = torch.eye(2, dtype=torch.float64).requires_grad_()
    wishart = D.Wishart(2 * one + 1, scale_tril=scale)
    torch.manual_seed(0)

    def gradient():
        drawn = wishart.rsample((3,))
        return bool(torch.isfinite(torch.autograd.grad(drawn.sum(), scale)[0]).all())

    see.differs(
        "gradients of samples",
        see.outcome(gradient),
        torch=RuntimeError,
        vizgrad=True,
        because="PyTorch writes into a mask that its graph has saved",
    )
