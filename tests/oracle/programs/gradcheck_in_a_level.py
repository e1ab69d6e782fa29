"""How gradcheck looks at forward mode: inside of a dual level, and with batches of tangents."""

from tests.oracle.registry import program


def point(torch, *values):
    return torch.tensor(values or (0.3, 0.7), dtype=torch.float64, requires_grad=True)


def level_of(torch):
    return torch.autograd.forward_ad


#: Settings of gradcheck that check forward mode.
FORWARD = (
    ("alone", {"check_backward_ad": False}),
    ("without undefined tangents", {"check_backward_ad": False, "check_undefined_grad": False}),
    ("beside backward", {}),
    ("fast", {"fast_mode": True}),
    ("in batches", {"check_batched_forward_grad": True, "check_undefined_grad": False}),
)


@program(rules="Y-20", each=FORWARD)
def the_function_is_called_in_a_dual_level(torch, see, case):
    _, options = case
    fw = level_of(torch)
    seen = set()

    def state(x):
        tangent = fw.unpack_dual(x).tangent is not None
        return (tangent, x.requires_grad, x.is_leaf, x.grad_fn is None, x._is_view())

    def product(a, b):
        seen.add((state(a), state(b)))
        return a * b

    inputs = (point(torch), point(torch, 1.0, 2.0))
    see("passes", torch.autograd.gradcheck(product, inputs, check_forward_ad=True, **options))
    see("two inputs", sorted(seen))
    see(
        "no input that requires grad is dual",
        (True, True) in {a[:2] for a, _ in seen},
        expect=False,
    )
    seen.clear()
    inputs = (point(torch), point(torch, 1.0, 2.0).detach())
    torch.autograd.gradcheck(product, inputs, check_forward_ad=True, **options)
    see("one of them a constant", sorted(seen))


@program(rules="Y-20", each=("slow", "fast"))
def a_spoiled_tangent_is_found(torch, see, mode):
    fw = level_of(torch)

    def three_times(x):
        value, tangent = fw.unpack_dual(x)
        return x * 2 if tangent is None else fw.make_dual(value * 2, tangent * 3)

    def ones(x):
        value, tangent = fw.unpack_dual(x)
        return x * 2 if tangent is None else fw.make_dual(value * 2, torch.ones_like(value))

    def dropped(x):
        return fw.unpack_dual(x).primal * 2

    for spoils in (three_times, ones, dropped):
        see.raises(
            spoils.__name__,
            lambda f=spoils: torch.autograd.gradcheck(
                f, (point(torch),), check_forward_ad=True, fast_mode=mode == "fast"
            ),
            phrase="Jacobian computed with forward mode mismatch",
        )
        see(f"{spoils.__name__}: backward", torch.autograd.gradcheck(spoils, (point(torch),)))


@program(rules="Y-20")
def a_level_that_is_entered_already(torch, see):
    fw = level_of(torch)

    def with_a_level(x):
        with fw.dual_level():
            return x * 2

    def check(function=lambda x: x * 2, **options):
        return torch.autograd.gradcheck(function, (point(torch),), **options)

    nested = "Nested forward mode AD is not supported"
    see.raises("inside", lambda: check(with_a_level, check_forward_ad=True), phrase=nested)
    see("inside, without forward mode", check(with_a_level))
    with fw.dual_level():
        see.raises("around", lambda: check(check_forward_ad=True), phrase=nested)
        see("around, without forward mode", check())


@program(rules="Y-20")
def functions_that_differentiate_inside(torch, see):
    def of_grad(x):
        return torch.autograd.grad((x**3).sum(), x, create_graph=True)[0]

    def asks(x):
        return of_grad(x.requires_grad_())

    def check(function):
        return torch.autograd.gradcheck(function, (point(torch),), check_forward_ad=True)

    see.raises("inputs do not require grad", lambda: check(of_grad), phrase="does not require grad")
    see("unless they are asked to", check(asks))
    see("transforms", check(torch.func.grad(lambda z: (z**3).sum())))


@program(rules="Y-20")
def second_derivatives_forward_over_reverse(torch, see):
    fw = level_of(torch)
    for rev in (True, False):
        for fast in (True, False):
            seen = set()

            def product(a, b, seen=seen):
                for x in (a, b):
                    dual = fw.unpack_dual(x).tangent is not None
                    seen.add((dual, x.requires_grad, x.is_leaf))
                return a.tanh() * b

            passed = torch.autograd.gradgradcheck(
                product,
                (point(torch), point(torch, 1.0, 2.0)),
                check_fwd_over_rev=True,
                check_rev_over_rev=rev,
                check_undefined_grad=rev,
                fast_mode=fast,
            )
            see(f"rev {rev}, fast {fast}", (passed, sorted(seen)))


@program(rules="Y-20")
def tangents_that_are_not_there_count_as_zeros(torch, see):
    def adding(factor):
        class Add(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                ctx.set_materialize_grads(False)
                return a + b

            @staticmethod
            def backward(ctx, grad):
                return grad, grad

            @staticmethod
            def jvp(ctx, t, u):
                if t is None:
                    return u * factor
                return t if u is None else t + u

        return Add.apply

    def check(function, **options):
        inputs = (point(torch), point(torch, 1.0, 2.0))
        return torch.autograd.gradcheck(function, inputs, check_forward_ad=True, **options)

    see("right", check(adding(1)), expect=True)
    see.raises("wrong", lambda: check(adding(2)), phrase="Mismatch in tangent values for output")
    see("not looked at", check(adding(2), check_undefined_grad=False), expect=True)


def doubling(torch, jvp):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    Double.jvp = staticmethod(jvp)
    return Double.apply


def batched(torch, function, **options):
    return torch.autograd.gradcheck(
        function,
        (point(torch),),
        check_forward_ad=True,
        check_batched_forward_grad=True,
        **options,
    )


@program(rules="Y-21")
def batches_of_tangents_take_functions_of_the_old_style(torch, see):
    see("of one operation", batched(torch, doubling(torch, lambda ctx, t: t * 2)), expect=True)
    inner = doubling(torch, lambda ctx, t: t * 2)
    see(
        "a Function in a jvp", batched(torch, doubling(torch, lambda ctx, t: inner(t))), expect=True
    )
    chained = lambda x: inner(inner(x).sin() + x.requires_grad_())  # noqa: E731
    see("among operations", batched(torch, chained), expect=True)
    saved = lambda ctx, t: torch.stack([t[0], t[1]]) * 2  # noqa: E731
    see("stacked", batched(torch, doubling(torch, saved)), expect=True)
    transformed = torch.func.vmap(inner)
    see.raises(
        "transforms refuse them as ever", lambda: transformed(point(torch)), phrase="setup_context"
    )
    see.raises(
        "jacfwd does, too",
        lambda: torch.func.jacfwd(inner)(point(torch)),
        phrase="setup_context",
    )


@program(rules="Y-21")
def a_jvp_that_cannot_run_in_batches_is_a_gradcheck_error(torch, see):
    found = "While computing batched gradients, got"
    cases = {
        "rand_like": lambda ctx, t: t * 2 + 0 * torch.rand_like(t),
        "rand": lambda ctx, t: t * 2 + 0 * torch.rand(2, dtype=torch.float64),
        "bernoulli": lambda ctx, t: t * 2 + 0 * torch.bernoulli(torch.ones(2, dtype=t.dtype)),
        "item": lambda ctx, t: t * 2 if t.sum().item() > -100 else t,
        "a condition": lambda ctx, t: t * 2 if t.sum() > -100 else t,
    }
    for name, jvp in cases.items():
        function = doubling(torch, jvp)
        see.raises(name, lambda f=function: batched(torch, f), phrase=found)
        see(f"{name}: unraised", batched(torch, function, raise_exception=False), expect=False)
        only = lambda f=function: batched(torch, f, check_backward_ad=False)  # noqa: E731
        see.raises(f"{name}: forward mode alone", only, phrase=found)
        one = torch.autograd.gradcheck(function, (point(torch),), check_forward_ad=True)
        see(f"{name}: without batches", one, expect=True)
    random = doubling(torch, cases["rand_like"])
    see.raises("it names vmap", lambda: batched(torch, random), phrase="vmap")
    see.raises("and what is random", lambda: batched(torch, random), phrase="random operation")
    see.raises(
        "drawn by the function",
        lambda: batched(torch, lambda x: x * 2 + 0 * torch.rand_like(x)),
        phrase=found,
    )


@program(rules="Y-21")
def an_error_of_the_jvp_itself_passes_through(torch, see):
    def own(ctx, t):
        raise RuntimeError("an error of its own")

    see.raises("runtime", lambda: batched(torch, doubling(torch, own)), phrase="of its own")


@program(rules="Y-21")
def jacobians_in_forward_mode_take_functions_of_the_old_style(torch, see):
    function = doubling(torch, lambda ctx, t: t * 2)
    scalar = lambda x: (function(x) ** 2).sum()  # noqa: E731
    whole = torch.autograd.functional
    jacobian = whole.jacobian(function, point(torch), vectorize=True, strategy="forward-mode")
    see("jacobian", jacobian, expect=[[2, 0], [0, 2]])
    settings = {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}
    hessian = whole.hessian(scalar, point(torch), **settings)
    see("hessian", hessian.detach(), expect=[[8, 0], [0, 8]])
