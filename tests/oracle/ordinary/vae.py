"""A variational autoencoder with given noise."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class VAE(nn.Module):
        def __init__(self):
            super(VAE, self).__init__()
            self.fc1, self.fc21, self.fc22 = nn.Linear(9, 6), nn.Linear(6, 2), nn.Linear(6, 2)
            self.fc3, self.fc4 = nn.Linear(2, 6), nn.Linear(6, 9)

        def forward(self, x, eps):
            h = F.relu(self.fc1(x.view(-1, 9)))
            mu, logvar = self.fc21(h), self.fc22(h)
            z = mu + eps * torch.exp(0.5 * logvar)
            return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar

    model = VAE()
    fill(model, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    data = torch.sigmoid(numbers(torch, 10, 1, 3, 3, seed=3))
    losses = []
    for i in range(8):
        optimizer.zero_grad()
        out, mu, logvar = model(data, numbers(torch, 10, 2, seed=20 + i))
        bce = F.binary_cross_entropy(out, data.view(-1, 9), reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        (bce + kld).backward()
        optimizer.step()
        losses.append((bce + kld).item())
    return {"losses": losses, "state": model.state_dict()}
