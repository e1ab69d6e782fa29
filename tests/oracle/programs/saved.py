"""Saved tensors and the version check."""

from tests.oracle.registry import program

_PHRASE = "modified by an inplace operation"


@program(rules="V-20")
def a_changed_operand_is_noticed(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    y = (a * a).sum()
    a.add_(1)
    see.raises("message", y.backward, phrase=_PHRASE)
    see.raises("current version", y.backward, phrase="is at version 1; expected version 0 instead")


@program(rules="V-20")
def the_message_names_shape_producer_and_slot(torch, see):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            return first + 2 * second

    x = torch.ones(2, 3, requires_grad=True)
    a = x.exp()
    y = a.sin().sum()
    a.zero_()
    see.raises("shape", y.backward, phrase="[2, 3]")
    z = Both.apply(x)[1]
    y = (z * z).sum()
    z.detach().add_(1)
    see.raises("slot", y.backward, phrase="of Both")
    w = torch.ones(2, requires_grad=True)
    z = (w * w).sum()
    with torch.no_grad():
        w.add_(1)
    see.raises("a leaf", z.backward, phrase="version 1; expected version 0")
    see.raises("hint", z.backward, phrase="anomaly")


@program(rules="V-20")
def versions_count_from_the_time_of_saving(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    a.add_(1)
    y = (a * a).sum()
    y.backward(retain_graph=True)
    see("changed before saving", x.grad, expect=[12, 12])
    a.mul_(2)
    a.mul_(2)
    see.raises("changed twice after", y.backward, phrase="is at version 3; expected version 1")


@program(rules="V-21")
def the_check_is_per_memory_not_per_region(torch, see):
    x = torch.ones(4, requires_grad=True)
    a = x * 1
    y = (a[:2] * a[:2]).sum()
    a[2:].zero_()
    see.raises("a disjoint part", y.backward, phrase=_PHRASE)


@program(rules="V-22")
def writes_through_detach_and_no_grad_are_noticed(torch, see):
    x = torch.ones(2, requires_grad=True)

    def after(write):
        a = x * 1
        y = (a * a).sum()
        write(a)
        return y.backward

    def silently(a):
        with torch.no_grad():
            a.add_(1)

    see.raises("detach", after(lambda a: a.detach().add_(1)), phrase=_PHRASE)
    see.raises("no_grad", after(silently), phrase=_PHRASE)
    see.raises("out", after(lambda a: torch.add(torch.ones(2), 1, out=a.detach())), phrase=_PHRASE)
    see.raises("view of detach", after(lambda a: a.detach()[0].zero_()), phrase=_PHRASE)


@program(rules="V-25 V-3")
def writes_past_the_counter_give_wrong_gradients(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 1
    y = (a * a).sum()
    a.data.add_(1)
    y.backward()
    see("through data: the new value is used", x.grad, expect=[4, 4])
    x.grad = None
    y = (x * x).sum()
    x.data = torch.full((2,), 5.0)
    y.backward()
    see("replaced data", x.grad, expect=[10, 10])


@program(rules="V-23 F-37")
def a_saved_result_knows_its_node(torch, see):
    x = torch.tensor([1.0, 4.0], requires_grad=True)
    y = x.sqrt()
    saved = y.grad_fn._saved_result
    see("value", saved, expect=[1, 2])
    see("node", saved.grad_fn is y.grad_fn, expect=True)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    see("so double backward works", torch.autograd.grad(g.sum(), x)[0], expect=[-0.25, -0.03125])


@program(rules="V-24")
def detaching_a_saved_result_in_place(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    z = y.sin()
    y.detach_()
    see.raises("its consumer", lambda: z.sum().backward(), phrase="detached")


@program(rules="V-20 E-41")
def a_failed_check_frees_nothing_it_did_not_reach(torch, see):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a = x.exp()
    b = w.exp()
    y = (a * b).sum()
    b.detach().zero_()
    see.raises("product", y.backward, phrase=_PHRASE)
    see("branch that was not reached", torch.autograd.grad(a.sum(), x)[0])
    see("leaves", (x.grad, w.grad), expect=(None, None))


@program(rules="V-20")
def what_each_operation_saves(torch, see):
    """Change the input, then the result, after each operation: which of them does backward need?"""
    for name in (
        "exp",
        "sin",
        "sqrt",
        "relu",
        "tanh",
        "sigmoid",
        "abs",
        "square",
        "log",
        "neg",
        "sum",
        "cumsum",
        "softmax",
        "prod",
        "mean",
        "reciprocal",
        "clamp",
        "norm",
    ):
        needs = []
        for changed in ("input", "result"):
            x = torch.full((2,), 0.5, requires_grad=True)
            a = x * 1
            fn = getattr(a, name)
            y = fn(0) if name in ("cumsum", "softmax", "clamp") else fn()
            loss = y.sum() if changed == "input" else y * 1
            (a if changed == "input" else y).detach().add_(1)
            try:
                loss.sum().backward()
            except RuntimeError:
                needs.append(changed)
        see(name, needs)


@program(rules="V-20", each=("mm", "mul", "div", "pow", "matmul", "maximum", "atan2"))
def what_operations_of_two_save(torch, see, name):
    for wants in ((True, True), (True, False), (False, True)):
        needs = []
        for changed in (0, 1):
            leaves = [torch.ones(2, 2, requires_grad=want) for want in wants]
            operands = [leaf * 1 for leaf in leaves]
            y = getattr(torch, name)(*operands).sum()
            operands[changed].detach().add_(1)
            try:
                y.backward()
            except RuntimeError:
                needs.append(changed)
        see(f"requires grad {wants}", needs)


@program(rules="V-20")
def an_operand_that_was_not_given_is_saved_as_none(torch, see):
    x = torch.tensor([[1.0, 2.0, 4.0]], requires_grad=True)
    node = torch.nn.functional.layer_norm(x, (3,)).grad_fn
    see("weight", node._saved_weight, expect=None)
    see("a number", float((x * 2).grad_fn._saved_other), expect=2.0)
    see("input", node._saved_input)
