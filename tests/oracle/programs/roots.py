"""`backward(tensors, grad_tensors, ...)`: roots, given gradients, `inputs=`."""

from tests.oracle.registry import program


@program(rules="E-20")
def a_missing_gradient_is_ones_for_one_element(torch, see):
    for name, shape in (("0-dim", ()), ("(1,)", (1,)), ("(1, 1)", (1, 1))):
        x = torch.full(shape, 3.0, requires_grad=True)
        (x * x).backward()
        see(name, x.grad)
    x = torch.ones(2, requires_grad=True)
    phrase = "grad can be implicitly created only for scalar outputs"
    see.raises("two elements", (x * 2).backward, phrase=phrase)
    see.raises("by the function", lambda: torch.autograd.backward(x * 2), phrase=phrase)
    see.raises("by grad", lambda: torch.autograd.grad(x * 2, x), phrase=phrase)


@program(rules="E-21")
def a_given_gradient_has_exactly_the_shape(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    (x * 2).backward(torch.full((2, 3), 5.0))
    see("right shape", x.grad)
    phrase = "mismatch in shape"
    see.raises("broadcastable", lambda: (x * 2).backward(torch.ones(3)), phrase=phrase)
    see.raises("scalar", lambda: (x * 2).backward(torch.tensor(1.0)), phrase=phrase)
    see.raises("a number", lambda: (x * 2).backward(1.0))
    see.raises("for grad", lambda: torch.autograd.grad(x * 2, x, torch.ones(3)), phrase=phrase)


@program(rules="E-21")
def a_given_gradient_is_cast(torch, see):
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.tensor([1.5, 2.5], dtype=torch.float64))
    see("from float64", x.grad, expect=[3, 5])
    x.grad = None
    (x * 2).backward(torch.tensor([1, 2]))
    see("from int64", x.grad, expect=[2, 4])


@program(rules="E-22")
def counts_and_flags_of_roots(torch, see):
    x = torch.ones((), requires_grad=True)
    backward = torch.autograd.backward
    see.raises(
        "two roots, one gradient",
        lambda: backward([x * 1, x * 2], [torch.ones(())]),
        phrase="got 2 tensors and 1",
    )
    phrase = "does not require grad and does not have a grad_fn"
    see.raises("constant", torch.ones(()).backward, phrase=phrase)
    see.raises(
        "second constant",
        lambda: backward([x * 1, torch.ones(())]),
        phrase="element 1 of tensors " + phrase,
    )
    see.raises("detached", (x * 2).detach().backward, phrase=phrase)


@program(rules="E-24")
def leaves_duplicates_and_ancestors_as_roots(torch, see):
    x = torch.ones((), requires_grad=True)
    x.backward()
    see("a leaf", x.grad, expect=1)
    x.grad = None
    y = x * 3
    torch.autograd.backward([y, y])
    see("duplicates add", x.grad, expect=6)
    x.grad = None
    y = x * 3
    z = y * 5
    log = []
    y.grad_fn.register_hook(lambda gi, go: log.append(go[0].item()))
    torch.autograd.backward([z, y])
    see("an ancestor gets both", x.grad, expect=18)
    see("in one visit", log, expect=[6.0])


@program(rules="E-24 E-44")
def several_roots_with_gradients(torch, see):
    x = torch.ones(2, requires_grad=True)
    y, z = x * 2, x.exp()
    torch.autograd.backward([y, z], [torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])])
    see("sum", x.grad)
    a, b = (x * 1).unbind()
    x.grad = None
    torch.autograd.backward([b, a], [torch.tensor(5.0), torch.tensor(7.0)])
    see("slots of one node", x.grad, expect=[7, 5])
    x.grad = None
    torch.autograd.backward([x.sum(), x.prod()])
    see("implicit ones", x.grad)
    torch.autograd.backward((x.sum(), x.prod()), (None, torch.tensor(2.0)), retain_graph=True)
    see("one implicit", x.grad)


@program(rules="E-23")
def create_graph_retains_unless_told_otherwise(torch, see):
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    see("first", g, expect=12)
    see("second", torch.autograd.grad(g, x)[0], expect=12)
    y = x.exp()
    torch.autograd.grad(y, x, create_graph=True)
    see("retained by default", torch.autograd.grad(y, x)[0])
    y = x.exp()
    (g,) = torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    see.raises(
        "freed on request",
        lambda: torch.autograd.grad(g, x),
        phrase="backward through the graph a second time",
    )


@program(rules="E-25")
def backward_with_create_graph_warns_of_a_cycle(torch, see):
    x = torch.tensor(2.0, requires_grad=True)
    see.warns("backward", lambda: (x**2).backward(create_graph=True), phrase="reference cycle")
    see.silent("grad", lambda: torch.autograd.grad(x**2, x, create_graph=True))
    see("the gradient has a history", x.grad)
    x.grad = None


@program(rules="E-26 M-10")
def create_graph_decides_the_mode_inside(torch, see):
    x = torch.tensor(2.0, requires_grad=True)
    modes = []

    def look(grad):
        modes.append(torch.is_grad_enabled())

    y = x**2
    y.register_hook(look)
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        modes.append(torch.is_grad_enabled())
    see("history in spite of no_grad", g)
    torch.autograd.grad(y, x)
    modes.append(torch.is_grad_enabled())
    see("modes", modes, expect=[True, False, False, True])


@program(rules="E-27")
def inputs_limit_who_gets_a_gradient(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = a * b
    y.sum().backward(inputs=[a], retain_graph=True)
    see("listed", a.grad, expect=[1, 1])
    see("not listed", b.grad, expect=None)
    y.sum().backward(inputs=b)
    see("a tensor for a list", b.grad, expect=[1, 1])
    see("again not listed", a.grad, expect=[1, 1])
    see.raises("no inputs", lambda: (a * b).sum().backward(inputs=[]), phrase="cannot be empty")


@program(rules="E-27")
def inputs_may_be_results(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    z = y * y
    z.sum().backward(inputs=[y], retain_graph=True)
    see("stored in its grad", y.grad, expect=[6, 6])
    see("not passed on", x.grad, expect=None)
    z.sum().backward(inputs=[y, x])
    see("accumulated", y.grad, expect=[12, 12])
    see("and passed on", x.grad, expect=[18, 18])


@program(rules="E-27")
def a_listed_result_is_run_by_pytorch_for_nothing(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    log = []
    y.grad_fn.register_hook(lambda gi, go: log.append("exp"))
    (y * 2).sum().backward(inputs=[y])
    see.differs(
        "nodes run",
        log,
        torch=["exp"],
        vizgrad=[],
        because="E-27: the producer of a listed result is run only if another target needs it",
    )
    again = see.outcome(lambda: [*torch.autograd.grad(y.sum(), x)[0].tolist()])
    see.differs(
        "run again",
        again if isinstance(again, list) else "freed",
        torch="freed",
        vizgrad=[2.718281828] * 2,
        because="E-27: so its saved values are not freed",
    )


@program(rules="E-22")
def backward_takes_sequences(torch, see):
    x = torch.ones((), requires_grad=True)
    torch.autograd.backward((x * 2,), grad_tensors=(torch.tensor(3.0),))
    see("tuple", x.grad, expect=6)
    torch.autograd.backward([x * 2])
    see("list", x.grad, expect=8)
    see.raises(
        "number of gradients for grad", lambda: torch.autograd.grad([x * 1, x * 2], x, [None])
    )
