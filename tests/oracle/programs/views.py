"""Views: which operations make them, `_base`, and histories that follow writes."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="V-29")
def the_base_is_always_the_root(torch, see):
    x = torch.zeros(2, 3, 4)
    see("a tensor is no view", (x._is_view(), x._base), expect=(False, None))
    a = x[0]
    b = a.t()
    c = b.unsqueeze(0).expand(2, 4, 3)
    see("views of views", [v._base is x for v in (a, b, c)], expect=[True, True, True])
    see("all are views", all(v._is_view() for v in (a, b, c)), expect=True)
    y = torch.ones(4, requires_grad=True) * 2
    see("of a result", y[1:][1:]._base is y, expect=True)


@program(rules="V-29 V-55")
def detach_is_not_a_view_but_shares_memory(torch, see):
    x = torch.ones(3, requires_grad=True) * 2
    d = x.detach()
    see("not a view", (d._is_view(), d._base), expect=(False, None))
    see("no history", d)
    d.add_(1)
    see("memory and counter", (x, x._version), expect=([3, 3, 3], 1))
    see("detach of a view", x[1:].detach()._is_view(), expect=False)


@program(rules="V-28")
def tracking_holds_without_grad_and_under_no_grad(torch, see):
    plain = torch.zeros(4)
    see("without grad", plain[1:]._base is plain, expect=True)
    with torch.no_grad():
        w = torch.ones(4, requires_grad=True)
        see("under no_grad", w[1:]._base is w, expect=True)
        see("of an int tensor", torch.arange(3)[1:]._is_view(), expect=True)


@program(rules="V-29")
def which_indices_give_views(torch, see):
    x = torch.zeros(3, 3)
    for name, index in (
        ("int", 0),
        ("slice", slice(1)),
        ("none", None),
        ("ellipsis", ...),
        ("int tensor", torch.tensor(1)),
        ("list", [0]),
        ("1-D tensor", torch.tensor([0])),
        ("mask", x == 0),
        ("true", True),
    ):
        see(name, x[index]._is_view())


@program(rules="V-28 V-34")
def views_follow_their_base(torch, see):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    view = y[:2]
    before = view.grad_fn
    y.mul_(3)
    see("value", view, expect=[3, 3])
    see("its node is new", view.grad_fn is before, expect=False)
    see("name", view.grad_fn, expect="AsStridedBackward0")
    view.sum().backward()
    see("gradient includes the change", x.grad, expect=[3, 3, 0, 0])


@program(rules="V-34 V-30")
def siblings_follow_each_other(torch, see):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    left, middle, right = y[:2], y[1:3], y[2:]
    left.mul_(10)
    see.graph("middle", middle)
    middle.mul_(2)
    see("value", y, expect=[10, 20, 2, 1])
    (left.sum() + right.sum()).backward()
    see("gradient", x.grad, expect=[10, 20, 2, 1])


@program(rules="V-30")
def old_results_of_a_view_keep_the_old_history(torch, see):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    view = y[:2]
    before = view * 2
    view.mul_(10)
    (before.sum() + view.sum()).backward()
    see("gradient", x.grad, expect=[12, 12, 0, 0])


@program(rules="V-28 T-12")
def writes_through_every_kind_of_view(torch, see):
    for name, make in (
        ("transpose", lambda y: y.t()[0]),
        ("reshape", lambda y: y.view(6)[1:4]),
        ("diagonal", lambda y: y.diagonal()),
        ("permuted slice", lambda y: y.permute(1, 0)[1:]),
        ("select", lambda y: y.select(1, 2)),
        ("unsqueezed", lambda y: y.unsqueeze(1)[:, 0, 1]),
        ("narrow", lambda y: y.narrow(1, 1, 2)),
        ("step", lambda y: y[:, ::2]),
        ("as_strided", lambda y: y.as_strided((2,), (3,), 1)),
        ("flatten", lambda y: y.flatten()[2:5]),
        ("movedim", lambda y: y.movedim(0, 1)[0]),
        ("unfold", lambda y: y.view(6).unfold(0, 2, 3)[0]),
    ):
        x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
        y = x * 1
        make(y).mul_(3)
        see(f"{name}: value", y)
        y.backward(torch.tensor(wave(2, 3, seed=1), dtype=torch.float64))
        see(f"{name}: gradient", x.grad)


@program(rules="V-28")
def views_as_leaves_of_their_own_graph(torch, see):
    base = torch.tensor(wave(4))
    view = base[1:3].requires_grad_()
    (view * view).sum().backward()
    see("gradient", view.grad)
    see("base", base)


@program(rules="V-33")
def hooks_on_a_base_keep_the_old_value(torch, see):
    x = torch.ones(4, requires_grad=True)
    log = []
    y = x * 1
    y.register_hook(lambda g: log.append(("before", g.tolist())))
    y[:2].mul_(10)
    y.register_hook(lambda g: log.append(("after", g.tolist())))
    y.sum().backward()
    see("hooks", log, expect=[("after", [1, 1, 1, 1]), ("before", [10, 10, 1, 1])])


@program(rules="V-33")
def retain_grad_follows_the_new_history(torch, see):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    y.retain_grad()
    view = y[:2]
    view.retain_grad()
    view.mul_(10)
    (y * torch.tensor([1.0, 2, 3, 4])).sum().backward()
    see("base", y.grad, expect=[1, 2, 3, 4])
    see("view", view.grad, expect=None)
    see("leaf", x.grad, expect=[10, 20, 3, 4])


@program(rules="V-33 V-30")
def retain_grad_on_a_written_view_that_is_used(torch, see):
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    view = y[:2]
    view.retain_grad()
    view.mul_(10)
    (view * 2).sum().backward()
    see("view", view.grad, expect=[2, 2])
    see("leaf", x.grad, expect=[20, 20, 0, 0])
