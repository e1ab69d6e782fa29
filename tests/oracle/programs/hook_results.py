"""What hooks may return, each kind of hook with each kind of result; and what is stored after them."""

from tests.oracle.registry import program

RESULTS = (
    ("nothing", lambda torch, g: None),
    ("a tuple", lambda torch, g: (torch.ones(2),)),
    ("the gradient", lambda torch, g: g),
    ("a list", lambda torch, g: [torch.ones(2)]),
    ("too many", lambda torch, g: (torch.ones(2), torch.ones(2), None)),
    ("none", lambda torch, g: ()),
    ("another shape", lambda torch, g: (torch.ones(1),)),
    ("another type", lambda torch, g: (torch.ones(2).double(),)),
    ("a tuple of None", lambda torch, g: (None,)),
    ("a tuple of a number", lambda torch, g: (1,)),
)


@program(rules="E-75", each=RESULTS)
def hooks_of_nodes(torch, see, case):
    _, make = case

    def gradient(attach):
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        attach(y.grad_fn)
        y.sum().backward()
        return x.grad

    def before_run(node):
        node.register_prehook(lambda grads: make(torch, grads[0]))

    def after(node):
        node.register_hook(lambda inputs, outputs: make(torch, inputs[0]))

    def before_leaf(node):
        node.next_functions[0][0].register_prehook(lambda grads: make(torch, grads[0]))

    def after_leaf(node):
        node.next_functions[0][0].register_hook(lambda inputs, outputs: make(torch, outputs[0]))

    see.attempt("before a node", lambda: gradient(before_run))
    see.attempt("after a node", lambda: gradient(after))
    see.attempt("before a leaf", lambda: gradient(before_leaf))
    see.attempt("after a leaf", lambda: gradient(after_leaf))


@program(
    rules="E-70",
    each=(
        ("nothing", lambda torch, g: None),
        ("twice", lambda torch, g: g * 2),
        ("a tuple", lambda torch, g: (g,)),
        ("a number", lambda torch, g: 2.0),
        ("zero", lambda torch, g: 0),
        ("a part", lambda torch, g: g[:1]),
        ("a wider shape", lambda torch, g: torch.ones(1, 2)),
        ("double", lambda torch, g: g.double()),
        ("integers", lambda torch, g: g.long()),
    ),
)
def hooks_of_tensors(torch, see, case):
    _, make = case

    def gradient():
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda g: make(torch, g))
        (x * 2).sum().backward()
        return x.grad

    see.attempt("gradient", gradient)


@program(
    rules="E-74",
    each=(
        ("nothing", lambda p: None),
        ("the parameter", lambda p: p),
        ("its gradient, written", lambda p: p.grad.mul_(2)),
        ("a number", lambda p: 0),
        ("a word", lambda p: "done"),
        ("a list", lambda p: [p]),
    ),
)
def hooks_after_accumulating(torch, see, case):
    _, hook = case

    def gradient():
        x = torch.ones(2, requires_grad=True)
        x.register_post_accumulate_grad_hook(hook)
        (x * 2).sum().backward()
        return x.grad

    see.attempt("gradient", gradient)


@program(rules="E-53 E-70 E-75")
def nothing_cannot_become_a_gradient(torch, see):
    class Silent(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    phrase = "can't replace a None gradient with a non-None value"

    def run(attach):
        x = torch.ones(2, requires_grad=True)
        y = Silent.apply(x)
        attach(x, y)
        y.sum().backward()
        return x.grad

    def of_the_tensor(x, y):
        x.register_hook(lambda g: torch.ones(2))

    def after_the_node(x, y):
        y.grad_fn.register_hook(lambda inputs, outputs: (torch.ones(2),))

    see("as it is", run(lambda x, y: None), expect=None)
    see.raises("hook of the tensor", lambda: run(of_the_tensor), phrase=phrase)
    see.raises("hook of the node", lambda: run(after_the_node), phrase=phrase)

    def constant_operand():
        x = torch.ones(2, requires_grad=True)
        y = x * torch.ones(2)
        y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], inputs[0]))
        y.sum().backward()

    see.raises("for an operand without one", constant_operand, phrase=phrase)

    def part_without():
        x = torch.ones(2, requires_grad=True)
        first = x.unbind()[0]
        first.grad_fn.register_prehook(lambda grads: (torch.ones(()),) * len(grads))
        first.backward()

    see.raises("before a node", part_without, phrase=phrase)


@program(rules="E-77", each=("in its own run", "another in its run", "added in a run"))
def changing_hooks_while_they_run(torch, see, case):
    log = []
    x = torch.ones(2, requires_grad=True)
    handles = {}

    def first(grad):
        log.append("first")
        if case == "in its own run":
            handles["first"].remove()
        elif case == "another in its run":
            handles["second"].remove()
        else:
            x.register_hook(lambda g: log.append("added"))

    handles["first"] = x.register_hook(first)
    handles["second"] = x.register_hook(lambda g: log.append("second"))
    for _ in range(2):
        (x * 2).sum().backward()
        log.append("-")
    see("order", log)


@program(rules="E-60 E-63")
def a_stored_copy_with_history_has_the_layout_of_its_leaf(torch, see):
    def stored(x, y):
        y.sum().backward(create_graph=True)
        return x.grad

    plain = torch.ones(2, 3, requires_grad=True)
    turned = torch.ones(3, 2).t().requires_grad_()
    grads = {
        "a row-major leaf": stored(plain, plain.t() * torch.ones(3, 2)),
        "a turned leaf": stored(turned, turned.contiguous() * 2),
        "with a history": stored(x := torch.ones(2, requires_grad=True), x * x),
    }
    for name, grad in grads.items():
        see(name, (grad, grad.stride(), grad._version))
        see.graph(f"{name}: history", grad)


@program(rules="E-22")
def the_old_name_of_the_gradients(torch, see):
    x = torch.ones(2, requires_grad=True)
    ones = torch.ones(())
    see.warns(
        "alone",
        lambda: torch.autograd.backward((x * 2).sum(), grad_variables=ones),
        FutureWarning,
        phrase="grad_tensors",
    )
    see("gradient", x.grad)
    see.raises(
        "both",
        lambda: torch.autograd.backward((x * 2).sum(), ones, grad_variables=ones),
        phrase="only use `grad_tensors`",
    )


@program(rules="E-78")
def the_root_among_the_tensors_of_a_multi_grad_hook(torch, see):
    calls = []
    a = torch.ones(1, requires_grad=True)
    b = a * 2
    c = b * 3
    torch.autograd.graph.register_multi_grad_hook(
        (b, c), lambda grads: calls.append([None if g is None else g.item() for g in grads])
    )
    c.backward()
    see.differs(
        "calls",
        calls,
        torch=[[None, 1.0], [3.0, None]],
        vizgrad=[[3.0, 1.0]],
        because="E-78: PyTorch leaves the node of a single root out of its count",
    )
