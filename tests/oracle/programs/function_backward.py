"""What backward may return, and how it is checked."""

from tests.oracle.registry import program


def _with_backward(torch, backward, forward=None):
    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            return forward(*args) if forward else args[0] * 2

        @staticmethod
        def backward(ctx, *grads):
            return backward(*grads)

    return Custom


@program(rules="F-60 E-26")
def grad_mode_inside_equals_create_graph(torch, see):
    modes = []
    fn = _with_backward(
        torch, lambda g: (modes.append((torch.is_grad_enabled(), g.requires_grad)), g)[1]
    )
    x = torch.ones((), requires_grad=True)
    fn.apply(x).backward()
    torch.autograd.grad(fn.apply(x) ** 2, x, create_graph=True)
    see("mode and history", modes, expect=[(False, False), (True, True)])


@program(rules="F-61")
def numbers_of_gradients(torch, see):
    x = torch.ones(2, requires_grad=True)

    def run(result, *extra):
        x.grad = None
        fn = _with_backward(torch, result)
        fn.apply(x, *extra).sum().backward()
        return x.grad

    see("one for one", run(lambda g: g))
    see("a 1-tuple", run(lambda g: (g,)))
    see("extra None", run(lambda g: (g, None, None)))
    see("None for a number", run(lambda g: (g, None), 3.0))
    see("None for all", run(lambda g: None))
    phrase = "returned an incorrect number of gradients (expected"
    see.raises("too many", lambda: run(lambda g: (g, g)), phrase=phrase)
    see.raises("too few", lambda: run(lambda g: g, 3.0), phrase=phrase)
    see.raises("a list counts as one", lambda: run(lambda g: [g]), phrase="list")


@program(rules="F-62")
def kinds_of_gradients(torch, see):
    x = torch.ones(2, requires_grad=True)

    def run(result, *extra):
        _with_backward(torch, result).apply(x, *extra).sum().backward()

    see.raises("for a number", lambda: run(lambda g: (g, g), 3.0), phrase="at position 2")
    see.raises("a float", lambda: run(lambda g: 1.0), phrase="float")
    see.raises("a string", lambda: run(lambda g: "g"), phrase="str")


@program(rules="F-63")
def gradients_nobody_needs(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    c = torch.ones(2)
    add = lambda *t: sum(t)  # noqa: E731
    fn = _with_backward(torch, lambda g: (g, torch.ones(7), None), add)
    see.raises(
        "an edge is validated even if unneeded",
        lambda: torch.autograd.grad(fn.apply(a, b, c).sum(), a),
        phrase="invalid gradient at index 1",
    )
    fn = _with_backward(torch, lambda g: (g, g, torch.ones(7)), add)
    see("without an edge it is dropped", torch.autograd.grad(fn.apply(a, b, c).sum(), a)[0])


@program(rules="F-64")
def shapes_of_gradients(torch, see):
    def run(shape, gradient):
        x = torch.ones(*shape, requires_grad=True)
        _with_backward(torch, lambda g: gradient).apply(x).sum().backward()
        return x.grad

    see("broadcast dims are summed", run((3,), torch.ones(2, 3)), expect=[2, 2, 2])
    see("kept dims too", run((2, 1), torch.ones(2, 3)), expect=[[3], [3]])
    for name, gradient in (
        ("smaller", torch.ones(1)),
        ("scalar", torch.tensor(1.0)),
        ("other", torch.ones(4)),
    ):
        see.raises(
            name,
            lambda g=gradient: run((3,), g),
            phrase="CustomBackward returned an invalid gradient at index 0",
        )


@program(rules="F-65")
def dtypes_of_gradients_are_cast(torch, see):
    def run(dtype, gradient):
        x = torch.ones(2, dtype=dtype, requires_grad=True)
        _with_backward(torch, lambda g: gradient).apply(x).sum().backward()
        return x.grad

    see("float32 for float64", run(torch.float64, torch.tensor([1.5, 2.5])))
    see("float64 for float32", run(torch.float32, torch.tensor([1.5, 2.5], dtype=torch.float64)))
    see("int for float", run(torch.float32, torch.tensor([3, 4])))


@program(rules="F-67 E-52")
def gradients_may_be_expanded(torch, see):
    found = []
    fn = _with_backward(torch, lambda g: (found.append(tuple(g.stride())), g)[1])
    x = torch.ones(2, 3, requires_grad=True)
    fn.apply(x).sum().backward()
    see("strides", found, expect=[(0, 0)])
    see("the leaf's own", x.grad)
    see.layout("are dense", x.grad)


@program(rules="F-69")
def the_same_tensor_twice(torch, see):
    fn = _with_backward(torch, lambda g: (g, g * 10), lambda a, b: a + b)
    x = torch.ones(2, requires_grad=True)
    y = fn.apply(x, x)
    see.graph("two edges", y, expect="0 CustomBackward(1.0, 1.0); 1 AccumulateGrad()")
    y.sum().backward()
    see("added", x.grad, expect=[11, 11])


@program(rules="F-68")
def none_means_undefined(torch, see):
    fn = _with_backward(torch, lambda g: (None, g), lambda a, b: a + b)
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    fn.apply(x, w).sum().backward()
    see("gradients", (x.grad, w.grad))
    y = x * 2
    fn.apply(y, w).sum().backward()
    see("behind a product", x.grad, expect=None)


@program(rules="F-60 F-37")
def a_differentiable_backward(torch, see):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y = Cube.apply(x)
    for order, expected in ((1, 12), (2, 12), (3, 6)):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        see(f"order {order}", y.detach(), expect=expected)


@program(rules="F-37 F-41")
def an_intermediate_is_missing_from_the_second_derivative(torch, see):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            slope = 3 * x * x
            ctx.save_for_backward(slope)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return ctx.saved_tensors[0] * grad

    x = torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad(Wrong.apply(x) ** 2, x, create_graph=True)
    see("first", g.detach(), expect=192)
    # d(6 x^5)/dx = 480; the part through the slope, 2 y * 6 x = 192, is lost.
    see("second", torch.autograd.grad(g, x)[0], expect=288)


@program(rules="F-100")
def a_node_can_be_applied_by_hand(torch, see):
    fn = _with_backward(torch, lambda g: g * 5)
    y = fn.apply(torch.ones(2, requires_grad=True))
    see("apply", y.grad_fn.apply(torch.tensor([1.0, 2.0])), expect=[5, 10])
