"""Tensors, edges, leaves and their flags, sentence by sentence."""

from tests.oracle.making import leaf
from tests.oracle.registry import program


@program(rules="E-1 E-2")
def attributes_of_tensors(torch, see):
    x = leaf(torch)
    y, c, i = x * 2, torch.ones(2), torch.arange(2)
    for name, t in (("leaf", x), ("result", y), ("constant", c), ("integers", i)):
        see(
            name,
            (
                t.requires_grad,
                t.grad_fn,
                t.output_nr,
                t.is_leaf,
                t.grad if t is not y else None,
                t.retains_grad,
            ),
        )
    see("constant operands", c * c)
    with torch.no_grad():
        see("no_grad", x * 2)
    see("comparison", x > 0)


@program(rules="E-4")
def edges_of_operations(torch, see):
    x, c = leaf(torch), torch.ones(2)
    a, b = (x * 1).unbind()
    for name, y in (
        ("constant right", x * c),
        ("constant left", c * x),
        ("number", x * 2),
        ("same twice", x * x),
        ("parts", a + b),
        ("second part", b * 2),
        ("list", torch.stack([x, c, x])),
        ("three", torch.where(x > 0, x, c)),
        ("addcmul", torch.addcmul(c, x, c)),
    ):
        see(name, [(node, nr) for node, nr in y.grad_fn.next_functions])


@program(rules="E-5 E-6")
def the_node_of_a_leaf(torch, see):
    x = leaf(torch)
    p, q = x * 2, x * 3
    node = p.grad_fn.next_functions[0][0]
    see("shared", node is q.grad_fn.next_functions[0][0], expect=True)
    see("variable", node.variable is x, expect=True)
    see("sequence number", node._sequence_nr(), expect=2**64 - 1)
    see("rising", p.grad_fn._sequence_nr() < q.grad_fn._sequence_nr(), expect=True)
    log = []
    node.register_prehook(lambda g: log.append("ran"))
    p.sum().backward()
    see("with the node", log, expect=["ran"])
    del p, q, node
    (x * 4).sum().backward()
    see("gone with the graph", log, expect=["ran"])


@program(rules="E-8")
def saved_values_by_name(torch, see):
    x, w = leaf(torch), leaf(torch, 3.0, 4.0)
    y = x * w
    see(
        "same objects",
        (y.grad_fn._saved_self is x, y.grad_fn._saved_other is w),
        expect=(True, True),
    )
    e = x.exp()
    see("result", (e.grad_fn._saved_result is e, e.grad_fn._saved_result.grad_fn is e.grad_fn))
    see("raw", [n for n in dir(y.grad_fn) if n.startswith("_raw_saved")])
    y.sum().backward()
    see.raises("freed", lambda: y.grad_fn._saved_self, phrase="freed")
    e = (x * 1).exp()
    e.detach().add_(1)
    see.raises("changed", lambda: e.grad_fn._saved_result, phrase="inplace")
    plain = x * torch.ones(2)
    see("not needed", plain.grad_fn._saved_self, expect=None)


@program(rules="E-9", each=("int64", "bool", "uint8"))
def what_cannot_require_grad(torch, see, name):
    dtype = getattr(torch, name)
    see.raises("method", lambda: torch.zeros(2, dtype=dtype).requires_grad_())
    see.raises("constructor", lambda: torch.tensor([0, 1], dtype=dtype, requires_grad=True))
    see.raises("factory", lambda: torch.zeros(2, dtype=dtype, requires_grad=True))
    see.raises("attribute", lambda: setattr(torch.zeros(2, dtype=dtype), "requires_grad", True))
    see("set False", torch.zeros(2, dtype=dtype).requires_grad_(False))


@program(rules="E-9")
def flags_of_results(torch, see):
    y = leaf(torch) * 2
    see.raises("off", lambda: y.requires_grad_(False), phrase="detach")
    see.raises("off by attribute", lambda: setattr(y, "requires_grad", False), phrase="detach")
    see.raises("on by attribute", lambda: setattr(y, "requires_grad", True), phrase="leaf")
    see("the same object", y.requires_grad_() is y, expect=True)


@program(rules="E-10")
def gradients_of_results(torch, see):
    x = leaf(torch)
    y = x * 2
    see("none", see.warns("reading", lambda: y.grad, UserWarning), expect=None)
    y.retain_grad()
    y.retain_grad()
    see("flag", (y.retains_grad, x.retains_grad), expect=(True, False))
    see("quiet now", see.silent("reading again", lambda: y.grad), expect=None)
    y.sum().backward()
    see("filled", y.grad)
    x.retain_grad()
    see("a leaf", x.retains_grad, expect=False)
    see.raises("a constant", lambda: torch.ones(1).retain_grad(), phrase="requires_grad")


_GRADS = {
    "a list": lambda t: [1.0, 1.0],
    "a number": lambda t: 1.0,
    "another shape": lambda t: t.ones(3),
    "a broadcast shape": lambda t: t.ones(1),
    "another dtype": lambda t: t.ones(2).double(),
    "integers": lambda t: t.ones(2).long(),
    "one that fits": lambda t: t.ones(2),
    "one that requires grad": lambda t: t.ones(2, requires_grad=True),
    "a result": lambda t: t.ones(2, requires_grad=True) * 1,
    "nothing": lambda t: None,
}


@program(rules="E-11", each=_GRADS.items())
def assigning_a_gradient(torch, see, case):
    x = leaf(torch)
    see.attempt("assigned", lambda: setattr(x, "grad", case[1](torch)))
    see("then", x.grad)
    see.raises("itself", lambda: setattr(x, "grad", x))
    x.grad = torch.ones(2)
    del x.grad
    see("deleted", x.grad, expect=None)
