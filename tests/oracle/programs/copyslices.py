"""In-place on a view: the base's history is rewritten (CopySlices)."""

from tests.oracle.data import wave
from tests.oracle.making import tanh_in_place
from tests.oracle.registry import program


@program(rules="V-30 V-31")
def a_write_through_a_view_changes_the_gradient_of_its_region(torch, see):
    x = torch.ones(4, requires_grad=True)
    a = x * 1
    a[:2].mul_(10)
    see("gradient", torch.autograd.grad(a.sum(), x)[0], expect=[10, 10, 1, 1])
    see.graph(
        "history",
        a,
        expect="0 CopySlices(1.0, None.0); 1 MulBackward0(2.0, None.0); 2 AccumulateGrad()",
    )


@program(rules="V-30")
def the_five_steps(torch, see):
    x, w = torch.ones(4, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    base = x * 1
    view, sibling = base[1:3], base[2:]
    see("before", (base.grad_fn, view.grad_fn, sibling.grad_fn))
    view.mul_(w)
    see("data", base, expect=[1, 3, 3, 1])
    see("versions", [t._version for t in (base, view, sibling)], expect=[1, 1, 1])
    see.graph("base", base)
    see.graph("view", view)
    see.graph("sibling", sibling)


@program(rules="V-31")
def operands_get_their_part(torch, see):
    x, w = torch.ones(4, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    base = x * 2
    base[1:3].mul_(w)
    base.backward(torch.tensor([1.0, 10.0, 100.0, 1000.0]))
    see("base's source", x.grad, expect=[2, 60, 600, 2000])
    see("operand", w.grad, expect=[20, 200])


@program(rules="V-31")
def a_write_that_ignores_the_old_values_gives_zero(torch, see):
    for name, write in (
        ("number", lambda a: a.__setitem__(slice(0, 2), 7.0)),
        ("zero_", lambda a: a[:2].zero_()),
        ("fill_", lambda a: a[:2].fill_(1.0)),
        ("copy_ of a constant", lambda a: a[:2].copy_(torch.zeros(2))),
    ):
        x = torch.ones(4, requires_grad=True)
        a = x * 1
        write(a)
        see(name, torch.autograd.grad(a.sum(), x)[0], expect=[0, 0, 1, 1])


@program(rules="V-30 V-11")
def a_base_without_history_gets_one(torch, see):
    w = torch.full((2,), 3.0, requires_grad=True)
    base = torch.zeros(2, 2)
    base[0] = w
    base[:, 1] *= w
    see("value", base)
    see.graph("history", base)
    (base * torch.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    see("gradient", w.grad)


@program(rules="V-30")
def writes_one_after_the_other(torch, see):
    x = torch.tensor(wave(6), dtype=torch.float64, requires_grad=True)
    y = x * 1
    for i in range(5):
        y[i + 1] = y[i].clone() * y[i + 1].clone()
    see("value", y)
    see("version", y._version)
    y[-1].backward()
    see("gradient", x.grad)


@program(rules="V-30 V-21")
def a_loop_that_multiplies_what_it_overwrites_is_noticed(torch, see):
    x = torch.tensor(wave(4), dtype=torch.float64, requires_grad=True)
    y = x * 1
    for i in range(3):
        y[i + 1] = y[i] * y[i + 1]
    see("value", y)
    see.raises("backward", y[-1].backward, phrase="modified by an inplace operation")


@program(rules="V-30")
def overlapping_views_written_in_turn(torch, see):
    x = torch.tensor(wave(4), dtype=torch.float64, requires_grad=True)
    y = x * 1
    left, right = y[:3], y[1:]
    left.mul_(2)
    right.add_(x[:3])
    left.mul_(right.detach().clone()[:3])
    see("value", y)
    y.backward(torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64))
    see("gradient", x.grad)


@program(rules="V-30")
def a_view_of_a_view_reaches_the_root(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    base = x * 1
    row = base[1]
    cell = row[2]
    cell.mul_(10)
    see.graph("base", base)
    see("row is regenerated", row.grad_fn, expect="AsStridedBackward0")
    row.sum().backward(retain_graph=True)
    see("gradient through the row", x.grad, expect=[[0, 0, 0], [1, 1, 10]])
    x.grad = None
    base.sum().backward()
    see("gradient through the base", x.grad, expect=[[1, 1, 1], [1, 1, 10]])


@program(rules="V-30 V-12")
def a_transposed_base(torch, see):
    x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
    base = (x * 1).t().contiguous()
    base.t()[0].exp_()
    see("value", base)
    base.backward(torch.tensor(wave(3, 2, seed=1), dtype=torch.float64))
    see("gradient", x.grad)


@program(rules="V-30")
def the_written_values_themselves(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
    base = x * 1
    base[:2] = base[2:].clone() ** 2
    base[0] *= base[3].clone()
    see("value", base, expect=[36, 16, 3, 4])
    base.sum().backward()
    see("gradient", x.grad)


@program(rules="V-31 E-75")
def copyslices_is_a_node_with_hooks(torch, see):
    x = torch.ones(4, requires_grad=True)
    base = x * 1
    base[:2].mul_(10)
    log = []
    base.grad_fn.register_hook(
        lambda gi, go: log.append(
            ([None if g is None else g.tolist() for g in gi], [g.tolist() for g in go])
        )
    )
    base.sum().backward()
    see("hook", log)


@program(rules="V-31 V-20")
def copyslices_checks_what_its_formula_saved(torch, see):
    x, w = torch.ones(4, requires_grad=True), torch.ones(2, requires_grad=True)
    factor = w * 1
    base = x * 1
    base[:2].mul_(factor)
    factor.detach().add_(1)
    see.raises(
        "changed operand", lambda: base.sum().backward(), phrase="modified by an inplace operation"
    )
    base = x * 1
    base[:2].mul_(w * 1)
    y = base.sum()
    y.backward()
    see.raises("freed", y.backward, phrase="second time")


@program(rules="V-31")
def the_second_derivative_through_a_write(torch, see):
    x = torch.tensor(wave(4), dtype=torch.float64, requires_grad=True)
    base = x**2
    base[1:3] *= x[:2]
    (g,) = torch.autograd.grad((base**2).sum(), x, create_graph=True)
    see("first", g.detach())
    see("second", torch.autograd.grad(g.sum(), x)[0])


@program(rules="V-31 V-23 E-75")
def hooks_of_the_written_view_see_what_comes_back_through_its_saved_result(torch, see):
    def halve(grad):
        return grad * 0.5

    def on_tensor(view):
        view.register_hook(halve)

    def before_node(view):
        view.grad_fn.register_prehook(lambda grads: tuple(halve(g) for g in grads))

    for name, write in (
        ("tanh_", lambda view: view.tanh_()),
        ("exp_", lambda view: view.exp_()),
        ("sqrt_", lambda view: view.sqrt_()),
        ("sigmoid_", lambda view: view.sigmoid_()),
    ):
        for kind, hook in (
            ("tensor", on_tensor),
            ("prehook", before_node),
            ("none", lambda view: None),
        ):
            for turn in ("before", "between"):
                x = torch.tensor([0.5, 1.0, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
                base = x * 2
                view = write(base[1:3])
                if turn == "before":
                    hook(view)
                (first,) = torch.autograd.grad((base**2).sum(), x, create_graph=True)
                if turn == "between":
                    hook(view)
                see(f"{name}, {kind}, {turn}: first", first.detach())
                (second,) = torch.autograd.grad((first**2).sum(), x)
                see(f"{name}, {kind}, {turn}: second", second)


@program(rules="V-31 V-23")
def the_saved_result_of_a_view_keeps_its_hooks_when_the_view_is_gone(torch, see):
    for kept in (True, False):
        x = torch.tensor([0.5, 1.0, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
        base = x * 2
        view = base.view(2, 2).tanh_()
        view.register_hook(lambda grad: grad * 0.5)
        loss = (view**2).sum() if kept else (base**2).sum()
        del view, base
        (first,) = torch.autograd.grad(loss, x, create_graph=True)
        see(f"first, used {kept}", first.detach())
        see(f"second, used {kept}", torch.autograd.grad((first**2).sum(), x)[0])


@program(rules="V-31 V-23")
def retained_gradients_of_a_written_view_add_up(torch, see):
    x = torch.tensor([0.5, 1.0, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
    view = (x * 2)[1:].tanh_()
    view.retain_grad()
    (first,) = torch.autograd.grad((view**2).sum(), x, create_graph=True)
    (first**2).sum().backward()
    see("view", view.grad)
    see("x", x.grad)


@program(rules="V-31 V-23 A-8")
def a_function_that_saves_the_view_it_writes(torch, see):
    x = torch.tensor([0.5, 1.0, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
    base = x * 2
    tanh_in_place(torch).apply(base[1:])
    (first,) = torch.autograd.grad((base**2).sum(), x, create_graph=True)
    see("first", first.detach())
    see("second", torch.autograd.grad((first**2).sum(), x)[0])
