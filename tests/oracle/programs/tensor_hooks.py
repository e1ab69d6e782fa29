"""Hooks on tensors: what they get, may return, and when they run."""

from tests.oracle.registry import program


@program(rules="E-70")
def a_hook_may_replace_the_gradient(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    see("upstream gets the result", x.grad, expect=[20, 20])
    x.grad = None
    z = x * 2
    z.register_hook(lambda g: None)
    z.sum().backward()
    see("None changes nothing", x.grad, expect=[2, 2])


@program(rules="E-70")
def hooks_run_in_order_each_on_the_last_result(torch, see):
    x = torch.ones((), requires_grad=True)
    log = []

    def hook(name, change):
        def run(g):
            log.append(f"{name} {g.item()}")
            return change(g)

        return run

    x.register_hook(hook("first", lambda g: g + 1))
    x.register_hook(hook("second", lambda g: None))
    x.register_hook(hook("third", lambda g: g * 2))
    (x * 3).backward()
    see("order", log, expect=["first 3.0", "second 4.0", "third 4.0"])
    see("stored", x.grad, expect=8)


@program(rules="E-70")
def what_a_hook_may_not_return(torch, see):
    def backward_with(hook):
        def run():
            x = torch.ones(2, requires_grad=True)
            x.register_hook(hook)
            x.sum().backward()

        return run

    see.raises("a number", backward_with(lambda g: 5))
    see.raises("another shape", backward_with(lambda g: g.sum()), phrase="size")
    see.raises("a broadcastable shape", backward_with(lambda g: g[:1]), phrase="size")
    see.raises("another dtype", backward_with(lambda g: g.double()), phrase="type")


@program(rules="E-70")
def hooks_need_a_gradient(torch, see):
    see.raises(
        "constant", lambda: torch.ones(2).register_hook(print), phrase="doesn't require gradient"
    )


@program(rules="E-71")
def a_leaf_hook_runs_once_before_accumulation(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    x.register_hook(lambda g: log.append((g.tolist(), None if x.grad is None else x.grad.tolist())))
    (x * 2 + x * 3).sum().backward()
    (x * 4).sum().backward()
    see("gradient and .grad", log, expect=[([5, 5], None), ([4, 4], [5, 5])])
    see("sum", x.grad, expect=[9, 9])


@program(rules="E-71")
def retain_grad_stores_after_all_hooks(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    see("retained", y.grad, expect=[3, 3])
    see("leaf", x.grad, expect=[6, 6])


@program(rules="E-71")
def hooks_fire_under_grad_too(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    x.register_hook(lambda g: (log.append("leaf"), g * 10)[1])
    y = x * 2
    y.register_hook(lambda g: log.append("result"))
    see("gradient", torch.autograd.grad(y.sum(), x)[0], expect=[20, 20])
    see("order", log, expect=["result", "leaf"])
    see("leaf is untouched", x.grad, expect=None)


@program(rules="E-72")
def an_expanded_gradient_cannot_be_written_in_a_hook(torch, see):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g.mul_(2))
    see.raises("in-place in the hook", y.sum().backward, phrase="single memory location")
    see("leaf", x.grad, expect=None)


@program(rules="E-73")
def after_an_in_place_change_old_hooks_keep_the_old_value(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    y.register_hook(lambda g: log.append(f"before {g.tolist()}"))
    y.mul_(5)
    y.register_hook(lambda g: log.append(f"after {g.tolist()}"))
    y.sum().backward()
    see("order", log, expect=["after [1.0, 1.0]", "before [5.0, 5.0]"])


@program(rules="E-73")
def retain_grad_moves_to_the_new_value(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    y.sum().backward()
    see("retained", y.grad, expect=[1, 1])
    see("leaf", x.grad, expect=[10, 10])


@program(rules="E-74")
def post_accumulate_hooks(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    x.register_post_accumulate_grad_hook(lambda t: log.append((t is x, t.grad.tolist())))
    x.sum().backward()
    x.sum().backward()
    see("after the sum", log, expect=[(True, [1, 1]), (True, [2, 2])])
    torch.autograd.grad(x.sum(), x)
    see("not by grad", len(log), expect=2)
    see.raises(
        "on a result", lambda: (x * 1).register_post_accumulate_grad_hook(print), phrase="leaf"
    )


@program(rules="E-74")
def an_optimizer_step_in_backward(torch, see):
    x = torch.ones(2, requires_grad=True)

    def step(t):
        with torch.no_grad():
            t -= 0.1 * t.grad
        t.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    see("stepped", x, expect=[0.8, 0.8])
    see("freed", x.grad, expect=None)
    y = torch.ones((), requires_grad=True)
    y.register_post_accumulate_grad_hook(lambda t: 5)
    see.raises("must return None", y.backward)


@program(rules="E-77")
def handles_remove_their_hook(torch, see):
    x = torch.ones((), requires_grad=True)
    log = []
    handle = x.register_hook(lambda g: log.append("first"))
    x.register_hook(lambda g: log.append("second"))
    x.backward()
    handle.remove()
    handle.remove()
    x.backward()
    see("removed", log, expect=["first", "second", "second"])
    with x.register_hook(lambda g: log.append("inside")):
        x.backward()
    x.backward()
    see("as a context", log[3:], expect=["second", "inside", "second"])


@program(rules="E-77")
def a_hook_removed_while_it_runs(torch, see):
    x = torch.ones((), requires_grad=True)
    log = []

    def once(g):
        log.append("once")
        handle.remove()

    handle = x.register_hook(once)
    x.register_hook(lambda g: log.append("always"))
    x.backward()
    x.backward()
    see("runs", log, expect=["once", "always", "always"])


@program(rules="E-79")
def an_exception_in_a_hook_stops_the_backward(torch, see):
    early, late = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    y = early.exp()

    def fail(g):
        raise KeyError("stop here")

    y.register_hook(fail)
    z = y * late.exp()
    see.raises("propagates", z.backward, phrase="stop here")
    see("work done before stays", late.grad)
    see("nothing behind", early.grad, expect=None)
    see.raises("freed nodes stay freed", z.backward, phrase="second time")


@program(rules="E-70")
def hooks_see_gradients_with_history_under_create_graph(torch, see):
    x = torch.tensor(3.0, requires_grad=True)
    flags = []
    y = x**2
    y.register_hook(lambda g: flags.append(g.requires_grad))
    x.register_hook(lambda g: g * x)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    see("hooked", g, expect=18)
    # d(2x * x)/dx = 12, and the hook of x runs in this backward too.
    see("second derivative through the hook", torch.autograd.grad(g, x)[0], expect=36)
    see("the seed has none", flags, expect=[False])
