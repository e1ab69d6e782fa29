"""Two networks against each other, noise from a fixed list, detach for the discriminator."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    g = nn.Sequential(nn.Linear(2, 8), nn.ReLU(True), nn.Linear(8, 2), nn.Tanh())
    d = nn.Sequential(
        nn.Linear(2, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1), nn.Sigmoid()
    )

    def weights_init(m):
        if m.__class__.__name__.find("Linear") != -1:
            m.bias.data.fill_(0)

    fill(g, 1)
    fill(d, 2)
    g.apply(weights_init)
    d.apply(weights_init)
    criterion = nn.BCELoss()
    opt_d = torch.optim.Adam(d.parameters(), lr=0.02, betas=(0.5, 0.999))
    opt_g = torch.optim.Adam(g.parameters(), lr=0.02, betas=(0.5, 0.999))
    log = []
    for i in range(8):
        real = numbers(torch, 6, 2, seed=10 + i) * 0.1 + 0.5
        d.zero_grad()
        label = torch.full((6,), 1.0)
        error_real = criterion(d(real).view(-1), label)
        error_real.backward()
        fake = g(numbers(torch, 6, 2, seed=50 + i))
        label.fill_(0)
        error_fake = criterion(d(fake.detach()).view(-1), label)
        error_fake.backward()
        opt_d.step()
        g.zero_grad()
        label.fill_(1)
        error_g = criterion(d(fake).view(-1), label)
        error_g.backward()
        opt_g.step()
        log.append([error_real.item() + error_fake.item(), error_g.item()])
    return {"log": log, "g": g.state_dict(), "d": d.state_dict()}
