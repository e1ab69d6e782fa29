"""u'' = -u learned from its residual: gradients of gradients at collocation points."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 1))
    fill(net, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for _ in range(6):
        x = torch.linspace(0, 3, 12).view(-1, 1).requires_grad_(True)
        u = net(x)
        du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
        ddu = torch.autograd.grad(du, x, torch.ones_like(du), create_graph=True)[0]
        start = torch.zeros(1, 1, requires_grad=True)
        u0 = net(start)
        slope = torch.autograd.grad(u0.sum(), start, create_graph=True)[0]
        loss = (ddu + u).pow(2).mean() + u0.pow(2).sum() + (slope - 1).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "state": net.state_dict()}
