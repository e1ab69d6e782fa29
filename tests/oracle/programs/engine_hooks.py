"""What hooks may return, where they may be, and when they run."""

from tests.oracle.making import leaf
from tests.oracle.registry import program

_RESULTS = {
    "the same": lambda t, g: g * 1,
    "None": lambda t, g: None,
    "another shape": lambda t, g: t.ones(3),
    "a broadcast shape": lambda t, g: t.ones(1),
    "another dtype": lambda t, g: g.double(),
    "integers": lambda t, g: g.long(),
    "a number": lambda t, g: 5.0,
    "a tuple": lambda t, g: (g,),
    "with history": lambda t, g: g * t.ones(2, requires_grad=True),
}


@program(rules="E-70", each=_RESULTS.items())
def results_of_tensor_hooks(torch, see, case):
    for name in ("leaf", "result"):
        x = leaf(torch)
        y = x * 2
        (x if name == "leaf" else y).register_hook(lambda g: case[1](torch, g))
        see.attempt(name, y.sum().backward)
        see(f"{name}: gradient", x.grad)


@program(rules="E-75", each=_RESULTS.items())
def results_of_prehooks(torch, see, case):
    x = leaf(torch)
    y = x * 2
    y.grad_fn.register_prehook(lambda g: None if case[0] == "None" else (case[1](torch, g[0]),))
    see.attempt("backward", y.sum().backward)
    see("gradient", x.grad)
    z = x * 2
    z.grad_fn.register_prehook(lambda g: case[1](torch, g[0]))
    see.attempt("no tuple", z.sum().backward)


@program(rules="E-75", each=_RESULTS.items())
def results_of_posthooks(torch, see, case):
    x = leaf(torch)
    y = x * torch.ones(2)
    y.grad_fn.register_hook(
        lambda gi, go: None if case[0] == "None" else (case[1](torch, gi[0]), None)
    )
    see.attempt("backward", y.sum().backward)
    see("gradient", x.grad)
    z = x * 2
    z.grad_fn.register_hook(lambda gi, go: (gi[0], gi[0], gi[0]))
    see.attempt("too many", z.sum().backward)


@program(rules="E-70 E-74")
def where_hooks_may_be_registered(torch, see):
    x, c = leaf(torch), torch.ones(1)
    see.raises("on a constant", lambda: c.register_hook(print), phrase="require")
    see.raises(
        "after the gradient, of a result", lambda: (x * 2).register_post_accumulate_grad_hook(print)
    )
    see.raises(
        "after the gradient, of a constant", lambda: c.register_post_accumulate_grad_hook(print)
    )
    x.register_post_accumulate_grad_hook(lambda t: 5)
    see.attempt("one that returns something", lambda: x.sum().backward())


@program(rules="E-74")
def a_hook_that_clears_the_gradient(torch, see):
    x = leaf(torch)
    log = []

    def step(t):
        log.append(t.grad.tolist())
        t.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    torch.autograd.grad((x * 4).sum(), x)
    see("log", log, expect=[[2, 2], [3, 3]])
    see("left", x.grad, expect=None)
    handle.remove()
    (x * 5).sum().backward()
    see("removed", x.grad, expect=[5, 5])


@program(rules="E-73")
def hooks_around_an_in_place_write(torch, see):
    log = []
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: log.append(("old", g.tolist())))
    y.retain_grad()
    y.mul_(5)
    y.register_hook(lambda g: log.append(("new", g.tolist())))
    y.sum().backward()
    see("log", log, expect=[("new", [1, 1]), ("old", [5, 5])])
    see("retained", y.grad, expect=[1, 1])


@program(rules="E-77")
def handles(torch, see):
    x = leaf(torch)
    log = []
    with x.register_hook(lambda g: log.append("inside")):
        x.sum().backward()
    x.sum().backward()
    see("as a context manager", log, expect=["inside"])
    handle = x.register_hook(lambda g: log.append("again"))
    handle.remove()
    handle.remove()
    x.sum().backward()
    see("removed twice", log, expect=["inside"])
    handles = []

    def once(g):
        log.append("once")
        handles[0].remove()

    handles.append(x.register_hook(once))
    x.sum().backward()
    x.sum().backward()
    see("removing itself", log, expect=["inside", "once"])


@program(rules="E-77")
def a_hook_added_during_a_run(torch, see):
    x = leaf(torch)
    log = []

    def add(g):
        log.append("first")
        if len(log) == 1:
            x.register_hook(lambda g: log.append("added"))

    x.register_hook(add)
    x.sum().backward()
    see("this run", list(log))
    x.sum().backward()
    see("the next", log)


@program(rules="E-79", each=("tensor hook", "node prehook", "node hook", "leaf hook"))
def an_error_in_a_hook(torch, see, where):
    class Mine(Exception):
        pass

    def fail(*_):
        raise Mine("stop")

    a, b = leaf(torch), leaf(torch)
    p, q = a.exp(), b.exp()
    {
        "tensor hook": p.register_hook,
        "node prehook": p.grad_fn.register_prehook,
        "node hook": p.grad_fn.register_hook,
        "leaf hook": a.register_post_accumulate_grad_hook,
    }[where](fail)
    s = (p + q).sum()
    see.raises("passes through", s.backward, phrase="stop")
    see("done before", (a.grad, b.grad))
    see.attempt("freed", lambda: q.grad_fn._saved_result)
    see.attempt("the failing node", lambda: p.grad_fn._saved_result)
    see("mode", torch.is_grad_enabled(), expect=True)


@program(rules="E-78")
def multi_grad_hooks_once_more(torch, see):
    register = torch.autograd.graph.register_multi_grad_hook
    a, b = leaf(torch), leaf(torch)
    p, q = a * 2, b * 3
    log = []
    note = lambda grads: log.append([None if g is None else g.tolist() for g in grads])  # noqa: E731
    handle = register((p, q), note)
    (p + q).sum().backward(retain_graph=True)
    p.sum().backward(retain_graph=True)
    see("results", list(log))
    handle.remove()
    log.clear()
    handle = register((p, q), lambda g: log.append(g.tolist()), mode="any")
    (p + q).sum().backward(retain_graph=True)
    q.sum().backward(retain_graph=True)
    see("any", log)
    handle.remove()
    (p + q).sum().backward()
    see("removed", len(log), expect=2)
    see.raises("mode", lambda: register((p,), note, mode="both"), phrase="mode")


@program(rules="E-80")
def callbacks_outside_a_backward(torch, see):
    queue = torch.autograd.Variable._execution_engine.queue_callback
    see.raises("outside", lambda: queue(print))
    x = leaf(torch)
    log = []

    def hook(g):
        queue(lambda: log.append("one"))
        queue(lambda: (log.append("two"), queue(lambda: log.append("nested")))[0])

    (x * 2).register_hook(hook)
    y = x * 3
    y.register_hook(hook)
    y.sum().backward()
    see("log", log)


@program(rules="E-71")
def retained_gradients_add_up(torch, see):
    x = leaf(torch)
    y = x * 2
    y.retain_grad()
    z = (y * y).sum()
    z.backward(retain_graph=True)
    first = y.grad
    z.backward(retain_graph=True)
    see("the sum", y.grad)
    see("out of place", (y.grad is first, first), expect=(False, [4, 8]))
    y.grad = None
    z.backward(create_graph=True)
    see("with history", y.grad)
    see.graph("its graph", y.grad)
    z.backward(create_graph=True)
    see("the sum with history", y.grad)
