"""Whether what a backward reads is the very object that was saved: through checkpoints, and through hooks."""

from tests.oracle.registry import program


def product(torch, read):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, w):
            ctx.save_for_backward(a, w)
            return a * w

        @staticmethod
        def backward(ctx, grad):
            a, w = ctx.saved_tensors
            read.append((a, w))
            return (grad * w if ctx.needs_input_grad[0] else None), grad * a

    return Product.apply


@program(rules="Y-17", each=("early stop", "to the end"))
def a_constant_that_is_checkpointed_is_the_same_object(torch, see, how):
    read = []
    function = product(torch, read)
    w = torch.ones(2, requires_grad=True)
    chained = lambda x, w: function(x, w).sin()  # noqa: E731
    for name, x in (("floating", torch.ones(2)), ("integer", torch.tensor([1, 2]))):
        for kind, run in (("alone", function), ("followed", chained)):
            out = torch.utils.checkpoint.checkpoint(
                run, x, w, use_reentrant=False, early_stop=how == "early stop"
            )
            out.sum().backward()
            a, v = read.pop()
            see(f"{name}, {kind}: the constant", a is x, expect=True)
            see(f"{name}, {kind}: the leaf", v is w, expect=False)
            see(f"{name}, {kind}: what the leaf is", (v.requires_grad, v.is_leaf))
        closed = torch.utils.checkpoint.checkpoint(
            lambda w, x=x: function(x, w), w, use_reentrant=False
        )
        closed.sum().backward()
        see(f"{name}: of a closure", read.pop()[0] is x, expect=True)
    see("gradient", w.grad)


@program(rules="Y-17 V-66")
def hooks_that_change_nothing_give_back_constants_alone(torch, see):
    read = []
    function = product(torch, read)
    a, w = torch.ones(2), torch.ones(2, requires_grad=True)
    function(a, w).sum().backward()
    see(
        "without hooks",
        [x is y for x, y in zip(read.pop(), (a, w), strict=True)],
        expect=[True, True],
    )
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        out = function(a, w)
        out.sum().backward()
        see(
            "with hooks",
            [x is y for x, y in zip(read.pop(), (a, w), strict=True)],
            expect=[True, False],
        )
    other = torch.full((2,), 3.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: other):
        function(a, w).sum().backward()
        found, _ = read.pop()
        see("what the hook gives", found is other, expect=True)


@program(rules="Y-17")
def what_requires_grad_is_not(torch, see):
    read = []
    function = product(torch, read)
    w = torch.ones(2, requires_grad=True)
    for name, x in (("leaf", torch.ones(2, requires_grad=True)), ("result", w * 2)):
        torch.utils.checkpoint.checkpoint(function, x, w, use_reentrant=False).sum().backward()
        a, _ = read.pop()
        see(f"{name}: the same object", a is x, expect=False)
        see(f"{name}: its place in the graph", (a.requires_grad, a.is_leaf))
