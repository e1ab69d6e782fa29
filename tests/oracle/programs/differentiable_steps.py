"""Gradients through steps of optimizers: `differentiable=True`."""

from tests.oracle.data import wave
from tests.oracle.registry import program

SETTINGS = {
    "SGD": {},
    "SGD momentum": {"momentum": 0.9, "dampening": 0.2},
    "SGD nesterov": {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    "SGD maximize": {"maximize": True},
    "Adam": {},
    "Adam decay": {"weight_decay": 0.1, "betas": (0.8, 0.95), "eps": 1e-6},
    "AdamW": {},
    "AdamW maximize": {"maximize": True, "weight_decay": 0.3},
}


@program(rules="T-62", each=[*SETTINGS])
def gradients_flow_through_three_steps(torch, see, name):
    # PyTorch writes the velocity in place, which the rate's gradient has saved
    for learned in (False, True)[: 1 if "momentum" in SETTINGS[name] else 2]:
        lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True) if learned else 0.1
        x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
        param = x.clone()
        make = getattr(torch.optim, name.split()[0])
        optimizer = make([param], lr=lr, differentiable=True, **SETTINGS[name])
        for step in range(3):
            param.grad = x * (step + 1) + 0.3 * param.detach() + x**2
            optimizer.step()
        see(f"param {learned}", param)
        (param * torch.tensor(wave(2, 3, seed=4), dtype=torch.float64)).sum().backward()
        see(f"x {learned}", x.grad)
        see(f"lr {learned}", lr.grad if learned else None)
    see("state", sorted(optimizer.state[param]))


@program(rules="T-62")
def what_a_recorded_step_asks_of_parameters(torch, see):
    x = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.1, differentiable=True)
    x.grad = torch.ones(2)
    see.raises("a leaf", optimizer.step, phrase="a leaf Variable that requires grad")
    see.raises(
        "a result", lambda: torch.optim.SGD([x.clone()], lr=0.1), phrase="can't optimize a non-leaf"
    )
    for make in (torch.optim.SGD, torch.optim.Adam):
        plain = torch.ones(3)
        optimizer = make([plain, torch.ones(2)], lr=0.5, differentiable=True)
        plain.grad = torch.tensor([1.0, -2.0, 0.5])
        see(f"{make.__name__}: nothing returned", optimizer.step())
        see(f"{make.__name__}: plain", (plain, plain.requires_grad))
        see(f"{make.__name__}: closure", optimizer.step(lambda: 7))
    see("option", torch.optim.AdamW([x], differentiable=True).defaults["differentiable"])


@program(rules="T-62")
def a_learning_rate_is_learned(torch, see):
    lr = torch.tensor(0.05, requires_grad=True)
    outer = torch.optim.SGD([lr], lr=0.01)
    for turn in range(3):
        param = torch.tensor([1.0, -2.0]).requires_grad_().clone()
        optimizer = torch.optim.SGD([param], lr=lr, differentiable=True)
        for _ in range(2):
            copy = param.clone()  # what is saved of the parameter itself would be stale
            (param.grad,) = torch.autograd.grad((copy**2).sum(), copy, create_graph=True)
            optimizer.step()
        outer.zero_grad()
        (param**2).sum().backward()
        outer.step()
        see(f"lr {turn}", lr)
