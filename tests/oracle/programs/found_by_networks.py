"""What random networks, and the question what each call keeps, have found."""

from tests.oracle.data import wave
from tests.oracle.registry import program

NORMS = {
    "layer": lambda F, x, w, b, mean, var: F.layer_norm(x, (6,), w, b),
    "group": lambda F, x, w, b, mean, var: F.group_norm(x, 2, w, b),
    "batch": lambda F, x, w, b, mean, var: F.batch_norm(x, mean, var, w, b, True),
    "instance": lambda F, x, w, b, mean, var: F.instance_norm(x, mean, var, w, b, True),
}


@program(rules="T-95", each=NORMS)
def beside_parameters_in_float32_the_statistics_of_a_bfloat16_operand_are_float32(torch, see, norm):
    """As autocast makes them. A mean that is rounded to eight bits makes most of a gradient wrong."""
    values = torch.tensor(wave(4 * 6 * 6)).reshape(4, 6, 6) / 50 + 3
    x = values.to(torch.bfloat16).requires_grad_()
    weight, bias = torch.ones(6, requires_grad=True), torch.zeros(6)
    mean, var = torch.zeros(6), torch.ones(6)
    y = NORMS[norm](torch.nn.functional, x, weight, bias, mean, var)
    slope = torch.tensor(wave(4 * 6 * 6)).flip(0).reshape(4, 6, 6).to(torch.bfloat16)
    gradients = torch.autograd.grad(y, (x, weight), slope)
    exact = values.to(torch.bfloat16).double().requires_grad_()
    doubles = [t.double() for t in (torch.ones(6), bias, torch.zeros(6), torch.ones(6))]
    doubles[0].requires_grad_()
    plain = NORMS[norm](torch.nn.functional, exact, *doubles)
    expected = torch.autograd.grad(plain, (exact, doubles[0]), slope.double())
    for name, found, true in zip(("x", "weight"), gradients, expected, strict=True):
        off = (found.double() - true).abs().max() / true.abs().max()
        see(f"the gradient of {name} is near", bool(off < 0.02), expect=True)
    see("types", [str(t.dtype).split(".")[-1] for t in (y, *gradients, mean)])
    see("running mean", mean)


@program(rules="T-95", each=["no_grad", "inference_mode"])
def a_module_with_backward_hooks_runs_where_nothing_is_recorded(torch, see, mode):
    module = torch.nn.Linear(2, 2, dtype=torch.float64)
    calls = []
    module.register_full_backward_hook(lambda *given: calls.append("full"))
    module.register_full_backward_pre_hook(lambda *given: calls.append("pre"))
    x = torch.ones(3, 2, dtype=torch.float64, requires_grad=True)
    with getattr(torch, mode)():
        see("requires grad", module(x).requires_grad, expect=False)
    see("calls", calls, expect=[])
    torch.utils.checkpoint.checkpoint(module, x, use_reentrant=True).sum().backward()
    see("of a reentrant checkpoint", calls, expect=["pre", "full"])


@program(rules="T-83 T-95", each=["P", "L", "U"])
def a_write_to_a_factor_of_lu_is_noticed(torch, see, name):
    x = (torch.tensor(wave(9)).reshape(3, 3) + torch.eye(3) * 3).double().requires_grad_()
    factors = torch.linalg.lu(x)
    with torch.no_grad():
        getattr(factors, name).mul_(2)
    see.raises(
        "backward", (factors.L.sum() + factors.U.sum()).backward,
        phrase="modified by an inplace operation",
    )  # fmt: skip


@program(rules="T-79 T-95")
def divergences_of_logarithms_save_neither_operand(torch, see):
    start = torch.tensor(wave(4)).double().requires_grad_()
    given, target = start * 1, start * 2
    loss = torch.nn.functional.kl_div(given, target, reduction="sum", log_target=True)
    expected = torch.autograd.grad(loss, start, retain_graph=True)[0]
    with torch.no_grad():
        given.zero_()
        target.zero_()
    see("gradient", torch.autograd.grad(loss, start)[0], expect=expected.tolist())


@program(rules="T-95")
def a_grid_frees_nothing(torch, see):
    theta = torch.tensor([[[1.0, 0.2, 0.3], [0.4, 1.5, 0.6]]]).double().requires_grad_()
    grid = torch.nn.functional.affine_grid(theta, [1, 1, 2, 3], align_corners=False)
    grid.square().sum().backward(retain_graph=True)
    first = theta.grad.clone()
    theta.grad = None
    weights = 2 * grid.detach()
    torch.autograd.backward(grid, weights)
    torch.autograd.backward(grid, weights)
    see("twice", bool((theta.grad - 2 * first).abs().max() < 1e-12), expect=True)
    see(
        "node",
        type(grid.grad_fn).__name__ in ("AffineGridGeneratorBackward0", "UnsafeViewBackward0"),
        expect=True,
    )
