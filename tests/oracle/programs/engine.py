"""Multi-grad hooks, reentrant backward, callbacks, threads."""

import threading

from tests.oracle.registry import program


@program(rules="E-78")
def a_hook_on_all_gradients(torch, see):
    register = torch.autograd.graph.register_multi_grad_hook
    a, b, c = (torch.ones((), requires_grad=True) for _ in range(3))
    log = []
    handle = register(
        [a, b, c], lambda grads: log.append([None if g is None else g.item() for g in grads])
    )
    (a * 2 + b * 3).backward()
    (a * 2 + b * 3 + c * 4).backward()
    handle.remove()
    (a * 2).backward()
    see("log", log, expect=[[2, 3, None], [2, 3, 4]])


@program(rules="E-78")
def a_hook_on_any_gradient(torch, see):
    register = torch.autograd.graph.register_multi_grad_hook
    a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    log = []
    register([a, b], lambda g: log.append(g.item()), mode="any")
    (a * 2 + b * 3).backward()
    (a * 5).backward()
    see("log", log)
    see.raises("mode", lambda: register([a], print, mode="some"), phrase="some")
    see.raises("constant", lambda: register([torch.ones(1)], print))


@program(rules="E-90")
def backward_inside_backward(torch, see):
    log = []

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, grad):
            log.append("outer begins")
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                y = x.detach().requires_grad_()
                y.register_hook(lambda g: log.append("inner leaf"))
                (y**2).sum().backward()
            log.append("outer ends")
            return grad * y.grad

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    (Inner.apply(x) * 2).sum().backward()
    see("log", log, expect=["outer begins", "inner leaf", "outer ends"])
    see("gradient", x.grad, expect=[8, 12])


@program(rules="E-90")
def deeply_nested_backwards(torch, see):
    class Nest(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            if ctx.depth:
                with torch.enable_grad():
                    y = torch.ones(1, requires_grad=True)
                    Nest.apply(y, ctx.depth - 1).sum().backward()
                grad = grad + y.grad
            return grad, None

    x = torch.ones(1, requires_grad=True)
    Nest.apply(x, 100).sum().backward()
    see("gradient", x.grad, expect=[101])


@program(rules="E-80")
def callbacks_run_after_everything(torch, see):
    Variable = torch.autograd.Variable
    x = torch.ones((), requires_grad=True)
    log = []

    def hook(g):
        log.append("result")
        Variable._execution_engine.queue_callback(lambda: log.append("callback"))

    y = x * 2
    y.register_hook(hook)
    x.register_post_accumulate_grad_hook(lambda t: log.append("leaf"))
    y.backward()
    see("log", log, expect=["result", "leaf", "callback"])


@program(rules="E-91")
def hooks_run_on_the_calling_thread(torch, see):
    x = torch.ones((), requires_grad=True)
    threads = []
    y = x * 2
    x.register_hook(lambda g: threads.append(threading.get_ident()))
    y.backward()
    see("same thread", threads == [threading.get_ident()], expect=True)


@program(rules="E-93")
def several_threads_on_one_graph(torch, see):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = (x * x).sum()
    workers = [threading.Thread(target=lambda: y.backward(retain_graph=True)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    see("sum", x.grad, expect=[8, 8])


@program(rules="E-95")
def very_long_chains(torch, see):
    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 0.001
    y.backward()
    see("gradient", x.grad, expect=1)


@program(rules="M-40")
def multithreading_can_be_switched_off(torch, see):
    see("on", torch.autograd.is_multithreading_enabled(), expect=True)
    with torch.autograd.set_multithreading_enabled(False):
        see("off", torch.autograd.is_multithreading_enabled(), expect=False)
    see("on again", torch.autograd.is_multithreading_enabled(), expect=True)
