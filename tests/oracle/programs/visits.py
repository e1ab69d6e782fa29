"""One node visit: the order of its stages, accumulated and undefined gradients."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="E-50 E-76")
def stages_on_a_leaf(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: log.append(f"node hook {gi}"))
    x.register_post_accumulate_grad_hook(lambda t: log.append(f"post accumulate {t.grad.tolist()}"))
    node.register_prehook(lambda grads: log.append(f"node pre-hook, grad {x.grad}"))
    x.register_hook(lambda g: log.append(f"tensor hook, grad {x.grad}"))
    y.sum().backward()
    see(
        "order",
        log,
        expect=[
            "tensor hook, grad None",
            "node pre-hook, grad None",
            "post accumulate [2.0, 2.0]",
            "node hook ()",
        ],
    )


@program(rules="E-50")
def stages_on_a_result(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    y.grad_fn.register_hook(
        lambda gi, go: log.append(f"node hook {gi[0].tolist()} from {go[0].tolist()}")
    )
    y.grad_fn.register_prehook(lambda grads: log.append(f"pre-hook {grads[0].tolist()}"))
    y.retain_grad()
    y.register_hook(lambda g: (log.append("first tensor hook"), g * 2)[1])
    y.register_hook(lambda g: (log.append("second tensor hook"), g + 1)[1])
    y.sum().backward()
    see("order", log)
    see("retained after all tensor hooks", y.grad, expect=[3, 3])
    see("leaf", x.grad, expect=[6, 6])


@program(rules="E-50 E-51")
def a_capture_comes_before_the_pre_hook(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 100,))
    y.register_hook(lambda g: g + 1)
    see("tensor hooks only", torch.autograd.grad((y * 1).sum(), y)[0], expect=[2, 2])
    see("behind the pre-hook", torch.autograd.grad((y * 1).sum(), x)[0], expect=[400, 400])


@program(rules="E-52")
def a_hook_sees_only_the_total(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    y.register_hook(lambda g: log.append(g.tolist()))
    x.register_hook(lambda g: log.append(g.tolist()))
    (y * 3 + y * 4 + y + x).sum().backward()
    see("totals", log, expect=[[8, 8], [17, 17]])


@program(rules="E-52")
def accumulating_leaves_shared_gradients_alone(torch, see):
    seed = torch.tensor([1.0, 2.0])
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    # a and b both get `seed` itself from the sum; b then gets more.
    y = a + b
    z = y + b + b
    z.backward(seed)
    see("gradients", (a.grad, b.grad), expect=([1, 2], [3, 6]))
    see("the caller's tensor", seed, expect=[1, 2])
    see("its version", seed._version, expect=0)


@program(rules="E-52 F-67")
def expanded_gradients_accumulate(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    (x.sum() + x.sum(0).sum() * 2 + x[0].sum()).backward()
    see("gradient", x.grad, expect=[[4, 4, 4], [3, 3, 3]])


@program(rules="E-53")
def undefined_parts_of_a_node_with_several_outputs(torch, see):
    x = torch.tensor(wave(3, 2), requires_grad=True)
    log = []
    parts = (x * 1).unbind()
    parts[1].grad_fn.register_prehook(lambda grads: log.append([g is None for g in grads]))
    parts[1].sum().backward()
    see("which are undefined", log, expect=[[True, False, True]])
    see("gradient", x.grad, expect=[[0, 0], [1, 1], [0, 0]])
    values, _ = (x * 1).max(dim=0)
    values.grad_fn.register_prehook(lambda grads: log.append([g is None for g in grads]))
    values.sum().backward()
    see("the integer output has no slot", log[1:], expect=[[False]])


@program(rules="E-54")
def the_gradient_of_a_root_is_validated(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    y = x.sum(1)
    see.raises("wrong size", lambda: y.backward(torch.ones(3)), phrase="mismatch in shape")
    y.backward(torch.ones(2))
    see("right size", x.grad)


@program(rules="E-50 E-41")
def saved_values_are_released_after_the_node_hooks(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x.exp()
    y.grad_fn.register_hook(lambda gi, go: log.append(y.grad_fn._saved_result.shape))
    z = y.sin()
    z.sum().backward()
    see("readable in the hook", log, expect=[(2,)])
    see.raises("not afterwards", lambda: y.grad_fn._saved_result, phrase="already been freed")


@program(rules="E-41")
def values_are_released_one_node_after_the_other(torch, see):
    x = torch.ones(2, requires_grad=True)
    seen = []
    y = x.exp()
    z = y.sin()

    def look(grad):
        try:
            seen.append(len(z.grad_fn._saved_self))
        except RuntimeError:
            seen.append("freed")

    x.register_hook(look)
    z.sum().backward()
    see("seen from the leaf", seen, expect=["freed"])
