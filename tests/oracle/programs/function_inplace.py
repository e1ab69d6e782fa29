"""In-place Functions: mark_dirty."""

from tests.oracle.registry import program


def _doubling(torch, mark=True, give_back=True):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, *others):
            x.mul_(2)
            if mark:
                ctx.mark_dirty(x)
            return x if give_back else x.clone()

        @staticmethod
        def backward(ctx, grad):
            return (2 * grad, *([None] * (len(ctx.needs_input_grad) - 1)))

    return Double


@program(rules="F-50 F-51")
def a_dirty_input_is_returned_as_itself(torch, see):
    leaf = torch.ones(2, requires_grad=True)
    x = leaf * 1
    y = _doubling(torch).apply(x)
    see("itself", y is x, expect=True)
    see("version: the write and the mark", x._version, expect=2)
    see.graph(
        "history",
        x,
        expect="0 DoubleBackward(1.0); 1 MulBackward0(2.0, None.0); 2 AccumulateGrad()",
    )
    y.sum().backward()
    see("gradient", leaf.grad, expect=[2, 2])


@program(rules="F-50")
def marking_counts_without_grad_too(torch, see):
    x = torch.ones(2)
    y = _doubling(torch).apply(x)
    see("constant", (y is x, x._version, x.requires_grad), expect=(True, 2, False))
    with torch.no_grad():
        w = torch.ones(2, requires_grad=True) * 1
        _doubling(torch).apply(w)
    see("under no_grad", w._version, expect=2)


@program(rules="F-51")
def a_dirty_input_must_be_returned(torch, see):
    x = torch.ones(2, requires_grad=True) * 1
    see.raises("not returned", lambda: _doubling(torch, give_back=False).apply(x), phrase="dirty")


@program(rules="F-51 V-11")
def a_constant_becomes_part_of_the_graph(torch, see):
    class AddInto(torch.autograd.Function):
        @staticmethod
        def forward(ctx, total, x):
            total.add_(x)
            ctx.mark_dirty(total)
            return total

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    total, x = torch.zeros(2), torch.ones(2, requires_grad=True)
    out = AddInto.apply(total, x)
    see("itself", out is total, expect=True)
    see("flags", total)
    total.sum().backward()
    see("gradient", x.grad, expect=[1, 1])


@program(rules="F-52")
def a_dirty_leaf(torch, see):
    x = torch.ones(2, requires_grad=True)
    see.raises(
        "with grad", lambda: _doubling(torch).apply(x), phrase="a leaf Variable that requires grad"
    )
    y = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        _doubling(torch).apply(y)
    see("under no_grad", y, expect=[2, 2])


@program(rules="F-53")
def a_dirty_tensor_that_is_no_input_warns(torch, see):
    class Strange(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    y = see.warns("warning", lambda: Strange.apply(x), phrase="not an input")
    see("an ordinary output", y)


@program(rules="F-54 V-30")
def a_dirty_view_rewrites_the_base(torch, see):
    leaf = torch.ones(4, requires_grad=True)
    base = leaf * 1
    view = base[:2]
    out = _doubling(torch).apply(view)
    see("itself", out is view, expect=True)
    see("base", base, expect=[2, 2, 1, 1])
    see("base's node", base.grad_fn, expect="CopySlices")
    see("the view's node", view.grad_fn, expect="AsStridedBackward0")
    base.sum().backward()
    see("gradient", leaf.grad, expect=[2, 2, 1, 1])


@program(rules="F-54")
def a_dirty_view_allows_one_output(torch, see):
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return 2 * a + 6 * b

    base = torch.ones(4, requires_grad=True) * 1
    see.raises("of a view", lambda: Two.apply(base[:2]), phrase="view")
    leaf = torch.ones(2, requires_grad=True)
    a, b = Two.apply(leaf * 1)
    (a + b).sum().backward()
    see("of a tensor", leaf.grad, expect=[8, 8])


@program(rules="F-50 V-20")
def consumers_notice_a_dirty_write(torch, see):
    x = torch.ones(2, requires_grad=True) * 1
    y = (x * x).sum()
    _doubling(torch).apply(x)
    see.raises("stale", y.backward, phrase="modified by an inplace operation")


@program(rules="F-56 F-27")
def an_unmarked_write_gives_a_view(torch, see):
    x = torch.ones(2, requires_grad=True) * 1
    y = _doubling(torch, mark=False).apply(x)
    see("a view of the input", (y is x, y._is_view(), y._base is x), expect=(False, True, True))
    see("its node", y.grad_fn, expect="DoubleBackward")
    see("the input's node", x.grad_fn, expect="MulBackward0")
    see("version", x._version, expect=1)


@program(rules="F-55 E-73")
def marking_dirty_clears_grad_and_leaves_old_hooks_behind(torch, see):
    leaf = torch.ones(2, requires_grad=True)
    x = leaf + 0
    log = []
    x.retain_grad()
    x.register_hook(lambda g: log.append(("before", g.tolist())))
    x.sum().backward()
    see("retained", x.grad, expect=[1, 1])
    _doubling(torch).apply(x)
    see("cleared", x.grad, expect=None)
    see("still retaining", x.retains_grad, expect=True)
    x.register_hook(lambda g: log.append(("after", g.tolist())))
    x.sum().backward()
    see("hooks", log[1:], expect=[("after", [1, 1]), ("before", [2, 2])])
    see("retained anew", x.grad, expect=[1, 1])
    see("leaf", leaf.grad, expect=[3, 3])


@program(rules="F-55")
def a_constant_target_loses_its_grad(torch, see):
    total = torch.zeros(2)
    total.grad = torch.ones(2)

    class AddInto(torch.autograd.Function):
        @staticmethod
        def forward(ctx, target, x):
            target.add_(x)
            ctx.mark_dirty(target)
            return target

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    AddInto.apply(total, torch.ones(2, requires_grad=True))
    see("grad", total.grad, expect=None)
