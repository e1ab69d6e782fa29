"""What `backward` and `grad` take and give, in every variety."""

from tests.oracle.making import leaf
from tests.oracle.registry import program

_ROOTS = {
    "scalar": lambda t, x: (x.sum(), None),
    "one element": lambda t, x: (x[:1], None),
    "one element of two dims": lambda t, x: (x[:1].reshape(1, 1), None),
    "two elements": lambda t, x: (x * 1, None),
    "no elements": lambda t, x: (x[:0] * 1, None),
    "given": lambda t, x: (x * 1, t.ones(2)),
    "given, to be broadcast": lambda t, x: (x * 1, t.ones(1)),
    "given, a scalar": lambda t, x: (x * 1, t.tensor(1.0)),
    "given, double": lambda t, x: (x * 1, t.ones(2).double()),
    "given, integers": lambda t, x: (x * 1, t.ones(2).long()),
    "given, a number": lambda t, x: (x.sum(), 1.0),
    "given, a list": lambda t, x: (x * 1, [1.0, 1.0]),
    "given for a scalar, of one dim": lambda t, x: (x.sum(), t.ones(1)),
    "a leaf": lambda t, x: (x, t.ones(2)),
    "a constant": lambda t, x: (t.ones(()), None),
    "requiring grad itself": lambda t, x: (x * 1, t.ones(2, requires_grad=True)),
}


@program(rules="E-20 E-21 E-22 E-24", each=_ROOTS.items())
def roots_and_their_gradients(torch, see, case):
    x = leaf(torch)
    y, g = case[1](torch, x)
    see.attempt("backward", lambda: y.backward(g))
    see("leaf", x.grad)


@program(rules="E-20 E-22")
def several_roots(torch, see):
    x = leaf(torch)
    backward = torch.autograd.backward
    see.raises("too few gradients", lambda: backward([x.sum(), x.sum()], [None]))
    see.raises("of them given", lambda: backward([x.sum()] * 2, [torch.tensor(1.0)]))
    found = see.outcome(lambda: backward([x.sum()], [None, torch.tensor(5.0)]))
    see.differs(
        "too many", found, torch=None, vizgrad=RuntimeError, because="E-22: PyTorch drops the rest"
    )
    x.grad = None
    see.raises(
        "second is constant", lambda: backward([x.sum(), torch.ones(())]), phrase="element 1"
    )
    backward([x.sum(), x * 2], [None, torch.ones(2)])
    see("added", x.grad, expect=[3, 3])
    see.attempt("no roots", lambda: backward([]))


@program(rules="E-24")
def a_root_before_another(torch, see):
    x = leaf(torch)
    log = []
    a = x * 2
    a.register_hook(lambda g: log.append(g.tolist()))
    b = (a * 3).sum()
    torch.autograd.backward([b, a, a], [None, torch.ones(2), torch.ones(2)])
    see("one visit", log, expect=[[5, 5]])
    see("leaf", x.grad, expect=[10, 10])


@program(rules="E-23 E-25 E-26")
def create_graph_and_retain_graph(torch, see):
    x = leaf(torch)
    y = (x**3).sum()
    see.warns("warning", lambda: y.backward(create_graph=True), UserWarning)
    see("history", x.grad)
    see.attempt("retained", y.backward)
    (g,) = see.silent(
        "grad is quiet", lambda: torch.autograd.grad((x**3).sum(), x, create_graph=True)
    )
    see("of grad", g)
    z = x.exp().sum()
    (g,) = torch.autograd.grad(z, x, create_graph=True, retain_graph=False)
    see.raises("freed", lambda: g.sum().backward(), phrase="second time")
    z = (x**3).sum()
    with torch.no_grad():
        (g,) = torch.autograd.grad(z, x, create_graph=True)
    see("wins over no_grad", g)


@program(rules="E-27")
def backward_for_chosen_inputs(torch, see):
    x, w = leaf(torch), leaf(torch)
    a = x * 2
    y = (a * w).sum()
    see.raises("none", lambda: y.backward(inputs=[]), phrase="inputs")
    y.backward(inputs=[a, w], retain_graph=True)
    see("non-leaf", a.grad)
    see("leaf", w.grad)
    see("not listed", x.grad, expect=None)
    y.backward(inputs=x, retain_graph=True)
    see("one tensor", x.grad)
    other = leaf(torch)
    y.backward(inputs=[other], retain_graph=True)
    see("unreached", other.grad)
    see.raises("a constant", lambda: y.backward(inputs=[torch.ones(1)], retain_graph=True))


_INPUTS = {
    "duplicates": lambda x, w, a, y: [x, x, w],
    "a generator": lambda x, w, a, y: (t for t in [x, w]),
    "one tensor": lambda x, w, a, y: x,
    "results": lambda x, w, a, y: [a, x],
    "the output": lambda x, w, a, y: [y, x],
    "none": lambda x, w, a, y: [],
}


@program(rules="E-30 E-31", each=_INPUTS.items())
def inputs_of_grad(torch, see, case):
    x, w = leaf(torch), leaf(torch)
    a = x * 2
    y = (a * w).sum()
    see.attempt("grad", lambda: torch.autograd.grad(y, case[1](x, w, a, y)))
    see("leaves untouched", (x.grad, w.grad), expect=(None, None))


@program(rules="E-31 E-33")
def options_of_grad(torch, see):
    grad = torch.autograd.grad
    x, other = leaf(torch), leaf(torch)

    def y():
        return (x * 2).sum()

    see.raises("unused", lambda: grad(y(), [x, other]), phrase="allow_unused")
    see("allowed", grad(y(), [x, other], allow_unused=True))
    see("materialised", grad(y(), [x, other], materialize_grads=True))
    see.raises(
        "contradiction",
        lambda: grad(y(), [x, other], materialize_grads=True, allow_unused=False),
        phrase="allow_unused",
    )
    constant = torch.ones(2)
    see.raises("a constant", lambda: grad(y(), constant, allow_unused=True), phrase="require")
    see.raises("a constant output", lambda: grad(constant.sum(), x), phrase="require")
    see.warns("only_inputs", lambda: grad(y(), x, only_inputs=False), FutureWarning)
    see.raises("a list of gradients", lambda: grad([y(), y()], x, [None]))


@program(rules="E-30")
def retained_gradients_under_grad(torch, see):
    x = leaf(torch)
    a = x * 2
    b = a * 3
    a.retain_grad()
    b.retain_grad()
    torch.autograd.grad(b.sum(), a, retain_graph=True)
    see("captured alone", a.grad)
    see("on the way", b.grad, expect=[1, 1])
    torch.autograd.grad(b.sum(), x)
    see("on the way to x", a.grad)


@program(rules="E-32 E-41")
def pruned_nodes_keep_what_they_saved(torch, see):
    a, b = leaf(torch), leaf(torch)
    p, q = a.exp(), b.exp()
    s = (p + q).sum()
    torch.autograd.grad(s, a)
    see.attempt("kept", lambda: q.grad_fn._saved_result)
    see.raises("freed", lambda: p.grad_fn._saved_result, phrase="freed")
    m = (a * b).sum()
    torch.autograd.grad(m, a)
    see.raises("the other operand", lambda: torch.autograd.grad(m, b), phrase="second time")


@program(rules="E-35")
def gradient_edges(torch, see):
    edge = torch.autograd.graph.get_gradient_edge
    x = leaf(torch)
    a, b = (x * 2).unbind()
    found = edge(b)
    see("of a result", (found.node, found.output_nr), expect=("UnbindBackward0", 1))
    see("of a leaf", (edge(x).node, edge(x).output_nr), expect=("AccumulateGrad", 0))
    see.raises("of a constant", lambda: edge(torch.ones(1)), phrase="require")
    see("as input", torch.autograd.grad(a * b, found, retain_graph=True)[0])
    see("as output", torch.autograd.grad(found, x, torch.tensor(3.0), retain_graph=True)[0])
    see("without a gradient", torch.autograd.grad(edge(a), x, retain_graph=True)[0])
    wide = edge(x * 2)
    see.raises("of several elements", lambda: torch.autograd.grad(wide, x))
    torch.autograd.backward(found, torch.tensor(1.0))
    see("backward", x.grad)


@program(rules="E-27")
def a_listed_result_retains_its_gradient(torch, see):
    x = leaf(torch)
    y = x * 2
    z = (y * 3).sum()
    z.backward(inputs=[y], retain_graph=True)
    see("from now on", y.retains_grad, expect=True)
    see("first", y.grad, expect=[3, 3])
    z.backward()
    see("the next adds to it", y.grad, expect=[6, 6])
    see("leaf", x.grad, expect=[6, 6])
