"""Experiments that corrected sentences of the rules: what the rules say now is what is seen here."""

from tests.oracle.making import function
from tests.oracle.registry import program

nan, inf = float("nan"), float("inf")

_OVERLOADED = (
    "max",
    "sum",
    "pow",
    "mean",
    "fill_",
    "masked_fill",
    "div",
    "squeeze",
    "clamp",
    "prod",
)


@program(rules="F-27")
def an_input_returned_as_is_under_no_grad(torch, see):
    same = function(torch, lambda ctx, x: x)
    leaf = torch.ones(2, requires_grad=True)
    for name, x in (("leaf", leaf), ("result", leaf * 1), ("constant", torch.ones(2))):
        with torch.no_grad():
            y = same.apply(x)
            x.add_(1)
        see(
            name,
            {
                "same object": y is x,
                "view": y._is_view(),
                "requires_grad": y.requires_grad,
                "memory": y.data_ptr() == x.data_ptr(),
                "version": y._version,
            },
        )
    see("the input keeps its flag", leaf.requires_grad, expect=True)


def _doubling(torch):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    return function(torch, forward, lambda ctx, g: g * 2)


@program(rules="F-51 F-52")
def a_dirty_input_under_no_grad(torch, see):
    leaf = torch.ones(2, requires_grad=True)
    for name, x in (
        ("leaf", leaf),
        ("result", leaf * 1),
        ("view", (leaf * 1)[:1]),
        ("constant", torch.ones(2)),
    ):
        version = x._version
        with torch.no_grad():
            y = _doubling(torch).apply(x)
        see(
            name,
            (y is x, y.requires_grad, y._is_view(), y.data_ptr() == x.data_ptr()),
            expect=(name == "constant", False, False, True),
        )
        see(f"{name}: history stays", (x.requires_grad, x.is_leaf))
        see(f"{name}: writes", (y._version - version, x._version - version), expect=(2, 2))


@program(rules="F-55")
def a_dirty_leaf_under_no_grad_keeps_its_gradient(torch, see):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    log = []
    x.register_hook(lambda g: log.append("hook"))
    with torch.no_grad():
        _doubling(torch).apply(x)
    see("kept", x.grad, expect=[2, 2])
    (x * 3).sum().backward()
    see("and added to", x.grad, expect=[5, 5])
    see("hooks", log, expect=["hook"])


@program(rules="F-55")
def a_dirty_result_drops_what_was_on_the_object(torch, see):
    x = torch.ones(2, requires_grad=True)
    a, log = x * 1, []
    a.register_hook(lambda g: log.append("of the old value"))
    a.retain_grad()
    _doubling(torch).apply(a)
    a.register_hook(lambda g: log.append("of the new value"))
    a.sum().backward()
    see("hooks", log)
    see("retained", a.grad, expect=[1, 1])


@program(rules="F-54")
def the_gradient_of_a_dirty_view_behind_another_argument(torch, see):
    def forward(ctx, other, view):
        view.mul_(2)
        ctx.mark_dirty(view)
        return view

    fn = function(torch, forward, lambda ctx, g: (g * 0 + 7, g * 2))
    base, other = torch.ones(4, requires_grad=True) * 1, torch.ones(2, requires_grad=True)
    fn.apply(other, base[:2])
    grads = see.outcome(lambda: torch.autograd.grad(base.sum(), other, allow_unused=True)[0])
    see.differs(
        "gradient of the first argument",
        grads,
        torch=None,
        vizgrad=[7, 7],
        because="F-54: PyTorch takes the first tensor argument for the view that was written to",
    )


@program(rules="F-71")
def what_a_delayed_error_hides(torch, see):
    once = torch.autograd.function.once_differentiable

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    fn = function(torch, forward, once(lambda ctx, g: 2 * ctx.saved_tensors[0] * g))
    x, s = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad((fn.apply(x) * s).sum(), x, create_graph=True)
    see("requires grad", g.requires_grad, expect=True)
    for name, of in (("the input", x), ("the factor", s)):
        see.raises(
            f"grad of {name}",
            lambda: torch.autograd.grad(g.sum(), of, retain_graph=True),
            phrase="to not have been used in the graph",
        )
    see.raises("backward", lambda: g.sum().backward(), phrase="once_differentiable")


@program(rules="F-14")
def defaults_of_the_combined_style(torch, see):
    log = []

    def forward(ctx, x, k=3, m=5):
        log.append((k, m))
        return x * k

    fn = function(torch, forward, lambda ctx, *g: (g[0],) + (None,) * 2)
    x = torch.ones(2, requires_grad=True)
    see("arguments", fn.apply(x).grad_fn.needs_input_grad, expect=(True,))
    see("with a keyword", fn.apply(x, k=4).grad_fn.needs_input_grad, expect=(True, False))
    see("forward saw", log, expect=[(3, 5), (4, 5)])
    see.differs(
        "a default before a keyword",
        see.outcome(lambda: fn.apply(x, m=7).grad_fn.needs_input_grad),
        torch=TypeError,
        vizgrad=(True, False, False),
        because="F-14: PyTorch fills in no defaults; vizgrad those before a given keyword",
    )


@program(rules="F-8")
def whether_gradients_are_materialised_cannot_be_read(torch, see):
    node = function(torch, lambda ctx, x: x * 1).apply(torch.ones(1, requires_grad=True)).grad_fn
    see.differs(
        "read",
        see.outcome(lambda: node.materialize_grads),
        torch=AttributeError,
        vizgrad=True,
        because="F-8: it can be set in both, and be read in vizgrad",
    )
    node.materialize_grads = False
    see("set", True)


@program(rules="E-3", each=_OVERLOADED)
def overloads_are_numbered(torch, see, name):
    x, zero, one = torch.ones(2, requires_grad=True), torch.tensor(0.0), torch.tensor(1.0)
    made = {
        "max": lambda: (x.max(0)[0], x.max()),
        "sum": lambda: (x.sum(), x.sum(0)),
        "pow": lambda: (x**2, x**x, 2**x),
        "mean": lambda: (x.mean(), x.mean(0)),
        "fill_": lambda: ((x * 1).fill_(2.0), (x * 1).fill_(one)),
        "masked_fill": lambda: (x.masked_fill(x > 0, 0.0), x.masked_fill(x > 0, zero)),
        "div": lambda: (x / 2, torch.div(x, 2, rounding_mode="floor")),
        "squeeze": lambda: (x.squeeze(), x.squeeze(0), x.squeeze((0,))),
        "clamp": lambda: (x.clamp(0, 1), x.clamp(zero, one)),
        "prod": lambda: (x.prod(), x.prod(0)),
    }[name]()
    see("nodes", [t.grad_fn for t in made])


@program(rules="E-3")
def nodes_of_copies(torch, see):
    x, b = torch.ones(2, requires_grad=True), torch.zeros(2)
    b.copy_(x)
    see("copy_", b.grad_fn, expect="CopyBackwards")
    see("to", x.to(torch.float64).grad_fn, expect="ToCopyBackward0")


@program(rules="E-41")
def a_product_with_a_number_saves_it(torch, see):
    x = torch.ones(2, requires_grad=True)
    for name, make in (("product", lambda: x * 3), ("quotient", lambda: x / 3)):
        y = make().sum()
        y.backward()
        see.raises(name, y.backward, phrase="second time")
    for name, make in (("sum", lambda: x + 3), ("minus", lambda: -x), ("view", lambda: x[:1])):
        y = make().sum()
        y.backward()
        see.attempt(f"{name} runs twice", y.backward)


@program(rules="E-78")
def a_leaf_in_a_multi_grad_hook_under_grad(torch, see):
    a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    log = []
    torch.autograd.graph.register_multi_grad_hook(
        [a, b], lambda grads: log.append([None if g is None else g.item() for g in grads])
    )
    see.differs(
        "grad",
        see.outcome(lambda: torch.autograd.grad(a * 2 + b * 3, [a])[0]),
        torch=RuntimeError,
        vizgrad=2,
        because="E-78: PyTorch cannot tell whether a leaf takes part in a grad() call",
    )
    see.differs("seen", log, torch=[], vizgrad=[[2, None]], because="E-78")


@program(rules="V-13")
def a_product_in_place_keeps_the_old_value(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    y = x * 1
    y.mul_(w)
    see("gradients", torch.autograd.grad(y.sum(), (x, w)), expect=([3, 4], [1, 2]))
    y = x * 1
    y.pow_(2)
    see("power", torch.autograd.grad(y.sum(), x)[0], expect=[2, 4])


@program(rules="V-13", each=("the tensor itself", "a view of it"))
def an_operand_in_the_memory_written_to(torch, see, case):
    for name in ("mul_", "div_", "pow_"):
        y = torch.ones(2, requires_grad=True) * 2
        getattr(y, name)(y if case == "the tensor itself" else y[:])
        see.raises(name, y.sum().backward, phrase="modified by an inplace operation")


@program(rules="V-20")
def the_number_of_the_output_in_the_version_error(torch, see):
    x = torch.ones(2, requires_grad=True)
    two = function(torch, lambda ctx, x: (x * 2, x * 3), lambda ctx, a, b: a * 2 + b * 3)
    _, second = two.apply(x)
    z = (second * second).sum()
    second.detach().add_(1)
    message = see.outcome(z.backward).message
    see.differs(
        "an input that is output 1 of its node",
        "output 0 of Made" in message,
        torch=True,
        vizgrad=False,
        because="V-20: PyTorch says 0 for every saved input",
    )
    see.differs(
        "the number vizgrad gives", "output 1 of MadeBackward" in message, torch=False, vizgrad=True,
        because="V-20",
    )  # fmt: skip


@program(rules="T-14")
def an_empty_list_of_dimensions(torch, see):
    b = torch.tensor([[True, False]])
    see("any, all reduce nothing", (b.any(dim=()), b.all(dim=())))
    x = torch.tensor([[1.0, 2.0, 4.0]])
    see("others reduce all", (x.sum(dim=()), x.mean(dim=()), x.amax(dim=())))


@program(rules="T-81", each=("var", "std"))
def the_spread_over_an_empty_list_of_dimensions(torch, see, name):
    x = torch.tensor([[1.0, 2.0, 4.0]], requires_grad=True)
    spread = getattr(x, name)
    see("value", spread(dim=()).item())
    see.differs(
        "gradient is that over all",
        torch.autograd.grad(spread(dim=()), x)[0].isfinite().all().item(),
        torch=False,
        vizgrad=True,
        because="T-81: PyTorch's formula counts one element there",
    )


@program(rules="T-72")
def the_largest_of_values_with_nan(torch, see):
    for values in ([1.0, nan, 3.0], [nan, nan, 1.0]):
        x = torch.tensor(values, requires_grad=True)
        for name in ("amax", "amin", "max", "min"):
            see(f"{name} of {values}", torch.autograd.grad(getattr(x, name)(), x)[0])


@program(rules="T-75")
def products_with_zero_and_nan(torch, see):
    x = torch.tensor([0.0, nan, 3.0], requires_grad=True)
    see("prod", torch.autograd.grad(x.prod(), x)[0], expect=[nan, 0, nan])
    see.differs(
        "cumprod",
        torch.autograd.grad(x.cumprod(0).sum(), x)[0],
        torch=[nan, 0, 0],
        vizgrad=[nan, 0, nan],
        because="T-75: the product of the others, whatever they are",
    )
    x = torch.tensor([0.0, 0.0, nan], requires_grad=True)
    see("prod over a dimension", torch.autograd.grad(x.prod(0), x)[0], expect=[nan, nan, 0])
    see.differs(
        "prod over all",
        torch.autograd.grad(x.prod(), x)[0],
        torch=[0, 0, 0],
        vizgrad=[nan, nan, 0],
        because="T-75",
    )
    x = torch.tensor([2.0, inf, 3.0], requires_grad=True)
    see.differs(
        "prod with inf",
        torch.autograd.grad(x.prod(), x)[0],
        torch=[inf, nan, inf],
        vizgrad=[inf, 6, inf],
        because="T-75: never by dividing by the element",
    )


@program(rules="T-72", each=("amax", "amin"))
def ties_with_what_scatter_reduce_leaves_out(torch, see, name):
    x = torch.tensor([2.0, 1.0], requires_grad=True)
    source = torch.tensor([2.0, 2.0], requires_grad=True)
    index = torch.tensor([0, 0])
    for include in (True, False):
        out = x.scatter_reduce(0, index, source, name, include_self=include)
        see(f"value, include_self={include}", out.detach())
        found = torch.autograd.grad(out.sum(), (x, source))
        if include:
            see("gradients", found, expect=([1 / 3, 1], [1 / 3, 1 / 3]))
        else:
            see.differs(
                "gradients without self",
                found,
                torch=([0, 1], [1 / 3, 1 / 3]),
                vizgrad=([0, 1], [0.5, 0.5]),
                because="T-72: PyTorch counts the element that is left out among the ties",
            )
