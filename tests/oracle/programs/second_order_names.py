"""What the node of a first derivative is called: where PyTorch's backward is one operation, so is it here."""

import math

from tests.oracle.data import wave
from tests.oracle.registry import program

#: name -> function of (torch.nn.functional, x), for any x
ACTIVATIONS = {
    "relu": lambda F, x: x.relu(),
    "sigmoid": lambda F, x: x.sigmoid(),
    "tanh": lambda F, x: x.tanh(),
    "elu": lambda F, x: F.elu(x, 1.5),
    "celu": lambda F, x: F.celu(x, 2.0),
    "selu": lambda F, x: F.selu(x),
    "gelu": lambda F, x: F.gelu(x),
    "gelu, tanh": lambda F, x: F.gelu(x, approximate="tanh"),
    "silu": lambda F, x: F.silu(x),
    "mish": lambda F, x: F.mish(x),
    "softplus": lambda F, x: F.softplus(x, 2.0, 2.0),
    "logsigmoid": lambda F, x: F.logsigmoid(x),
    "hardswish": lambda F, x: F.hardswish(x),
    "hardtanh": lambda F, x: F.hardtanh(x),
    "leaky_relu": lambda F, x: F.leaky_relu(x),
    "hardshrink": lambda F, x: F.hardshrink(x),
    "softshrink": lambda F, x: F.softshrink(x),
    "threshold": lambda F, x: F.threshold(x, 1.0, 5.0),
    "tanhshrink": lambda F, x: F.tanhshrink(x),
    "softsign": lambda F, x: F.softsign(x),
}
#: Of these the third derivative is None here and zeros in PyTorch: two are looked at.
TWICE = ("hardtanh", "leaky_relu", "hardshrink", "softshrink")
SHAPED = {
    "glu": lambda F, x: F.glu(x, 0),
    "glu of columns": lambda F, x: F.glu(x, -1),
    "softmax": lambda F, x: F.softmax(x, 1),
    "log_softmax": lambda F, x: F.log_softmax(x, 1),
}
#: Losses of (input, target), in three reductions each.
LOSSES = {
    "mse_loss": {},
    "smooth_l1_loss": {"beta": 0.5},
    "huber_loss": {"delta": 0.4},
    "soft_margin_loss": {},
    "binary_cross_entropy": {},
}
REDUCTIONS = ("none", "sum")
SPECIAL = (-3.0, -1.0, -0.0, 0.0, 1.0, 3.0, 20.0, math.inf, -math.inf, math.nan)


def _name(g):
    return "leaf" if g.grad_fn is None else type(g.grad_fn).__name__


def _derivatives(torch, see, fn, *inputs, case="", orders=3):
    """The node of the gradient by each input, then two derivatives more; history on the way in, too."""
    y = fn(*inputs)
    weights = torch.tensor(wave(max(y.numel(), 1), seed=3), dtype=y.dtype)[: y.numel()]
    weights = weights.reshape(y.shape).requires_grad_()
    first = torch.autograd.grad(y, inputs, weights, create_graph=True)
    see(case + "nodes", [_name(g) for g in first])
    see(case + "first", [g.detach() for g in first])
    moved = sum((g * (n + 2)).sum() for n, g in enumerate(first))
    second = torch.autograd.grad(moved, (*inputs, weights), create_graph=True, allow_unused=True)
    see(case + "second", [None if g is None else g.detach() for g in second])
    rest = [g.sin().sum() for g in second if g is not None and g.requires_grad]
    if rest and orders == 3:
        third = torch.autograd.grad(sum(rest), (*inputs, weights), allow_unused=True)
        see(case + "third", third)


@program(rules="X-15", each=(*ACTIVATIONS, *SHAPED))
def the_derivative_of_an_activation_is_named_after_its_operation(torch, see, name):
    fn = (ACTIVATIONS | SHAPED)[name]
    x = torch.tensor(wave(4, 6, seed=1), dtype=torch.float64, requires_grad=True)
    orders = 2 if name in TWICE else 3
    _derivatives(torch, see, lambda x: fn(torch.nn.functional, x), x, orders=orders)


@program(rules="X-15", each=tuple(ACTIVATIONS))
def derivatives_of_activations_at_kinks_and_ends(torch, see, name):
    x = torch.tensor(SPECIAL, dtype=torch.float64, requires_grad=True)
    y = ACTIVATIONS[name](torch.nn.functional, x)
    weights = torch.tensor(wave(len(SPECIAL), seed=2), dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(y, x, weights, create_graph=True)
    see("first", g.detach())
    see("second", torch.autograd.grad(g.sum(), (x, weights), allow_unused=True))


@program(rules="X-15", each=tuple(LOSSES))
def the_derivative_of_a_loss_is_named_after_its_operation(torch, see, name):
    for reduction in (*REDUCTIONS, "mean"):
        x = (torch.tensor(wave(3, 4, seed=1), dtype=torch.float64) * 0.2 + 0.5).requires_grad_()
        target = torch.tensor(wave(3, 4, seed=2), dtype=torch.float64) * 0.3 + 0.5
        loss = getattr(torch.nn.functional, name)

        def of_input(x, loss=loss, target=target, reduction=reduction):
            return loss(x, target, reduction=reduction, **LOSSES[name])

        _derivatives(torch, see, of_input, x, case=f"{reduction} ")
        if name in ("mse_loss", "smooth_l1_loss", "huber_loss"):
            target.requires_grad_()

            def of_both(x, target, loss=loss, reduction=reduction):
                return loss(x, target, reduction=reduction, **LOSSES[name])

            _derivatives(torch, see, of_both, x, target, case=f"{reduction}, both ")


@program(rules="X-15", each=("smooth_l1_loss", "huber_loss", "mse_loss"))
def derivatives_of_losses_at_kinks_and_ends(torch, see, name):
    x = torch.tensor(SPECIAL, dtype=torch.float64, requires_grad=True)
    target = torch.zeros(len(SPECIAL), dtype=torch.float64)
    weights = torch.tensor(wave(len(SPECIAL), seed=2), dtype=torch.float64, requires_grad=True)
    y = getattr(torch.nn.functional, name)(x, target, reduction="none")
    (g,) = torch.autograd.grad(y, x, weights, create_graph=True)
    see("first", g.detach())
    see("second", torch.autograd.grad(g.sum(), (x, weights)))


@program(rules="X-15 T-79")
def derivatives_of_binary_cross_entropy_at_its_ends(torch, see):
    p = torch.tensor([0.0, 1.0, 1e-13, 1e-12, 1e-7, 0.3, 1.0, 0.0], dtype=torch.float64)
    t = torch.tensor([0.0, 1.0, 1.0, 0.5, 1.0, 0.2, 0.5, 1.0], dtype=torch.float64)
    weights = torch.tensor(wave(8, seed=4), dtype=torch.float64)
    for case, weight in (("plain", None), ("weighted", weights)):
        of = [v.clone().requires_grad_() for v in (p, t, torch.ones_like(p))]
        y = torch.nn.functional.binary_cross_entropy(of[0], of[1], weight, reduction="none")
        first = torch.autograd.grad(y, of[:2], of[2], create_graph=True)
        see(f"{case} first", [g.detach() for g in first])
        see(f"{case} second", torch.autograd.grad(first[0].sum(), of))
