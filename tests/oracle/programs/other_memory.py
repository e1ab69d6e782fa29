"""Giving a tensor other memory or another size, and deleting what it must have (spec 07 A: X-15)."""

from tests.oracle.registry import program


def _set(torch, make, shape=(3,)):
    x = torch.ones(3, requires_grad=True)
    older = make(x)
    with torch.no_grad():
        x.set_(torch.full(shape, 5.0))
    return x, older


@program(rules="X-15")
def set_makes_a_leaf_another_one_for_older_graphs(torch, see):
    x, older = _set(torch, lambda x: (x * 2).sum())
    see("still a leaf", (x.is_leaf, x.requires_grad, x._version), expect=[True, True, 1])
    see.raises(
        "older",
        lambda: torch.autograd.grad(older, x, retain_graph=True),
        phrase="not have been used",
    )
    see(
        "unused", torch.autograd.grad(older, x, retain_graph=True, allow_unused=True), expect=[None]
    )
    see("both", torch.autograd.grad(older + (x * 3).sum(), x)[0], expect=[3, 3, 3])


@program(rules="X-15")
def an_older_graph_still_fills_grad_after_set(torch, see):
    x, older = _set(torch, lambda x: (x * 2).sum())
    older.backward()
    see("older alone", x.grad, expect=[2, 2, 2])
    x, older = _set(torch, lambda x: (x * 2).sum())
    (older + (x * 3).sum()).backward()
    see("both", x.grad, expect=[5, 5, 5])
    x, older = _set(torch, lambda x: (x * x).sum())
    see.raises("saved", older.backward, phrase="modified by an inplace operation")


@program(rules="X-15")
def set_to_another_shape_keeps_older_graphs_apart(torch, see):
    x, older = _set(torch, lambda x: (x * 2).sum(), (4,))
    see("new alone", torch.autograd.grad((x * 3).sum(), x)[0])
    see("both", torch.autograd.grad(older + (x * 3).sum(), x)[0])
    x, older = _set(torch, lambda x: (x * 2).sum(), (4,))
    see.raises("both into .grad", (older + (x * 3).sum()).backward)


@program(rules="X-15")
def hooks_stay_with_the_tensor_after_set(torch, see):
    x = torch.ones(3, requires_grad=True)
    log = []
    x.register_hook(lambda g: log.append("hook"))
    x.register_post_accumulate_grad_hook(lambda t: log.append("post"))
    older = (x * 2).sum()
    node = older.grad_fn.next_functions[0][0].next_functions[0][0]
    with torch.no_grad():
        x.set_(torch.ones(3))
    newer = x * 3
    see("same node", newer.grad_fn.next_functions[0][0] is node, expect=False)
    older.backward()
    newer.sum().backward()
    see("log", log)
    see("gradient", x.grad)


@program(rules="X-15")
def data_of_another_type_makes_another_leaf_too(torch, see):
    x = torch.ones(3, requires_grad=True)
    older = x * 2
    node = older.grad_fn.next_functions[0][0]
    x.data = torch.ones(3)
    see("same type", (x * 2).grad_fn.next_functions[0][0] is node, expect=True)
    x.data = torch.ones(3, dtype=torch.float64)
    newer = x * 2
    see("another type", newer.grad_fn.next_functions[0][0] is node, expect=False)
    newer.sum().backward()
    see("gradient", x.grad)
    y = torch.ones(3, requires_grad=True)
    older = y * 2
    y.data = torch.ones(4)
    see.raises("another shape", (y * 2).sum().backward, phrase="invalid gradient")
    older.sum().backward()
    see("gradient of the older", y.grad)


@program(rules="X-15")
def set_where_history_would_be_lost(torch, see):
    leaf = torch.ones(3, requires_grad=True)
    see.raises(
        "leaf", lambda: leaf.set_(torch.ones(3)), phrase="a leaf Variable that requires grad"
    )
    result = leaf * 2
    with torch.no_grad():
        result.set_(torch.zeros(3))
    see("result", result)
    see("history", result.grad_fn.name())


@program(rules="X-15")
def resizing_to_the_same_size_is_no_write(torch, see):
    x = torch.arange(6.0)
    see("same", (x.resize_(6)._version, x.resize_((6,)).shape))
    see(
        "another", (x.resize_(2, 3)._version, x.resize_(torch.Size([2, 3]))._version), expect=[1, 1]
    )
    see("value", x)
    turned = torch.arange(6.0).reshape(2, 3).t()
    see.layout("strides stay", turned.resize_(3, 2))
    with torch.inference_mode():
        inside = torch.ones(3)
    see("inference tensor", inside.resize_(3).shape)
    see.raises("another size of it", lambda: inside.resize_(4))
    y = torch.ones(3, requires_grad=True)
    saved = (y * 1) ** 2
    see("saved", torch.autograd.grad(saved.sum(), y)[0])
    see.raises("leaf", lambda: y.resize_(3), phrase="cannot resize variables that require grad")


@program(rules="X-15")
def resize_as_takes_the_shape_of_another(torch, see):
    x = torch.arange(6.0)
    see("itself", x.resize_as_(torch.ones(2, 3)) is x, expect=True)
    see("value", x)
    see("versions", (x._version, x.resize_as_(torch.zeros(2, 3))._version), expect=[1, 1])
    see("smaller", torch.arange(6.0).resize_as_(torch.ones(2, dtype=torch.int64)))
    see(
        "flag of the other",
        x.resize_as_(torch.ones(2, requires_grad=True)).requires_grad,
        expect=False,
    )
    see("keyword", x.resize_as_(the_template=torch.ones(1)).shape)
    see("function", torch.resize_as_(torch.ones(3), torch.ones(2)).shape)
    see.raises("no tensor", lambda: x.resize_as_([1]), phrase="must be Tensor, not list")
    leaf = torch.ones(2, requires_grad=True)
    see.raises(
        "leaf", lambda: leaf.resize_as_(leaf), phrase="cannot resize variables that require grad"
    )
    with torch.no_grad():
        see.raises("in no_grad", lambda: leaf.resize_as_(leaf), phrase="cannot resize variables")


@program(rules="X-15", each=("data", "requires_grad", "grad_fn"))
def what_every_tensor_has_cannot_be_deleted(torch, see, name):
    for kind, x in (("leaf", torch.ones(2, requires_grad=True)), ("plain", torch.ones(2))):
        see.raises(kind, lambda x=x: delattr(x, name))
        see(f"{kind}: there", (x.data, x.requires_grad, x.grad_fn))


@program(rules="X-15")
def grad_can_be_deleted(torch, see):
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    del x.grad
    see("grad", x.grad, expect=None)
