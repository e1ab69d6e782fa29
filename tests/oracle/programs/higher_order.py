"""Derivatives of derivatives."""

from tests.oracle.data import wave
from tests.oracle.registry import program


@program(rules="E-23 E-30")
def all_orders_of_a_power(torch, see):
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y = x**4
    for order, expected in enumerate((32, 48, 48, 24), 1):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        see(f"order {order}", y.item(), expect=float(expected))


@program(rules="E-23", each=("sin", "exp", "tanh", "sigmoid", "log", "sqrt", "reciprocal"))
def third_derivatives(torch, see, name):
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    y = getattr(torch, name)(x)
    for order in (1, 2, 3):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        see(f"order {order}", y.detach())


@program(rules="E-23")
def a_hessian_by_rows(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = (x[0] * x[1] ** 2) * x[2] + x.prod()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    rows = [torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(3)]
    see("hessian", torch.stack(rows), expect=[[0, 15, 6], [15, 6, 5], [6, 5, 0]])


@program(rules="E-23")
def a_hessian_vector_product(torch, see):
    w = torch.tensor(wave(3, 3), dtype=torch.float64, requires_grad=True)
    v = torch.tensor(wave(3, 3, seed=1), dtype=torch.float64)
    loss = torch.log_softmax(torch.tanh(w @ w), dim=1)[:, 0].sum()
    (g,) = torch.autograd.grad(loss, w, create_graph=True)
    see("gradient", g.detach())
    see("product", torch.autograd.grad((g * v).sum(), w)[0])


@program(rules="E-23")
def a_gradient_penalty_trains_the_weights(torch, see):
    x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
    w1 = torch.tensor(wave(3, 4, seed=1), dtype=torch.float64, requires_grad=True)
    w2 = torch.tensor(wave(4, seed=2), dtype=torch.float64, requires_grad=True)
    out = torch.tanh(x @ w1) @ w2
    (gx,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    penalty = ((gx.norm(dim=1) - 1) ** 2).mean()
    penalty.backward()
    see("penalty", penalty.detach())
    see("gradients", (w1.grad, w2.grad, x.grad))


@program(rules="E-23")
def the_double_backward_trick_gives_a_jvp(torch, see):
    x = torch.tensor(wave(3), dtype=torch.float64, requires_grad=True)
    v = torch.tensor(wave(3, seed=1), dtype=torch.float64)
    y = torch.sin(x) * x.sum()
    u = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(y, x, u, create_graph=True)
    see("jvp", torch.autograd.grad(g, u, v)[0])


@program(rules="E-23")
def through_an_inner_step(torch, see):
    w = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    rate = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    inner = w
    for _ in range(3):
        (g,) = torch.autograd.grad((inner**2).sum(), inner, create_graph=True)
        inner = inner - rate * g
    (inner**2).sum().backward()
    see("end", inner.detach(), expect=[0.512, -1.024])
    see("by the start", w.grad)
    see("by the rate", rate.grad)


@program(rules="E-23")
def second_derivative_of_views_and_writes(torch, see):
    x = torch.tensor(wave(4), dtype=torch.float64, requires_grad=True)
    y = x * x
    y[1:3].mul_(x[:2])
    y.view(2, 2)[0] *= y.sum()
    (g,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
    see("first", g.detach())
    see("second", torch.autograd.grad(g.sum(), x)[0])


@program(rules="E-31 E-23")
def a_linear_function_has_no_second_derivative(torch, see):
    x = torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad((x * 3).sum(), x, create_graph=True)
    see("first", g)
    see.raises("second", lambda: torch.autograd.grad(g.sum(), x), phrase="does not require grad")


@program(rules="E-23 T-70")
def relu_has_a_zero_second_derivative(torch, see):
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad((torch.relu(x) ** 2).sum(), x, create_graph=True)
    see("first", g.detach(), expect=[0, 0, 4])
    see("second", torch.autograd.grad(g.sum(), x)[0], expect=[0, 0, 2])
