"""Transforms: values, inverses, log-determinants, domains, caches; and distributions made with them."""

import math

from tests.oracle.registry import program

#: Name -> how it is made, of what a value is taken; whether all of it is one value of the domain.
_SOME = [[0.5, -1.0, 2.0], [0.0, 0.3, -0.2]]
_KINDS = {
    "Exp": (lambda t: t.ExpTransform(), _SOME),
    "Power": (lambda t: t.PowerTransform(_tensor(t, 2.5)), [0.5, 1.0, 3.0]),
    "Power below zero": (lambda t: t.PowerTransform(_tensor(t, -1.0)), [0.5, 1.0, 3.0]),
    "Power of three": (lambda t: t.PowerTransform(_tensor(t, [0.5, 2.0, -3.0])), [0.5, 1.0, 3.0]),
    "Sigmoid": (lambda t: t.SigmoidTransform(), _SOME),
    "Softplus": (lambda t: t.SoftplusTransform(), _SOME),
    "Tanh": (lambda t: t.TanhTransform(), _SOME),
    "Affine": (lambda t: t.AffineTransform(1.0, -2.5), _SOME),
    "Affine of tensors": (
        lambda t: t.AffineTransform(_tensor(t, [1.0, 2.0, 3.0]), _tensor(t, [-1.0, 0.5, 2.0])),
        _SOME,
    ),
    "Affine of vectors": (
        lambda t: t.AffineTransform(0.0, _tensor(t, [-1.0, 0.5, 2.0]), event_dim=1),
        _SOME,
    ),
    "Affine of matrices": (lambda t: t.AffineTransform(0.0, 3.0, event_dim=2), _SOME),
    "CumulativeDistribution": (
        lambda t: t.CumulativeDistributionTransform(t.Normal(_tensor(t, 0.5), 2.0)),
        _SOME,
    ),
    "StickBreaking": (lambda t: t.StickBreakingTransform(), _SOME),
    "CorrCholesky": (lambda t: t.CorrCholeskyTransform(), _SOME),
    "Reshape": (lambda t: t.ReshapeTransform((3,), (3, 1)), _SOME),
    "Reshape of matrices": (lambda t: t.ReshapeTransform((2, 3), (6,)), _SOME),
    "Independent": (lambda t: t.IndependentTransform(t.ExpTransform(), 1), _SOME),
    "Independent of vectors": (
        lambda t: t.IndependentTransform(t.StickBreakingTransform(), 1),
        _SOME,
    ),
    "Compose": (
        lambda t: t.ComposeTransform(
            [t.AffineTransform(0.1, 2.0), t.TanhTransform(), t.SigmoidTransform()]
        ),
        _SOME,
    ),
    "Compose to shares": (
        lambda t: t.ComposeTransform([t.AffineTransform(0.1, 2.0), t.StickBreakingTransform()]),
        _SOME,
    ),
    "Compose from shares": (
        lambda t: t.ComposeTransform([t.StickBreakingTransform(), t.ExpTransform()]),
        _SOME,
    ),
    "identity": (lambda t: t.identity_transform, _SOME),
    "inverse": (lambda t: t.ExpTransform().inv, [0.5, 1.0, 3.0]),
    "inverse of a chain": (
        lambda t: t.ComposeTransform([t.ExpTransform(), t.AffineTransform(1.0, 2.0)]).inv,
        [1.5, 2.0, 3.0],
    ),
    "Cat": (
        lambda t: t.CatTransform([t.ExpTransform(), t.TanhTransform()], dim=-1, lengths=[1, 2]),
        _SOME,
    ),
    "Cat of rows": (
        lambda t: t.CatTransform([t.ExpTransform(), t.AffineTransform(1.0, 3.0)], dim=0),
        _SOME,
    ),
    "Cat of vectors": (
        lambda t: t.CatTransform(
            [
                t.IndependentTransform(t.ExpTransform(), 1),
                t.IndependentTransform(t.TanhTransform(), 1),
            ],
            dim=0,
        ),
        _SOME,
    ),
    "Stack": (lambda t: t.StackTransform([t.ExpTransform(), t.TanhTransform()], dim=0), _SOME),
    "Stack of columns": (
        lambda t: t.StackTransform(
            [t.ExpTransform(), t.TanhTransform(), t.AffineTransform(1.0, 2.0)], dim=1
        ),
        _SOME,
    ),
}
_NOT_BIJECTIVE = {
    "Abs": (lambda t: t.AbsTransform(), _SOME),
    "Softmax": (lambda t: t.SoftmaxTransform(), _SOME),
    "LowerCholesky": (lambda t: t.LowerCholeskyTransform(), [[0.5, 3.0], [-1.0, 0.2]]),
    "PositiveDefinite": (lambda t: t.PositiveDefiniteTransform(), [[0.5, 3.0], [-1.0, 0.2]]),
}


def _tensor(t, value):
    return t.of(value)


class _Names:
    """The names of `distributions`, and tensors of float64."""

    def __init__(self, torch):
        self._torch = torch

    def __getattr__(self, name):
        return getattr(self._torch.distributions, name)

    def of(self, value):
        return self._torch.tensor(value, dtype=self._torch.float64)


def made(torch, kind, grad=True):
    make, values = (_KINDS | _NOT_BIJECTIVE)[kind]
    x = torch.tensor(values, dtype=torch.float64, requires_grad=grad)
    return make(_Names(torch)), x


@program(rules="T-43", each=[*_KINDS, *_NOT_BIJECTIVE])
def what_a_transform_knows(torch, see, kind):
    t, x = made(torch, kind)
    see("bijective", t.bijective)
    see("domain", (repr(t.domain), t.domain.event_dim, t.domain.is_discrete))
    see("codomain", (repr(t.codomain), t.codomain.event_dim, t.codomain.is_discrete))
    see.attempt("event_dim", lambda: t.event_dim)
    see.attempt("sign", lambda: t.sign)
    see("repr", repr(t))
    y = t(x)
    see("value", y)
    see("gradient", torch.autograd.grad((y * y).sum(), x, retain_graph=True)[0])
    see("in the codomain", bool(t.codomain.check(y).all()))
    back = t.inv(y)
    see("back", back)
    see("shapes", (t.forward_shape(x.shape), t.inverse_shape(y.shape)))
    see("twice turned", (t.inv.inv is t, t == t, t.inv == t.inv, t != t))
    see("equal to another", t == made(torch, kind)[0])


@program(rules="T-43", each=_KINDS)
def determinants_of_transforms(torch, see, kind):
    t, x = made(torch, kind)
    y = t(x)
    found = t.log_abs_det_jacobian(x, y)
    see("log-determinant", found)
    see("of the inverse", t.inv.log_abs_det_jacobian(y.detach(), x.detach()))
    if found.requires_grad:
        see("gradient", torch.autograd.grad(found.sum(), x)[0])


@program(rules="T-43", each=[k for k in _KINDS if k != "identity"])
def caches_of_transforms(torch, see, kind):
    plain, x = made(torch, kind)
    t = plain.with_cache()
    see("the same", (plain.with_cache(0) is plain, t.with_cache() is t))
    y = t(x)
    see("value", y)
    see("found again", t.inv(y) is x)
    see("asked twice", t(x) is y)
    see("without", plain.inv(plain(x)) is x)
    z = y.detach().clone()
    see("from the other side", t(t.inv(z)) is z)


@program(rules="T-43")
def mistakes_in_transforms(torch, see):
    D = torch.distributions
    see.raises("cache", lambda: D.ExpTransform(cache_size=2), phrase="cache_size must be 0 or 1")
    see.raises("hash", lambda: hash(D.ExpTransform()))
    see.raises("base", lambda: D.Transform()(torch.ones(1)))
    see.raises("base, backwards", lambda: D.Transform().inv(torch.ones(1)))
    see.raises("base, sign", lambda: D.Transform().sign)
    absolute = D.AbsTransform()
    see.raises("abs", lambda: absolute.log_abs_det_jacobian(torch.ones(1), torch.ones(1)))
    reshape = D.ReshapeTransform((2,), (2, 1))
    see.raises(
        "event_dim", lambda: reshape.event_dim, phrase="Please use either .domain.event_dim or"
    )
    see.raises(
        "sizes", lambda: D.ReshapeTransform((2,), (3,)), phrase="different numbers of elements"
    )
    see.raises("few", lambda: reshape.forward_shape(()), phrase="Too few dimensions on input")
    see.raises("other", lambda: reshape.forward_shape((3,)), phrase="Shape mismatch: expected")
    for t in (D.SoftmaxTransform(), D.StickBreakingTransform(), D.CorrCholeskyTransform()):
        see.raises(type(t).__name__, lambda t=t: t.forward_shape(()), phrase="Too few dimensions")
    corr = D.CorrCholeskyTransform()
    see.raises(
        "count", lambda: corr.forward_shape((2,)), phrase="not a flattened lower-diagonal number"
    )
    see.raises("square", lambda: corr.inverse_shape((2, 3)), phrase="Input is not square")
    see.raises(
        "vector",
        lambda: D.IndependentTransform(D.ExpTransform(), 1)(torch.tensor(1.0)),
        phrase="Too few",
    )
    see("new cache", type(D.TanhTransform().with_cache(1)).__name__)

    class Mine(D.Transform):
        def __init__(self, more):
            super().__init__()

    see.raises("of one's own", lambda: Mine(1).with_cache())
    see(
        "equality",
        (
            D.AffineTransform(1, 2) == D.AffineTransform(1.0, 2.0),
            D.AffineTransform(1, 2) == D.AffineTransform(1, 3),
            D.PowerTransform(torch.tensor(2.0)) == D.PowerTransform(torch.tensor(2.0)),
            D.ExpTransform() == D.TanhTransform(),
            D.ComposeTransform([D.ExpTransform()]) == D.ComposeTransform([D.ExpTransform()]),
            D.ComposeTransform([]) == D.identity_transform,
            D.ExpTransform().inv == D.ExpTransform().inv,
        ),
    )


_CONSTRAINTS = {
    "real": lambda c, t: c.real,
    "positive": lambda c, t: c.positive,
    "nonnegative": lambda c, t: c.nonnegative,
    "greater_than": lambda c, t: c.greater_than(2.0),
    "greater_than_eq": lambda c, t: c.greater_than_eq(t),
    "less_than": lambda c, t: c.less_than(-1.0),
    "unit_interval": lambda c, t: c.unit_interval,
    "interval": lambda c, t: c.interval(-1.0, 3.0),
    "interval of tensors": lambda c, t: c.interval(t, t + 1),
    "half_open_interval": lambda c, t: c.half_open_interval(0.0, 2.0),
    "simplex": lambda c, t: c.simplex,
    "real_vector": lambda c, t: c.real_vector,
    "independent": lambda c, t: c.independent(c.positive, 1),
    "lower_cholesky": lambda c, t: c.lower_cholesky,
    "positive_definite": lambda c, t: c.positive_definite,
    "positive_semidefinite": lambda c, t: c.positive_semidefinite,
    "corr_cholesky": lambda c, t: c.corr_cholesky,
    "cat": lambda c, t: c.cat([c.positive, c.unit_interval], -1, [1, 2]),
    "stack": lambda c, t: c.stack([c.positive, c.real, c.less_than(0.0)], -1),
    "boolean": lambda c, t: c.boolean,
    "one_hot": lambda c, t: c.one_hot,
    "symmetric": lambda c, t: c.symmetric,
    "multinomial": lambda c, t: c.multinomial(3),
    "dependent": lambda c, t: c.dependent,
}


@program(rules="T-43", each=_CONSTRAINTS)
def transforms_to_constraints(torch, see, name):
    D = torch.distributions
    bound = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
    constraint = _CONSTRAINTS[name](D.constraints, bound)
    matrix = name in ("lower_cholesky", "positive_definite", "positive_semidefinite")
    x = torch.tensor([[0.5, 3.0], [-1.0, 0.2]] if matrix else [0.3, -0.7, 1.2], dtype=torch.float64)
    for registry in ("biject_to", "transform_to"):

        def known(registry=registry):
            t = getattr(D, registry)(constraint)
            y = t(x)
            back = t.inv(y)
            return repr(t), y, back, bool(constraint.check(y).all()), t.bijective

        see.attempt(registry, known)


@program(rules="T-43")
def a_registry_of_ones_own(torch, see):
    D = torch.distributions

    class Mine(D.constraints.Constraint):
        def check(self, value):
            return value > 5

    see.raises("before", lambda: D.transform_to(Mine()), phrase="Cannot transform Mine constraints")

    @D.transform_to.register(Mine)
    def made_here(constraint):
        return D.AffineTransform(5.0, 1.0)

    see("after", D.transform_to(Mine())(torch.tensor(1.0)))
    see.raises(
        "no constraint",
        lambda: D.biject_to.register(int, made_here),
        phrase="Expected constraint to be either",
    )
    fresh = D.constraint_registry.ConstraintRegistry()
    fresh.register(D.constraints.boolean, made_here)
    see("fresh", fresh(D.constraints.boolean)(torch.tensor(0.0)))
    see.raises("fresh, real", lambda: fresh(D.constraints.real))


@program(rules="T-43")
def more_constraints(torch, see):
    C = torch.distributions.constraints
    t = torch.tensor
    see("multinomial", C.multinomial(3).check(t([[1.0, 2.0], [2.0, 2.0], [-1.0, 1.0], [1.0, 1.0]])))
    factors = t([[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [0.6, 0.9]], [[1.0, 0.1], [0.6, 0.8]]])
    see("corr_cholesky", C.corr_cholesky.check(factors))
    cat = C.cat([C.positive, C.real], 0, [2, 1])
    see("cat", (cat.check(t([1.0, -1.0, -1.0])), cat.event_dim, cat.is_discrete, repr(cat)))
    stack = C.stack([C.positive, C.nonnegative_integer], 0)
    see(
        "stack",
        (
            stack.check(t([[1.0, -1.0], [2.0, 0.5]])),
            stack.event_dim,
            stack.is_discrete,
            repr(stack),
        ),
    )
    see("last", (C.stack([C.real, C.real], -1).event_dim, C.stack([C.real_vector], -1).event_dim))
    mixed = C.MixtureSameFamilyConstraint(C.interval(t([0.0, 1.0]), t([2.0, 3.0])))
    see("mixture", (mixed.check(t([0.5, 1.5, 2.5])), mixed.event_dim, repr(mixed)))
    see.raises("few", lambda: C.MixtureSameFamilyConstraint(C.simplex).check(t(1.0)))


@program(rules="T-43")
def a_transformed_distribution(torch, see):
    D = torch.distributions
    loc = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    scale = torch.tensor([1.0, 0.3], dtype=torch.float64, requires_grad=True)
    d = D.TransformedDistribution(
        D.Normal(loc, scale), [D.TanhTransform(), D.AffineTransform(1.0, -2.0)]
    )
    at = torch.tensor([0.5, 2.5], dtype=torch.float64)
    see("shapes", (d.batch_shape, d.event_shape, d.has_rsample, repr(d)))
    found = d.log_prob(at)
    see("log_prob", found)
    see("gradients", list(torch.autograd.grad(found.sum(), [loc, scale])))
    see("cdf", (d.cdf(at), d.icdf(torch.tensor([0.1, 0.9], dtype=torch.float64))))
    see("support", (repr(d.support), d.support.event_dim))
    drawn = d.rsample((4,))
    see("rsample", (drawn.shape, drawn.requires_grad, d.sample().requires_grad))
    wide = d.expand((3, 2))
    see("expand", (wide.batch_shape, wide.log_prob(at), wide.sample().shape))
    for name in ("mean", "mode", "variance"):
        see.attempt(name, lambda n=name: getattr(d, n))
    see.raises("entropy", d.entropy)
    see.raises(
        "outside",
        lambda: D.LogNormal(0.0, 1.0).log_prob(torch.tensor(-1.0)),
        phrase="to be within the support",
    )


@program(rules="T-43")
def probabilities_at_the_ends_of_a_support(torch, see):
    """The base decides where there is a probability: 0 has one, though the density refuses it."""
    D = torch.distributions
    unchecked = D.Normal(0.0, 1.0, validate_args=False)

    def probability(d, value):
        try:
            return d.cdf(torch.tensor(value))
        except (ValueError, NotImplementedError) as error:
            return type(error).__name__

    for name, d in (
        ("log", D.LogNormal(0.0, 1.0)),
        ("log, unchecked", D.LogNormal(0.0, 1.0, validate_args=False)),
        ("unchecked base", D.TransformedDistribution(unchecked, [D.ExpTransform()])),
        ("sigmoid", D.TransformedDistribution(D.Normal(0.0, 1.0), [D.SigmoidTransform()])),
        ("affine", D.TransformedDistribution(D.Uniform(0.0, 1.0), [D.AffineTransform(1.0, 2.0)])),
        ("weibull", D.Weibull(1.0, 2.0)),
        ("inverse", D.InverseGamma(1.0, 1.0)),
        ("none", D.TransformedDistribution(D.VonMises(0.0, 1.0), [D.ExpTransform()])),
    ):
        for value in (0.0, -0.5, 0.5, 1.0, 1.5, 3.0, math.nan, math.inf):
            see(f"{name} {value}", probability(d, value))


@program(rules="T-43")
def shapes_of_transformed_distributions(torch, see):
    D = torch.distributions
    normal = D.Normal(torch.zeros(2, 3), 1.0)
    T = D.TransformedDistribution
    for name, d in {
        "shares": T(normal, D.StickBreakingTransform()),
        "shares, powers": T(normal, [D.StickBreakingTransform(), D.ExpTransform()]),
        "vectors": T(D.Independent(normal, 1), D.ExpTransform()),
        "matrices": T(normal, D.ReshapeTransform((3,), (3, 1))),
        "larger": T(D.Normal(0.0, 1.0), D.AffineTransform(torch.zeros(4), torch.ones(4))),
        "larger vectors": T(D.Independent(normal, 1), D.AffineTransform(torch.zeros(5, 1, 3), 2.0)),
        "independent": T(normal, D.IndependentTransform(D.ExpTransform(), 2)),
        "correlations": T(normal, D.CorrCholeskyTransform()),
        "none": T(normal, []),
        "twice": T(T(normal, D.StickBreakingTransform()), D.AffineTransform(0.0, 2.0, event_dim=1)),
    }.items():
        see(name, (d.batch_shape, d.event_shape, d.sample((7,)).shape, repr(d.support)))
        x = d.sample((7,))
        see(f"{name}: log_prob", d.log_prob(x).shape)
        wide = d.expand((6, *d.batch_shape))
        see(
            f"{name}: expand",
            (wide.batch_shape, wide.event_shape, wide.sample().shape, wide.log_prob(x[0]).shape),
        )
    see.raises("number", lambda: T(normal, 3), phrase="transforms must be a Transform or list")
    see.raises("list", lambda: T(normal, [3]), phrase="a list of Transforms")
    see.raises(
        "scalar",
        lambda: T(D.Normal(0.0, 1.0), D.StickBreakingTransform()),
        phrase="needs to have shape with size at least",
    )
    folded = T(D.Normal(0.0, 1.0), D.AbsTransform())
    see.raises("folded", lambda: folded.log_prob(torch.tensor(1.0)))
    see.raises("folded, cdf", lambda: folded.cdf(torch.tensor(1.0)))
    see.raises("folded, icdf", lambda: folded.icdf(torch.tensor(0.5)))


@program(rules="T-43")
def an_uncommon_cache(torch, see):
    """Samples of a squashed normal have finite densities where tanh is rounded to 1, with a cache."""
    D = torch.distributions
    d = D.TransformedDistribution(
        D.Normal(torch.tensor([20.0, -20.0]), 1.0), [D.TanhTransform(cache_size=1)]
    )
    drawn = d.rsample()
    see("edges", drawn.abs())
    see("finite", bool(torch.isfinite(d.log_prob(drawn)).all()), expect=True)
    x = torch.tensor([10.0], requires_grad=True)
    t = D.TanhTransform()
    found = t.log_abs_det_jacobian(x, t(x))
    see("far", (found, torch.autograd.grad(found.sum(), x)[0]))
    see("by hand", abs(found.item() - (2 * math.log(2) - 20)) < 1e-5, expect=True)


@program(rules="T-43")
def triangles_as_vectors(torch, see):
    utils = torch.distributions.utils
    for diag in (-1, 0, 1):
        matrix = torch.arange(9.0).reshape(3, 3).expand(2, 3, 3).clone().requires_grad_()
        vec = utils.tril_matrix_to_vec(matrix, diag)
        see(f"vector {diag}", vec)
        back = utils.vec_to_tril_matrix(vec, diag)
        see(f"matrix {diag}", back)
        see(f"gradient {diag}", torch.autograd.grad((back * back).sum(), matrix)[0])
    see.raises(
        "diagonal", lambda: utils.tril_matrix_to_vec(torch.eye(2), 2), phrase="provided is outside"
    )
    see.raises(
        "count", lambda: utils.vec_to_tril_matrix(torch.ones(5)), phrase="square D x D matrix"
    )


@program(rules="T-43")
def a_distribution_written_by_a_user(torch, see):
    """As PyTorch's own are written: helpers by their modules, and `expand` with a checked instance."""
    from importlib import import_module

    name = torch.__name__
    utils = import_module(f"{name}.distributions.utils")
    Distribution = import_module(f"{name}.distributions.distribution").Distribution
    constraints = torch.distributions.constraints

    class Logistic(Distribution):
        arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012  as people write it
        support = constraints.real
        has_rsample = True

        def __init__(self, loc, scale, validate_args=None):
            self.loc, self.scale = utils.broadcast_all(loc, scale)
            super().__init__(self.loc.size(), validate_args=validate_args)

        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Logistic, _instance)
            batch_shape = torch.Size(batch_shape)
            new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
            super(Logistic, new).__init__(batch_shape, validate_args=False)
            new._validate_args = self._validate_args
            return new

        def rsample(self, sample_shape=torch.Size()):  # noqa: B008  as people write it
            shape = self._extended_shape(sample_shape)
            u = utils.clamp_probs(torch.rand(shape, dtype=self.loc.dtype))
            return self.loc + self.scale * (u.log() - (-u).log1p())

        @utils.lazy_property
        def rate(self):
            return 1 / self.scale

        def log_prob(self, value):
            if self._validate_args:
                self._validate_sample(value)
            z = (value - self.loc) * self.rate
            return -z - self.scale.log() - 2 * torch.nn.functional.softplus(-z)

    d = Logistic(torch.tensor([0.5, -1.0]), 2.0)
    wide = d.expand((3, 2))
    see("log_prob", wide.log_prob(torch.tensor(0.3)))
    see("rsample", wide.rsample((4,)).shape)
    see.raises("scale", lambda: Logistic(0.0, -1.0), phrase="to satisfy the constraint")

    class Standard(Logistic):
        def __init__(self):
            super().__init__(0.0, 1.0)

    see.raises(
        "expand",
        lambda: Standard().expand((2,)),
        phrase="must also define a custom .expand() method",
    )
    squashed = torch.distributions.TransformedDistribution(
        d, [torch.distributions.SigmoidTransform()]
    )
    see("transformed", squashed.log_prob(torch.tensor([0.2, 0.7])))
