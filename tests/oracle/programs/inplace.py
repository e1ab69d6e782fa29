"""In-place operations and requires_grad: what is refused, what changes its history."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_LEAF = "a leaf Variable that requires grad is being used in an in-place operation"
_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation"


@program(rules="V-10")
def a_leaf_requiring_grad_cannot_be_changed(torch, see):
    x = torch.ones(3, requires_grad=True)
    see.raises("add_", lambda: x.add_(1), phrase=_LEAF)
    see.raises("by index", lambda: x.__setitem__(0, 1.0), phrase=_VIEW)
    see.raises("through a view", lambda: x[1:].mul_(2), phrase=_VIEW)
    see.raises("by list", lambda: x.__setitem__([0], 1.0), phrase=_LEAF)
    see.raises("by mask", lambda: x.__setitem__(x > 0, 1.0), phrase=_LEAF)
    see("untouched", (x, x._version), expect=([1, 1, 1], 0))


@program(rules="V-10")
def under_no_grad_a_leaf_can_be_changed(torch, see):
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        x.add_(1)
        x[0] = 5
        x[1:].mul_(2)
    see("value", x, expect=[5, 4, 4])
    see("version", x._version, expect=3)
    see("still a leaf", (x.is_leaf, x.grad_fn))
    (x * x).sum().backward()
    see("gradient", x.grad, expect=[10, 8, 8])


@program(rules="V-11")
def an_operand_with_history_gives_it_to_the_target(torch, see):
    w = torch.ones(2, requires_grad=True)
    x = torch.zeros(2)
    see("itself", x.add_(w) is x, expect=True)
    see("the target", x)
    see("node", x.grad_fn, expect="AddBackward0")
    x.sum().backward()
    see("gradient", w.grad, expect=[1, 1])


@program(rules="V-11")
def through_a_view_the_base_requires_grad_too(torch, see):
    w = torch.ones(2, requires_grad=True)
    x = torch.zeros(4)
    view = x[:2]
    view.add_(w)
    see("view", view)
    see("base", x)
    see("base's node", x.grad_fn, expect="CopySlices")
    (x * torch.tensor([1.0, 2, 3, 4])).sum().backward()
    see("gradient", w.grad, expect=[1, 2])


@program(rules="V-12")
def the_new_node_has_the_old_history_as_input(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    old = y.grad_fn
    y.add_(1)
    see("node", y.grad_fn, expect="AddBackward0")
    see("its input", y.grad_fn.next_functions[0][0] is old, expect=True)
    y.exp_()
    see.graph("twice", y)
    y.sum().backward()
    see("gradient", x.grad)


@program(rules="V-13")
def unsaved_values_may_change(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 1
    y = a * 2
    a.add_(1)
    y.sum().backward()
    see("a factor of a constant", x.grad, expect=[2, 2])
    x.grad = None
    a = x * 2
    a.relu_()
    a.sum().backward()
    see("relu_ of a product", x.grad, expect=[2, 2])
    x.grad = None
    a = x + 1
    b = a + 1
    a.mul_(5)
    (a + b).sum().backward()
    see("both used", x.grad, expect=[6, 6])


@program(rules="V-13 V-20")
def saved_results_may_not(torch, see):
    x = torch.tensor(wave(3), requires_grad=True)
    phrase = "modified by an inplace operation"
    for name, make in (
        ("sigmoid, relu_", lambda: x.sigmoid().relu_()),
        ("exp, add_", lambda: x.exp().add_(1)),
        ("tanh, zero_", lambda: x.tanh().zero_()),
        ("sqrt, mul_", lambda: x.abs().sqrt().mul_(2)),
        ("softmax, mul_", lambda: x.softmax(0).mul_(2)),
    ):
        y = make()
        see.raises(name, lambda y=y: y.sum().backward(), phrase=phrase)


@program(rules="V-13")
def a_value_multiplied_by_itself_in_place(torch, see):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    y *= y
    see("value", y, expect=[4, 9])
    see.raises("backward", lambda: y.sum().backward(), phrase="modified by an inplace operation")


@program(rules="V-13")
def in_place_forms_that_save_their_result(torch, see):
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    for name in ("exp_", "sigmoid_", "tanh_", "sqrt_", "relu_", "neg_"):
        x.grad = None
        y = x * 1
        getattr(y, name)()
        y.sum().backward()
        see(name, x.grad)
    for name in ("sin_", "log_", "square_", "abs_"):
        x.grad = None
        y = x * 1
        getattr(y, name)()
        see.attempt(name, lambda y=y: (y.sum().backward(), x.grad)[1])


@program(rules="V-12 V-13")
def an_in_place_operation_keeps_a_copy_of_what_it_overwrites(torch, see):
    """If its formula needs the old value of its target; `y *= y` needs it as the other operand too."""
    for name, write in (
        ("mul_", lambda y, w: y.mul_(w)),
        ("div_", lambda y, w: y.div_(w)),
        ("pow_", lambda y, w: y.pow_(3)),
        ("mul_ of a view", lambda y, w: y[:1].mul_(w[:1])),
        ("sin_ of a view", lambda y, w: y[:1].sin_()),
        ("twice", lambda y, w: y.mul_(w).mul_(w)),
    ):
        x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
        w = torch.tensor([5.0, 7.0], dtype=torch.float64, requires_grad=True)
        y = x * 1
        write(y, w)
        y.sum().backward()
        see(name, (x.grad, w.grad))
    y = torch.ones(2, requires_grad=True) * 1
    y.mul_(y.detach())
    see.raises("by itself, detached", lambda: y.sum().backward(), phrase="inplace operation")


@program(rules="V-14")
def a_view_may_become_a_leaf(torch, see):
    base = torch.zeros(4)
    view = base[:2].requires_grad_()
    see("flags", (view.is_leaf, view._is_view(), view.requires_grad), expect=(True, True, True))
    see.raises("in-place on it", lambda: view.add_(1), phrase=_VIEW)
    base.add_(1)
    see("a constant write to the base", (view.is_leaf, view), expect=(True, [1, 1]))
    base.add_(torch.ones(4, requires_grad=True))
    see("an operand with history", view.is_leaf, expect=False)


@program(rules="V-12 V-30")
def chains_of_in_place_operations(torch, see):
    x = torch.tensor(wave(4), dtype=torch.float64, requires_grad=True)
    y = x.clone()
    y.mul_(2).add_(x).neg_()
    y[1:3] -= x[:2]
    y.view(2, 2).t()[0].div_(4)
    y.clamp_(-0.3, 2)
    see("value", y)
    y.backward(torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64))
    see("gradient", x.grad)


@program(rules="V-12")
def overwriting_cuts_the_old_history(torch, see):
    x, w = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    for name, write in (
        ("zero_", lambda y: y.zero_()),
        ("fill_", lambda y: y.fill_(2.0)),
        ("copy_", lambda y: y.copy_(w)),
        ("copy_ broadcast", lambda y: y.copy_(w[0])),
    ):
        x.grad = w.grad = None
        y = x * 5
        write(y)
        y.sum().backward()
        see(name, (x.grad, w.grad))


@program(rules="V-12 V-2")
def augmented_assignments_are_in_place(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    before = y
    y += 1
    y -= x
    y *= 3
    y /= 2
    see("same object", y is before, expect=True)
    see("version", y._version, expect=4)
    y.sum().backward()
    see("gradient", x.grad, expect=[1.5, 1.5])
    z = 1
    z += x
    see("of a number it is not", z)
