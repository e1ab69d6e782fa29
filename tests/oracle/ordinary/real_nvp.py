"""A flow of affine couplings over a normal base, trained on the density of two moons."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, D = torch.nn, torch.distributions

    class AffineCoupling(D.transforms.Transform):
        bijective = True
        domain = D.constraints.real_vector
        codomain = D.constraints.real_vector

        def __init__(self, net, mask, cache_size=1):
            super().__init__(cache_size=cache_size)
            self.net, self.mask = net, mask

        def shift_and_scale(self, kept):
            shift, scale = self.net(kept).chunk(2, dim=-1)
            return shift * (1 - self.mask), torch.tanh(scale) * (1 - self.mask)

        def _call(self, x):
            shift, scale = self.shift_and_scale(x * self.mask)
            return x * torch.exp(scale) + shift

        def _inverse(self, y):
            shift, scale = self.shift_and_scale(y * self.mask)
            return (y - shift) * torch.exp(-scale)

        def log_abs_det_jacobian(self, x, y):
            return self.shift_and_scale(x * self.mask)[1].sum(-1)

    class RealNVP(nn.Module):
        def __init__(self, layers=4, hidden=8):
            super().__init__()
            self.nets = nn.ModuleList(
                nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 4))
                for _ in range(layers)
            )
            self.loc = nn.Parameter(torch.zeros(2))
            self.log_scale = nn.Parameter(torch.zeros(2))

        def forward(self):
            masks = [torch.tensor([float(i % 2), float(1 - i % 2)]) for i in range(len(self.nets))]
            couplings = [AffineCoupling(n, m) for n, m in zip(self.nets, masks)]
            last = D.AffineTransform(self.loc, self.log_scale.exp(), event_dim=1)
            base = D.Independent(D.Normal(torch.zeros(2), torch.ones(2)), 1)
            return D.TransformedDistribution(base, [*couplings, last])

    angle = numbers(torch, 32, seed=1).sigmoid() * 3.14159
    moons = torch.stack([torch.cos(angle), torch.sin(angle)], 1)
    moons[16:] = torch.tensor([1.0, 0.5]) - moons[16:]
    data = moons + 0.05 * numbers(torch, 32, 2, seed=2)

    model = RealNVP()
    fill(model, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(12):
        loss = -model().log_prob(data).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.item())
    flow = model()
    x = data
    for transform in reversed(flow.transforms):
        x = transform.inv(x)
    y = x
    for transform in flow.transforms:
        y = transform(y)
    return {
        "losses": losses, "latent": x, "back": (y - data).abs().max() < 1e-4,
        "sample": list(flow.sample((5,)).shape), "state": model.state_dict(),
    }  # fmt: skip
