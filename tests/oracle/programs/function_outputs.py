"""What forward may return, and what comes out of apply."""

from typing import NamedTuple

from tests.oracle.registry import program


def _returning(torch, make):
    """A Function whose forward returns make(x) and whose backward logs what arrives."""
    log = []

    class Returning(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return make(ctx, x)

        @staticmethod
        def backward(ctx, *incoming):
            log.append(incoming)
            return next((g for g in incoming if g is not None and g.is_floating_point()), None)

    return Returning, log


@program(rules="F-20")
def one_object_or_a_tuple(torch, see):
    class Pair(NamedTuple):
        a: object
        b: object

    x = torch.ones(2, requires_grad=True)
    for name, make in (
        ("tensor", lambda ctx, x: x * 2),
        ("1-tuple", lambda ctx, x: (x * 2,)),
        ("empty tuple", lambda ctx, x: ()),
        ("pair", lambda ctx, x: (x * 2, x * 3)),
        ("namedtuple", lambda ctx, x: Pair(x * 2, x * 3)),
    ):
        out = _returning(torch, make)[0].apply(x)
        see(name, out)
        see(f"{name}: a plain tuple", type(out) is tuple)


@program(rules="F-21")
def other_elements_pass_through_and_hold_a_slot(torch, see):
    x = torch.ones(2, requires_grad=True)
    fn, log = _returning(torch, lambda ctx, x: (x * 2, "text", None, x * 3))
    out = fn.apply(x)
    see("outputs", out)
    see("slots", (out[0].output_nr, out[3].output_nr), expect=(0, 3))
    out[3].sum().backward()
    see("backward gets None there", log[0])


@program(rules="F-22")
def a_list_is_one_opaque_object(torch, see):
    x = torch.ones(2, requires_grad=True)
    for name, make in (("list", lambda ctx, x: [x * 2]), ("dict", lambda ctx, x: {"y": x * 2})):
        fn, _ = _returning(torch, make)
        see(name, fn.apply(x))


@program(rules="F-23")
def none_alone(torch, see):
    fn, _ = _returning(torch, lambda ctx, x: None)
    see("result", fn.apply(torch.ones(2, requires_grad=True)), expect=None)


@program(rules="F-24")
def one_tensor_at_two_slots(torch, see):
    def twice(ctx, x):
        y = x * 2
        return y, y

    fn, log = _returning(torch, twice)
    x = torch.ones(2, requires_grad=True)
    first, second = fn.apply(x)
    see("one object", first is second, expect=True)
    see("the last slot", first.output_nr, expect=1)
    (first * 5).sum().backward()
    see("gradients", log[0])


@program(rules="F-25")
def integer_outputs_are_not_differentiable(torch, see):
    fn, log = _returning(torch, lambda ctx, x: (x * 2, (x > 0), x.long()))
    x = torch.ones(2, requires_grad=True)
    out = fn.apply(x)
    see("outputs", out)
    out[0].sum().backward()
    see("gradients", log[0])


@program(rules="F-26 F-44")
def marked_outputs_are_not_differentiable(torch, see):
    def marking(materialize):
        def make(ctx, x):
            y, z = x * 2, x * 3
            ctx.mark_non_differentiable(z)
            ctx.set_materialize_grads(materialize)
            return y, z

        return make

    for materialize in (True, False):
        fn, log = _returning(torch, marking(materialize))
        x = torch.ones(2, requires_grad=True)
        y, z = fn.apply(x)
        see(f"materialize {materialize}: outputs", (y, z))
        y.sum().backward()
        see(f"materialize {materialize}: gradients", log[0])
        see(f"materialize {materialize}: leaf", x.grad)


@program(rules="F-26")
def a_marked_input_comes_back_detached(torch, see):
    def make(ctx, x):
        ctx.mark_non_differentiable(x)
        return x

    fn, _ = _returning(torch, make)
    x = torch.ones(2, requires_grad=True)
    y = fn.apply(x)
    see("output", y)
    see("another object", y is x, expect=False)
    see("not a view", y._is_view(), expect=False)
    see("the input keeps its flag", x.requires_grad, expect=True)
    with torch.no_grad():
        x.fill_(5)
    see("same memory", y, expect=[5, 5])


@program(rules="F-27")
def an_input_returned_as_it_is(torch, see):
    fn, _ = _returning(torch, lambda ctx, x: x)
    x = torch.ones(2, requires_grad=True)
    y = fn.apply(x)
    see("a new tensor", y is x, expect=False)
    see("a view of the input", (y._is_view(), y._base is x), expect=(True, True))
    see.graph("node", y, expect="0 ReturningBackward(1.0); 1 AccumulateGrad()")
    see("the input is still a leaf", (x.is_leaf, x.grad_fn))
    z = x * 2
    see("of a result", (fn.apply(z)._base is z, z.grad_fn), expect=(True, "MulBackward0"))


@program(rules="F-27 F-11")
def an_input_returned_without_recording(torch, see):
    fn, _ = _returning(torch, lambda ctx, x: x)
    leaf, constant = torch.ones(2, requires_grad=True), torch.ones(2)

    def flags(y, x):
        return {
            "same": y is x,
            "view": y._is_view(),
            "of it": y._base is x,
            "grad": y.requires_grad,
        }

    see("a constant", flags(fn.apply(constant), constant))
    with torch.no_grad():
        see("a constant under no_grad", flags(fn.apply(constant), constant))
        alias = fn.apply(leaf)
        see("a leaf under no_grad is detached", flags(alias, leaf))
        alias.add_(1)
    see("memory and counter are shared", (leaf, leaf._version), expect=([2, 2], 1))


@program(rules="F-30")
def split_style_may_not_save_an_input_it_returns(torch, see):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return grad

    see.raises("at apply", lambda: Same.apply(torch.ones(2, requires_grad=True)), phrase="view_as")


@program(rules="F-20 E-4")
def outputs_of_one_node(torch, see):
    class Parts(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b, c):
            return a + 10 * b + 100 * c

    x = torch.ones(2, requires_grad=True)
    a, b, c = Parts.apply(x)
    see("one node", (a.grad_fn is b.grad_fn, b.grad_fn is c.grad_fn), expect=(True, True))
    see("slots", (a.output_nr, b.output_nr, c.output_nr), expect=(0, 1, 2))
    see.graph("sum", b + c + b)
    (b + c * 2).sum().backward()
    see("gradient, zeros for the unused", x.grad, expect=[210, 210])
