"""A mixture density network: several normal answers for each question, weighted by a categorical one."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, D = torch.nn, torch.distributions

    class MDN(nn.Module):
        def __init__(self, inputs, outputs, components):
            super().__init__()
            self.shape = (components, outputs)
            self.body = nn.Sequential(nn.Linear(inputs, 10), nn.Tanh())
            self.pi = nn.Linear(10, components)
            self.mu = nn.Linear(10, components * outputs)
            self.sigma = nn.Linear(10, components * outputs)

        def forward(self, x):
            h = self.body(x)
            shape = x.shape[:-1] + self.shape
            mix = D.Categorical(logits=self.pi(h))
            scale = nn.functional.softplus(self.sigma(h)).view(shape) + 1e-3
            comp = D.Independent(D.Normal(self.mu(h).view(shape), scale), 1)
            return D.MixtureSameFamily(mix, comp)

    y = numbers(torch, 40, 2, seed=1)
    x = (y + 0.6 * torch.sin(3 * y)).sum(1, keepdim=True)
    model = MDN(1, 2, 3)
    fill(model, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    losses = []
    for _ in range(15):
        loss = -model(x).log_prob(y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    found = model(x[:4])
    return {
        "losses": losses, "mean": found.mean, "variance": found.variance, "state": model.state_dict(),
        "sample": list(found.sample((3,)).shape), "shapes": [list(found.batch_shape), list(found.event_shape)],
    }  # fmt: skip
