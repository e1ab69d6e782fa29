"""An actor and a critic with one body, entropy, advantages, targets from lambda returns."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.pi, self.v = nn.Linear(3, 8), nn.Linear(8, 2), nn.Linear(8, 1)

        def forward(self, x):
            h = torch.tanh(self.body(x))
            return F.softmax(self.pi(h), dim=-1), self.v(h).squeeze(-1)

    net = Net()
    fill(net, 1)
    optimizer, losses = torch.optim.Adam(net.parameters(), lr=0.01), []
    for episode in range(5):
        states = numbers(torch, 10, 3, seed=episode)
        actions, rewards = torch.arange(10) % 2, states[:, 0].tolist()
        probs, values = net(states)
        dist = torch.distributions.Categorical(probs)
        advantages, last = [], 0.0
        for t in reversed(range(10)):
            following = values[t + 1].item() if t < 9 else 0.0
            delta = rewards[t] + 0.95 * following - values[t].item()
            last = delta + 0.95 * 0.9 * last
            advantages.insert(0, last)
        advantages = torch.tensor(advantages)
        ratio = torch.exp(dist.log_prob(actions) - dist.log_prob(actions).detach() * 0.9)
        clipped = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
        loss = (
            -clipped.mean()
            + 0.5 * F.mse_loss(values, advantages + values.detach())
            - 0.01 * dist.entropy().mean()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "state": net.state_dict()}
