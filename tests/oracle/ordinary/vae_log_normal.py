"""A variational autoencoder with positive codes: log-normal posterior and prior, continuous Bernoulli pixels."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    from_ = torch.distributions
    LogNormal, Independent, kl_divergence = from_.LogNormal, from_.Independent, from_.kl_divergence

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc = nn.Sequential(nn.Linear(9, 8), nn.ELU(), nn.Linear(8, 4))
            self.dec = nn.Sequential(nn.Linear(2, 8), nn.ELU(), nn.Linear(8, 9))
            self.register_buffer("prior_loc", torch.zeros(2))
            self.register_buffer("prior_scale", torch.ones(2))

        @property
        def prior(self):
            return Independent(LogNormal(self.prior_loc, self.prior_scale), 1)

        def forward(self, x):
            loc, raw = self.enc(x.flatten(1)).chunk(2, dim=-1)
            posterior = Independent(LogNormal(loc, nn.functional.softplus(raw) + 1e-4), 1)
            return posterior

        def decode(self, z):
            return Independent(from_.ContinuousBernoulli(logits=self.dec(z)), 1)

    model = VAE()
    fill(model, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    data = torch.sigmoid(numbers(torch, 12, 1, 3, 3, seed=3))
    losses = []
    for i in range(10):
        q = model(data)
        base = q.base_dist
        z = (
            base.loc + base.scale * numbers(torch, 12, 2, seed=50 + i)
        ).exp()  # rsample, with given noise
        likelihood = model.decode(z).log_prob(data.flatten(1))
        kl = kl_divergence(q, model.prior.expand((12,)))
        loss = (kl - likelihood).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    drawn = model.decode(model.prior.rsample((5,))).mean
    q = model(data)
    return {
        "losses": losses, "means": q.mean, "entropy": q.entropy(), "state": model.state_dict(),
        "drawn": list(drawn.shape), "reparametrised": [q.has_rsample, q.rsample().requires_grad],
    }  # fmt: skip
