"""Learning rate schedules: every one of them over a run, resumed, copied and saved."""

import copy
import io

from tests.oracle.registry import program

#: Name -> how it is made of `torch.optim.lr_scheduler` and an optimizer with two groups.
_SCHEDULES = {
    "LambdaLR of two": lambda s, o: s.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (1 + e)]),
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda e: 0.9**e),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda e: 0.95),
    "StepLR": lambda s, o: s.StepLR(o, 3, 0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [2, 2, 5], 0.3),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.3, 4),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.3, 0.8, 4),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.8),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 6, 2.0),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 5, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9), s.StepLR(o, 2)], [3, 6]
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler(
        [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)]
    ),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, 5, cycle_momentum=False),
    "CyclicLR triangular2": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, mode="triangular2"),
    "CyclicLR exp_range": lambda s, o: s.CyclicLR(
        o, [0.01, 0.02], [0.1, 0.3], 3, mode="exp_range", gamma=0.9
    ),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.5, total_steps=14),
    "OneCycleLR three phases": lambda s, o: s.OneCycleLR(
        o,
        [0.5, 0.3],
        epochs=2,
        steps_per_epoch=7,
        pct_start=0.4,
        anneal_strategy="linear",
        three_phase=True,
        div_factor=5,
        final_div_factor=10,
    ),
}


def made(torch, name):
    p, q = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    optimizer = torch.optim.SGD([{"params": [p]}, {"params": [q], "lr": 0.2}], lr=0.1, momentum=0.9)
    return optimizer, _SCHEDULES[name](torch.optim.lr_scheduler, optimizer)


def follow(optimizer, schedule, count):
    seen = []
    for _ in range(count):
        seen.append([(g["lr"], g["momentum"]) for g in optimizer.param_groups])
        optimizer.step()
        schedule.step()
    return seen


@program(rules="T-63", each=_SCHEDULES)
def rates_of_a_run(torch, see, name):
    optimizer, schedule = made(torch, name)
    see("rates", follow(optimizer, schedule, 9))
    see("last", list(schedule.get_last_lr()))
    file = io.BytesIO()
    torch.save({"optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}, file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    other, resumed = made(torch, name)
    other.load_state_dict(state["optimizer"])
    resumed.load_state_dict(state["schedule"])
    see("resumed", follow(other, resumed, 4))
    twin, copied = copy.deepcopy((optimizer, schedule))
    see("copied", follow(twin, copied, 4))


@program(rules="T-63")
def a_plateau(torch, see):
    p = torch.nn.Parameter(torch.ones(1))
    for mode, threshold_mode in (("min", "rel"), ("max", "abs")):
        optimizer = torch.optim.SGD([p], lr=0.1)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer,
            mode,
            factor=0.5,
            patience=1,
            threshold_mode=threshold_mode,
            cooldown=1,
            min_lr=0.02,
        )
        rates = []
        for loss in (1.0, 2.0, 3.0, 2.5, 0.5, 0.6, 0.7, 0.8, torch.tensor(0.9), 0.9, 0.9):
            schedule.step(loss)
            rates.append(
                (
                    optimizer.param_groups[0]["lr"],
                    schedule.num_bad_epochs,
                    schedule.cooldown_counter,
                )
            )
        see(mode, rates)
        other = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode)
        other.load_state_dict(schedule.state_dict())
        see(f"{mode}: loaded", (other.patience, other.factor, float(other.best)))


@program(rules="T-63")
def mistakes_with_schedules(torch, see):
    s = torch.optim.lr_scheduler
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    adadelta = torch.optim.Adadelta([torch.nn.Parameter(torch.ones(1))])
    for name, make in {
        "no optimizer": lambda: s.StepLR(3, 1),
        "too many": lambda: s.LambdaLR(optimizer, [min, max]),
        "not begun": lambda: s.StepLR(optimizer, 1, last_epoch=3),
        "factor": lambda: s.ConstantLR(optimizer, 2.0),
        "start": lambda: s.LinearLR(optimizer, 0.0),
        "end": lambda: s.LinearLR(optimizer, 1.0, -1.0),
        "plateau": lambda: s.ReduceLROnPlateau(optimizer, factor=1.0),
        "plateau mode": lambda: s.ReduceLROnPlateau(optimizer, "mean"),
        "restarts": lambda: s.CosineAnnealingWarmRestarts(optimizer, 0),
        "cycle mode": lambda: s.CyclicLR(optimizer, 0.1, 1.0, mode="square"),
        "cycle momentum": lambda: s.CyclicLR(adadelta, 0.1, 1.0),
        "one cycle": lambda: s.OneCycleLR(optimizer, 0.1),
        "steps": lambda: s.OneCycleLR(optimizer, 0.1, total_steps=0),
        "share": lambda: s.OneCycleLR(optimizer, 0.1, total_steps=9, pct_start=2.0),
        "milestones": lambda: s.SequentialLR(optimizer, [s.StepLR(optimizer, 1)], [1, 2]),
        "other optimizer": lambda: s.SequentialLR(
            optimizer, [s.StepLR(optimizer, 1), s.StepLR(adadelta, 1)], [1]
        ),
    }.items():
        see.raises(name, make)
    schedule = s.OneCycleLR(optimizer, 0.1, total_steps=2)
    follow(optimizer, schedule, 1)
    see.raises("too long", lambda: follow(optimizer, schedule, 3), phrase="total")
