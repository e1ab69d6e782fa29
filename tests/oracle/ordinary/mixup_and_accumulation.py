"""Mixed samples, gradients accumulated over small batches, norms of gradients."""

import numpy as np

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    net = nn.Sequential(nn.Linear(4, 10), nn.SiLU(), nn.Linear(10, 3))
    fill(net, 1)
    draws = np.random.RandomState(3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9, nesterov=True)
    losses, norms = [], []
    optimizer.zero_grad()
    for i in range(8):
        x, y = numbers(torch, 6, 4, seed=i), torch.arange(6) % 3
        lam = float(draws.beta(0.4, 0.4))
        index = torch.from_numpy(draws.permutation(6))
        out = net(lam * x + (1 - lam) * x[index, :])
        loss = lam * F.cross_entropy(out, y) + (1 - lam) * F.cross_entropy(out, y[index])
        (loss / 2).backward()
        if (i + 1) % 2 == 0:
            total = torch.norm(torch.stack([p.grad.detach().norm(2) for p in net.parameters()]), 2)
            norms.append(total.item())
            nn.utils.clip_grad_value_(net.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return {"losses": losses, "norms": norms, "state": net.state_dict()}
