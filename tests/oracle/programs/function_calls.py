"""What apply does with its arguments, and what forward finds."""

from tests.oracle.making import function, leaf
from tests.oracle.registry import program


@program(rules="F-10")
def a_history_made_inside_forward_is_replaced(torch, see):
    modes, same = [], []

    def forward(ctx, x):
        modes.append(torch.is_grad_enabled())
        same.append((x is given, x.requires_grad))
        with torch.enable_grad():
            return (x * 2).exp()

    given = leaf(torch)
    y = function(torch, forward).apply(given)
    see("mode", modes, expect=[False])
    see("the caller's tensor", same, expect=[(True, True)])
    see.graph("history", y)
    see("mode after", torch.is_grad_enabled(), expect=True)
    inner = function(torch, forward)
    with torch.no_grad():
        see("without recording", inner.apply(given))


@program(rules="F-11")
def without_a_node_the_context_still_works(torch, see):
    log = []

    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(x)
        ctx.set_materialize_grads(False)
        ctx.note = 1
        log.append(ctx.needs_input_grad)
        return x * 1

    fn = function(torch, forward)
    see("constant", fn.apply(torch.ones(2)))
    with torch.no_grad():
        see("no_grad", fn.apply(leaf(torch)))
    see("log", log, expect=[(False,), (True,)])


@program(rules="F-12 F-22")
def tensors_in_containers_take_no_part(torch, see):
    x = leaf(torch)
    fn = function(torch, lambda ctx, parts: parts[0] * 2)
    see("in a list", fn.apply([x]))
    both = function(torch, lambda ctx, x, parts: x + parts["a"], lambda ctx, g: (g, None))
    inner = leaf(torch, 5.0, 6.0)
    both.apply(x, {"a": inner}).sum().backward()
    see("gradients", (x.grad, inner.grad))


@program(rules="F-13 F-15")
def what_setup_context_sees(torch, see):
    log = []

    class Split(torch.autograd.Function):
        @staticmethod
        def forward(x, n, k=7):
            return x * n, "text"

        @staticmethod
        def setup_context(ctx, inputs, output):
            log.append((type(inputs) is tuple, inputs[1:], type(output) is tuple))
            log.append((torch.is_grad_enabled(), output[0].requires_grad, output[0].grad_fn))
            ctx.n = inputs[1]
            return "ignored"

        @staticmethod
        def backward(ctx, g, _):
            return g * ctx.n, None, None

    x = leaf(torch)
    y, text = Split.apply(x, 3)
    y.sum().backward()
    see("log", log)
    see("gradient", x.grad, expect=[3, 3])
    see("text", text)


@program(rules="F-14")
def wrong_arguments(torch, see):
    class Keyword(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, *, k=1):
            return x * k

    fn = function(torch, lambda ctx, x, n=2: x * n)
    x = leaf(torch)
    see.raises("unknown keyword", lambda: fn.apply(x, m=1))
    see.raises("keyword-only", lambda: Keyword.apply(x, k=2))
    see.raises("missing", fn.apply)
    see.raises("too many", lambda: fn.apply(x, 1, 2))
    see.raises("twice", lambda: fn.apply(x, x=x))
    see("by name", fn.apply(n=3, x=x).detach(), expect=[3, 6])


@program(rules="F-16 F-17")
def methods_that_are_missing_or_double(torch, see):
    class Nothing(torch.autograd.Function):
        pass

    class Forward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    class Both(Forward):
        @staticmethod
        def backward(ctx, g):
            return g

        @staticmethod
        def vjp(ctx, g):
            return g

    class Vjp(Forward):
        @staticmethod
        def vjp(ctx, g):
            return g * 5

    x = leaf(torch)
    see.raises("no forward", lambda: Nothing.apply(x), phrase="forward")
    y = Forward.apply(x)
    see.raises("no backward", lambda: y.sum().backward(), phrase="backward")
    z = Both.apply(x)
    see.raises("both", lambda: z.sum().backward(), phrase="backward")
    Vjp.apply(x).sum().backward()
    see("vjp", x.grad, expect=[5, 5])


@program(rules="F-18")
def class_methods_serve(torch, see):
    class Scale(torch.autograd.Function):
        factor = 3

        @classmethod
        def forward(cls, ctx, x):
            return x * cls.factor

        @classmethod
        def backward(cls, ctx, g):
            return g * cls.factor

    x = leaf(torch)
    y = Scale.apply(x)
    y.sum().backward()
    see("value and gradient", (y.detach(), x.grad))


@program(rules="F-19", each=("forward", "backward"))
def errors_keep_their_class(torch, see, where):
    class Mine(Exception):
        pass

    def fail(ctx, x):
        raise Mine("here")

    fn = (
        function(torch, fail) if where == "forward" else function(torch, lambda ctx, x: x * 1, fail)
    )
    x = leaf(torch)
    see.raises("class", lambda: fn.apply(x).sum().backward(), phrase="here")
    see("mode after", torch.is_grad_enabled(), expect=True)
