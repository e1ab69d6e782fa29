"""detach, detach_, data."""

from tests.oracle.registry import program


@program(rules="V-55")
def detach_shares_memory_and_counter(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    d = y.detach()
    see("result", d, expect=[2, 4])
    d.zero_()
    see("memory", y, expect=[0, 0])
    see("counter", (y._version, d._version), expect=(1, 1))
    see("of a leaf", x.detach())
    see("twice", d.detach() is d, expect=False)


@program(rules="V-55")
def detach_cuts_the_gradient(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    (y.detach() * x).sum().backward()
    see("gradient", x.grad, expect=[1, 4])
    z = x.detach().requires_grad_()
    (z * 3).sum().backward()
    see("a leaf of its own", z.grad, expect=[3, 3])
    see("the first is untouched", x.grad, expect=[1, 4])


@program(rules="V-55")
def detach_in_place_drops_the_history(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    same = y.detach_()
    see("itself", same is y, expect=True)
    see("no history", (y, y.grad_fn))
    x.detach_()
    see("on a leaf", x.requires_grad, expect=False)
    base = torch.ones(4, requires_grad=True) * 1
    see.raises("on a view", base[:2].detach_, phrase="view")


@program(rules="V-56")
def data_shares_memory_with_a_counter_of_its_own(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    data = x.data
    see("flags", data, expect=[1, 2])
    data.mul_(10)
    see("memory", x, expect=[10, 20])
    see("counters", (x._version, data._version), expect=(0, 1))
    see("a new object each time", x.data is x.data, expect=False)


@program(rules="V-56")
def setting_data_replaces_memory(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    new = torch.tensor([5.0, 6.0, 7.0])
    x.data = new
    see("value", x, expect=[5, 6, 7])
    see("version", x._version, expect=0)
    new.add_(1)
    see("shared with the given tensor", x, expect=[6, 7, 8])
    x.data = torch.tensor([1.0, 2.0], dtype=torch.float64)
    see("dtype may change", x)
    (x * x).sum().backward()
    see("gradient", x.grad)


@program(rules="V-56 E-65")
def an_update_through_data_is_not_recorded(torch, see):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        loss = (w * w).sum()
        loss.backward()
        w.data -= 0.1 * w.grad
        w.grad = None
    see("trained", w, expect=[0.64, 1.28])
    see("leaf", (w.is_leaf, w._version), expect=(True, 0))


@program(rules="V-57 E-9")
def freezing_and_thawing(torch, see):
    w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    w.requires_grad_(False)
    y = (w * v).sum()
    see.graph("frozen", y)
    y.backward()
    see("gradients", (w.grad, v.grad))
    w.requires_grad = True
    (w * v).sum().backward()
    see("thawed", w.grad, expect=[1, 1])
    see.raises("a result", lambda: (w * v).requires_grad_(False), phrase="detach()")
