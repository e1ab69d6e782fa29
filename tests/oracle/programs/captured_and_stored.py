"""What `grad` captures where hooks are, and what is stored before an error (spec 07: X-43)."""

from tests.oracle.registry import program


def _graph(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    return {"x": x, "y": y, "z": y * 3}


_CHOICES = ("y", "x", "z", "yx", "xy", "zy", "zx", "zyx", "yy", "yyx")


@program(rules="X-43", each=_CHOICES)
def a_root_that_is_an_input_too(torch, see, inputs):
    for create_graph in (False, True):
        for roots in ("y", "z", "yz", "zy", "yy"):
            if roots == "z" and {"x", "y"} <= set(inputs):
                continue  # y is no root, but on the way to another target: E-51 says otherwise on purpose
            t = _graph(torch)
            t["y"].register_hook(lambda g: g * 10)
            t["y"].register_hook(lambda g: g + 1)
            t["x"].register_hook(lambda g: g * 100)
            t["z"].register_hook(lambda g: g * 1000)
            found = torch.autograd.grad(
                [t[r] for r in roots], [t[i] for i in inputs], [torch.ones(2) for _ in roots],
                create_graph=create_graph, allow_unused=True,
            )  # fmt: skip
            see(f"from {roots}, create_graph={create_graph}", found)


@program(rules="X-43", each=_CHOICES)
def retain_grad_and_node_hooks_of_what_is_captured(torch, see, inputs):
    for roots in ("y", "z"):
        if roots == "z" and {"x", "y"} <= set(inputs):
            continue
        t = _graph(torch)
        log = []
        for name in "yz":
            t[name].retain_grad()
            t[name].register_hook(lambda g, name=name: (log.append(f"tensor {name}"), g * 10)[1])
            t[name].grad_fn.register_prehook(
                lambda g, name=name: (log.append(f"pre {name}"), (g[0] * 7,))[1]
            )
            t[name].grad_fn.register_hook(lambda i, o, name=name: log.append(f"post {name}"))
        found = torch.autograd.grad(
            [t[r] for r in roots], [t[i] for i in inputs], [torch.ones(2)], allow_unused=True
        )
        see(f"from {roots}", found)
        see(f"from {roots}: log", log)
        see(f"from {roots}: retained", (t["y"].grad, t["z"].grad))


@program(rules="X-43")
def a_leaf_that_is_root_and_input(torch, see):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: g * 10)
    see("grad", torch.autograd.grad(x, x, torch.ones(2)))
    see("twice", torch.autograd.grad([x, x], [x, x], [torch.ones(2), torch.ones(2)]))
    x.backward(torch.ones(2), inputs=[x])
    see("backward(inputs=)", x.grad)


@program(rules="X-43")
def one_of_several_outputs_that_is_root_and_input(torch, see):
    x = torch.ones(2, 2, requires_grad=True)
    a, b = x.unbind()
    a.register_hook(lambda g: None if g is None else g * 10)
    b.register_hook(lambda g: None if g is None else g * 3)
    one = [torch.ones(2)]
    see("one", torch.autograd.grad(a, [a], one, allow_unused=True, retain_graph=True))
    see("beside", torch.autograd.grad(a, [a, b], one, allow_unused=True, retain_graph=True))
    see("both", torch.autograd.grad([a, b], [a, b], one * 2, retain_graph=True))
    see("and beyond", torch.autograd.grad([a, b], [a, b, x], one * 2, retain_graph=True))
    edge = torch.autograd.graph.get_gradient_edge
    see("edges", torch.autograd.grad([edge(a), edge(b)], [edge(b), x], one * 2))


@program(rules="X-43")
def backward_with_inputs_that_are_roots(torch, see):
    for inputs in ("y", "yx", "zy", "zyx"):
        t = _graph(torch)
        t["y"].register_hook(lambda g: g * 10)
        t["z"].backward(torch.ones(2), inputs=[t[i] for i in inputs])
        see(inputs, [t[i].grad for i in inputs])


# --- after an error ---------------------------------------------------------------------------------------


def _function_that(torch, answer):
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, grad):
            return answer(grad)

    return Fails.apply


def _in_a_function(torch, x, w, u):
    return (_function_that(torch, lambda g: 1 / 0)(x, w) * u).sum()


def _of_a_wrong_shape(torch, x, w, u):
    return (_function_that(torch, lambda g: (g, torch.ones(5)))(x, w) * u).sum()


def _in_a_tensor_hook(torch, x, w, u):
    y = x * w
    y.register_hook(lambda g: 1 / 0)
    return (y * u).sum()


def _in_a_leaf_hook(torch, x, w, u):
    w.register_hook(lambda g: g[:1])
    return (x * w * u).sum()


def _in_another_leaf_hook(torch, x, w, u):
    x.register_hook(lambda g: g[:1])
    return (x * w * u).sum()


def _after_a_leaf(torch, x, w, u):
    w.register_post_accumulate_grad_hook(lambda p: 1 / 0)
    return (x * w * u).sum()


def _in_a_post_hook(torch, x, w, u):
    y = x * w
    z = y * u
    y.grad_fn.register_hook(lambda i, o: 1 / 0)
    return z.sum()


def _in_a_prehook(torch, x, w, u):
    y = x * w
    z = (y * u).sum() + (w * 5).sum()
    y.grad_fn.register_prehook(lambda g: 1 / 0)
    return z


def _stale(torch, x, w, u):
    y = (x * w).exp()
    z = (y * u).sum()
    with torch.no_grad():
        y.add_(1)
    return z


def _freed(torch, x, w, u):
    y = x * w
    y.sum().backward()
    x.grad = w.grad = None
    return (y * u).sum() + (w * 2).sum()


_FAILURES = (
    _in_a_function, _of_a_wrong_shape, _in_a_tensor_hook, _in_a_leaf_hook, _in_another_leaf_hook,
    _after_a_leaf, _in_a_post_hook, _in_a_prehook, _stale, _freed,
)  # fmt: skip


@program(rules="X-43", each=_FAILURES)
def what_is_stored_before_an_error(torch, see, make):
    x, w, u = (torch.ones(2, requires_grad=True) for _ in range(3))
    loss = make(torch, x, w, u)
    see.raises("error", loss.backward)
    see("stored", (x.grad, w.grad, u.grad))
