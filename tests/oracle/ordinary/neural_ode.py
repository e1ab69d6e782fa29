"""Runge-Kutta steps through a network, and the adjoint method by hand."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn = torch.nn

    class Field(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 2))

        def forward(self, t, y):
            return self.net(y**3)

    def rk4(f, t, dt, y):
        k1 = f(t, y)
        k2 = f(t + dt / 2, y + dt * k1 / 2)
        k3 = f(t + dt / 2, y + dt * k2 / 2)
        k4 = f(t + dt, y + dt * k3)
        return y + (k1 + 2 * k2 + 2 * k3 + k4) * dt / 6

    field = Field()
    fill(field, 1)
    matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    truth = [torch.tensor([[2.0, 0.0]]).mul(0.5)]
    for i in range(8):
        truth.append(rk4(lambda t, y: torch.mm(y**3, matrix), 0.1 * i, 0.1, truth[-1]))
    truth = torch.stack(truth)
    optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        y, path = truth[0], [truth[0]]
        for i in range(8):
            y = rk4(field, torch.tensor(0.1 * i), 0.1, y)
            path.append(y)
        loss = torch.mean(torch.abs(torch.stack(path) - truth))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "state": field.state_dict()}
