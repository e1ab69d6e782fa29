"""Distributions: densities, moments, divergences, their gradients, and what is refused."""

import math

from tests.oracle.observations import Raised
from tests.oracle.registry import program

#: Name -> parameters (nested lists), and values at which to ask.
_KINDS = {
    "Normal": ({"loc": [0.5, -1.0, 0.0], "scale": [1.0, 0.3, 2.0]}, [0.0, -2.0, 3.5]),
    "Laplace": ({"loc": [0.5, -1.0, 0.0], "scale": [1.0, 0.3, 2.0]}, [0.2, -2.0, 3.5]),
    "Uniform": ({"low": [0.0, -1.0, 2.0], "high": [1.0, 3.0, 2.5]}, [0.0, 1.5, 2.25]),
    "Exponential": ({"rate": [1.0, 0.3, 2.0]}, [0.5, 2.0, 0.01]),
    "Gamma": ({"concentration": [0.5, 1.0, 3.0], "rate": [1.0, 0.3, 2.0]}, [0.5, 2.0, 0.01]),
    "Beta": ({"concentration1": [0.5, 1.5, 3.0], "concentration0": [0.7, 2.5, 1.0]}, [0.5, 0.1, 0.9]),
    "Dirichlet": ({"concentration": [[0.5, 1.5, 3.0], [2.0, 2.5, 4.0]]}, [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]),
    "Poisson": ({"rate": [1.0, 0.3, 7.5]}, [0.0, 2.0, 5.0]),
    "Bernoulli": ({"probs": [0.2, 0.5, 0.9]}, [0.0, 1.0, 1.0]),
    "Bernoulli of logits": ({"logits": [-2.0, 0.0, 30.0]}, [0.0, 1.0, 1.0]),
    "Categorical": ({"probs": [[0.2, 0.3, 0.5], [1.0, 2.0, 7.0]]}, [2, 0]),
    "Categorical of logits": ({"logits": [[-2.0, 0.0, 3.0], [1.0, 1.0, 1.0]]}, [2, 1]),
    "OneHotCategorical": ({"probs": [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]}, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "RelaxedOneHotCategorical": (
        {"temperature": 0.7, "logits": [[-2.0, 0.0, 3.0], [1.0, 1.0, 1.0]]},
        [[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]],
    ),
    "MultivariateNormal of covariance_matrix": (
        {"loc": [1.0, -1.0], "covariance_matrix": [[2.0, 0.3], [0.3, 1.0]]}, [0.5, 0.7],
    ),
    "MultivariateNormal of precision_matrix": (
        {"loc": [1.0, -1.0], "precision_matrix": [[2.0, 0.3], [0.3, 1.0]]}, [0.5, 0.7],
    ),
    "MultivariateNormal of scale_tril": (
        {"loc": [[1.0, -1.0], [0.0, 2.0]], "scale_tril": [[2.0, 0.0], [0.3, 1.0]]}, [0.5, 0.7],
    ),
}  # fmt: skip


def made(torch, kind, **options):
    """A distribution of the table over parameters that want gradients; the parameters; the values."""
    parameters, values = _KINDS[kind]
    given = {
        name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
        for name, value in parameters.items()
    }
    whole = any(isinstance(v, int) for v in values)
    at = torch.tensor(values, dtype=torch.int64 if whole else torch.float64)
    found = getattr(torch.distributions, kind.split()[0])(**given, **options)
    return found, given, at


def see_with_gradients(torch, see, name, fn, given):
    """A value, and the gradient of its sum for each parameter."""
    value = see.outcome(fn)
    see._keep(name, value)
    if isinstance(value, Raised):
        return
    tensor = fn()
    if tensor.requires_grad:
        kept = torch.nan_to_num(tensor, 0.0, 0.0, 0.0)
        grads = torch.autograd.grad(
            kept.sum(), list(given.values()), allow_unused=True, retain_graph=True
        )
        see(f"{name}: gradients", list(grads))


@program(rules="T-43", each=_KINDS)
def what_a_distribution_knows(torch, see, kind):
    d, given, at = made(torch, kind)
    see("shapes", (d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support))
    for name in ("mean", "mode", "variance", "stddev"):
        see_with_gradients(torch, see, name, lambda n=name: getattr(d, n), given)
    for name in ("entropy", "perplexity"):
        see_with_gradients(torch, see, name, getattr(d, name), given)
    see_with_gradients(torch, see, "log_prob", lambda: d.log_prob(at), given)
    if kind not in ("Gamma", "Beta"):  # the concentration has no gradient there
        see_with_gradients(torch, see, "cdf", lambda: d.cdf(at), given)
        see_with_gradients(
            torch,
            see,
            "icdf",
            lambda: d.icdf(torch.tensor([0.1, 0.5, 0.99], dtype=torch.float64)),
            given,
        )
    see.attempt("all values", d.enumerate_support)
    see.attempt("all values, once", lambda: d.enumerate_support(expand=False))


@program(rules="T-43")
def probabilities_of_gamma_numbers(torch, see):
    a = torch.tensor([0.3, 1.0, 20.0], dtype=torch.float64)
    rate = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([0.1, 1.0, 50.0], dtype=torch.float64, requires_grad=True)
    found = torch.distributions.Gamma(a, rate).cdf(x)
    see("cdf", found)
    see("gradients", list(torch.autograd.grad(found.sum(), [rate, x])))


@program(rules="T-43", each=_KINDS)
def a_distribution_over_a_larger_batch(torch, see, kind):
    d, _, at = made(torch, kind)
    wide = d.expand((4, *d.batch_shape))
    see("shapes", (wide.batch_shape, wide.event_shape, type(wide).__name__))
    see("log_prob", wide.log_prob(at))
    see("samples", (wide.sample().shape, wide.sample((5, 2)).shape))
    see("again", wide.expand((2, *wide.batch_shape)).batch_shape)
    see.raises(
        "too small", lambda: wide.expand((3, *d.batch_shape)), phrase="must match the existing size"
    )


@program(
    rules="T-43",
    each=[
        k
        for k in _KINDS
        if k.split()[0] not in ("Poisson", "Bernoulli", "Categorical", "OneHotCategorical")
    ],
)
def samples_with_gradients(torch, see, kind):
    d, given, _ = made(torch, kind)
    torch.manual_seed(0)
    drawn = d.rsample((3,))
    see("shape", drawn.shape)
    see("type", str(drawn.dtype).split(".")[-1])
    see("wants gradients", drawn.requires_grad)
    see("inside the support", bool(d.support.check(drawn).all()))
    grads = torch.autograd.grad(drawn.sum(), list(given.values()))
    see("gradients", [(g.shape, bool(torch.isfinite(g).all())) for g in grads])
    see("sample has none", d.sample((3,)).requires_grad)


@program(rules="T-43", each=["Normal", "Laplace", "Uniform", "Exponential"])
def how_a_sample_moves_with_the_parameters(torch, see, kind):
    """The gradient follows from the sample's value: its place in the distribution stays."""
    d, given, _ = made(torch, kind)
    drawn = d.rsample()
    place = d.cdf(drawn.detach()).detach()
    at_that_place = d.icdf(place)
    grads = torch.autograd.grad(drawn.sum(), list(given.values()))
    expected = torch.autograd.grad(at_that_place.sum(), list(given.values()))
    near = [
        torch.allclose(a, b, rtol=1e-6, atol=1e-6) for a, b in zip(grads, expected, strict=True)
    ]
    see("as its quantile", [bool(n) for n in near], expect=[True] * len(near))


@program(rules="T-43", each=["Bernoulli", "Categorical", "Poisson", "OneHotCategorical"])
def samples_without_gradients(torch, see, kind):
    d, _, _ = made(torch, kind)
    see.attempt("rsample", d.rsample)
    see("type", str(d.sample().dtype).split(".")[-1])
    see("inside the support", bool(d.support.check(d.sample((10,))).all()))


@program(rules="T-43")
def parameters_may_be_numbers(torch, see):
    D = torch.distributions
    one = D.Normal(0, 1)
    see("shapes", (one.batch_shape, one.loc.shape, str(one.loc.dtype).split(".")[-1]))
    see("repr", repr(one))
    mixed = D.Normal(torch.zeros(2, dtype=torch.float64), 1.5)
    see("type", (mixed.scale, mixed.batch_shape))
    see("gamma", D.Gamma(2.0, 3.0).mean)
    see("beta", D.Beta(2, 3).variance)
    see("uniform", D.Uniform(-1, torch.tensor([1.0, 2.0])).entropy())
    see("bernoulli", (D.Bernoulli(0.3).log_prob(torch.tensor(1.0)), D.Bernoulli(logits=2.0).probs))
    see("log_prob broadcasts", D.Normal(torch.zeros(3), 1.0).log_prob(torch.zeros(2, 1)).shape)
    see("repr of a probability", repr(D.Bernoulli(0.5)))


@program(rules="T-43")
def mistakes_in_parameters(torch, see):
    D = torch.distributions
    z, o = torch.zeros(2), torch.ones(2)
    must = "to satisfy the constraint"
    see.raises("scale", lambda: D.Normal(0.0, -1.0), phrase="Expected parameter scale")
    see.raises("nan", lambda: D.Normal(torch.tensor(math.nan), 1.0), phrase=must)
    see.raises("rate", lambda: D.Exponential(torch.tensor([1.0, 0.0])), phrase=must)
    see.raises("shapes", lambda: D.Normal(z, torch.ones(3)), phrase="must match the size")
    see.raises("text", lambda: D.Normal("a", 1.0), phrase="must all be instances of Number")
    see.raises("uniform", lambda: D.Uniform(1.0, 0.0))
    for kind in (D.Bernoulli, D.Categorical, D.OneHotCategorical):
        name = kind.__name__
        see.raises(f"{name}: nothing", kind, phrase="Either `probs` or `logits` must be specified")
        see.raises(f"{name}: both", lambda k=kind: k(probs=o, logits=o), phrase="but not both")
    see.raises(
        "no class", lambda: D.Categorical(torch.tensor(0.5)), phrase="at least one-dimensional"
    )
    see.raises("negative", lambda: D.Categorical(torch.tensor([-1.0, 2.0])), phrase=must)
    see.raises("probability", lambda: D.Bernoulli(1.5), phrase=must)
    see.raises(
        "dirichlet", lambda: D.Dirichlet(torch.tensor(1.0)), phrase="at least one-dimensional"
    )
    see.raises(
        "no matrix", lambda: D.MultivariateNormal(z), phrase="Exactly one of covariance_matrix"
    )
    see.raises(
        "two", lambda: D.MultivariateNormal(z, torch.eye(2), torch.eye(2)), phrase="Exactly one of"
    )
    see.raises(
        "vector", lambda: D.MultivariateNormal(z, o), phrase="must be at least two-dimensional"
    )
    see.raises(
        "scalar",
        lambda: D.MultivariateNormal(torch.tensor(0.0), torch.eye(1)),
        phrase="one-dimensional",
    )
    for name, matrix in {
        "indefinite": [[1.0, 2.0], [2.0, 1.0]], "asymmetric": [[1.0, 0.5], [0.0, 1.0]],
    }.items():  # fmt: skip
        see.raises(name, lambda m=matrix: D.MultivariateNormal(z, torch.tensor(m)), phrase=must)
    see.raises("factor", lambda: D.MultivariateNormal(z, scale_tril=-torch.eye(2)), phrase=must)
    see.raises(
        "independent",
        lambda: D.Independent(D.Normal(0.0, 1.0), 1),
        phrase="reinterpreted_batch_ndims",
    )
    see("unchecked", D.Normal(0.0, -1.0, validate_args=False).scale)


@program(rules="T-43")
def mistakes_in_values(torch, see):
    D = torch.distributions
    inside = "to be within the support"
    see.raises("number", lambda: D.Normal(0.0, 1.0).log_prob(1.0), phrase="must be a Tensor")
    see.raises("nan", lambda: D.Normal(0.0, 1.0).log_prob(torch.tensor(math.nan)), phrase=inside)
    see.raises("bernoulli", lambda: D.Bernoulli(0.5).log_prob(torch.tensor(2.0)), phrase=inside)
    see.raises(
        "class", lambda: D.Categorical(torch.ones(3)).log_prob(torch.tensor(3)), phrase=inside
    )
    see.raises("bounds", lambda: D.Uniform(0.0, 1.0).log_prob(torch.tensor(2.0)), phrase=inside)
    see.raises("negative", lambda: D.Exponential(1.0).log_prob(torch.tensor(-1.0)), phrase=inside)
    see.raises("part", lambda: D.Poisson(1.0).log_prob(torch.tensor(0.5)), phrase=inside)
    see.raises("sum", lambda: D.Dirichlet(torch.ones(2)).log_prob(torch.ones(2)), phrase=inside)
    see.raises(
        "one hot", lambda: D.OneHotCategorical(torch.ones(2)).log_prob(torch.ones(2)), phrase=inside
    )
    normal = D.Normal(torch.zeros(2), 1.0)
    see.raises(
        "batch", lambda: normal.log_prob(torch.zeros(3)), phrase="Value is not broadcastable"
    )
    vectors = D.MultivariateNormal(torch.zeros(2), torch.eye(2))
    see.raises("event", lambda: vectors.log_prob(torch.zeros(3)), phrase="must match event_shape")
    lax = D.Bernoulli(torch.tensor([0.5]), validate_args=False)
    see("unchecked", lax.log_prob(torch.tensor([0.5])))
    see("unchecked after expand", lax.expand((2,)).log_prob(torch.tensor([0.5, 2.0])))
    D.Distribution.set_default_validate_args(False)
    see("switched off", D.Normal(0.0, -1.0).scale)
    D.Distribution.set_default_validate_args(True)
    see.raises("switch", lambda: D.Distribution.set_default_validate_args(3))
    for name in ("entropy", "sample"):
        see.raises(f"base: {name}", getattr(D.Distribution(validate_args=False), name))


@program(rules="T-43")
def independent_values_as_one(torch, see):
    D = torch.distributions
    scale = torch.ones(2, 3, requires_grad=True)
    base = D.Normal(torch.zeros(2, 3), scale)
    one = D.Independent(base, 1)
    see("shapes", (one.batch_shape, one.event_shape, one.has_rsample))
    see("log_prob", one.log_prob(torch.ones(3)))
    see("entropy", one.entropy())
    see("mean", one.mean)
    see("sample", one.sample((4,)).shape)
    see("expand", one.expand((5, 2)).rsample().shape)
    see("repr", repr(D.Independent(D.Normal(torch.zeros(1), 1.0), 1)))
    see(
        "divergence",
        D.kl_divergence(one, D.Independent(D.Normal(torch.ones(3), 2.0).expand((2, 3)), 1)),
    )
    coins = D.Independent(D.Bernoulli(torch.tensor([0.2, 0.7])), 1)
    see("coins", coins.log_prob(torch.tensor([1.0, 1.0])))
    see.raises("counting", coins.enumerate_support)
    see.raises("event", lambda: one.log_prob(torch.ones(4)))


_PAIRS = [
    ("Normal", "Normal"), ("Laplace", "Laplace"), ("Uniform", "Uniform"), ("Exponential", "Exponential"),
    ("Gamma", "Gamma"), ("Beta", "Beta"), ("Dirichlet", "Dirichlet"), ("Poisson", "Poisson"),
    ("Bernoulli", "Bernoulli"), ("Bernoulli of logits", "Bernoulli"),
    ("Categorical", "Categorical of logits"), ("OneHotCategorical", "OneHotCategorical"),
    ("MultivariateNormal of covariance_matrix", "MultivariateNormal of precision_matrix"),
    ("MultivariateNormal of scale_tril", "MultivariateNormal of covariance_matrix"),
    ("Normal", "Laplace"), ("Laplace", "Normal"), ("Beta", "Normal"), ("Exponential", "Normal"),
    ("Gamma", "Normal"), ("Uniform", "Normal"), ("Beta", "Exponential"), ("Gamma", "Exponential"),
    ("Beta", "Gamma"), ("Exponential", "Gamma"), ("Bernoulli", "Poisson"), ("Poisson", "Bernoulli"),
    ("Beta", "Uniform"), ("Exponential", "Beta"), ("Exponential", "Uniform"), ("Gamma", "Beta"),
    ("Gamma", "Uniform"), ("Laplace", "Beta"), ("Laplace", "Exponential"), ("Laplace", "Gamma"),
    ("Laplace", "Uniform"), ("Normal", "Beta"), ("Normal", "Exponential"), ("Normal", "Gamma"),
    ("Normal", "Uniform"),
]  # fmt: skip


@program(rules="T-43", each=[(f"{p} from {q}", p, q) for p, q in _PAIRS])
def divergences(torch, see, case):
    _, name_p, name_q = case
    p, given, _ = made(torch, name_p)
    q, more, _ = made(torch, name_q)
    if name_p == name_q:  # not from itself
        q = type(q)(*[(v * 0.9 + 0.1).detach() for v in more.values()])
    found = torch.distributions.kl_divergence(p, q)
    see("divergence", found)
    if found.requires_grad and torch.isfinite(found).all():
        see(
            "gradients",
            list(torch.autograd.grad(found.sum(), list(given.values()), allow_unused=True)),
        )


@program(rules="T-43")
def divergences_from_a_uniform_and_of_it(torch, see):
    D = torch.distributions
    inner = D.Uniform(torch.tensor([0.1, 0.2, -1.0]), torch.tensor([0.5, 1.2, 0.5]))
    for q in (D.Exponential(2.0), D.Gamma(2.0, 3.0), D.Beta(2.0, 3.0), D.Uniform(0.0, 1.0)):
        see(type(q).__name__, D.kl_divergence(inner, q))
    see(
        "of a beta",
        D.kl_divergence(
            D.Beta(2.0, 3.0), D.Uniform(torch.tensor([0.0, 0.1]), torch.tensor([2.0, 1.0]))
        ),
    )


@program(rules="T-43")
def divergences_at_certainties(torch, see):
    D = torch.distributions
    sure = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.5, 0.5])
    other = torch.tensor([0.0, 1.0, 0.3, 0.3, 0.0, 1.0])
    see("bernoulli", D.kl_divergence(D.Bernoulli(sure), D.Bernoulli(other)))
    p, q = torch.tensor([[0.0, 1.0], [0.5, 0.5]]), torch.tensor([[0.5, 0.5], [0.0, 1.0]])
    see("categorical", D.kl_divergence(D.Categorical(p), D.Categorical(q)))


@program(rules="T-43")
def divergences_of_ones_own(torch, see):
    D = torch.distributions

    class Mine(D.Normal):
        pass

    class Other(D.Distribution):
        arg_constraints = {}  # noqa: RUF012 (as people write it)

    see("inherited", D.kl_divergence(Mine(0.0, 1.0), D.Normal(1.0, 1.0)))
    see.raises(
        "unknown", lambda: D.kl_divergence(Other(), Other()), phrase="No KL(p || q) is implemented"
    )

    @D.register_kl(Other, Other)
    def formula(p, q):
        return torch.tensor(42.0)

    see("registered", D.kl_divergence(Other(), Other()))
    see.raises("no class", lambda: D.register_kl("Other", Other))


@program(rules="T-43")
def a_vae_in_small(torch, see):
    """Encoder, sample, decoder, and the usual loss."""
    D = torch.distributions
    mean = torch.tensor([[0.5, -0.5], [1.0, 0.0]], requires_grad=True)
    spread = torch.tensor([[0.1, -0.2], [0.3, 0.0]], requires_grad=True)
    q = D.Normal(mean, spread.exp())
    z = q.rsample()
    kept = (z - mean).detach() / spread.exp().detach()
    see("the same point", bool(torch.allclose(mean + kept * spread.exp(), z)))
    z = mean + kept * 0 + spread.exp() * 0.5
    likelihood = D.Bernoulli(logits=z).log_prob(torch.tensor([[1.0, 0.0], [1.0, 1.0]])).sum(-1)
    loss = (D.kl_divergence(q, D.Normal(0.0, 1.0)).sum(-1) - likelihood).mean()
    loss.backward()
    see("loss", loss)
    see("gradients", [mean.grad, spread.grad])
