"""once_differentiable."""

from tests.oracle.registry import program


def _once(torch, result=None):
    once = torch.autograd.function.once_differentiable
    modes = []

    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        @once
        def backward(ctx, grad):
            modes.append(torch.is_grad_enabled())
            if result is not None:
                return result(grad)
            return 3 * ctx.saved_tensors[0] ** 2 * grad

    return Once, modes


@program(rules="F-70")
def the_first_derivative_is_ordinary(torch, see):
    fn, modes = _once(torch)
    x = torch.tensor(2.0, requires_grad=True)
    see("gradient", torch.autograd.grad(fn.apply(x), x)[0], expect=12)
    torch.autograd.grad(fn.apply(x) ** 2, x, create_graph=True)
    see("always without grad inside", modes, expect=[False, False])


@program(rules="F-71")
def a_second_one_is_refused(torch, see):
    fn, _ = _once(torch)
    x = torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad(fn.apply(x) ** 2, x, create_graph=True)
    see("first", g, expect=192)
    see.raises("second", g.backward, phrase="once_differentiable")


@program(rules="F-72")
def with_a_constant_gradient_nothing_is_known_of_it(torch, see):
    fn, _ = _once(torch)
    x = torch.tensor([2.0], requires_grad=True)
    (g,) = torch.autograd.grad(fn.apply(x).sum(), x, create_graph=True)
    see("first", g)
    see.raises("second", lambda: torch.autograd.grad(g.sum(), x), phrase="does not require grad")


@program(rules="F-73")
def none_stays_none(torch, see):
    fn, _ = _once(torch, lambda g: None)
    x = torch.tensor(2.0, requires_grad=True)
    y = fn.apply(x) ** 2
    see("gradient", torch.autograd.grad(y, x, create_graph=True, allow_unused=True)[0], expect=None)


@program(rules="F-71 E-3")
def the_node_of_a_refused_result(torch, see):
    fn, _ = _once(torch)
    x = torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad(fn.apply(x) ** 2, x, create_graph=True)
    see.differs(
        "name",
        g.grad_fn,
        torch="Error",
        vizgrad="DelayedError",
        because="F-71: vizgrad's name for it",
    )
