"""What is built on forward mode: Jacobians by columns, gradcheck of tangents."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="B-4")
def jacobians_by_columns(torch, see):
    F = torch.autograd.functional
    x = torch.tensor(wave(2, 3), dtype=torch.float64)
    y = torch.tensor(wave(3, seed=1), dtype=torch.float64)
    how = {"vectorize": True, "strategy": "forward-mode"}
    see("one", F.jacobian(lambda a: a.sin() @ a.t(), x, **how))
    several = F.jacobian(lambda a, b: ((a * b).exp(), b.sum()), (x, y), **how)
    see("several", [list(row) for row in several])
    see("of one", [list(row) for row in F.jacobian(lambda a: (a.cumprod(1),), (x,), **how)])
    see("a constant", F.jacobian(lambda a: torch.ones(2, dtype=torch.float64), x, **how))
    see("softmax", F.jacobian(lambda a: a.softmax(1).log(), x, **how))
    see("integers", F.jacobian(lambda a: a.argsort(1), x, **how).tolist())


@program(rules="B-5")
def hessians_by_columns(torch, see):
    F = torch.autograd.functional
    x = torch.tensor(wave(2, 3), dtype=torch.float64)
    y = torch.tensor(wave(3, seed=1), dtype=torch.float64)
    how = {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}
    see("one", F.hessian(lambda a: (a**3).sum() * a[0, 0].tanh(), x, **how).detach())
    found = F.hessian(lambda a, b: (a.exp() * b).sum() * b.prod(), (x, y), **how)
    see("several", [[block.detach() for block in row] for row in found])


def _cube(torch, jvp):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    if jvp is not None:
        Cube.jvp = staticmethod(jvp)
    return Cube.apply


def _right(ctx, t):
    return 3 * ctx.saved_tensors[0] ** 2 * t


@program(rules="G-1 G-2", each=("slow", "fast"))
def checks_of_tangents(torch, see, how):
    def check(f, **options):
        x = torch.tensor(wave(3), dtype=torch.float64, requires_grad=True)
        options = {"check_forward_ad": True, "fast_mode": how == "fast"} | options
        return torch.autograd.gradcheck(f, (x,), **options)

    see("right", check(_cube(torch, _right)), expect=True)
    see("of operations", check(lambda x: (x.exp() * x.sin(), x.prod())), expect=True)
    see("alone", check(torch.tanh, check_backward_ad=False), expect=True)
    wrong = _cube(torch, lambda ctx, t: 2 * t)
    see("not looked at", check(wrong, check_forward_ad=False), expect=True)
    see.raises("wrong", lambda: check(wrong), phrase="with forward mode")
    see("quietly", check(wrong, raise_exception=False), expect=False)
    see.raises("absent", lambda: check(_cube(torch, None)), phrase="implement the jvp")
    see("batched", check(torch.tanh, check_batched_forward_grad=True), expect=True)


@program(rules="G-7")
def checks_forward_over_reverse(torch, see):
    x = torch.tensor(wave(3), dtype=torch.float64, requires_grad=True)
    check = torch.autograd.gradgradcheck
    see(
        "operations", check(lambda x: x.exp() * x.sin(), (x,), check_fwd_over_rev=True), expect=True
    )
    see(
        "alone",
        check(
            torch.tanh,
            (x,),
            check_fwd_over_rev=True,
            check_rev_over_rev=False,
            check_undefined_grad=False,
        ),
        expect=True,
    )
    see.raises(
        "undefined gradients without backward",
        lambda: check(torch.tanh, (x,), check_fwd_over_rev=True, check_rev_over_rev=False),
        phrase="requires check_rev_over_rev",
    )
    see("of a Function", check(_cube(torch, _right), (x,), check_fwd_over_rev=True), expect=True)
