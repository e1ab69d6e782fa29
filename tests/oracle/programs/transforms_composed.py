"""Transforms of transforms, two and three deep: torch.func's own results (C-5)."""

from itertools import product

from tests.oracle.data import wave
from tests.oracle.registry import program


def _written(torch, t):
    out = torch.zeros_like(t)
    out[1:] = t[:-1] * 2
    out.mul_(t)
    return (out + t.clone().mul_(t)).sum()


FUNCTIONS = {
    "sines": lambda torch, t: (t.sin() * t).sum(),
    "products": lambda torch, t: t.prod() + (t**2).cumsum(0).sum(),
    "matrix": lambda torch, t: (torch.outer(t, t) @ t.tanh()).sum(),
    "views": lambda torch, t: (t[1:] * t[:-1].exp()).sum() + t.flip(0)[0] ** 3,
    "chosen": lambda torch, t: torch.where(t > 0, t**3, t.exp()).sum() + t.logsumexp(0),
    "written": _written,
}


#: A function of a vector to a number -> a function of a vector: by one derivative.
def _gradient(torch, f):
    return torch.func.grad(f)


def _rows(torch, f):
    return torch.func.jacrev(f)


def _columns(torch, f):
    return torch.func.jacfwd(f)


def _pulled(torch, f):
    return lambda t: torch.func.vjp(f, t)[1](torch.ones_like(f(t)))[0]


def _pushed(torch, f):
    def along(t):
        eye = torch.eye(3, dtype=t.dtype)
        return torch.func.vmap(lambda v: torch.func.jvp(f, (t,), (v,))[1])(eye)

    return along


DERIVATIVES = (_gradient, _rows, _columns, _pulled, _pushed)
#: Of vectors: the sum makes a number of it again.
PAIRS = [(f"{a.__name__}{b.__name__}", a, b) for a, b in product(DERIVATIVES, repeat=2)]
TRIPLES = [
    (f"{a.__name__}{b.__name__}{c.__name__}", a, b, c)
    for a, b, c in product((_gradient, _columns, _rows, _pushed), repeat=3)
]


def _point(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64)


@program(rules="C-5", each=PAIRS)
def two_deep(torch, see, case):
    _, outer, inner = case
    for name, function in FUNCTIONS.items():
        first = inner(torch, lambda t, function=function: function(torch, t))
        see(name, outer(torch, lambda t, first=first: (first(t) * t.cos()).sum())(_point(torch, 3)))


@program(rules="C-5", each=TRIPLES)
def three_deep(torch, see, case):
    _, *kinds = case
    for name in ("sines", "matrix"):
        f = _nested(torch, FUNCTIONS[name], kinds)
        see(name, f(_point(torch, 3)))


def _nested(torch, function, kinds):
    def f(t):
        return function(torch, t)

    for kind in kinds[:-1]:
        f = _sum(kind(torch, f))
    return kinds[-1](torch, f)


def _sum(f):
    return lambda t: (f(t) * t).sum()


@program(rules="C-5", each=[(d.__name__, d) for d in DERIVATIVES])
def in_a_batch_and_around_one(torch, see, case):
    _, derivative = case
    x = _point(torch, 2, 3)
    for name, function in FUNCTIONS.items():
        if case[0] == "_pushed" and name == "written":
            continue  # PyTorch refuses to write a tangent that is batched into one that is not

        def one(t, function=function):
            return function(torch, t)

        see(f"{name} in a batch", torch.func.vmap(derivative(torch, one))(x))
        see(f"{name} twice", torch.func.vmap(derivative(torch, _sum(derivative(torch, one))))(x))
    see(
        "around a batch",
        torch.func.jacrev(torch.func.vmap(lambda r: (r**3).sum()))(x),
    )
    see(
        "columns around a batch",
        torch.func.jacfwd(torch.func.vmap(lambda r: (r**3).sum()))(x),
    )


@program(rules="C-5", each=["grad", "jvp", "mixed", "other"])
def perturbations_are_not_confused(torch, see, case):
    grad, jvp = torch.func.grad, torch.func.jvp
    one, two = torch.tensor(1.0), torch.tensor(2.0)

    def forward(f):
        return lambda t: jvp(f, (t,), (torch.ones_like(t),))[1]

    outer, inner = {
        "grad": (grad, grad), "jvp": (forward, forward), "mixed": (grad, forward),
        "other": (forward, grad),
    }[case]  # fmt: skip
    see("sum", outer(lambda x: x * inner(lambda y: x + y)(one))(two), expect=1)
    see("product", outer(lambda x: x * inner(lambda y: x * y * y)(one))(two), expect=8)


@program(rules="C-4 C-1", each=["jacrev", "jacfwd", "hessian", "grad"])
def nests_of_arguments(torch, see, case):
    func = torch.func
    tree = {"a": _point(torch, 2), "b": [_point(torch, 3, seed=1)]}
    other = _point(torch, 2, seed=2)

    def f(tree, other):
        return {"o": tree["a"] * other * tree["b"][0].sum(), "p": (tree["b"][0] ** 3,)}

    def number(tree, other):
        return (tree["a"] * other).sum() * (tree["b"][0] ** 2).sum()

    if case in ("grad", "hessian"):
        made = getattr(func, case)
        see("first", made(number)(tree, other))
        see("both", made(number, argnums=(0, 1))(tree, other))
        see("last", made(number, argnums=-1)(tree, other))
        return
    made = getattr(func, case)
    see("first", made(f)(tree, other))
    see("both", made(f, argnums=(0, 1))(tree, other))
    see("aux", made(lambda t, o: (f(t, o), {"x": o * 2}), has_aux=True)(tree, other))


@program(rules="C-4", each=[1, 2, 5, 100])
def rows_in_chunks(torch, see, case):
    x = _point(torch, 4)
    see("rows", torch.func.jacrev(lambda t: (t**2, t.sum()), chunk_size=case)(x))
    see.raises("none", lambda: torch.func.jacrev(torch.sin, chunk_size=0), phrase="chunk_size")


@program(rules="C-6")
def what_is_outside_is_reached(torch, see):
    func = torch.func
    x = _point(torch, 3)
    w = _point(torch, 3, seed=1).requires_grad_()
    found = func.grad(lambda t: (t * t * w).sum())(x)
    see("outer", torch.autograd.grad(found.sum(), w))
    found = func.vmap(func.grad(lambda t, w: (t * t * w).sum()), (0, None))(_point(torch, 2, 3), w)
    see("through a batch", torch.autograd.grad(found.sum(), w))
    see("not needed", func.grad(lambda t: (t * t + w).sum())(x).requires_grad, expect=False)
    see("argument", torch.autograd.grad(func.grad(lambda t: (t**3).sum())(w).sum(), w))
    see("value", func.grad_and_value(lambda t: (t * w).sum())(x)[1].requires_grad, expect=True)
    out, pull = func.vjp(lambda t: t * t, w)
    see("pulled later", torch.autograd.grad(pull(out)[0].sum(), w))
    with torch.no_grad():
        see("no_grad outside", func.grad(lambda t: (t * w).sum())(x).requires_grad, expect=False)
        see("value there", func.grad(lambda t: (t * t * w).sum())(x))
    see("jvp", torch.autograd.grad(func.jvp(lambda t: t**2 * w, (x,), (x,))[1].sum(), w))
    see("jacfwd", torch.autograd.grad(func.jacfwd(lambda t: t**2 * w)(x).sum(), w))
    see("jacrev", torch.autograd.grad(func.jacrev(lambda t: t**2 * w)(x).sum(), w))
    see("hessian", torch.autograd.grad(func.hessian(lambda t: (t**3 * w).sum())(x).sum(), w))


@program(rules="C-7")
def what_may_not_be_done_inside(torch, see):
    grad, x, captured = torch.func.grad, _point(torch, 3), _point(torch, 3, seed=1)

    def written(t):
        captured.add_(t)
        return captured.sum()

    def filled(t):
        captured.zero_()
        return t.sum()

    def part(t):
        captured[0] = t[0]
        return t.sum()

    def backward(t):
        t.sum().backward()
        return t.sum()

    see.raises("a captured tensor", lambda: grad(written)(x), phrase="captured")
    see.raises("with a number", lambda: grad(filled)(x), phrase="captured")
    see.raises("a part of it", lambda: grad(part)(x), phrase="captured")
    see("it is as before", captured)
    see.raises("the argument", lambda: grad(lambda t: t.mul_(2).sum())(x), phrase="leaf")
    see.raises("backward", lambda: grad(backward)(x), phrase="backward() called inside")
    see.raises(
        "requires_grad_", lambda: grad(lambda t: t.requires_grad_().sum())(x),
        phrase="attempting to call Tensor.requires_grad_()",
    )  # fmt: skip
    see("made inside", grad(lambda t: torch.zeros(3, dtype=t.dtype).add_(t).sum())(x))
    see("an argument", grad(lambda t, o: o.add_(t).sum())(x, torch.zeros(3, dtype=x.dtype)))

    def local(t):
        return torch.autograd.grad((t**3).sum(), t)[0].sum()

    def recorded(t):
        return torch.autograd.grad((t**3).sum(), t, create_graph=True)[0].sum()

    see("local", grad(local)(x), expect=[0, 0, 0])
    see("recorded", grad(recorded)(x))
    batch = torch.stack([x, 2 * x])
    see("in a batch", torch.func.vmap(grad(recorded))(batch))
    see("local in a batch", torch.func.vmap(grad(local))(batch))

    def of_example(t):
        return grad(lambda s: t.add_(s).sum())(x)

    see.raises("an example", lambda: torch.func.vmap(of_example)(batch), phrase="captured")


@program(rules="C-1 C-2 C-3")
def what_is_refused(torch, see):
    func, x, whole = torch.func, _point(torch, 3), torch.arange(3)
    grad, vjp, jvp = func.grad, func.vjp, func.jvp
    see.raises("not a tensor", lambda: grad(lambda t: 3.0)(x), phrase="return a Tensor")
    see.raises("a tuple", lambda: grad(lambda t: (t.sum(),))(x), phrase="return a Tensor")
    see.raises("dims", lambda: grad(torch.sin)(x), phrase="vjp or jacrev")
    see.raises("argument", lambda: grad(lambda t: t)(3.0), phrase="must be Tensor")
    see.raises("in a list", lambda: grad(lambda t: t[0].sum())([x, 3.0]), phrase="must be Tensor")
    see.raises("integers", lambda: grad(lambda t: t.sum())(whole), phrase="floating point")
    for number, phrase in (
        (1, "positional inputs"),
        ((), "non-empty"),
        ((0, 0), "unique"),
        ("a", "argnums"),
    ):
        see.raises(
            f"argnums {number}", lambda n=number: grad(torch.sum, argnums=n)(x), phrase=phrase
        )
    see.raises("no pair", lambda: grad(torch.sum, has_aux=True)(x), phrase="has_aux")
    see.raises(
        "aux", lambda: grad(lambda t: (t.sum(), 3), has_aux=True)(x), phrase="unsupported type"
    )
    pull = vjp(lambda t: {"a": t.sin()}, x)[1]
    see.raises("structure", lambda: pull(x), phrase="pytree structure")
    see.raises("shape", lambda: pull({"a": x[:2]}), phrase="Mismatch in shape")
    see("again", [pull({"a": x}), pull({"a": 2 * x})])
    see.raises("vjp of a number", lambda: vjp(lambda t: 3.0, x), phrase="return only tensors")
    see.raises("vjp at a number", lambda: vjp(torch.sin, 3.0), phrase="must be Tensor")
    see.raises("vjp without a pair", lambda: vjp(torch.sin, x, has_aux=True), phrase="has_aux")
    see.raises("primals", lambda: jvp(torch.sin, x, x), phrase="tuple")
    see.raises("tangents", lambda: jvp(torch.sin, (x,), ([x],)), phrase="structure")
    see.raises("sizes", lambda: jvp(torch.sin, (x,), (x[:2],)), phrase="different size")
    see.raises("no primals", lambda: jvp(lambda: x, (), ()), phrase="at least one")
    see.raises("jvp of a number", lambda: jvp(lambda t: 3.0, (x,), (x,)), phrase="only tensors")
    see.raises(
        "jvp at integers", lambda: jvp(torch.exp, (whole,), (whole,)), phrase="floating point"
    )
    push = func.linearize(torch.sin, x)[1]
    see.raises("more tangents", lambda: push(x, x), phrase="argspec")
    see.raises("other tangents", lambda: push(x[:2]), phrase="shape")


@program(rules="C-1 C-3")
def what_does_not_depend_is_zero(torch, see):
    func, x = torch.func, _point(torch, 3)
    see("unused", func.grad(lambda a, b: a.sum(), argnums=1)(x, x))
    see("constant", func.jvp(lambda t: torch.ones(2), (x,), (x,)))
    see("columns", func.jacfwd(lambda t: torch.ones(2))(x))
    see("rows", func.jacrev(lambda t: torch.ones(2) + 0 * t[:2])(x))
    see("detached", func.grad(lambda t: (t.detach() * t).sum())(x))
    see(
        "in a batch", func.vmap(func.grad(lambda t: torch.ones(()) + 0 * t[0]))(_point(torch, 2, 3))
    )
    pull = func.vjp(lambda t: (t * 2, torch.ones(3, dtype=t.dtype)), x)[1]
    see("one of two", pull((x, x)))


@program(rules="C-8")
def what_escapes(torch, see):
    kept, x = [], _point(torch, 3)
    torch.func.grad(lambda t: (kept.append(t * 2), t.sum())[1])(x)
    out = kept.pop() + 1
    see("from a gradient", out.detach())
    see.differs(
        "its history", out.requires_grad, torch=False, vizgrad=True,
        because="it still has the graph that it was made in, which leads to the argument and ends there",
    )  # fmt: skip
    torch.func.vmap(lambda t: (kept.append(t * 2), t)[1])(x)
    try:
        used = (kept.pop() + 1).shape == (3,)
    except RuntimeError:
        used = False
    see.differs(
        "from a batch", used, torch=False, vizgrad=True,
        because="what is left of a batch is a plain tensor: the level that it was of is over",
    )  # fmt: skip
