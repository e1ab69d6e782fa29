"""Learning rates from several schedulers, stepped once an epoch or a batch."""


def main(torch):
    schedulers = torch.optim.lr_scheduler
    found = {}
    for name, make in {
        "step": lambda o: schedulers.StepLR(o, 3, 0.5),
        "milestones": lambda o: schedulers.MultiStepLR(o, [2, 5], 0.1),
        "exponential": lambda o: schedulers.ExponentialLR(o, 0.9),
        "cosine": lambda o: schedulers.CosineAnnealingLR(o, 8, eta_min=0.001),
        "warm restarts": lambda o: schedulers.CosineAnnealingWarmRestarts(o, 3, 2),
        "warm-up": lambda o: schedulers.LambdaLR(o, lambda e: min(1.0, (e + 1) / 4)),
        "one cycle": lambda o: schedulers.OneCycleLR(o, 0.3, total_steps=12),
        "cyclic": lambda o: schedulers.CyclicLR(o, 0.01, 0.1, 3, cycle_momentum=False),
        "sequential": lambda o: schedulers.SequentialLR(
            o, [schedulers.LinearLR(o, 0.1, total_iters=3), schedulers.ExponentialLR(o, 0.5)], [3]
        ),
    }.items():
        w = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        scheduler = make(optimizer)
        rates = []
        for _ in range(10):
            optimizer.zero_grad()
            (w**2).sum().backward()
            optimizer.step()
            scheduler.step()
            rates.append(scheduler.get_last_lr()[0])
        found[name] = [rates, w.data]
    plateau = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    reduce = schedulers.ReduceLROnPlateau(plateau, "min", factor=0.5, patience=1)
    rates = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0):
        reduce.step(loss)
        rates.append(plateau.param_groups[0]["lr"])
    found["plateau"] = rates
    return found
