"""Dual numbers, and jvp of custom Functions."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.registry import program as plain_program

program = partial(plain_program, milestone="transforms")


@program(rules="A-1")
def levels(torch, see):
    fwad = torch.autograd.forward_ad
    see.raises("without a level", lambda: fwad.make_dual(torch.ones(1), torch.ones(1)))
    see.raises("exit without enter", fwad.exit_dual_level)
    with fwad.dual_level():

        def nested():
            with fwad.dual_level():
                pass

        see.raises("nested", nested, phrase="nested")


@program(rules="A-2 A-5")
def duals_are_made_and_unpacked(torch, see):
    fwad = torch.autograd.forward_ad
    primal, tangent = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    with fwad.dual_level():
        dual = fwad.make_dual(primal, tangent)
        see("a view", (dual._is_view(), dual._base is primal), expect=(True, True))
        p, t = fwad.unpack_dual(dual)
        see("primal and tangent", (p, t), expect=([1, 2], [3, 4]))
        see("same tangent", t is tangent, expect=True)
        see("of a plain tensor", fwad.unpack_dual(primal).tangent, expect=None)
    see("after the level", fwad.unpack_dual(dual).tangent, expect=None)


@program(rules="A-3")
def what_make_dual_refuses(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        see.raises(
            "int primal", lambda: fwad.make_dual(torch.tensor([1]), torch.ones(1)), phrase="int64"
        )
        see.raises("sizes", lambda: fwad.make_dual(torch.ones(2), torch.ones(3)), phrase="size")
        dual = fwad.make_dual(torch.ones(1), torch.ones(1))
        see.raises("a dual primal", lambda: fwad.make_dual(dual, torch.ones(1)))
        see.raises("a dual tangent", lambda: fwad.make_dual(torch.ones(1), dual))


_FUNCTIONS = {
    "exp": lambda torch, x: x.exp(),
    "product": lambda torch, x: x * x.sin() / (2 + x),
    "sum": lambda torch, x: x.sum(0),
    "prod": lambda torch, x: x.prod(),
    "mean var": lambda torch, x: x.mean(1) + x.var(1),
    "matmul": lambda torch, x: x @ x.t(),
    "softmax": lambda torch, x: x.softmax(1),
    "logsumexp": lambda torch, x: x.logsumexp(0),
    "views": lambda torch, x: x.t()[1:].reshape(-1)[None],
    "cat": lambda torch, x: torch.cat([x, x * 2]),
    "where": lambda torch, x: torch.where(x > 0, x * x, -x),
    "max": lambda torch, x: x.max(1)[0],
    "index": lambda torch, x: x[[0, 1, 0], [2, 1, 0]],
    "cumsum": lambda torch, x: x.cumsum(1),
    "norm": lambda torch, x: x.norm(dim=1),
    "clamp": lambda torch, x: x.clamp(-0.5, 0.5),
}


@program(rules="A-6", each=_FUNCTIONS.items())
def tangents_propagate(torch, see, case):
    fwad = torch.autograd.forward_ad
    _, fn = case
    x = torch.tensor(wave(2, 3), dtype=torch.float64)
    v = torch.tensor(wave(2, 3, seed=1), dtype=torch.float64)
    with fwad.dual_level():
        out = fwad.unpack_dual(fn(torch, fwad.make_dual(x, v)))
        see("primal", out.primal.clone())
        see("tangent", out.tangent.clone())


@program(rules="A-7 M-11")
def what_keeps_and_drops_a_tangent(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.ones(2))

        def has(t):
            return fwad.unpack_dual(t).tangent is not None

        see("clone, double", (has(dual.clone()), has(dual.double())), expect=(True, True))
        see("detach, data", (has(dual.detach()), has(dual.data)), expect=(False, False))
        with torch.no_grad():
            see("under no_grad", has(dual * 2), expect=True)
        see("comparison", has(dual > 0), expect=False)


@program(rules="A-8")
def in_place_and_views_of_duals(torch, see):
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        dual = fwad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])) * 1
        dual.mul_(3)
        see("in place", fwad.unpack_dual(dual).tangent.clone(), expect=[3, 30])
        see("of a view", fwad.unpack_dual(dual[1:]).tangent.clone(), expect=[30])
        plain = torch.zeros(3)
        plain[1:] = dual
        see(
            "written into a plain tensor",
            fwad.unpack_dual(plain).tangent.clone(),
            expect=[0, 3, 30],
        )
        dual.copy_(torch.zeros(2))
        see("overwritten", fwad.unpack_dual(dual).tangent.clone(), expect=[0, 0])


@program(rules="A-9")
def reverse_over_forward(torch, see):
    fwad = torch.autograd.forward_ad
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 3.0], dtype=torch.float64)
    with fwad.dual_level():
        tangent = fwad.unpack_dual(fwad.make_dual(x, v).exp()).tangent
        see("gradient of the tangent", torch.autograd.grad(tangent.sum(), x)[0])


@program(rules="F-80 F-81 A-10")
def custom_functions_have_a_jvp(torch, see):
    fwad = torch.autograd.forward_ad

    def function(jvp):
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x * factor

        if jvp:
            Scale.jvp = staticmethod(jvp)
        return Scale

    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
        out = function(lambda ctx, t, none: t * ctx.factor).apply(dual, 5.0)
        see("tangent", fwad.unpack_dual(out).tangent.clone(), expect=[5, 10])
        see.raises("absent", lambda: function(None).apply(dual, 5.0), phrase="jvp")
        see.raises("too many", lambda: function(lambda ctx, t, none: (t, t)).apply(dual, 5.0))
        see.raises("a number", lambda: function(lambda ctx, t, none: 3.0).apply(dual, 5.0))
        see.raises(
            "shape",
            lambda: function(lambda ctx, t, none: torch.ones(7)).apply(dual, 5.0),
            phrase="7",
        )
