"""torch.autograd.functional."""

from tests.oracle.registry import program

NAMES = ("vjp", "jvp", "vhp", "hvp", "jacobian", "hessian")


def _points(torch):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return x, torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


def _function(torch, name):
    return getattr(torch.autograd.functional, name)


def _settings(name, v):
    """What a function needs besides the function and a vector of inputs, where it returns one number."""
    return {"v": v} if name in ("jvp", "vhp", "hvp") else {}


def _cube(t):
    return (t**3).sum() * t[0]


@program(rules="B-3")
def vjp_and_jvp(torch, see):
    F = torch.autograd.functional
    x, v = _points(torch)
    see("vjp", F.vjp(lambda t: t.exp() * t.sum(), x, v))
    see("vjp of a scalar", F.vjp(lambda t: (t**2).sum(), x))
    see("jvp", F.jvp(lambda t: t.exp() * t.sum(), x, v))
    see("jvp of one element", F.jvp(lambda t: t.exp() * v, x[:1]))
    see("vjp of several", F.vjp(lambda a, b: (a * b, a.sum()), (x, v), (v, v[0])))
    see("jvp of several", F.jvp(lambda a, b: (a * b, a.sum()), (x, v), (v, x)))


@program(rules="B-3")
def vectors_that_do_not_fit(torch, see):
    F = torch.autograd.functional
    x, v = _points(torch)
    see.raises("vjp: missing", lambda: F.vjp(torch.exp, x), phrase="single Tensor with a single")
    see.raises("jvp: missing", lambda: F.jvp(torch.exp, x), phrase="v can only be None")
    see.raises("vjp: size", lambda: F.vjp(torch.exp, x, v[:1]), phrase="v has invalid size")
    see.raises("jvp: size", lambda: F.jvp(torch.exp, x, v[:1]), phrase="v has invalid size")
    see.raises("two", lambda: F.vjp(torch.exp, x, (v, v)), phrase="should contain a single Tensor")
    see.raises("too few", lambda: F.jvp(torch.mul, (x, v), (v,)), phrase="tuple of invalid length")
    see.raises(
        "the second",
        lambda: F.jvp(torch.mul, (x, v), (v, v[:2])),
        phrase="Entry 1 in v has invalid",
    )
    see.raises("a list", lambda: F.vjp(torch.exp, x, [v]), phrase="the given v has type")
    see.raises("a number", lambda: F.hvp(_cube, x, 2.0), phrase="the given v has type")
    see("in a tuple", F.vjp(torch.exp, x, (v,)))


@program(rules="B-4")
def jacobians(torch, see):
    F = torch.autograd.functional
    x, y = _points(torch)
    see("one", F.jacobian(lambda t: t.cumprod(0), x))
    see("several", F.jacobian(lambda a, b: (a * b, a.sum()), (x, y)))
    see("in tuples of one", F.jacobian(lambda a: (a * 2,), (x,)))
    see("of a matrix", F.jacobian(lambda t: (t[:, None] * y).reshape(1, 9)[:, ::2], x))
    see("vectorized", F.jacobian(lambda t: t.cumprod(0), x, vectorize=True))
    see("several, vectorized", F.jacobian(lambda a, b: (a * b, a.sum()), (x, y), vectorize=True))
    see("independent", F.jacobian(lambda a, b: (a * 2, y), (x, y), vectorize=True))
    see.raises("strategy", lambda: F.jacobian(torch.exp, x, strategy="sideways"))
    see.raises(
        "forward needs vectorize",
        lambda: F.jacobian(torch.exp, x, strategy="forward-mode"),
        phrase="vectorize",
    )
    see.raises(
        "forward and create_graph",
        lambda: F.jacobian(
            torch.exp, x, vectorize=True, create_graph=True, strategy="forward-mode"
        ),
        phrase="are not supported together",
    )
    see.raises(
        "forward and strict",
        lambda: F.jacobian(torch.exp, x, vectorize=True, strict=True, strategy="forward-mode"),
        phrase="are not supported together",
    )
    see.raises(
        "strict and vectorize",
        lambda: F.jacobian(torch.exp, x, vectorize=True, strict=True),
        phrase="are not supported together",
    )


@program(rules="B-4")
def a_jacobian_without_rows(torch, see):
    F = torch.autograd.functional
    x, _ = _points(torch)
    see.differs(
        "no outputs",
        see.outcome(lambda: tuple(F.jacobian(lambda t: t[:0], x).shape)),
        torch=RuntimeError,
        vizgrad=(0, 3),
        because="its shape is known: output.shape + input.shape",
    )


@program(rules="B-5")
def hessians(torch, see):
    F = torch.autograd.functional
    x, y = _points(torch)
    see("one", F.hessian(lambda t: (t.prod() * t).sum(), x))
    see("several", F.hessian(lambda a, b: (a * b.exp()).sum() * a.prod(), (x, y)))
    see("vectorized", F.hessian(_cube, x, vectorize=True))
    see("of a matrix", F.hessian(lambda t: t.prod() * t.sum(), x.reshape(1, 3)))
    see("one element of any shape", F.hessian(lambda t: (t**3).sum().reshape(1, 1), x))
    see("linear", F.hessian(lambda t: t.sum(), x))
    see.raises(
        "a vector", lambda: F.hessian(torch.exp, x), phrase="should contain a single element"
    )
    see.raises(
        "two", lambda: F.hessian(lambda t: (t.sum(), t.sum()), x), phrase="return a single Tensor"
    )
    see.raises("strategy", lambda: F.hessian(_cube, x, outer_jacobian_strategy="sideways"))
    see.raises(
        "forward needs vectorize",
        lambda: F.hessian(_cube, x, outer_jacobian_strategy="forward-mode"),
        phrase="vectorize",
    )
    see.raises(
        "strict and vectorize",
        lambda: F.hessian(_cube, x, vectorize=True, strict=True),
        phrase="are not supported together",
    )


@program(rules="B-6", each=["vhp", "hvp"])
def products_with_a_hessian(torch, see, name):
    f = _function(torch, name)
    x, v = _points(torch)
    see("one", f(_cube, x, v))
    see("several", f(lambda a, b: (a * b.exp()).sum() * a.prod(), (x, v), (v, x)))
    see("one element", f(lambda t: t**4, x[0]))
    see("linear", f(lambda t: t.sum(), x, v))
    see.raises("a vector", lambda: f(torch.exp, x, v), phrase="should contain a single element")
    see.raises(
        "two", lambda: f(lambda t: (t.sum(), t.sum()), x, v), phrase="should return a single Tensor"
    )
    see.raises("v missing", lambda: f(_cube, x), phrase="v can only be None")


@program(rules="B-1", each=NAMES)
def tensors_and_tuples_of_tensors_alone(torch, see, name):
    f = _function(torch, name)
    x, v = _points(torch)
    settings = _settings(name, v)
    see.raises("a list", lambda: f(_cube, [x], **settings), phrase="the given inputs has type")
    see.raises("a number", lambda: f(_cube, 3.0, **settings), phrase="<class 'float'>")
    see.raises("inside", lambda: f(_cube, (x, 3), **settings), phrase="the value at index 1 has")
    see.raises(
        "returned",
        lambda: f(lambda t: 3.0, x, **settings),
        phrase="outputs of the user-provided function",
    )
    see.raises("inside what is returned", lambda: f(lambda t: (t.sum(), 3), x, **settings))
    see.raises(
        "integers",
        lambda: f(lambda t: t.sum(), torch.tensor([1, 2]), **settings),
        phrase="floating point",
    )


@program(rules="B-2", each=NAMES)
def what_stays_in_the_graph(torch, see, name):
    f = _function(torch, name)
    x, v = _points(torch)
    leaf = x.clone().requires_grad_()
    settings = _settings(name, v)
    seen = []

    def watched(t):
        seen.append((t is leaf, t.requires_grad, t.is_leaf, torch.is_grad_enabled()))
        return _cube(t)

    def flags(result):
        return [r.requires_grad for r in (result if isinstance(result, tuple) else (result,))]

    see("without", flags(f(watched, leaf, **settings)))
    see("create_graph", flags(f(watched, leaf, create_graph=True, **settings)))
    see(
        "of a tensor that does not require grad",
        flags(f(watched, x, create_graph=True, **settings)),
    )
    with torch.no_grad():
        see("without grad mode", f(watched, x, **settings))
    see("what the function saw", seen)
    result = f(_cube, leaf, create_graph=True, **settings)
    last = result[1] if isinstance(result, tuple) else result
    see("its gradient", torch.autograd.grad(last.sum(), leaf)[0])
    see("no gradient was left", leaf.grad, expect=None)


@program(rules="B-7", each=NAMES)
def what_does_not_depend_on_the_inputs(torch, see, name):
    f = _function(torch, name)
    x, v = _points(torch)
    other = x.clone().requires_grad_()
    one, two = _settings(name, v), _settings(name, (v, v))

    def constant(t):
        return torch.ones((), dtype=torch.float64)

    see("zeros", f(constant, x, **one))
    see("zeros for one", f(lambda a, b: _cube(a), (x, v), **two))
    see("linear", f(lambda t: t.sum(), x, **one))
    see("linear, create_graph", f(lambda t: t.sum(), x, create_graph=True, **one))
    see.raises(
        "strict: constant",
        lambda: f(constant, x, strict=True, **one),
        phrase="Output 0 of the user-provided function does not require gradients",
    )
    see.raises(
        "strict: of another tensor",
        lambda: f(lambda t: other.sum(), x, strict=True, **one),
        phrase="independent of",
    )
    see.raises(
        "strict: of one alone",
        lambda: f(lambda a, b: a.sum(), (x, v), strict=True, **two),
        phrase="independent of",
    )
    see.attempt("strict: linear", lambda: f(lambda t: t.sum(), x, strict=True, **one))
    see.raises(
        "strict: linear, create_graph",
        lambda: f(lambda t: t.sum(), x, strict=True, create_graph=True, **one),
        phrase="independent of",
    )
    see("strict: all is well", f(_cube, x, strict=True, **one))


@program(rules="B-2 B-3")
def vectors_in_the_graph(torch, see):
    F = torch.autograd.functional
    x, v = _points(torch)
    v.requires_grad_()
    for name in ("vjp", "jvp"):
        product = getattr(F, name)(torch.exp, x, v, create_graph=True)[1]
        see(name, torch.autograd.grad(product.sum(), v)[0])
    for name in ("vhp", "hvp"):
        product = getattr(F, name)(_cube, x, v, create_graph=True)[1]
        see(name, torch.autograd.grad(product.sum(), v)[0])


@program(rules="B-3 B-4")
def complex_numbers(torch, see):
    F = torch.autograd.functional
    z = torch.tensor([1 + 2j, -0.5j], dtype=torch.complex128)
    w = torch.tensor([1j, 2.0], dtype=torch.complex128)

    def length(t):
        return (t * t.conj()).sum().real

    see("vjp", F.vjp(length, z))
    see("jvp", F.jvp(length, z, w))
    see("jacobian", F.jacobian(length, z))
    see("vhp", F.vhp(length, z, w))
    see("holomorphic", F.vjp(lambda t: t * t, z, w))


@program(rules="B-4")
def in_place_and_views_inside(torch, see):
    F = torch.autograd.functional
    x, v = _points(torch)

    def f(t):
        y = t.clone()
        y[1:].mul_(t[:-1])
        return y

    see("jacobian", F.jacobian(f, x))
    see("jvp", F.jvp(f, x, v))
    see.raises("of the input itself", lambda: F.jacobian(lambda t: t.mul_(2), x))
    see("which stays what it was", x)
