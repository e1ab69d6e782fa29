"""Hooks on nodes."""

import gc

from tests.oracle.registry import program


@program(rules="E-75")
def node_hooks_see_both_sides(torch, see):
    x = torch.ones(2, requires_grad=True)
    w = torch.full((2,), 3.0, requires_grad=True)
    log = []
    y = x * w
    y.grad_fn.register_prehook(lambda grads: log.append([g.tolist() for g in grads]))
    y.grad_fn.register_hook(
        lambda gi, go: log.append(([g.tolist() for g in gi], [g.tolist() for g in go]))
    )
    (y * 2).sum().backward()
    see("before and after", log)


@program(rules="E-75")
def a_pre_hook_may_replace_what_the_node_gets(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    y.sum().backward()
    see("gradient", x.grad, expect=[20, 20])


@program(rules="E-75")
def a_hook_may_replace_what_the_node_gives(torch, see):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = x * w
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))
    y.sum().backward()
    see("gradients", (x.grad, w.grad), expect=([10, 10], [1, 1]))


@program(rules="E-75")
def what_node_hooks_may_not_return(torch, see):
    def backward_with(register, result):
        def run():
            x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
            y = x * w
            getattr(y.grad_fn, register)(result)
            y.sum().backward()

        return run

    see.raises("a bare tensor", backward_with("register_hook", lambda gi, go: gi[0]))
    see.raises("a list", backward_with("register_hook", lambda gi, go: list(gi)))
    see.raises("too few", backward_with("register_hook", lambda gi, go: gi[:1]))
    see.raises("a bare tensor before", backward_with("register_prehook", lambda go: go[0]))
    see.raises("too many before", backward_with("register_prehook", lambda go: (*go, *go)))
    see.raises("another shape before", backward_with("register_prehook", lambda go: (go[0].sum(),)))


@program(rules="E-75")
def a_leafs_node_has_no_inputs(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    log = []
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: log.append((gi, [g.tolist() for g in go])))
    y.sum().backward()
    see("hook", log, expect=[((), [[2, 2]])])


@program(rules="E-75 E-77")
def node_handles(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x + 1
    log = []
    post = y.grad_fn.register_hook(lambda gi, go: log.append("post"))
    with y.grad_fn.register_prehook(lambda grads: log.append("pre")):
        y.sum().backward()
    y.sum().backward()
    post.remove()
    y.sum().backward()
    see("runs", log, expect=["pre", "post", "post"])


@program(rules="E-75 E-70")
def tensor_hooks_come_before_pre_hooks(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    log = []
    y.grad_fn.register_prehook(lambda grads: log.append(f"pre {grads[0].tolist()}"))
    y.register_hook(lambda g: (log.append("tensor"), g * 2)[1])
    y.grad_fn.register_prehook(lambda grads: log.append("second pre"))
    y.sum().backward()
    see("order", log, expect=["tensor", "pre [2.0, 2.0]", "second pre"])


@program(rules="E-5 E-75")
def a_hook_on_a_leafs_node_lives_as_long_as_a_graph(torch, see):
    x = torch.ones(2, requires_grad=True)
    log = []
    y = x * 2
    y.grad_fn.next_functions[0][0].register_hook(lambda gi, go: log.append("kept"))
    (x * 3).sum().backward()
    see("shared by a second graph", log, expect=["kept"])
    del y
    gc.collect()
    (x * 3).sum().backward()
    see("gone with the first", log, expect=["kept"])


@program(rules="E-75 E-53")
def node_hooks_with_several_outputs(torch, see):
    x = torch.ones(3, requires_grad=True)
    parts = (x * 1).unbind()
    log = []
    parts[0].grad_fn.register_prehook(
        lambda grads: (log.append([None if g is None else g.item() for g in grads]), None)[1]
    )
    parts[2].register_hook(lambda g: g * 7)
    (parts[0] * 2 + parts[2]).backward()
    see("slots", log, expect=[[2.0, None, 7.0]])
    see("gradient", x.grad, expect=[2, 0, 7])


@program(rules="F-5 E-75")
def nodes_carry_metadata(torch, see):
    y = torch.ones(2, requires_grad=True) * 2
    see("empty", y.grad_fn.metadata, expect={})
    y.grad_fn.metadata["note"] = "mine"
    see("kept on the node", y.grad_fn.metadata["note"], expect="mine")
    see("name", y.grad_fn.name(), expect="MulBackward0")
