"""Nodes of what has no derivative: they run before all others, so their error is the first."""

from tests.oracle.registry import program

FIRST = 2**64 - 1


def leaf(torch, value=1.0):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def replaced(torch, x):
    return (x * 1).set_(torch.ones((), dtype=torch.float64))


def halves(torch, x):
    return torch.heaviside(x, torch.zeros((), dtype=torch.float64))


REFUSED = (
    ("// a number", lambda torch, x: x // 0.3),
    ("a number //", lambda torch, x: 1 // x),
    ("// a tensor", lambda torch, x: x // torch.full((), 0.3, dtype=torch.float64)),
    ("floor_divide", lambda torch, x: torch.floor_divide(x, 0.3)),
    ("//=", lambda torch, x: (x * 1).floor_divide_(0.3)),
    ("heaviside", halves),
    ("set_", replaced),
)


@program(rules="Y-15", each=REFUSED)
def a_node_that_is_not_implemented_is_the_first_to_run(torch, see, case):
    _, make = case
    a, b = leaf(torch), leaf(torch)
    c, d = make(torch, a), b.exp()
    see("number", c.grad_fn._sequence_nr() == FIRST, expect=True)
    for name, roots in (("before", [c, d]), ("behind", [d, c])):
        b.grad = None
        see.raises(name, lambda r=roots: torch.autograd.backward(r), phrase="is not implemented")
        see(f"{name}: nothing is stored", b.grad, expect=None)


@program(rules="Y-15")
def it_waits_for_what_leads_to_it(torch, see):
    a, b = leaf(torch), leaf(torch)
    c = a // 0.3
    ran = []
    d = b.exp()
    last = c * 2
    for name, tensor in (("last", last), ("d", d)):
        tensor.grad_fn.register_hook(lambda *_, name=name: ran.append(name))
    see.raises("sum", (last + d).backward, phrase="is not implemented")
    see("what ran", ran, expect=["last"])
    see("nothing is stored", b.grad, expect=None)


@program(rules="Y-15")
def other_parts_of_the_graph_are_not_disturbed(torch, see):
    a, b = leaf(torch), leaf(torch)
    y = a // 0.3 + b.exp() + a.sin()
    see("of another leaf", torch.autograd.grad(y, b, retain_graph=True)[0])
    see.raises(
        "of the operand",
        lambda: torch.autograd.grad(y, a, retain_graph=True),
        phrase="is not implemented",
    )
    y.backward(inputs=[b])
    see("by inputs", (a.grad, b.grad))


@program(rules="Y-15 F-71")
def a_second_derivative_that_is_refused_comes_first_too(torch, see):
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad):
            return grad * 2

    a, b = leaf(torch), leaf(torch)
    first = torch.autograd.grad(Once.apply(a) * a, a, create_graph=True)[0]
    refused = [n for n, _ in first.grad_fn.next_functions if n._sequence_nr() == FIRST]
    see("one node is numbered so", len(refused), expect=1)
    exp = b.exp()
    ran = []
    exp.grad_fn.register_hook(lambda *_: ran.append("exp"))
    see.raises("sum", (first * 1 + exp).backward, phrase="once_differentiable")
    see("what ran", ran)
    see("stored", b.grad)


@program(rules="Y-15")
def two_of_them(torch, see):
    a, b = leaf(torch), leaf(torch)
    c, d = a // 0.3, halves(torch, b)
    see.raises("first", lambda: torch.autograd.backward([c, d]), phrase="floor_divide")
    see.raises("second", lambda: torch.autograd.backward([d, c]), phrase="heaviside")
