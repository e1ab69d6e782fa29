"""What a formula does not read is not saved: a second backward through it alone, writes before the first."""

from tests.oracle.data import wave
from tests.oracle.registry import program

#: Linear functions of a (2, 3) tensor, with what else they need.
_LINEAR = {
    "trapezoid": lambda t, x: t.trapezoid(x),
    "trapezoid, dx": lambda t, x: t.trapezoid(x, dx=3.0, dim=0),
    "cumulative_trapezoid": lambda t, x: t.cumulative_trapezoid(x, dx=0.5),
    "gradient": lambda t, x: t.gradient(x)[0],
    "gradient, spacing": lambda t, x: t.gradient(x, spacing=2.5, dim=1)[0],
    "gradient, edges": lambda t, x: t.gradient(x, spacing=0.5, dim=1, edge_order=2)[0],
    "select_scatter": lambda t, x: t.select_scatter(x, x[0], 0, -1),
    "slice_scatter": lambda t, x: t.slice_scatter(x, x[:1], 0, 1),
    "slice_scatter, steps": lambda t, x: t.slice_scatter(x, x[:, 1:], 1, 0, None, 2),
    "diagonal_scatter": lambda t, x: t.diagonal_scatter(x, x[0, :2]),
    "diagonal_scatter, offset": lambda t, x: t.diagonal_scatter(x.t(), x[1, :2], -1, 0, 1),
}


@program(rules="Y-10", each=list(_LINEAR))
def linear_functions_free_nothing(torch, see, case):
    x = torch.tensor(wave(2, 3), dtype=torch.float64).requires_grad_()
    y = _LINEAR[case](torch, x)
    see("value", y)
    weight = torch.tensor(wave(*y.shape, seed=3), dtype=torch.float64)
    y.backward(weight)
    y.backward(weight)
    see("gradient", x.grad)
    see.derivatives("derivatives", lambda a: _LINEAR[case](torch, a), wave(2, 3))


@program(rules="Y-10")
def with_coordinates_they_save_them(torch, see):
    x = torch.tensor([1.0, 4.0, 9.0]).requires_grad_()
    at = torch.tensor([0.0, 1.0, 3.0])
    for name, call in {
        "trapezoid": lambda: torch.trapezoid(x, at),
        "cumulative_trapezoid": lambda: torch.cumulative_trapezoid(x, at),
        "gradient": lambda: torch.gradient(x, spacing=(at,))[0],
    }.items():
        y = call().sum()
        y.backward()
        see.raises(f"again: {name}", y.backward, phrase="backward through the graph a second time")
    see("accumulated", x.grad)


_SCATTERS = {
    "select_scatter": (lambda t, a, s: t.select_scatter(a, s, 1, 2), (2, 3), (2,)),
    "slice_scatter": (lambda t, a, s: t.slice_scatter(a, s, 1, 0, 3, 2), (2, 3), (2, 2)),
    "slice_scatter, none": (lambda t, a, s: t.slice_scatter(a, s, 1, 1, 1), (2, 3), (2, 0)),
    "diagonal_scatter": (lambda t, a, s: t.diagonal_scatter(a, s, 1, -1, -2), (3, 3), (2,)),
}


@program(rules="Y-10", each=list(_SCATTERS))
def copies_with_a_part_replaced_are_one_node(torch, see, case):
    call, whole, part = _SCATTERS[case]
    a = torch.tensor(wave(*whole), dtype=torch.float64).requires_grad_()
    s = torch.tensor(wave(*part, seed=1), dtype=torch.float64).requires_grad_()
    see.graph("history", call(torch, a, s))
    for first, second in ((a, s), (a, s.detach()), (a.detach(), s)):
        y = call(torch, first, second)
        wanted = [x for x in (first, second) if x.requires_grad]
        name = "".join("as"[k] for k, x in enumerate((first, second)) if x.requires_grad)
        see(f"gradients for {name}", torch.autograd.grad(y.pow(2).sum(), wanted))
    y = call(torch, a * 1, s * 1)
    y.mul_(2)
    see("after a write", torch.autograd.grad(y.sum(), (a, s)))
    inputs = a.detach(), s.detach()
    see("tangent", torch.func.jvp(lambda *x: call(torch, *x), inputs, inputs))
    stacks = [torch.stack([x, x + 1]) for x in inputs]
    for dims in [(0, 0), (0, None), (None, 0), (1, 0)]:
        given = [
            x if d is None else stack.movedim(0, d)
            for x, stack, d in zip(inputs, stacks, dims, strict=True)
        ]
        see(f"batched {dims}", torch.func.vmap(lambda *x: call(torch, *x), dims)(*given))
    see("single", call(torch, inputs[0].float(), inputs[1]))
    see("in halves", call(torch, inputs[0].half(), inputs[1]))
    see("whole numbers", call(torch, inputs[0].long(), inputs[1] * 3))
    mixed = a.detach().float().requires_grad_()
    y = call(torch, mixed, s)
    see("of two types", torch.autograd.grad(y.sum(), (mixed, s)))
    see("view of rows", call(torch, inputs[0].t().contiguous().t(), inputs[1]))


@program(rules="Y-11")
def erfinv_saves_its_input(torch, see):
    for name, call in (("erfinv", torch.erfinv), ("special", torch.special.erfinv)):
        x = torch.tensor([0.1, -0.5, 0.9], dtype=torch.float64).requires_grad_()
        y = call(x * 0.5)
        y.div_(2)
        see(f"{name}, written", torch.autograd.grad(y.sum(), x)[0])
        a = x * 1
        y = call(a)
        a.mul_(0.5)
        see.raises(f"{name}, input", y.sum().backward, phrase="modified by an inplace operation")
    y = (x * 0.5).erfinv_()
    see("in place", torch.autograd.grad(y.pow(2).sum(), x)[0])
    see.derivatives("derivatives", torch.erfinv, [0.1, -0.5, 0.9])


@program(rules="Y-11", each=["none", "sum", "batchmean"])
def divergence_of_logarithms_saves_neither(torch, see, case):
    x = torch.tensor([[-1.0, -2.0, -0.5]], dtype=torch.float64).requires_grad_()
    t = torch.tensor([[-0.3, -0.7, -2.0]], dtype=torch.float64).requires_grad_()
    for written in (0, 1):
        given = [x * 1, t * 1]
        y = torch.nn.functional.kl_div(*given, reduction=case, log_target=True)
        given[written].add_(1)
        see(f"{written}", torch.autograd.grad(y.sum(), (x, t)))
    see.derivatives("derivatives", lambda *v: torch.nn.functional.kl_div(*v, reduction=case, log_target=True),
                    [[-1.0, -2.0]], [[-0.3, -0.7]])  # fmt: skip


@program(rules="Y-11")
def indices_beside_a_result_are_what_the_node_reads(torch, see):
    F = torch.nn.functional
    x = torch.tensor(wave(1, 2, 4, 4), dtype=torch.float64).requires_grad_()
    draws = torch.full((1, 2, 2), 0.4, dtype=torch.float64)
    for name, call in {
        "adaptive": lambda: F.adaptive_max_pool2d(x, 2, return_indices=True),
        "fractional": lambda: F.fractional_max_pool2d(
            x, 2, 2, return_indices=True, _random_samples=draws
        ),
    }.items():
        y, beside = call()
        see(f"indices {name}", beside)
        beside.zero_()
        see.raises(name, y.sum().backward, phrase="modified by an inplace operation")


@program(rules="Y-11")
def indices_that_undo_a_pooling_are_what_the_node_reads(torch, see):
    F = torch.nn.functional
    y = torch.tensor(wave(1, 1, 2, 2), dtype=torch.float64).requires_grad_()
    index = torch.tensor([[[[0, 3], [9, 12]]]])
    filled = F.max_unpool2d(y, index, 2)
    see("filled", filled)
    index.zero_()
    see.raises("backward", filled.sum().backward, phrase="modified by an inplace operation")
