"""Programs of dense layers and of plain tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.programs.program import (
    Step,
    by_hand,
    classes,
    descend,
    drawn,
    drawn_classes,
    numbers,
    program,
    same_weights,
    stepping,
    training,
    weights,
)


@program("linear regression")
def linear_regression(torch: Any) -> Step:
    x, y = numbers(torch, 256, 8), numbers(torch, 256, 1, seed=1)
    model = torch.nn.Linear(8, 1)
    return training(torch, model, lambda: torch.nn.functional.mse_loss(model(x), y), sgd=True)


@by_hand("linear regression")
def linear_regression_by_hand() -> Step:
    x, y = drawn(256, 8), drawn(256, 1, seed=1)
    w, b = weights([(1, 8), (1,)])
    speeds = [np.zeros_like(w), np.zeros_like(b)]

    def step() -> float:
        far = x @ w.T + b - y
        grad = far * np.float32(2 / far.size)
        descend((w, b), speeds, (grad.T @ x, grad.sum(0)))
        return float((far * far).mean())

    return step


@program("logistic regression, 784 to 10")
def logistic_regression(torch: Any) -> Step:
    x, y = numbers(torch, 64, 784), classes(torch, 10, 64)
    model = torch.nn.Linear(784, 10)
    return training(torch, model, lambda: torch.nn.functional.cross_entropy(model(x), y), sgd=True)


@program("MLP 784-256-128-10, batch 64")
def mlp(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 64, 784), classes(torch, 10, 64)
    model = nn.Sequential(
        nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)
    )
    return training(torch, model, lambda: nn.functional.cross_entropy(model(x), y), sgd=True)


@by_hand("MLP 784-256-128-10, batch 64")
def mlp_by_hand() -> Step:
    x, y = drawn(64, 784), drawn_classes(10, 64)
    values = weights([(256, 784), (256,), (128, 256), (128,), (10, 128), (10,)])
    speeds = [np.zeros_like(value) for value in values]
    rows = np.arange(64)

    def step() -> float:
        w1, b1, w2, b2, w3, b3 = values
        h1 = np.maximum(x @ w1.T + b1, 0)
        h2 = np.maximum(h1 @ w2.T + b2, 0)
        z = h2 @ w3.T + b3
        z -= z.max(1, keepdims=True)
        e = np.exp(z)
        total = e.sum(1, keepdims=True)
        loss = float((np.log(total[:, 0]) - z[rows, y]).mean())
        g3 = e / total
        g3[rows, y] -= 1
        g3 /= 64
        g2 = (g3 @ w3) * (h2 > 0)
        g1 = (g2 @ w2) * (h1 > 0)
        slopes = (g1.T @ x, g1.sum(0), g2.T @ h1, g2.sum(0), g3.T @ h2, g3.sum(0))
        descend(values, speeds, slopes)
        return loss

    return step


@program("MLP of the two moons, 2-32-32-1")
def two_moons(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 200, 2), classes(torch, 2, 200, 1).float()
    model = nn.Sequential(
        nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
    )
    return training(
        torch, model, lambda: nn.functional.binary_cross_entropy_with_logits(model(x), y)
    )


@program("MLP with batch norm")
def mlp_with_norms(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 128, 64), classes(torch, 10, 128)
    layers: list[Any] = []
    for _ in range(4):
        layers += [nn.Linear(64, 64), nn.BatchNorm1d(64), nn.LeakyReLU(0.1)]
    model = nn.Sequential(*layers, nn.Linear(64, 10))
    return training(torch, model, lambda: nn.functional.cross_entropy(model(x), y))


@program("autoencoder")
def autoencoder(torch: Any) -> Step:
    nn = torch.nn
    x = numbers(torch, 64, 784).sigmoid()
    model = nn.Sequential(
        nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 16), nn.ReLU(),
        nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 784), nn.Sigmoid(),
    )  # fmt: skip
    return training(torch, model, lambda: nn.functional.mse_loss(model(x), x))


@program("VAE")
def vae(torch: Any) -> Step:
    nn, F = torch.nn, torch.nn.functional
    x, noise = numbers(torch, 64, 784).sigmoid(), numbers(torch, 64, 20, seed=2)

    class VAE(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inside = nn.Linear(784, 200)
            self.mean, self.log_variance = nn.Linear(200, 20), nn.Linear(200, 20)
            self.back, self.out = nn.Linear(20, 200), nn.Linear(200, 784)

        def forward(self, x: Any) -> Any:
            h = F.relu(self.inside(x))
            mean, log_variance = self.mean(h), self.log_variance(h)
            z = mean + noise * torch.exp(0.5 * log_variance)
            return torch.sigmoid(self.out(F.relu(self.back(z)))), mean, log_variance

    model = VAE()

    def loss() -> Any:
        again, mean, log_variance = model(x)
        distance = F.binary_cross_entropy(again, x, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return (distance + divergence) / 64

    return training(torch, model, loss)


@program("GAN")
def gan(torch: Any) -> Step:
    nn = torch.nn
    real, noise = numbers(torch, 64, 64), numbers(torch, 64, 16, seed=1)
    G = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 64), nn.Tanh())
    D = nn.Sequential(nn.Linear(64, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1), nn.Sigmoid())
    same_weights(torch, G, D)
    for_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
    for_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
    ones, zeros, criterion = torch.ones(64, 1), torch.zeros(64, 1), nn.BCELoss()

    def step() -> float:
        made = G(noise)
        for_d.zero_grad()
        of_d = criterion(D(real), ones) + criterion(D(made.detach()), zeros)
        of_d.backward()
        for_d.step()
        for_g.zero_grad()
        of_g = criterion(D(made), ones)
        of_g.backward()
        for_g.step()
        return of_d.item() + of_g.item()

    return step


@program("WGAN with gradient penalty")
def wgan(torch: Any) -> Step:
    nn = torch.nn
    real, made = numbers(torch, 64, 32), numbers(torch, 64, 32, seed=1)
    share = numbers(torch, 64, 1, seed=2).sigmoid()
    critic = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 1))

    def loss() -> Any:
        between = (share * real + (1 - share) * made).requires_grad_()
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
        return critic(made).mean() - critic(real).mean() + 10 * penalty

    return training(torch, critic, loss)


@program("KAN, splines of degree 3")
def kan(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 128, 4).tanh(), numbers(torch, 128, 1, seed=1)
    degree, cells = 3, 5

    class Layer(nn.Module):
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.base = nn.Parameter(torch.zeros(outputs, inputs))
            self.spline = nn.Parameter(torch.zeros(outputs, inputs * (cells + degree)))
            h = 2 / cells
            grid = torch.arange(-degree, cells + degree + 1).float() * h - 1
            self.register_buffer("grid", grid)

        def forward(self, x: Any) -> Any:
            g, at = self.grid, x.unsqueeze(-1)
            b = ((at >= g[:-1]) & (at < g[1:])).to(x.dtype)
            for k in range(1, degree + 1):
                left = (at - g[: -(k + 1)]) / (g[k:-1] - g[: -(k + 1)])
                right = (g[k + 1 :] - at) / (g[k + 1 :] - g[1:-k])
                b = left * b[..., :-1] + right * b[..., 1:]
            F = nn.functional
            return F.linear(F.silu(x), self.base) + F.linear(b.flatten(1), self.spline)

    model = nn.Sequential(Layer(4, 8), Layer(8, 1))
    return training(torch, model, lambda: nn.functional.mse_loss(model(x), y))


@program("neural ODE, Runge-Kutta of 10 steps")
def neural_ode(torch: Any) -> Step:
    nn = torch.nn
    start, end = numbers(torch, 64, 2), numbers(torch, 64, 2, seed=1)
    field = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
    h = 0.1

    def loss() -> Any:
        y = start
        for _ in range(10):
            k1 = field(y)
            k2 = field(y + h / 2 * k1)
            k3 = field(y + h / 2 * k2)
            k4 = field(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return ((y - end) ** 2).mean()

    return training(torch, field, loss)


@program("physics-informed network")
def physics_informed(torch: Any) -> Step:
    nn = torch.nn
    at = numbers(torch, 100, 1).tanh()
    model = nn.Sequential(
        nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
    )

    def loss() -> Any:
        x = at.clone().requires_grad_()
        u = model(x)
        (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), x, create_graph=True)
        return ((ddu + u) ** 2).mean() + (model(at[:1] * 0) - 1).pow(2).mean()

    return training(torch, model, loss)


@program("matrix factorisation")
def matrix_factorisation(torch: Any) -> Step:
    nn = torch.nn
    who, what = classes(torch, 500, 512), classes(torch, 800, 512, seed=1)
    stars = numbers(torch, 512, seed=2)

    class Factors(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.users, self.items = nn.Embedding(500, 20), nn.Embedding(800, 20)
            self.user_bias, self.item_bias = nn.Embedding(500, 1), nn.Embedding(800, 1)

        def forward(self) -> Any:
            likes = (self.users(who) * self.items(what)).sum(1)
            return likes + self.user_bias(who).squeeze(1) + self.item_bias(what).squeeze(1)

    model = Factors()
    return training(torch, model, lambda: nn.functional.mse_loss(model(), stars), sgd=True)


@program("word2vec, skip-grams with negatives")
def word2vec(torch: Any) -> Step:
    nn = torch.nn
    centre, around = classes(torch, 1000, 256), classes(torch, 1000, 256, seed=1)
    others = classes(torch, 1000, 256, 5, seed=2)
    inside, outside = nn.Embedding(1000, 50), nn.Embedding(1000, 50)
    model = nn.ModuleList([inside, outside])

    def loss() -> Any:
        v = inside(centre)
        near = (v * outside(around)).sum(1)
        far = torch.bmm(outside(others), v.unsqueeze(2)).squeeze(2)
        log = nn.functional.logsigmoid
        return -(log(near) + log(-far).sum(1)).mean()

    return training(torch, model, loss)


@program("actor and critic")
def actor_critic(torch: Any) -> Step:
    nn, F = torch.nn, torch.nn.functional
    states, gains = numbers(torch, 64, 4), numbers(torch, 64, seed=1)
    actions = classes(torch, 2, 64)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.pi, self.v = nn.Linear(4, 128), nn.Linear(128, 2), nn.Linear(128, 1)

        def forward(self, x: Any) -> Any:
            h = F.relu(self.body(x))
            return F.softmax(self.pi(h), dim=-1), self.v(h).squeeze(-1)

    net = Net()

    def loss() -> Any:
        probs, values = net(states)
        of = torch.distributions.Categorical(probs)
        ahead = gains - values.detach()
        policy = -(of.log_prob(actions) * ahead).mean()
        return policy + F.smooth_l1_loss(values, gains) - 0.01 * of.entropy().mean()

    return training(torch, net, loss)


@program("DQN")
def dqn(torch: Any) -> Step:
    nn = torch.nn
    states, following = numbers(torch, 128, 4), numbers(torch, 128, 4, seed=1)
    actions, rewards = classes(torch, 2, 128, 1), numbers(torch, 128, seed=2)

    def net() -> Any:
        return nn.Sequential(
            nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2)
        )

    policy, target = net(), net()
    same_weights(torch, target)

    def loss() -> Any:
        q = policy(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            best = target(following).max(1).values
        return nn.functional.smooth_l1_loss(q, rewards + 0.99 * best)

    step = training(torch, policy, loss)

    def and_follow() -> float:
        found = step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), policy.parameters(), strict=True):
                slow.mul_(0.995).add_(fast, alpha=0.005)
        return found

    return and_follow


@program("PPO, clipped, of continuous actions")
def ppo(torch: Any) -> Step:
    nn = torch.nn
    states, actions = numbers(torch, 128, 8), numbers(torch, 128, 2, seed=1)
    ahead, old = numbers(torch, 128, seed=2), numbers(torch, 128, seed=3) * 0.1 - 3
    actor = nn.Sequential(
        nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)
    )
    spread = nn.Parameter(torch.zeros(2))
    same_weights(torch, actor)

    def loss() -> Any:
        of = torch.distributions.Normal(actor(states), spread.exp())
        ratio = (of.log_prob(actions).sum(-1) - old).exp()
        clipped = torch.clamp(ratio, 0.8, 1.2) * ahead
        return -torch.min(ratio * ahead, clipped).mean() - 0.01 * of.entropy().mean()

    return stepping(torch.optim.Adam([*actor.parameters(), spread], lr=3e-4), loss)


@program("mixture of experts")
def mixture_of_experts(torch: Any) -> Step:
    nn = torch.nn
    x, y = numbers(torch, 64, 32), numbers(torch, 64, 8, seed=1)
    gate = nn.Linear(32, 4)
    experts = nn.ModuleList(
        [nn.Sequential(nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 8)) for _ in range(4)]
    )

    def loss() -> Any:
        shares = gate(x).softmax(-1)
        outputs = torch.stack([expert(x) for expert in experts], dim=1)
        return nn.functional.mse_loss((shares.unsqueeze(-1) * outputs).sum(1), y)

    return training(torch, nn.ModuleList([gate, experts]), loss)


@program("siamese networks, triplets")
def siamese(torch: Any) -> Step:
    nn = torch.nn
    a, b, c = (numbers(torch, 64, 32, seed=i) for i in range(3))
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))
    criterion = nn.TripletMarginLoss(margin=1.0)

    def loss() -> Any:
        unit = nn.functional.normalize
        return criterion(unit(model(a)), unit(model(b)), unit(model(c)))

    return training(torch, model, loss)


@program("NeRF, encoded positions")
def nerf(torch: Any) -> Step:
    nn = torch.nn
    points, colours = numbers(torch, 64, 16, 3), numbers(torch, 64, 3, seed=1).sigmoid()
    model = nn.Sequential(
        nn.Linear(3 + 3 * 2 * 6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4)
    )

    def loss() -> Any:
        encoded = [points]
        for i in range(6):
            encoded += [torch.sin(2.0**i * points), torch.cos(2.0**i * points)]
        raw = model(torch.cat(encoded, -1))
        rgb, density = torch.sigmoid(raw[..., :3]), torch.relu(raw[..., 3])
        alpha = 1.0 - torch.exp(-density * 0.1)
        through = torch.cumprod(1.0 - alpha + 1e-10, dim=-1)
        through = torch.cat([torch.ones(64, 1), through[:, :-1]], dim=-1)
        seen = ((alpha * through).unsqueeze(-1) * rgb).sum(1)
        return ((seen - colours) ** 2).mean()

    return training(torch, model, loss)
