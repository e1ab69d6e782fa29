"""`jvp` of custom Functions (F-80 ... F-83), and saving for it (F-42)."""

from tests.oracle.registry import program


def dual_of(torch, *values):
    primal = torch.tensor(values)
    return torch.autograd.forward_ad.make_dual(primal, torch.arange(1.0, len(values) + 1))


def tangent_of(torch, tensor):
    found = torch.autograd.forward_ad.unpack_dual(tensor).tangent
    return None if found is None else found.clone()


def made(torch, forward, jvp=None, **members):
    body = {"forward": staticmethod(forward), "backward": staticmethod(lambda ctx, *g: g)}
    if jvp is not None:
        body["jvp"] = staticmethod(jvp)
    body |= {name: staticmethod(value) for name, value in members.items()}
    return type("Made", (torch.autograd.Function,), body)


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


@program(rules="F-80 F-44")
def what_jvp_is_given(torch, see):
    def lazy(ctx, x, y, n):
        ctx.set_materialize_grads(False)
        return x * n

    seen = []
    keep = lambda ctx, *tangents: (seen.append(tangents), tangents[0])[1]  # noqa: E731
    with torch.autograd.forward_ad.dual_level():
        x, other = dual_of(torch, 1.0, 2.0), torch.ones(2)
        made(torch, lambda ctx, x, y, n: x * n, keep).apply(x, other, 3)
        see("zeros", seen[-1], expect=([1, 2], [0, 0], None))
        made(torch, lazy, keep).apply(x, other, 3)
        see("not materialized", seen[-1], expect=([1, 2], None, None))
        made(torch, lambda ctx, x, y, n: x * n, keep).apply(x, torch.ones(2).long(), 3)
        see("integers", seen[-1], expect=([1, 2], None, None))
        made(torch, lambda ctx, x: x * 2, keep).apply(other)
        see("not called for plain ones", len(seen), expect=3)


@program(rules="F-80 M-11")
def modes_while_jvp_runs(torch, see):
    fwad = torch.autograd.forward_ad
    modes, inside = [], []

    def forward(ctx, x):
        inside.append((tangent_of(torch, x), tangent_of(torch, x * 2)))
        return x * 2

    def jvp(ctx, t):
        modes.append(torch.is_grad_enabled())
        return t * 2

    function = made(torch, forward, jvp)
    with fwad.dual_level():
        function.apply(dual_of(torch, 1.0).requires_grad_())
        with torch.no_grad():
            see("under no_grad", tangent_of(torch, function.apply(dual_of(torch, 1.0))), expect=[2])
        with torch.inference_mode():
            see("inference", tangent_of(torch, function.apply(dual_of(torch, 1.0))), expect=None)
    see("grad mode", modes, expect=[True, False])
    see("tangents in forward", inside[0], expect=(None, None))


@program(rules="F-81")
def what_jvp_may_not_return(torch, see):
    two = lambda ctx, x: (x * 1, x * 2)  # noqa: E731
    one = lambda ctx, x: x * 1  # noqa: E731
    number = "invalid number of forward gradients"
    with torch.autograd.forward_ad.dual_level():
        x = dual_of(torch, 1.0, 2.0)
        for name, forward, jvp, phrase in (
            ("too few", two, lambda ctx, t: t, number),
            ("too many", one, lambda ctx, t: (t, t), number),
            ("an extra None", two, lambda ctx, t: (t, t, None), number),
            ("a number", one, lambda ctx, t: 3, "expected Variable or None"),
            ("a list", one, lambda ctx, t: [t], "expected Variable or None"),
            ("shape", one, lambda ctx, t: t[:1], "different size"),
            (
                "for a mask",
                lambda ctx, x: (x * 1, x > 1),
                lambda ctx, t: (t, t),
                "not a differentiable",
            ),
        ):
            see.raises(name, lambda f=forward, j=jvp: made(torch, f, j).apply(x), phrase=phrase)
        see.raises("none there", lambda: made(torch, one).apply(x), phrase="implement the jvp")


@program(rules="F-81")
def outputs_without_derivative(torch, see):
    def marked(ctx, x):
        other = x * 2
        ctx.mark_non_differentiable(other)
        return x * 1, other

    with torch.autograd.forward_ad.dual_level():
        x = dual_of(torch, 1.0, 2.0)
        see.raises(
            "a tangent for it",
            lambda: made(torch, marked, lambda ctx, t: (t, t)).apply(x),
            phrase="not a differentiable",
        )
        a, b = made(torch, marked, lambda ctx, t: (t, None)).apply(x)
        see("None for it", (tangent_of(torch, a), tangent_of(torch, b)), expect=([1, 2], None))
        a, _, word = made(
            torch, lambda ctx, x: (x * 1, x > 1, "word"), lambda ctx, t: (t, None, None)
        ).apply(x)
        see("masks and words", (tangent_of(torch, a), word), expect=([1, 2], "word"))


@program(rules="F-82")
def no_tangent_for_an_output(torch, see):
    function = made(torch, lambda ctx, x: (x * 1, x * 2), lambda ctx, t: (t, None))
    with torch.autograd.forward_ad.dual_level():
        x = dual_of(torch, 1.0, 2.0)

        def tangents():
            try:
                return [tangent_of(torch, out) for out in function.apply(x)]
            except RuntimeError:
                return "RuntimeError"

        see.differs(
            "None", tangents(), torch="RuntimeError", vizgrad=[[1, 2], None],
            because="no tangent is a zero one; the reference fails an assertion of its own",
        )  # fmt: skip


@program(rules="F-83")
def tangents_of_views(torch, see):
    phrase = "is not returning a view"
    view = lambda ctx, x: x.view_as(x)  # noqa: E731
    with torch.autograd.forward_ad.dual_level():
        x = dual_of(torch, 1.0, 2.0)
        good = made(torch, view, lambda ctx, t: t.view_as(t)).apply(x)
        see("a view", tangent_of(torch, good), expect=[1, 2])
        see(
            "a part",
            tangent_of(torch, made(torch, lambda ctx, x: x[1:], lambda ctx, t: t[1:]).apply(x)),
        )
        as_is = made(torch, lambda ctx, x: x, lambda ctx, t: t.view_as(t)).apply(x)
        see("as it is", tangent_of(torch, as_is), expect=[1, 2])
        for name, forward in (("of a view", view), ("of an input as it is", lambda ctx, x: x)):
            for how, jvp in (("a copy", lambda ctx, t: t * 1), ("itself", lambda ctx, t: t)):
                see.raises(
                    f"{how} {name}",
                    lambda f=forward, j=jvp: made(torch, f, j).apply(x),
                    phrase=phrase,
                )


@program(rules="F-83")
def tangents_of_dirty_inputs(torch, see):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    with torch.autograd.forward_ad.dual_level():

        def run(jvp):
            x = dual_of(torch, 1.0, 2.0)
            out = made(torch, forward, jvp).apply(x)
            return out is x, tangent_of(torch, x)

        see("in place", run(lambda ctx, t: t.mul_(2)), expect=(True, [2, 4]))
        phrase = "not modifying the forward mode gradients inplace"
        see.raises("another tensor", lambda: run(lambda ctx, t: t * 2), phrase=phrase)
        see.raises(
            "changed, and another", lambda: run(lambda ctx, t: t.mul_(2).clone()), phrase=phrase
        )
        see.raises("not changed", lambda: run(lambda ctx, t: t), phrase=phrase)


@program(rules="F-42 A-10")
def what_is_saved_for_jvp(torch, see):
    seen = []

    def jvp(ctx, t):
        seen.append(ctx.saved_tensors)
        return t * 2

    def both(ctx, x):
        ctx.save_for_forward(x)
        ctx.save_for_backward(x, x)
        return x * 2

    def backward_only(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    with torch.autograd.forward_ad.dual_level():
        x = dual_of(torch, 1.0, 2.0)
        made(torch, both, jvp).apply(x)
        see("for forward", (len(seen[-1]), seen[-1][0] is x), expect=(1, True))
        made(torch, backward_only, jvp).apply(x)
        see("for backward alone", seen[-1], expect=())
        made(torch, both, jvp).apply(dual_of(torch, 1.0).requires_grad_())
        see("recorded", len(seen[-1]), expect=1)


@program(rules="F-80 F-42")
def jvp_in_split_style(torch, see):
    def setup(ctx, inputs, output):
        x, factor = inputs
        ctx.save_for_forward(x)
        ctx.factor = factor

    function = made(
        torch,
        lambda x, factor: x * x * factor,
        lambda ctx, t, _: 2 * ctx.saved_tensors[0] * t * ctx.factor,
        setup_context=setup,
    )
    with torch.autograd.forward_ad.dual_level():
        see(
            "tangent",
            tangent_of(torch, function.apply(dual_of(torch, 3.0, 5.0), 2)),
            expect=[12, 40],
        )


@program(rules="A-9 A-10")
def gradients_of_tangents_of_functions(torch, see):
    fwad = torch.autograd.forward_ad

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x**3
            ctx.save_for_backward(x, result)
            ctx.save_for_forward(x)
            return result

        @staticmethod
        def backward(ctx, g):
            x, result = ctx.saved_tensors
            return g * 3 * result / x

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return 3 * x * x * t

    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    with fwad.dual_level():
        dual = fwad.make_dual(x, torch.ones(2, dtype=torch.float64))
        y = Cube.apply(dual)
        tangent = fwad.unpack_dual(y).tangent
        see("reverse over forward", torch.autograd.grad(tangent.sum(), x, retain_graph=True)[0])
        (g,) = torch.autograd.grad(y.sum(), dual)
        see("forward over reverse", fwad.unpack_dual(g).tangent.detach().clone(), expect=[3, 12])
