"""The order of execution, stages, and what is left in `.grad`."""

import threading

from tests.oracle.making import function, leaf
from tests.oracle.registry import program


@program(rules="E-40 E-53")
def undefined_gradients_are_delivered(torch, see):
    none = function(torch, lambda ctx, x: x * 1, lambda ctx, g: None)
    log = []
    x = leaf(torch)
    a = x * 2
    a.register_hook(lambda g: log.append(None if g is None else g.tolist()))
    (none.apply(a) + a * 3).sum().backward()
    see("with one defined", log, expect=[[3, 3]])
    log.clear()
    b = x * 2
    b.register_hook(log.append)
    x.grad = None
    none.apply(b).sum().backward()
    see("all undefined", (log, x.grad))


@program(rules="E-53")
def undefined_parts_of_several_outputs(torch, see):
    x = leaf(torch, 1.0, 2.0, 3.0)
    first, *_ = x.unbind()
    (first * 2).backward()
    see("unbind", x.grad, expect=[2, 0, 0])
    m = torch.tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True)
    m.max(1)[0][0].backward()
    see("max", m.grad)


@program(rules="E-42 E-43 E-44")
def the_order_of_execution(torch, see):
    log = []

    def note(name, t):
        t.grad_fn.register_hook(lambda *_: log.append(name))
        return t

    l1, l2 = leaf(torch), leaf(torch)
    for name, each in (("acc1", l1), ("acc2", l2)):
        each.register_hook(lambda g, name=name: log.append(name))
    p = note("p", l1 * 2)
    q = note("q", l2 * 3)
    r = note("r", q.exp())
    s = note("add", p + r)
    note("sum", s.sum()).backward()
    see("order", log, expect=["sum", "add", "r", "q", "acc2", "p", "acc1"])
    log.clear()
    a, b = note("a", l1 * 2), note("b", l2 * 3)
    torch.autograd.backward([a, b], [torch.ones(2)] * 2)
    see("several roots", list(log))
    log.clear()
    a, b = note("a", l1 * 2), note("b", l2 * 3)
    torch.autograd.backward([b, a], [torch.ones(2)] * 2)
    see("the other way round", log)


@program(rules="E-50 E-76")
def the_stages_of_a_visit(torch, see):
    log = []
    x = leaf(torch)
    y = x * 2
    node = y.grad_fn
    node.register_hook(lambda gi, go: log.append(f"post {go[0].tolist()} {gi[0].tolist()}"))
    node.register_prehook(lambda g: (log.append(f"pre {g[0].tolist()}"), (g[0] * 10,))[1])
    y.retain_grad()
    y.register_hook(lambda g: (log.append(f"hook {g.tolist()}"), g + 1)[1])
    y.register_hook(lambda g: log.append(f"second {g.tolist()}"))
    acc = node.next_functions[0][0]
    acc.register_hook(lambda gi, go: log.append(f"acc post {gi} {go[0].tolist()}"))
    acc.register_prehook(lambda g: log.append(f"acc pre {g[0].tolist()}"))
    x.register_post_accumulate_grad_hook(lambda t: log.append(f"stored {t.grad.tolist()}"))
    x.register_hook(lambda g: log.append(f"leaf hook {g.tolist()}"))
    y.sum().backward()
    see("log", log)
    see("retained", y.grad, expect=[2, 2])


@program(rules="E-51")
def hooks_of_a_captured_node(torch, see):
    log = []
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda g: (log.append("hook"), g * 10)[1])
    y.grad_fn.register_prehook(lambda g: log.append("pre"))
    z = (y * 3).sum()
    see("captured alone", torch.autograd.grad(z, y, retain_graph=True)[0], expect=[30, 30])
    see("log", list(log), expect=["hook"])
    gy, gx = torch.autograd.grad(z, [y, x])
    see.differs("captured on the way", gy, torch=[3, 3], vizgrad=[30, 30], because="E-51")
    see("behind it", gx, expect=[60, 60])


@program(rules="E-60 E-61 E-62")
def accumulation_and_graphs(torch, see):
    x = leaf(torch)
    (x * 2).sum().backward()
    first, version = x.grad, x.grad._version
    (x * 3).sum().backward()
    see("in place", (x.grad is first, first._version - version), expect=(True, 1))
    (x**2).sum().backward(create_graph=True)
    see("replaced", x.grad is first, expect=False)
    see("with history", x.grad)
    kept = x.grad
    (x * 3).sum().backward()
    see("in place again", x.grad is kept, expect=True)
    see("then", x.grad)
    y = leaf(torch)
    g = torch.ones(2, requires_grad=True)
    (y * 2).backward(g, create_graph=True)
    see("stored with history", y.grad)


@program(rules="E-63")
def layouts_of_gradients(torch, see):
    for name, make in (
        ("transposed", lambda: torch.ones(2, 3).t()),
        ("stepped", lambda: torch.ones(4, 6)[::2, ::3]),
        ("expanded", lambda: torch.ones(1, 3).expand(2, 3)),
        ("permuted", lambda: torch.ones(2, 3, 4).permute(2, 0, 1)),
    ):
        x = make().detach().requires_grad_()
        for how, run in (
            ("mul", lambda x: (x * 2).sum()),
            ("sum", lambda x: x.sum()),
            ("given", lambda x: (x * torch.ones(x.shape)).sum()),
        ):
            x.grad = None
            run(x).backward()
            see(f"{name}, {how}", tuple(x.grad.stride()))


@program(rules="E-66")
def a_leaf_switched_off(torch, see):
    x = leaf(torch)
    y = (x * 2).sum()
    x.requires_grad_(False)
    y.backward()
    see("dropped", x.grad, expect=None)


@program(rules="E-65")
def a_leaf_of_another_shape(torch, see):
    x = leaf(torch)
    (x * 2).sum().backward()
    x.data = torch.ones(3)
    see.raises("added", lambda: (x * 2).sum().backward())
    y = leaf(torch)
    z = (y * 2).sum()
    y.data = torch.ones(3)
    see.attempt("stored", z.backward)


@program(rules="E-90")
def a_nested_backward_of_the_same_graph(torch, see):
    x, w = leaf(torch), leaf(torch)
    other = (w * 5).sum()
    fn = function(
        torch, lambda ctx, x: x * 1, lambda ctx, g: (other.backward(retain_graph=True), g)[1]
    )
    (fn.apply(x) + fn.apply(x)).sum().backward()
    see("outer", x.grad, expect=[2, 2])
    see("inner", w.grad, expect=[10, 10])


@program(rules="E-91")
def modes_of_a_new_thread(torch, see):
    found = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: found.append(torch.is_grad_enabled()))
        thread.start()
        thread.join(10)
    see("grad mode", found, expect=[True])


@program(rules="E-97")
def copies_of_tensors(torch, see):
    from copy import deepcopy

    x = leaf(torch)
    (x * 2).sum().backward()
    other = deepcopy(x)
    see("leaf", (other, other.grad, other.data_ptr() == x.data_ptr()))
    see.raises("result", lambda: deepcopy(x * 2), phrase="leaves")
    see.raises("numpy", x.numpy, phrase="detach")
    inside = function(torch, lambda ctx, x: (see("inside forward", x.numpy()), x * 1)[1])
    inside.apply(x)
    with torch.no_grad():
        see.attempt("no_grad", x.numpy)


@program(rules="E-64 E-10")
def gradients_keep_their_strides(torch, see):
    """Those of `autograd.grad`. With `retain_grad` they lie in C order, `.grad` as the leaf does."""
    x = torch.ones(3, 4, requires_grad=True)
    turned = torch.arange(12.0).reshape(4, 3).t()
    (given,) = torch.autograd.grad(x * 2, x, turned)
    see("grad", given)
    see("stride of grad", list(given.stride()), expect=[1, 3])
    middle = x * 3
    middle.retain_grad()
    middle.backward(turned)
    see("stride of retain_grad", list(middle.grad.stride()))
    see("stride of .grad", list(x.grad.stride()))
