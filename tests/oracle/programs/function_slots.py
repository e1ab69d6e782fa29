"""Outputs, saving and marking, sentence by sentence."""

from tests.oracle.making import function, leaf
from tests.oracle.registry import program


@program(rules="F-21 F-22")
def elements_of_other_kinds(torch, see):
    got = []

    def backward(ctx, *grads):
        got.append([None if g is None else g.tolist() for g in grads])
        return grads[0]

    fn = function(torch, lambda ctx, x: (x * 2, [x * 3], 5, None, {"a": x}), backward)
    x = leaf(torch)
    out = fn.apply(x)
    see("kinds", [type(o).__name__ for o in out])
    see("in the list", out[1][0])
    see("in the dict", out[4]["a"].requires_grad)
    out[0].sum().backward()
    see("gradients", got, expect=[[[1, 1], None, None, None, None]])


@program(rules="F-26", each=(True, False))
def what_comes_for_a_marked_output(torch, see, materialize):
    got = []

    def forward(ctx, x):
        marked, whole = x * 3, (x * 4).long()
        ctx.mark_non_differentiable(marked)
        ctx.set_materialize_grads(materialize)
        return x * 2, marked, whole

    fn = function(torch, forward, lambda ctx, *grads: (got.extend(grads), grads[0])[1])
    out = fn.apply(leaf(torch))
    see("outputs", out)
    see("slots", [o.output_nr for o in out])
    out[0].sum().backward()
    see("gradients", got)


@program(rules="F-26")
def a_marked_input(torch, see):
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x, x * 2

    x = leaf(torch)
    same, _ = function(torch, forward, lambda ctx, a, b: b * 2).apply(x)
    see("result", same)
    see("view", (same is x, same._is_view(), same.data_ptr() == x.data_ptr()))
    see("the input", x)


@program(rules="F-27 F-28")
def the_base_of_a_view_that_a_function_gave_is_changed(torch, see):
    same = function(torch, lambda ctx, x: x)
    part = function(torch, lambda ctx, x: x[:1])
    for name, fn in (("as is", same), ("a view made inside", part)):
        base = leaf(torch) * 1
        y = fn.apply(base)
        see(f"{name}: base", y._base is base, expect=True)
        see.raises(f"{name}: write", lambda: y.mul_(2), phrase="custom Function")
        with torch.no_grad():
            y.mul_(2)
        see.raises(f"{name}: then read", lambda: y.grad_fn, phrase="modified")
        base = leaf(torch) * 1
        y = fn.apply(base)
        base.mul_(2)
        see.raises(f"{name}: base written", lambda: y.grad_fn, phrase="modified")


@program(rules="F-29")
def an_integer_output_does_not_count(torch, see):
    two = function(torch, lambda ctx, x: (x, x * 2), lambda ctx, a, b: a)
    whole = function(torch, lambda ctx, x: (x, x.long()), lambda ctx, a, b: a)
    base = leaf(torch) * 1
    see.raises("two", lambda: two.apply(base)[0].mul_(2), phrase="multiple views")
    see.raises("one and an integer", lambda: whole.apply(base)[0].mul_(2), phrase="custom Function")


@program(rules="F-30", each=("save_for_backward", "save_for_forward"))
def split_style_saving_what_it_returns(torch, see, name):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            getattr(ctx, name)(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return g

    class View(Same):
        @staticmethod
        def forward(x):
            return x.view_as(x)

    see.raises("as is", lambda: Same.apply(leaf(torch)), phrase="returned as-is")
    see("a view", View.apply(leaf(torch)))


@program(rules="F-35 F-36")
def when_saving_takes_place(torch, see):
    log = []

    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        log.append((len(ctx.saved_tensors), len(ctx.to_save)))
        ctx.save_for_backward(x)
        return x * 1

    def backward(ctx, g):
        log.append(len(ctx.saved_tensors))
        ctx.save_for_backward(g, g, g)
        log.append(len(ctx.saved_tensors))
        return g

    y = function(torch, forward, backward).apply(leaf(torch))
    y.sum().backward()
    see("log", log, expect=[(0, 2), 1, 1])
    wrong = function(torch, lambda ctx, x: (ctx.save_for_backward(3), x * 1)[1])
    see.raises("a number", lambda: wrong.apply(leaf(torch)))
    with torch.no_grad():
        see("ignored without a graph", wrong.apply(leaf(torch)))


@program(rules="F-37 V-23")
def what_saved_tensors_gives(torch, see):
    def forward(ctx, x, c):
        y = x * 2
        ctx.save_for_backward(x, c, y, x + 1, None)
        return y

    x, c = leaf(torch), torch.ones(2)
    y = function(torch, forward, lambda ctx, g: (g, None)).apply(x, c)
    got = y.grad_fn.saved_tensors
    see("a tuple of", (type(got) is tuple, len(got)))
    see("inputs are themselves", (got[0] is x, got[1] is c), expect=(True, True))
    see("an output is new", (got[2] is y, got[2].data_ptr() == y.data_ptr()), expect=(False, True))
    see("its node", got[2].grad_fn is y.grad_fn, expect=True)
    see("an intermediate", got[3])
    see("nothing", got[4], expect=None)


@program(rules="F-39")
def reading_after_the_graph_is_freed(torch, see):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.kept = 5
        return x * 1

    y = function(torch, forward).apply(leaf(torch))
    node = y.grad_fn
    y.sum().backward()
    see.raises("saved", lambda: node.saved_tensors, phrase="freed")
    see.raises("raw", lambda: node._raw_saved_tensors, phrase="freed")
    see("attributes", node.kept, expect=5)
    see.attempt("a backward that reads nothing", lambda: y.sum().backward())


@program(rules="F-41")
def attributes_are_not_checked(torch, see):
    def forward(ctx, x):
        ctx.x = x
        return x * x

    x = leaf(torch) * 1
    y = function(torch, forward, lambda ctx, g: 2 * ctx.x * g).apply(x)
    with torch.no_grad():
        x.add_(10)
    got = []
    x.register_hook(got.append)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    see("the new value is used, twice", got)


@program(rules="F-44", each=(True, False))
def a_node_is_called_though_nothing_arrives(torch, see, materialize):
    got = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 1, x * 2

    def backward(ctx, *grads):
        got.append([None if g is None else (g.tolist(), str(g.dtype)[-7:]) for g in grads])
        return None if grads[0] is None else grads[0]

    undefined = function(torch, lambda ctx, x: x * 1, lambda ctx, g: None)
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    a, _ = function(torch, forward, backward).apply(x)
    undefined.apply(a).sum().backward()
    see("gradients", got)
    see("leaf", x.grad)


@program(rules="F-44")
def set_materialize_grads_takes_bools(torch, see):
    fn = function(torch, lambda ctx, x: (ctx.set_materialize_grads(1), x * 1)[1])
    see.attempt("one", lambda: fn.apply(leaf(torch)).detach())


@program(rules="F-53")
def marking_what_is_no_input(torch, see):
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    fn = function(torch, forward)
    y = see.warns("warning", lambda: fn.apply(leaf(torch)), UserWarning)
    see("result", y)
    see("version", y._version)
    see("node", y.grad_fn)


@program(rules="F-50 F-51")
def marking_wrongly(torch, see):
    def number(ctx, x):
        ctx.mark_dirty(3)
        return x * 1

    def unreturned(ctx, x):
        ctx.mark_dirty(x)
        return x * 1

    def empty(ctx, x):
        ctx.mark_dirty()
        return x * 1

    x = leaf(torch) * 1
    see.raises("a number", lambda: function(torch, number).apply(x))
    see.raises("not returned", lambda: function(torch, unreturned).apply(x), phrase="not returned")
    see("nothing", function(torch, empty).apply(x))
    with torch.no_grad():
        see.raises("not returned, no_grad", lambda: function(torch, unreturned).apply(x))
    see("versions", x._version)


@program(rules="F-54")
def a_dirty_view_among_two_outputs(torch, see):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x, x * 1

    fn = function(torch, forward, lambda ctx, a, b: a)
    base = leaf(torch) * 1
    see.raises("two outputs", lambda: fn.apply(base[:1]), phrase="view")
