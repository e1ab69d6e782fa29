"""What backward may return, in every variety."""

from tests.oracle.making import function, leaf
from tests.oracle.registry import program


@program(rules="F-60")
def the_mode_inside_backward(torch, see):
    modes = []
    fn = function(
        torch, lambda ctx, x: x * 1, lambda ctx, g: (modes.append(torch.is_grad_enabled()), g)[1]
    )
    y = fn.apply(leaf(torch)).sum()
    y.backward(retain_graph=True)
    torch.autograd.grad(
        y, y.grad_fn.next_functions[0][0].next_functions[0][0].variable, create_graph=True
    )
    with torch.no_grad():
        y.backward(retain_graph=True)
    see("modes", modes, expect=[False, True, False])


_RETURNS = {
    "exact": lambda g: (g, None, g),
    "extra None": lambda g: (g, None, g, None, None),
    "extra gradient": lambda g: (g, None, g, g),
    "too few": lambda g: (g, None),
    "one object": lambda g: g,
    "a list": lambda g: [g, None, g],
    "a list in a tuple": lambda g: ([g], None, g),
    "None for a tensor": lambda g: (None, None, g),
    "all None": lambda g: (None, None, None),
    "one None": lambda g: None,
    "a number": lambda g: (3, None, g),
    "for a number": lambda g: (g, g, g),
    "for a constant": lambda g: (g, None, g * 7, None),
}


@program(rules="F-61 F-62 F-63", each=_RETURNS.items())
def what_backward_may_return(torch, see, case):
    fn = function(torch, lambda ctx, x, n, c: x * n * c, lambda ctx, g: case[1](g))
    x = leaf(torch)
    y = fn.apply(x, 2, torch.ones(2)).sum()
    see.attempt("backward", y.backward)
    see("gradient", x.grad)


_SHAPES = {
    "equal": (3,), "summed": (2, 3), "summed twice": (4, 2, 3), "one": (1,), "scalar": (), "other": (4,),
    "transposed": (3, 2), "with a one": (1, 3),
}  # fmt: skip


@program(rules="F-64", each=_SHAPES.items())
def shapes_of_returned_gradients(torch, see, case):
    fn = function(torch, lambda ctx, x: x * 1, lambda ctx, g: torch.ones(case[1]))
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = fn.apply(x).sum()
    see.attempt("backward", y.backward)
    see("gradient", x.grad)


@program(rules="F-64", each=_SHAPES.items())
def shapes_of_gradients_for_a_column(torch, see, case):
    fn = function(torch, lambda ctx, x: x * 1, lambda ctx, g: torch.ones(case[1]))
    x = torch.ones(3, 1, requires_grad=True)
    y = fn.apply(x).sum()
    see.attempt("backward", y.backward)
    see("gradient", x.grad)


@program(rules="F-65", each=("float64", "float16", "int64", "bool", "int32"))
def types_of_returned_gradients(torch, see, name):
    fn = function(
        torch, lambda ctx, x: x * 1, lambda ctx, g: torch.ones(2).to(getattr(torch, name))
    )
    x = leaf(torch)
    y = fn.apply(x).sum()
    see.attempt("backward", y.backward)
    see("gradient", x.grad)


@program(rules="F-67")
def gradients_may_be_expanded_or_strided(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    for name, make in (
        ("expanded", lambda g: torch.tensor(2.0).expand(2, 3)),
        ("transposed", lambda g: torch.arange(6.0).reshape(3, 2).t()),
        ("stepped", lambda g: torch.arange(12.0).reshape(2, 6)[:, ::2]),
    ):
        fn = function(torch, lambda ctx, x: x * 1, lambda ctx, g: make(g))
        x.grad = None
        fn.apply(x).sum().backward()
        see(name, x.grad)
        see.layout(f"{name}: layout", x.grad)
        fn.apply(x).sum().backward()
        see(f"{name}: added", x.grad)


@program(rules="F-68 F-69")
def undefined_gradients_upstream(torch, see):
    none = function(torch, lambda ctx, x: x * 1, lambda ctx, g: None)
    zeroed = function(torch, lambda ctx, x: x * 1, lambda ctx, g: g)
    a, b, c = leaf(torch), leaf(torch), leaf(torch)
    none.apply(a).sum().backward()
    see("a leaf", a.grad, expect=None)
    none.apply(b * 2).sum().backward()
    see("behind a built-in node", b.grad, expect=None)
    none.apply(zeroed.apply(c)).sum().backward()
    see("behind a custom node", c.grad, expect=[0, 0])
    twice = function(torch, lambda ctx, p, q: p * q, lambda ctx, g: (g * 2, g * 3))
    x = leaf(torch)
    y = twice.apply(x, x)
    see("edges", len(y.grad_fn.next_functions), expect=2)
    y.sum().backward()
    see("added", x.grad, expect=[5, 5])


@program(rules="F-70 F-71 F-72 F-73")
def results_of_once_differentiable(torch, see):
    once = torch.autograd.function.once_differentiable
    modes = []

    def forward(ctx, x, c, n):
        return x * c

    def backward(ctx, g):
        modes.append(torch.is_grad_enabled())
        return g * 3, None, None

    fn = function(torch, forward, once(backward))
    x, s = leaf(torch), leaf(torch)
    y = fn.apply(x, torch.ones(2), 1)
    (plain,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    see("without create_graph", plain)
    (constant,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    see("no incoming gradient requires grad", constant)
    see.raises("then", lambda: constant.sum().backward(), phrase="does not require grad")
    (delayed,) = torch.autograd.grad((y * s).sum(), x, create_graph=True)
    see("one does", delayed)
    see.raises("delayed", lambda: delayed.sum().backward(), phrase="once_differentiable")
    see("modes", modes, expect=[False] * 3)


@program(rules="F-73")
def a_list_of_once_differentiable(torch, see):
    once = torch.autograd.function.once_differentiable
    fn = function(torch, lambda ctx, x: x * 1, once(lambda ctx, g: [g]))
    x = leaf(torch)
    y = fn.apply(x).sum()
    see.attempt("backward", y.backward)
