"""optim.swa_utils: averaged weights, their rate, batch norm brought up to date."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, swa_utils = torch.nn, torch.optim.swa_utils
    model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
    fill(model, 1)
    averaged = swa_utils.AveragedModel(model)
    ema = swa_utils.AveragedModel(model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
    swa_scheduler = swa_utils.SWALR(
        optimizer, anneal_strategy="linear", anneal_epochs=3, swa_lr=0.05
    )
    loader = [(numbers(torch, 6, 3, seed=i), numbers(torch, 6, 1, seed=20 + i)) for i in range(3)]
    losses, rates = [], []
    for epoch in range(8):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        ema.update_parameters(model)
        if epoch > 3:
            averaged.update_parameters(model)
            swa_scheduler.step()
        else:
            scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    swa_utils.update_bn(loader, averaged)
    return {
        "losses": losses, "rates": rates, "state": averaged.state_dict(), "ema": ema.state_dict(),
        "out": averaged.eval()(loader[0][0]), "n": int(averaged.n_averaged),
    }  # fmt: skip
