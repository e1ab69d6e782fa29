"""`torch.autograd.grad`: what it returns, what it leaves alone, what it refuses, what it does not run."""

from tests.oracle.registry import program


@program(rules="E-30")
def grad_returns_a_tuple_and_touches_no_leaf(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    result = torch.autograd.grad((a * b).sum(), [a, b])
    see("a tuple", type(result) is tuple, expect=True)
    see("gradients", result, expect=([3, 3], [1, 1]))
    see("leaves", (a.grad, b.grad), expect=(None, None))
    see("one input", len(torch.autograd.grad(a.sum(), a)), expect=1)
    see("duplicates", torch.autograd.grad((a * b).sum(), [a, a]))
    see("any iterable", torch.autograd.grad((a * b).sum(), (t for t in (b, a))))


@program(rules="E-30")
def grad_of_itself_is_ones(torch, see):
    x = torch.ones((), requires_grad=True)
    y = x * 2
    see("of a result", torch.autograd.grad(y, y)[0], expect=1)
    see("of a leaf", torch.autograd.grad(x, x)[0], expect=1)
    z = y * 3
    see(
        "a result and one behind it",
        torch.autograd.grad(z, [y, x], retain_graph=True),
        expect=(3, 6),
    )
    see("with given gradient", torch.autograd.grad(y, y, torch.tensor(7.0))[0], expect=7)


@program(rules="E-30 E-71")
def grad_fills_retained_results_on_the_way(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    see("gradient", torch.autograd.grad((y * 3).sum(), x)[0], expect=[6, 6])
    see("retained", y.grad, expect=[3, 3])
    see("leaf", x.grad, expect=None)


@program(rules="E-31")
def unused_inputs(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    grad = torch.autograd.grad
    phrase = "appears to not have been used in the graph"
    see.raises("an error", lambda: grad(a.sum(), [a, b]), phrase=phrase)
    see("allowed", grad(a.sum(), [a, b], allow_unused=True))
    see("as zeros", grad(a.sum(), [a, b], materialize_grads=True))
    see.raises(
        "contradiction",
        lambda: grad(a.sum(), [b], materialize_grads=True, allow_unused=False),
        phrase="allow_unused",
    )


@program(rules="E-31")
def inputs_that_cannot_have_gradients(torch, see):
    a, c = torch.ones(2, requires_grad=True), torch.ones(2)
    grad = torch.autograd.grad
    phrase = "does not require grad"
    see.raises("constant", lambda: grad((a * c).sum(), c), phrase=phrase)
    see.raises(
        "constant, unused allowed", lambda: grad((a * c).sum(), c, allow_unused=True), phrase=phrase
    )
    see.raises("constant output", lambda: grad(c.sum(), a), phrase=phrase)
    see.raises("no inputs", lambda: grad(a.sum(), []), phrase="empty")


@program(rules="E-32")
def only_what_leads_to_a_target_runs(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    left, right = a.exp(), b.exp()
    log = []
    for name, t in (("left", left), ("right", right), ("sum", None)):
        if t is not None:
            t.grad_fn.register_hook(lambda gi, go, n=name: log.append(n))
    s = (left + right).sum()
    see("gradient", torch.autograd.grad(s, a)[0])
    see("nodes run", log, expect=["left"])
    see("the other branch keeps its values", torch.autograd.grad(right.sum(), b)[0])


@program(rules="E-32 E-41")
def a_node_that_ran_is_freed_for_both_branches(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    s = (a * b).sum()
    torch.autograd.grad(s, a)
    see.raises(
        "the other operand",
        lambda: torch.autograd.grad(s, b),
        phrase="backward through the graph a second time",
    )


@program(rules="E-32 E-51")
def a_target_captures_what_arrives(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    log = []
    y.grad_fn.register_prehook(lambda grads: log.append("prehook"))
    y.register_hook(lambda g: g * 10)
    see("with the hooks' changes", torch.autograd.grad((y * 3).sum(), y)[0], expect=[30, 30])
    see("its node is not run", log, expect=[])
    see("and keeps its values", torch.autograd.grad(y.sum(), x)[0])


@program(rules="E-51")
def a_target_on_the_way_to_another(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    gx, gy = torch.autograd.grad(y.sum(), [x, y])
    see("behind the hook", gx, expect=[20, 20])
    see.differs(
        "at the hook",
        gy,
        torch=[1, 1],
        vizgrad=[10, 10],
        because="E-51: vizgrad always returns the hooked value, as the stages of a visit say",
    )


@program(rules="E-33")
def only_inputs_false_is_deprecated(torch, see):
    x = torch.ones((), requires_grad=True)
    result = see.warns(
        "warning",
        lambda: torch.autograd.grad(x * 2, x, only_inputs=False),
        FutureWarning,
        phrase="only_inputs",
    )
    see("ignored", result, expect=(2,))


@program(rules="E-35")
def gradient_edges_stand_for_tensors(torch, see):
    edge_of = torch.autograd.graph.get_gradient_edge
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    edge = edge_of(y)
    see("node and slot", (edge.node is y.grad_fn, edge.output_nr), expect=(True, 0))
    see("of a leaf", edge_of(x).node, expect="AccumulateGrad")
    see("second slot", edge_of(y.unbind()[1]).output_nr, expect=1)
    z = y * 3
    see("as an input", torch.autograd.grad(z.sum(), edge)[0], expect=[3, 3])
    see("as an output", torch.autograd.grad(edge, x, torch.ones(2))[0], expect=[2, 2])
    see.raises("constant", lambda: edge_of(torch.ones(2)), phrase="require")


@program(rules="E-31 E-20")
def several_outputs_add_up(torch, see):
    x = torch.ones(2, requires_grad=True)
    y, z = x * 2, x * 3
    one = torch.ones(2)
    see("sum", torch.autograd.grad([y, z], x, [one, one])[0], expect=[5, 5])
    see("implicit", torch.autograd.grad([(x * 2).sum(), (x * 3).sum()], x)[0], expect=[5, 5])
    y, z = x * 2, x * 3
    see("one undefined", torch.autograd.grad([y.sum(), z], x, [None, one])[0], expect=[5, 5])


@program(rules="E-23")
def grad_with_create_graph_gives_a_history(torch, see):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    see("first", g, expect=[12, 27])
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    see("second", h, expect=[12, 18])
    see("third", torch.autograd.grad(h.sum(), x)[0], expect=[6, 6])
    see("without it", torch.autograd.grad((x**3).sum(), x)[0].requires_grad, expect=False)
