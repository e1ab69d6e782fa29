"""Divergences between the other families, and the pairs that have none."""

from tests.oracle.registry import program

_A, _B = [0.5, 1.5, 3.0], [0.7, 2.5, 1.2]
#: Name -> the parameters of two of the kind.
_KINDS = {
    "Beta": (
        {"concentration1": _A, "concentration0": _B},
        {"concentration1": _B, "concentration0": _A},
    ),
    "Binomial": (
        {"total_count": 5, "probs": [0.2, 0.5, 0.9]},
        {"total_count": 5, "probs": [0.3, 0.1, 0.5]},
    ),
    "Cauchy": ({"loc": _A, "scale": _B}, {"loc": _B, "scale": _A}),
    "Chi2": ({"df": _A}, {"df": _B}),
    "ContinuousBernoulli": ({"probs": [0.2, 0.49999, 0.9]}, {"probs": [0.3, 0.1, 0.5]}),
    "Exponential": ({"rate": _A}, {"rate": _B}),
    "Gamma": ({"concentration": _A, "rate": _B}, {"concentration": _B, "rate": _A}),
    "Geometric": ({"probs": [0.2, 0.5, 0.9]}, {"probs": [0.3, 0.1, 0.5]}),
    "Gumbel": ({"loc": _A, "scale": _B}, {"loc": _B, "scale": _A}),
    "HalfCauchy": ({"scale": _A}, {"scale": _B}),
    "HalfNormal": ({"scale": _A}, {"scale": _B}),
    "InverseGamma": ({"concentration": _A, "rate": _B}, {"concentration": _B, "rate": _A}),
    "Laplace": ({"loc": _A, "scale": _B}, {"loc": _B, "scale": _A}),
    "LogNormal": ({"loc": _A, "scale": _B}, {"loc": _B, "scale": _A}),
    "LogisticNormal": ({"loc": _A, "scale": _B}, {"loc": _B, "scale": _A}),
    "LowRankMultivariateNormal": (
        {"loc": _A, "cov_factor": [[1.0], [0.5], [-2.0]], "cov_diag": _B},
        {"loc": _B, "cov_factor": [[0.3, 1.0], [0.5, 0.1], [0.0, -1.0]], "cov_diag": _A},
    ),
    "MultivariateNormal": (
        {"loc": _B, "covariance_matrix": [[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.5]]},
        {"loc": _A, "covariance_matrix": [[1.0, 0.1, 0.0], [0.1, 2.0, 0.2], [0.0, 0.2, 0.5]]},
    ),
    "Normal": ({"loc": _A, "scale": _B}, {"loc": _B, "scale": _A}),
    "Pareto": ({"scale": _A, "alpha": _B}, {"scale": _B, "alpha": _A}),
    "Poisson": ({"rate": _A}, {"rate": _B}),
    "Uniform": (
        {"low": [0.1, -0.2, 0.8], "high": [0.5, 1.2, 0.9]},
        {"low": [0.0, -1.0, 0.2], "high": [0.7, 2.0, 2.0]},
    ),
    "Wishart": (
        {"df": 4.5, "covariance_matrix": [[2.0, 0.3], [0.3, 1.0]]},
        {"df": 3.5, "covariance_matrix": [[1.0, 0.1], [0.1, 1.0]]},
    ),
}

_OWN = [(k, k) for k in _KINDS if k not in ("MultivariateNormal", "Poisson")]
_MIXED = [
    ("MultivariateNormal", "LowRankMultivariateNormal"), ("LowRankMultivariateNormal", "MultivariateNormal"),
    ("Beta", "ContinuousBernoulli"), ("Beta", "Pareto"), ("ContinuousBernoulli", "Pareto"),
    ("ContinuousBernoulli", "Exponential"), ("ContinuousBernoulli", "Normal"), ("Exponential", "Pareto"),
    ("Exponential", "ContinuousBernoulli"), ("Exponential", "Gumbel"), ("Gamma", "Pareto"),
    ("Gamma", "ContinuousBernoulli"), ("Gamma", "Gumbel"), ("Gumbel", "Uniform"), ("Gumbel", "Pareto"),
    ("Gumbel", "Gamma"), ("Gumbel", "Exponential"), ("Gumbel", "ContinuousBernoulli"), ("Gumbel", "Beta"),
    ("Gumbel", "Normal"), ("Laplace", "Pareto"), ("Laplace", "ContinuousBernoulli"), ("Normal", "Pareto"),
    ("Normal", "ContinuousBernoulli"), ("Normal", "Gumbel"), ("Pareto", "Uniform"),
    ("Pareto", "ContinuousBernoulli"), ("Pareto", "Beta"), ("Pareto", "Exponential"), ("Pareto", "Gamma"),
    ("Pareto", "Normal"), ("Poisson", "Binomial"), ("Uniform", "ContinuousBernoulli"), ("Uniform", "Gumbel"),
    ("Uniform", "Pareto"), ("Chi2", "Gamma"), ("Gamma", "Chi2"), ("Chi2", "Normal"),
]  # fmt: skip
#: Without a gradient for p in PyTorch.
_DETACHED = ("Wishart",)


def made(torch, kind, which):
    parameters = _KINDS[kind][which]
    given = {
        name: value
        if isinstance(value, int)
        else torch.tensor(value, dtype=torch.float64, requires_grad=True)
        for name, value in parameters.items()
    }
    leaves = [v for v in given.values() if not isinstance(v, int)]
    return getattr(torch.distributions, kind)(**given), leaves


@program(rules="T-43", each=[(f"{p} from {q}", p, q) for p, q in _OWN + _MIXED])
def divergences_of_families(torch, see, case):
    _, name_p, name_q = case
    (p, own), (q, others) = made(torch, name_p, 0), made(torch, name_q, 1)
    found = torch.distributions.kl_divergence(p, q)
    if not torch.isfinite(found).all():
        see("divergence", found.detach())
        return
    see("divergence", found)
    if name_p not in _DETACHED:
        see("gradients", list(torch.autograd.grad(found.sum(), own + others, allow_unused=True)))


@program(rules="T-43")
def divergences_of_uniforms_and_paretos(torch, see):
    D = torch.distributions
    inner = D.Uniform(torch.tensor([0.1, 0.2, -1.0, 1.0]), torch.tensor([0.5, 1.2, 0.5, 3.0]))
    for q in (D.ContinuousBernoulli(0.3), D.Gumbel(0.5, 2.0), D.Pareto(0.15, 3.0)):
        see(type(q).__name__, D.kl_divergence(inner, q))
    pareto = D.Pareto(torch.tensor([1.0, 1.0, 0.5]), torch.tensor([0.5, 3.0, 3.0]))
    for q in (D.Pareto(1.0, 2.0), D.Exponential(2.0), D.Gamma(2.0, 3.0), D.Normal(0.0, 1.0)):
        see(f"from a pareto: {type(q).__name__}", D.kl_divergence(pareto, q))


@program(rules="T-43")
def divergences_that_are_refused(torch, see):
    D = torch.distributions
    half = torch.tensor(0.5)
    few, more = D.Binomial(2, half), D.Binomial(3, half)
    see.raises("trials", lambda: D.kl_divergence(few, more), phrase="q.total_count > p.total_count")
    see("more trials", D.kl_divergence(more, few))
    squashed = D.TransformedDistribution(D.Normal(0.0, 1.0), D.SigmoidTransform())
    see.raises("transforms", lambda: D.kl_divergence(D.LogNormal(0.0, 1.0), squashed))
    see(
        "the same transforms",
        D.kl_divergence(
            squashed, D.TransformedDistribution(D.Normal(1.0, 2.0), D.SigmoidTransform())
        ),
    )
    see.raises(
        "t",
        lambda: D.kl_divergence(D.StudentT(1.0), D.StudentT(1.0)),
        phrase="No KL(p || q) is implemented",
    )
    see.raises(
        "families", lambda: D.kl_divergence(D.Wishart(3.0, torch.eye(2)), D.Exponential(1.0))
    )


@program(rules="T-43")
def where_divergences_of_pytorch_differ(torch, see):
    D = torch.distributions
    p = D.ContinuousBernoulli(torch.tensor(0.3))
    see.differs(
        "from a uniform of the same interval", bool(torch.isfinite(D.kl_divergence(p, D.Uniform(0.0, 1.0)))),
        torch=False, vizgrad=True, because="PyTorch takes the interval itself for one that is too small",
    )  # fmt: skip
    see("from a wider one", D.kl_divergence(p, D.Uniform(-1.0, 2.0)))
    see("from a narrower one", D.kl_divergence(p, D.Uniform(0.1, 1.0)))
    df = torch.tensor(4.5, requires_grad=True)
    kl = D.kl_divergence(D.Wishart(df, torch.eye(2)), D.Wishart(torch.tensor(3.5), torch.eye(2)))
    see.differs(
        "gradient of p", torch.autograd.grad(kl, df, allow_unused=True)[0] is None,
        torch=True, vizgrad=False, because="PyTorch detaches the natural parameters of p",
    )  # fmt: skip
    whole = D.kl_divergence(D.Uniform(0.5, 1.0), p)
    see.differs(
        "of a uniform to the end of the interval", bool(torch.isfinite(whole)),
        torch=False, vizgrad=True, because="PyTorch takes the end of the interval for outside",
    )  # fmt: skip
