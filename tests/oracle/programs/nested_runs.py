"""Backward inside backward, callbacks and hooks that run the engine (E-80, E-90)."""

from tests.oracle.making import function, leaf
from tests.oracle.registry import program


@program(rules="E-90", each=("tensor hook", "node prehook", "node hook", "leaf hook", "callback"))
def a_backward_in_a_hook(torch, see, where):
    x, w = leaf(torch), leaf(torch)
    log = []

    def inner(*_):
        log.append("before")
        other = (w * w).sum()
        w.register_hook(lambda g: log.append("inner leaf"))
        with torch.enable_grad():
            (w * w).sum().backward()
        log.append(("after", w.grad.tolist()))
        del other

    y = x * 2
    z = y.exp()
    if where == "tensor hook":
        y.register_hook(inner)
    elif where == "node prehook":
        y.grad_fn.register_prehook(inner)
    elif where == "node hook":
        y.grad_fn.register_hook(inner)
    elif where == "leaf hook":
        x.register_post_accumulate_grad_hook(inner)
    else:
        y.register_hook(lambda g: torch.autograd.Variable._execution_engine.queue_callback(inner))
    z.sum().backward()
    see("log", log)
    see("gradients", (x.grad, w.grad))


@program(rules="E-90 M-10")
def modes_around_a_nested_run(torch, see):
    modes = []
    note = lambda: modes.append(torch.is_grad_enabled())  # noqa: E731

    def backward(ctx, g):
        note()
        with torch.enable_grad():
            y = leaf(torch)
            z = (y * y).sum()
        torch.autograd.grad(z, y, create_graph=True)
        note()
        return g

    x = leaf(torch)
    function(torch, lambda ctx, x: x * 1, backward).apply(x).sum().backward()
    note()
    y = function(torch, lambda ctx, x: x * 1, backward).apply(x).sum()
    torch.autograd.grad(y, x, create_graph=True)
    note()
    see("modes", modes, expect=[False, False, True, True, True, True])


@program(rules="E-90 E-79")
def an_error_in_a_nested_run(torch, see):
    class Mine(Exception):
        pass

    def fail(g):
        raise Mine("inner")

    def backward(ctx, g):
        with torch.enable_grad():
            y = leaf(torch)
            y.register_hook(fail)
            (y * 2).sum().backward()
        return g

    def catching(ctx, g):
        try:
            return backward(ctx, g)
        except Mine:
            return g * 5

    x = leaf(torch)
    for name, fn in (("passes through", backward), ("may be caught", catching)):
        x.grad = None
        y = function(torch, lambda ctx, x: x * 1, fn).apply(x).sum()
        see.attempt(name, y.backward)
        see(f"{name}: gradient", x.grad)


@program(rules="E-90")
def a_nested_run_over_the_running_graph(torch, see):
    x = leaf(torch)
    shared = x * 3
    log = []

    def backward(ctx, g):
        log.append("custom")
        (inner,) = torch.autograd.grad(shared, x, torch.ones(2), retain_graph=True)
        return g * inner

    y = function(torch, lambda ctx, x: x * 1, backward).apply(shared)
    shared.register_hook(lambda g: log.append(("shared", g.tolist())))
    (y + shared).sum().backward()
    see("log", log)
    see("gradient", x.grad)


@program(rules="E-80 E-79")
def callbacks_and_errors(torch, see):
    queue = torch.autograd.Variable._execution_engine.queue_callback
    log = []

    def fail():
        raise ValueError("in the callback")

    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: queue(lambda: log.append("ran")))
    y.register_hook(lambda g: queue(fail))
    see.raises("error", y.sum().backward, phrase="in the callback")
    see("before it", log, expect=["ran"])
    see("gradients are there", x.grad)
    z = x * 3
    z.register_hook(lambda g: queue(lambda: log.append(torch.is_grad_enabled())))
    z.sum().backward()
    see("grad mode", log[-1])


@program(rules="E-80")
def a_callback_of_a_nested_run(torch, see):
    queue = torch.autograd.Variable._execution_engine.queue_callback
    log = []

    def inner_hook(g):
        queue(lambda: log.append("callback"))
        log.append("inner leaf")

    def backward(ctx, g):
        with torch.enable_grad():
            y = leaf(torch)
            y.register_hook(inner_hook)
            (y * 2).sum().backward()
        log.append("inner done")
        return g

    x = leaf(torch)
    x.register_hook(lambda g: log.append("outer leaf"))
    function(torch, lambda ctx, x: x * 1, backward).apply(x).sum().backward()
    log.append("outer done")
    see("log", log)


@program(rules="E-90 E-41")
def releasing_in_nested_runs(torch, see):
    x = leaf(torch)
    e = x.exp()
    other = e.sum()

    def backward(ctx, g):
        other.backward()
        return g

    y = function(torch, lambda ctx, x: x * 1, backward).apply(e)
    see.attempt("the outer one comes too late", y.sum().backward)
    see("gradient", x.grad)
