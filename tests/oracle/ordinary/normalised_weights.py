"""weight_norm and spectral_norm of old, power iteration by hand, orthogonal penalty."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    net = nn.utils.weight_norm(nn.Linear(4, 3), name="weight")
    fill(net, 1)
    x = numbers(torch, 5, 4, seed=2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for _ in range(5):
        loss = net(x).pow(2).sum()
        w = net.weight_v
        loss = loss + 0.1 * (w @ w.t() - torch.eye(3)).norm()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    u = torch.ones(3)
    with torch.no_grad():
        for _ in range(5):
            v = nn.functional.normalize(net.weight_v.t() @ u, dim=0)
            u = nn.functional.normalize(net.weight_v @ v, dim=0)
    sigma = u @ net.weight_v @ v
    nn.utils.remove_weight_norm(net)
    return {"losses": losses, "sigma": sigma, "names": sorted(net.state_dict()), "w": net.weight}
