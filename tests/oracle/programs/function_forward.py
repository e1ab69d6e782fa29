"""Function.apply: forward, the two styles, keyword arguments, what is attached when."""

from tests.oracle.registry import program


def _square(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    return Square


@program(rules="F-2 F-5 E-3")
def a_function_is_a_node_of_its_name(torch, see):
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    y = _square(torch).apply(x * 1)
    see("value", y, expect=[1, 9])
    see.graph(
        "graph", y, expect="0 SquareBackward(1.0); 1 MulBackward0(2.0, None.0); 2 AccumulateGrad()"
    )
    see("class", type(y.grad_fn).__name__, expect="SquareBackward")
    y.sum().backward()
    see("gradient", x.grad, expect=[2, 6])


@program(rules="F-2")
def each_class_has_a_backward_class(torch, see):
    Square = _square(torch)

    class Again(Square):
        pass

    see("name", Square._backward_cls.__name__, expect="SquareBackward")
    see("of a subclass", Again._backward_cls.__name__, expect="AgainBackward")
    see("points back", Again._backward_cls._forward_cls is Again, expect=True)
    y = Again.apply(torch.ones(1, requires_grad=True))
    see("node", (y.grad_fn, type(y.grad_fn) is Again._backward_cls), expect=("AgainBackward", True))


@program(rules="F-6 F-3")
def the_context_is_the_node(torch, see):
    seen = []

    class Noting(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.note = "from forward"
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx)
            ctx.later = "from backward"
            return grad

    y = Noting.apply(torch.ones(1, requires_grad=True))
    see("in forward", y.grad_fn.note, expect="from forward")
    y.backward()
    see("same object", seen[0] is y.grad_fn, expect=True)
    see("in backward", y.grad_fn.later, expect="from backward")
    see.raises("missing", lambda: y.grad_fn.nothing, phrase="NotingBackward")


@program(rules="F-10")
def forward_runs_without_grad_on_the_callers_tensors(torch, see):
    found = []

    class Looking(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            found.extend(
                [x is given, x.requires_grad, torch.is_grad_enabled(), (x * 2).requires_grad]
            )
            with torch.enable_grad():
                found.append((x * 2).requires_grad)
                return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 100

    given = torch.ones(2, requires_grad=True)
    y = Looking.apply(given)
    see("found", found, expect=[True, True, False, False, True])
    y.sum().backward()
    see("the Function's node replaces other history", given.grad, expect=[100, 100])


@program(rules="F-11")
def a_node_is_attached_only_when_needed(torch, see):
    Square = _square(torch)
    see("constant", Square.apply(torch.ones(2)))
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = Square.apply(x)
    see("under no_grad", (y, y.grad_fn))
    with torch.no_grad(), torch.enable_grad():
        see("enabled again", Square.apply(x))


@program(rules="F-12")
def only_direct_arguments_take_part(torch, see):
    class OfList(torch.autograd.Function):
        @staticmethod
        def forward(ctx, items, scale):
            return items[0] * scale

        @staticmethod
        def backward(ctx, grad):
            return None, None

    x = torch.ones(2, requires_grad=True)
    see("in a list", OfList.apply([x], 3.0))


@program(rules="F-7 F-8")
def needs_input_grad_and_edges(torch, see):
    class Three(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, number, b, c):
            return a * number + b + c

        @staticmethod
        def backward(ctx, grad):
            needs.append(ctx.needs_input_grad)
            return grad, None, grad, None

    needs = []
    a, b, c = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2)
    y = Three.apply(a, 2.0, b, c)
    see.graph(
        "edges for tensors only",
        y,
        expect="0 ThreeBackward(1.0, 2.0, None.0); 1 AccumulateGrad(); 2 AccumulateGrad()",
    )
    see("on the node", y.grad_fn.needs_input_grad, expect=(True, False, True, False))
    see("one asked for", torch.autograd.grad(y.sum(), a)[0])
    see("not narrowed", needs, expect=[(True, False, True, False)])


@program(rules="F-13 F-15")
def split_style(torch, see):
    log = []

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, factor=3.0):
            log.append("forward")
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            log.append(("setup", len(inputs), inputs[1], torch.is_grad_enabled()))
            ctx.factor = inputs[1]
            ctx.save_for_backward(output)
            return "ignored"

        @staticmethod
        def backward(ctx, grad):
            log.append(tuple(ctx.saved_tensors[0].shape))
            return grad * ctx.factor, None

    x = torch.ones(2, requires_grad=True)
    y = Scale.apply(x)
    y.sum().backward()
    see("log", log)
    see("gradient", x.grad, expect=[3, 3])
    see("with another factor", Scale.apply(x, 5.0).detach(), expect=[5, 5])


@program(rules="F-14")
def keyword_arguments_are_bound_by_name(torch, see):
    class Affine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale, shift=1.0):
            ctx.scale = scale
            return x * scale + shift

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.scale, None, None

    x = torch.ones(2, requires_grad=True)
    y = Affine.apply(x, shift=5.0, scale=2.0)
    see("value", y, expect=[7, 7])
    y.sum().backward()
    see("gradient", x.grad, expect=[2, 2])
    see.raises("unknown", lambda: Affine.apply(x, 2.0, other=1))
    see.raises("missing", lambda: Affine.apply(x))


@program(rules="F-16")
def missing_methods(torch, see):
    class Empty(torch.autograd.Function):
        pass

    class OnlyForward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = torch.ones((), requires_grad=True)
    see.raises("no forward", lambda: Empty.apply(x), phrase="forward")
    y = OnlyForward.apply(x)
    see("forward runs", y)
    see.raises("no backward", y.backward, phrase="backward")


@program(rules="F-17 F-18")
def vjp_is_another_name_and_class_methods_work(torch, see):
    class ByVjp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    class ByClass(torch.autograd.Function):
        factor = 7.0

        @classmethod
        def forward(cls, ctx, x):
            return x * cls.factor

        @classmethod
        def backward(cls, ctx, grad):
            return grad * cls.factor

    x = torch.ones((), requires_grad=True)
    see("vjp", torch.autograd.grad(ByVjp.apply(x), x)[0], expect=2)
    see.raises("both", Both.apply(x).backward, phrase="backward")
    see("class methods", torch.autograd.grad(ByClass.apply(x), x)[0], expect=7)


@program(rules="F-19")
def exceptions_pass_unchanged(torch, see):
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, when):
            if when == "forward":
                raise KeyError("in forward")
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ZeroDivisionError("in backward")

    x = torch.ones((), requires_grad=True)
    see.raises("forward", lambda: Failing.apply(x, "forward"), phrase="in forward")
    y = Failing.apply(x, "later") * 2
    see.raises("backward", y.backward, phrase="in backward")
    see("grad mode afterwards", torch.is_grad_enabled(), expect=True)
