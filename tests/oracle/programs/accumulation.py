"""AccumulateGrad: what ends up in `.grad`, as which object, with which version and history."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="E-61")
def the_second_backward_adds_in_place(torch, see):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    see("first", first, expect=[2, 2])
    see("version", first._version)
    (x * 3).sum().backward()
    see("same object", x.grad is first, expect=True)
    see("sum", first, expect=[5, 5])
    see("version after", first._version)


@program(rules="E-60 E-61")
def with_create_graph_a_new_tensor_replaces_the_old(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x**3).sum().backward(create_graph=True)
    see("new object", x.grad is first, expect=False)
    see("value", x.grad, expect=[5, 14])
    see("the old one", first, expect=[2, 2])
    see("derivative of grad", torch.autograd.grad(x.grad.sum(), x)[0], expect=[6, 12])
    x.grad = None


@program(rules="E-60")
def the_first_gradient_with_create_graph_has_a_history(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    see("value", x.grad, expect=[3, 12])
    (x.grad**2).sum().backward()
    see("differentiated through", x.grad, expect=[3 + 36, 12 + 288])
    x.grad = None


@program(rules="E-62")
def a_gradient_with_history_keeps_requiring_grad(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    kept = x.grad
    (x * 2).sum().backward()
    see("same object", x.grad is kept, expect=True)
    see("sum", kept)
    see("derivative of the old part only", torch.autograd.grad(kept.sum(), x)[0], expect=[6, 12])
    x.grad = None


@program(rules="E-63")
def the_gradient_has_the_strides_of_its_leaf(torch, see):
    x = torch.ones(3, 2).t().requires_grad_()
    (x * torch.tensor(wave(2, 3))).sum().backward()
    see.layout("transposed leaf", x.grad)
    y = torch.ones(2, 3, requires_grad=True)
    (y.t() * torch.tensor(wave(3, 2))).sum().backward()
    see.layout("contiguous leaf", y.grad)
    z = torch.ones(3, requires_grad=True)
    z.sum().backward()
    see.layout("expanded gradient", z.grad)
    w = torch.ones(4)[::2].requires_grad_()
    w.sum().backward()
    see.layout("strided leaf", w.grad)
    e = torch.ones(1).expand(3).requires_grad_()
    e.sum().backward()
    see.layout("overlapping leaf", e.grad)


@program(rules="E-64")
def leaves_do_not_share_memory(torch, see):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    given = torch.tensor([1.0, 2.0])
    (a + b).backward(given)
    a.grad.add_(10)
    see("first leaf", a.grad, expect=[11, 12])
    see("other leaf", b.grad, expect=[1, 2])
    see("given gradient", given, expect=[1, 2])


@program(rules="E-64")
def a_given_gradient_is_never_aliased_by_vizgrad(torch, see):
    x = torch.ones(2, 2, requires_grad=True)
    given = torch.ones(4)
    x.view(4).backward(given)
    given.fill_(5)
    see.differs(
        "grad after writing to the given tensor",
        x.grad,
        torch=[[5, 5], [5, 5]],
        vizgrad=[[1, 1], [1, 1]],
        because="E-64: memory the caller can reach is never taken into .grad",
    )


@program(rules="E-65")
def a_grad_of_another_shape_is_refused(torch, see):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    x.data = torch.ones(3)
    see.raises("after .data was replaced", lambda: (x * 2).sum().backward())
    see("the old gradient stays", x.grad.shape, expect=(2,))


@program(rules="E-60", each=["in rows", "in columns"])
def a_leaf_reshaped_before_backward_gets_a_gradient_of_its_new_shape(torch, see, order):
    def leaf():
        return (torch.ones(2, 3) if order == "in rows" else torch.ones(3, 2).t()).requires_grad_()

    x = leaf()
    loss = (x * torch.tensor([1.0, 2.0, 3.0])).sum()
    with torch.no_grad():
        x.unsqueeze_(0)
    loss.backward()
    see("a dimension more", x.grad, expect=[[[1, 2, 3], [1, 2, 3]]])
    x, y = leaf(), leaf()
    loss = (x * 2 + y * 3).sum()
    with torch.no_grad():
        x.t_()
    see.raises("transposed", loss.backward)
    see("no gradient of the old shape", x.grad, expect=None)


@program(rules="E-60")
def a_leaf_with_more_data_gets_its_gradient_for_each_row(torch, see):
    x = torch.ones(3, requires_grad=True)
    loss = (x * torch.tensor([1.0, 2.0, 3.0])).sum()
    x.data = torch.ones(2, 3)
    loss.backward()
    see("grad", x.grad, expect=[[1, 2, 3], [1, 2, 3]])


@program(rules="E-66")
def a_leaf_that_no_longer_requires_grad_drops_it(torch, see):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = (x * w).sum()
    x.requires_grad_(False)
    y.backward()
    see("dropped", x.grad, expect=None)
    see("the other", w.grad, expect=[1, 1])


@program(rules="E-60")
def the_stored_gradient_is_a_plain_leaf(torch, see):
    x = torch.ones(2, requires_grad=True)
    given = torch.tensor([3.0, 4.0])
    x.backward(given)
    see("grad", x.grad)
    see("not the given object", x.grad is given, expect=False)
    see("leaf", (x.grad.is_leaf, x.grad.grad_fn))
    x.grad.zero_()
    see("the given one is untouched", given, expect=[3, 4])


@program(rules="E-61")
def an_assigned_grad_is_added_to(torch, see):
    x = torch.ones(2, requires_grad=True)
    mine = torch.tensor([10.0, 20.0])
    x.grad = mine
    (x * 2).sum().backward()
    see("added in place", mine, expect=[12, 22])
    x.grad = torch.zeros(2)
    x.sum().backward()
    see("assigned zeros", x.grad, expect=[1, 1])


@program(rules="E-60 E-52")
def one_backward_adds_up_before_it_stores(torch, see):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x * 2 + x.exp() + x * x).sum().backward()
    see("total", x.grad)
    log = []
    x.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.tolist()))
    (x * 2 + x * 3).sum().backward()
    see("stored once", len(log), expect=1)


@program(rules="E-61")
def accumulating_into_views_of_one_buffer(torch, see):
    buffer = torch.zeros(4)
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a.grad, b.grad = buffer[:2], buffer[2:]
    (a * 2 + b * 3).sum().backward()
    see("one flat buffer of gradients", buffer, expect=[2, 2, 3, 3])
