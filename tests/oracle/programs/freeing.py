"""Freed graphs, retained graphs, graphs that can be run again."""

from tests.oracle.registry import program

_PHRASE = "backward through the graph a second time"


@program(rules="E-41")
def a_second_backward_fails(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x.exp().sum()
    y.backward()
    see.raises("second", y.backward, phrase=_PHRASE)
    see("first stays", x.grad)
    see.raises("a part of it", lambda: torch.autograd.grad(y, x), phrase="retain_graph=True")


@program(rules="E-41")
def nodes_without_saved_values_run_again(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    see("sum twice", x.grad, expect=[2, 2])
    for name, fn in (
        ("times a number", lambda t: (t * 3).sum()),
        ("view", lambda t: t.view(1, 2).t().sum()),
        ("neg and sub", lambda t: (1 - t).neg().sum()),
        ("cat", lambda t: torch.cat([t, t]).sum()),
        ("mean", lambda t: t.mean()),
        ("slice", lambda t: t[:1].sum()),
    ):
        z = fn(x)
        z.backward()
        see.attempt(name, lambda z=z: (z.backward(), "again")[1])


@program(
    rules="E-41",
    each=("exp", "sin", "sqrt", "relu", "prod", "var", "cumprod", "softmax", "abs", "norm"),
)
def nodes_with_saved_values_do_not(torch, see, name):
    x = torch.full((3,), 0.5, requires_grad=True)
    fn = getattr(x, name)
    y = (fn(0) if name in ("cumprod", "softmax") else fn()).sum()
    y.backward()
    see.raises("again", y.backward, phrase=_PHRASE)


@program(rules="E-41")
def products_of_leaves_and_constants(torch, see):
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    y = (x * c).sum()
    y.backward()
    see.attempt("by a constant tensor", lambda: (y.backward(), "again")[1])
    z = (c @ x).sum()
    z.backward()
    see.attempt("dot with a constant", lambda: (z.backward(), "again")[1])


@program(rules="E-41")
def retaining_allows_any_number(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    for _ in range(3):
        y.backward(retain_graph=True)
    y.backward()
    see("four times", x.grad, expect=[8, 8])
    see.raises("then no more", y.backward, phrase=_PHRASE)


@program(rules="E-41")
def shared_parts_are_freed_with_the_first_head(torch, see):
    x = torch.ones(2, requires_grad=True)
    trunk = x.exp()
    first, second = trunk.sum(), (trunk * 2).sum()
    first.backward()
    see.raises("second head", second.backward, phrase=_PHRASE)
    trunk = x.exp()
    first, second = trunk.sum(), (trunk * 2).sum()
    x.grad = None
    first.backward(retain_graph=True)
    second.backward()
    see("with retain", x.grad)


@program(rules="E-41")
def leaves_that_came_before_the_failure_keep_their_share(torch, see):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = (x.exp() + w).sum()
    y.backward()
    see.raises("fails at exp", y.backward, phrase=_PHRASE)
    see("leaves", (x.grad, w.grad))


@program(rules="E-41 E-8")
def saved_values_after_backward(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.sum().backward()
    see.raises("are gone", lambda: y.grad_fn._saved_result, phrase="already been freed")
    see("the value itself stays", y)
    z = x.exp()
    z.sum().backward(retain_graph=True)
    see("retained", z.grad_fn._saved_result)


@program(rules="E-96")
def a_step_keeps_nothing_of_the_last(torch, see):
    import weakref

    x = torch.ones(2, requires_grad=True)
    total, graphs = 0.0, []
    for _ in range(3):
        loss = (x * x).sum()
        graphs.append(weakref.ref(loss))
        loss.backward()
        total = total + loss.item()
    see("total", total, expect=6.0)
    see("only the last lives", [g() is None for g in graphs], expect=[True, True, False])
