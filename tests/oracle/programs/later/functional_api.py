"""torch.autograd.functional."""

from functools import partial

from tests.oracle.registry import program as plain_program

program = partial(plain_program, milestone="transforms")


def _points(torch):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return x, torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


@program(rules="B-3")
def vjp_and_jvp(torch, see):
    F = torch.autograd.functional
    x, v = _points(torch)
    see("vjp", F.vjp(lambda t: t.exp() * t.sum(), x, v))
    see("vjp of a scalar", F.vjp(lambda t: (t**2).sum(), x))
    see("jvp", F.jvp(lambda t: t.exp() * t.sum(), x, v))
    see.raises("v missing", lambda: F.vjp(lambda t: t.exp(), x), phrase="single")
    see.raises("size of v", lambda: F.vjp(lambda t: t.exp(), x, v[:1]), phrase="size")


@program(rules="B-4")
def jacobians(torch, see):
    F = torch.autograd.functional
    x, y = _points(torch)
    see("one", F.jacobian(lambda t: t.cumprod(0), x))
    see("several", F.jacobian(lambda a, b: (a * b, a.sum()), (x, y)))
    see("vectorized", F.jacobian(lambda t: t.cumprod(0), x, vectorize=True))
    see(
        "forward mode",
        F.jacobian(lambda t: t.cumprod(0), x, vectorize=True, strategy="forward-mode"),
    )
    see.raises("strategy", lambda: F.jacobian(torch.exp, x, strategy="sideways"))
    see.raises(
        "forward needs vectorize",
        lambda: F.jacobian(torch.exp, x, strategy="forward-mode"),
        phrase="vectorize",
    )


@program(rules="B-5 B-6")
def hessians_and_products(torch, see):
    F = torch.autograd.functional
    x, v = _points(torch)

    def f(t):
        return (t.prod() * t).sum()

    see("hessian", F.hessian(f, x))
    see("vhp", F.vhp(f, x, v))
    see("hvp", F.hvp(f, x, v))
    see.raises("not a scalar", lambda: F.hessian(torch.exp, x), phrase="single")


@program(rules="B-1 B-2 B-7")
def structure_and_independence(torch, see):
    F = torch.autograd.functional
    x, y = _points(torch)
    see.raises("a list", lambda: F.jacobian(torch.exp, [1.0]), phrase="list")
    see("independent", F.jacobian(lambda a, b: a * 2, (x, y))[1])
    see.raises(
        "strict", lambda: F.jacobian(lambda a, b: a * 2, (x, y), strict=True), phrase="independent"
    )
    kept = x.clone().requires_grad_()
    see("create_graph", F.jacobian(torch.exp, kept, create_graph=True).requires_grad, expect=True)
    see("without", F.jacobian(torch.exp, kept).requires_grad, expect=False)
