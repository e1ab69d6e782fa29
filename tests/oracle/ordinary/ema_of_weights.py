"""An exponential moving average of the weights beside the model."""

import copy

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    fill(model, 1)
    ema = copy.deepcopy(model)
    for p in ema.parameters():
        p.requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i in range(8):
        loss = (model(numbers(torch, 6, 3, seed=i)) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.lerp_(p, 0.1)
            for e, b in zip(ema.buffers(), model.buffers()):
                e.copy_(b)
    return {
        "loss": loss.item(),
        "ema": ema.state_dict(),
        "eval": ema.eval()(numbers(torch, 4, 3, seed=99)),
    }
