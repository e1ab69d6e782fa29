"""A critic with a gradient penalty: the norm of a gradient is differentiated."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn
    critic = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    fill(critic, 1)
    optimizer = torch.optim.Adam(critic.parameters(), lr=0.01, betas=(0.0, 0.9))
    log = []
    for i in range(6):
        real, fake = numbers(torch, 6, 3, seed=i), numbers(torch, 6, 3, seed=20 + i) + 1
        alpha = torch.sigmoid(numbers(torch, 6, 1, seed=40 + i)).expand_as(real)
        mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
        score = critic(mixed)
        gradients = torch.autograd.grad(
            outputs=score, inputs=mixed, grad_outputs=torch.ones(score.size()),
            create_graph=True, retain_graph=True, only_inputs=True,
        )[0]  # fmt: skip
        penalty = ((gradients.view(6, -1).norm(2, dim=1) - 1) ** 2).mean() * 10
        loss = critic(fake).mean() - critic(real).mean() + penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.append([loss.item(), penalty.item()])
    return {"log": log, "state": critic.state_dict()}
