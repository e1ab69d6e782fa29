"""Optimizers: the golden values of T-61, options, mistakes."""

import math

from tests.oracle.data import wave
from tests.oracle.registry import program

#: T-61: p = [1, -2] in float64, loss = sum(p**2), 3 steps, lr 0.1 unless given, other defaults.
_GOLDEN = (
    ("SGD", {}, [0.512, -1.024]),
    ("SGD momentum", {"momentum": 0.9}, [0.062, -0.124]),
    ("SGD dampening", {"momentum": 0.9, "dampening": 0.5}, [0.252, -0.504]),
    (
        "SGD nesterov",
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        [-0.11165109, 0.22330219],
    ),
    ("Adam", {}, [0.70158627, -1.70062339]),
    ("Adam amsgrad", {"amsgrad": True}, [0.70158627, -1.70062339]),
    ("AdamW", {}, [0.69891118, -1.69494451]),
    ("RMSprop", {}, [2.5443e-12, -0.30968739]),
    ("RMSprop centered", {"centered": True, "momentum": 0.9}, [-1.03947899, 1.41908661]),
    ("Adagrad", {}, [0.78045618, -1.77582152]),
    ("Adadelta", {"lr": 1.0}, [0.99030905, -1.99030075]),
    ("Adamax", {}, [0.71549947, -1.70764824]),
    ("NAdam", {}, [0.75272927, -1.74750850]),
    ("RAdam", {}, [0.46230336, -0.92460672]),
    ("Rprop", {}, [0.636, -1.636]),
)


def _three_steps(torch, name, options):
    p = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer = getattr(torch.optim, name.split()[0])([p], **{"lr": 0.1, **options})
    path = []
    for _ in range(3):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
        path.append(p.detach().clone())
    return p, path


@program(rules="T-61 T-62", each=_GOLDEN)
def golden_values(torch, see, case):
    name, options, expected = case
    p, path = _three_steps(torch, name, options)
    see("path", path)
    see("after 3 steps", p, expect=expected)
    see("still a leaf", (p.is_leaf, p.requires_grad), expect=(True, True))


@program(rules="T-62", each=("maximize", "weight_decay"))
def options_of_sgd_and_adam(torch, see, option):
    value = {"maximize": True, "weight_decay": 0.1}[option]
    for name in ("SGD", "Adam", "AdamW"):
        see(name, _three_steps(torch, name, {option: value})[1])


@program(rules="T-62")
def adam_with_other_constants(torch, see):
    see("betas and eps", _three_steps(torch, "Adam", {"betas": (0.5, 0.9), "eps": 1e-2})[1])
    see(
        "amsgrad with decay", _three_steps(torch, "Adam", {"amsgrad": True, "weight_decay": 0.3})[1]
    )


@program(rules="T-60")
def parameters_without_gradient_are_skipped(torch, see):
    p, q = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([p, q], lr=0.5)
    (p * 2).sum().backward()
    optimizer.step()
    see("stepped and skipped", (p, q), expect=([0], [1]))
    see("one version each step", (p._version, q._version))
    optimizer.zero_grad()
    see("None", p.grad, expect=None)
    (p * 2).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    see("zeros on request", p.grad, expect=[0])


@program(rules="T-60")
def parameter_groups(torch, see):
    p, q = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [p]}, {"params": [q], "lr": 0.5}], lr=0.1)
    (p + q).sum().backward()
    optimizer.step()
    see("rates", [g["lr"] for g in optimizer.param_groups], expect=[0.1, 0.5])
    see("values", (p, q), expect=([0.9], [0.5]))
    optimizer.param_groups[0]["lr"] = 1.0
    optimizer.step()
    see("changed on the way", (p, q))


@program(rules="T-60")
def mistakes_with_optimizers(torch, see):
    sgd = torch.optim.SGD
    p = torch.ones(1, requires_grad=True)
    see.raises("nothing", lambda: sgd([], lr=0.1), phrase="empty parameter list")
    see.raises("a bare tensor", lambda: sgd(p, lr=0.1), phrase="iterable")
    see.raises("a result", lambda: sgd([p * 2], lr=0.1), phrase="non-leaf")
    see.raises("negative rate", lambda: sgd([p], lr=-1.0), phrase="learning rate")
    see.raises("nesterov alone", lambda: sgd([p], lr=0.1, nesterov=True), phrase="momentum")
    see.raises(
        "twice",
        lambda: sgd([{"params": [p]}, {"params": [p]}], lr=0.1),
        phrase="more than one parameter group",
    )


@program(rules="T-60")
def a_closure_is_evaluated_with_grad(torch, see):
    p = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=0.1)
    modes = []

    def closure():
        modes.append(torch.is_grad_enabled())
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    see("loss", optimizer.step(closure).detach(), expect=1)
    see("stepped", p, expect=[0.8])
    see("mode", modes, expect=[True])


@program(rules="T-60")
def state_can_be_saved_and_loaded(torch, see):
    def run(interrupted):
        p = torch.tensor(wave(3), dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([p], lr=0.1)
        for step in range(4):
            if interrupted and step == 2:
                state = optimizer.state_dict()
                optimizer = torch.optim.Adam([p], lr=0.7)
                optimizer.load_state_dict(state)
            optimizer.zero_grad()
            (p**2).sum().backward()
            optimizer.step()
        return p

    see("straight", run(False))
    see("interrupted", torch.equal(run(False), run(True)), expect=True)


@program(rules="T-63")
def schedules(torch, see):
    optim = torch.optim
    for name, make in (
        ("StepLR", lambda o: optim.lr_scheduler.StepLR(o, 2, gamma=0.5)),
        ("ExponentialLR", lambda o: optim.lr_scheduler.ExponentialLR(o, 0.5)),
        ("CosineAnnealingLR", lambda o: optim.lr_scheduler.CosineAnnealingLR(o, 4)),
        ("LambdaLR", lambda o: optim.lr_scheduler.LambdaLR(o, lambda epoch: 1 / (epoch + 1))),
    ):
        p = torch.ones(1, requires_grad=True)
        optimizer = optim.SGD([p], lr=1.0)
        schedule = make(optimizer)
        rates = []
        for _ in range(5):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        see(name, rates)


_OPTIONS = {
    "SGD": [
        {"momentum": 0.9, "dampening": 0.5},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True},
    ],
    "Adam": [
        {"betas": (0.5, 0.6), "eps": 1e-3},
        {"maximize": True, "amsgrad": True, "weight_decay": 0.1},
        {"decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "AdamW": [{"amsgrad": True}, {"weight_decay": 0.3, "maximize": True}],
    "RMSprop": [
        {"momentum": 0.9},
        {"centered": True, "momentum": 0.9, "weight_decay": 0.1, "alpha": 0.5, "eps": 1e-2},
        {"maximize": True},
    ],
    "Adagrad": [
        {"lr_decay": 0.1},
        {"weight_decay": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3},
        {"maximize": True},
    ],
    "Adadelta": [{"rho": 0.5, "eps": 1e-3, "weight_decay": 0.1}, {"maximize": True}],
    "Adamax": [{"betas": (0.5, 0.6), "eps": 1e-3, "weight_decay": 0.1}, {"maximize": True}],
    "NAdam": [
        {"momentum_decay": 0.1, "weight_decay": 0.1},
        {"decoupled_weight_decay": True, "weight_decay": 0.1},
        {"maximize": True},
    ],
    "RAdam": [
        {"weight_decay": 0.1},
        {"decoupled_weight_decay": True, "weight_decay": 0.1},
        {"betas": (0.5, 0.6)},
        {"maximize": True},
    ],
    "Adafactor": [
        {},
        {"eps": (1e-3, 1e-2), "d": 1.5, "weight_decay": 0.1},
        {"beta2_decay": -0.5, "maximize": True},
    ],
    "Rprop": [{"etas": (0.3, 1.5), "step_sizes": (1e-3, 0.2)}, {"maximize": True}],
    "ASGD": [{}, {"lambd": 0.1, "alpha": 0.5, "t0": 3}, {"weight_decay": 0.1}, {"maximize": True}],
}


@program(rules="T-60 T-62", each=_OPTIONS)
def every_option_over_many_steps(torch, see, kind):
    """Two groups, gradients that change their sign, a coordinate without gradient."""
    for number, options in enumerate(_OPTIONS[kind]):
        p, q = (
            torch.tensor(v, dtype=torch.float64, requires_grad=True)
            for v in ([1.0, -2.0, 0.5, 0.0], [[0.3, -0.7]])
        )
        groups = [{"params": [p]}, {"params": [q], "lr": 0.05}]
        optimizer = getattr(torch.optim, kind)(groups, lr=0.1, **options)
        weights = torch.tensor([3.0, 1.0, -2.0, 0.0], dtype=torch.float64)
        for step in range(12):
            optimizer.zero_grad(set_to_none=step % 2 == 0)
            turn = math.cos(2 * step)
            loss = (p**2 * weights + p * math.sin(step)).sum() + (q**2).sum() * turn
            loss.backward()
            optimizer.step()
        see(f"options {number}", [p.detach(), q.detach()])


_SETTINGS_OF_MUON = [
    {},
    {"nesterov": False, "weight_decay": 0.0},
    {"adjust_lr_fn": "match_rms_adamw", "lr": 0.1},
    {"ns_steps": 2, "momentum": 0.5, "adjust_lr_fn": "original"},
    {"ns_coefficients": (2.0, -1.5, 0.5), "eps": 1e-3},
]


@program(rules="T-60 T-62")
def muon_steps_along_orthogonal_matrices(torch, see):
    """Its iteration is in bfloat16: sums of products may be rounded otherwise, by a part in a hundred."""
    for number, settings in enumerate(_SETTINGS_OF_MUON):
        for rows in ([[1.0, -2.0], [3.0, 4.0], [0.5, 0.1]], [[1.0, 2.0, -0.5]]):
            p = torch.tensor(rows, requires_grad=True)
            optimizer = torch.optim.Muon([p], **{"lr": 0.01, **settings})
            for _ in range(3):
                optimizer.zero_grad()
                (p**2 * (1 + p)).sum().backward()
                optimizer.step()
            see(f"settings {number}, {len(rows)} rows", [round(v, 3) for v in p.flatten().tolist()])
            state = optimizer.state_dict()
            see(
                f"state {number}, {len(rows)} rows",
                (list(state["state"][0]), state["param_groups"]),
            )


@program(rules="T-60")
def adafactor_and_muon_refuse_what_they_cannot_do(torch, see):
    q, m = torch.ones(2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    made = torch.optim.Adafactor, torch.optim.Muon
    for kind, params, settings, phrase in (
        (0, [q], {"lr": -1.0}, "Learning rate should be >= 0 but is: -1.0"),
        (0, [q], {"lr": torch.ones(2)}, "Tensor lr must be 1-element"),
        (0, [q], {"beta2_decay": 1.0}, "beta2_decay should be <= 0 but is: 1.0"),
        (0, [q], {"eps": (-1, 1)}, "epsilon1 should be >= 0 but is: -1"),
        (0, [q], {"eps": (None, -1)}, "epsilon2 should be >= 0 but is: -1"),
        (0, [q], {"d": 0.5}, "Clipping threshold d should be >= 1 but is: 0.5"),
        (0, [q], {"weight_decay": -1.0}, "weight_decay should be >= 0 but is: -1.0"),
        (1, [m], {"lr": -1.0}, "Learning rate should be >= 0 but is: -1.0"),
        (1, [m], {"momentum": -1.0}, "momentum should be >= 0 but is: -1.0"),
        (1, [m], {"weight_decay": -1.0}, "weight decay should be >= 0 but is: -1.0"),
        (1, [m], {"adjust_lr_fn": "x"}, "Adjust learning rate function x is not supported"),
        (1, [q], {}, "Muon only supports 2D parameters"),
    ):
        see.raises(
            f"{made[kind].__name__} {settings}",
            lambda kind=kind, params=params, settings=settings: made[kind](params, **settings),
            phrase=phrase,
        )

    def step(optimizer, p):
        p.abs().sum().backward()
        optimizer.step()

    z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    phrase = "Adafactor does not support complex parameters"
    see.raises("complex", lambda: step(made[0]([z]), z), phrase=phrase)
    for name, settings, phrase in (
        ("many steps", {"ns_steps": 100}, "Number of steps must be less than 100"),
        ("coefficients", {"ns_coefficients": (1.0, 2.0)}, "exactly 3 values"),
    ):
        see.raises(name, lambda settings=settings: step(made[1]([m], **settings), m), phrase=phrase)
