"""Soft actor and critics: squashed normal actions, two critics with slow copies, a learned temperature."""

import copy
import math

import numpy as np

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn, F = torch.nn, torch.nn.functional
    pyd = torch.distributions

    class TanhTransform(pyd.transforms.Transform):
        domain = pyd.constraints.real
        codomain = pyd.constraints.interval(-1.0, 1.0)
        bijective = True
        sign = +1

        def __init__(self, cache_size=1):
            super().__init__(cache_size=cache_size)

        @staticmethod
        def atanh(x):
            return 0.5 * (x.log1p() - (-x).log1p())

        def __eq__(self, other):
            return isinstance(other, TanhTransform)

        def _call(self, x):
            return x.tanh()

        def _inverse(self, y):
            return self.atanh(y)

        def log_abs_det_jacobian(self, x, y):
            return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))

    class SquashedNormal(pyd.transformed_distribution.TransformedDistribution):
        def __init__(self, loc, scale):
            self.loc = loc
            self.scale = scale
            self.base_dist = pyd.Normal(loc, scale)
            super().__init__(self.base_dist, [TanhTransform()])

        @property
        def mean(self):
            mu = self.loc
            for tr in self.transforms:
                mu = tr(mu)
            return mu

    def mlp(inputs, outputs):
        return nn.Sequential(nn.Linear(inputs, 8), nn.ReLU(), nn.Linear(8, outputs))

    class Critic(nn.Module):
        def __init__(self):
            super().__init__()
            self.q1, self.q2 = mlp(5, 1), mlp(5, 1)

        def forward(self, obs, action):
            joined = torch.cat([obs, action], dim=-1)
            return self.q1(joined), self.q2(joined)

    actor, critic = mlp(3, 4), Critic()
    fill(actor, 1)
    fill(critic, 2)
    target = copy.deepcopy(critic)
    log_alpha = torch.tensor(np.log(0.1), dtype=torch.float32, requires_grad=True)
    actor_opt = torch.optim.Adam(actor.parameters(), lr=3e-3)
    critic_opt = torch.optim.Adam(critic.parameters(), lr=3e-3)
    alpha_opt = torch.optim.Adam([log_alpha], lr=3e-3)

    def policy(obs):
        mu, log_std = actor(obs).chunk(2, dim=-1)
        log_std = -5 + 0.5 * (2 + 5) * (torch.tanh(log_std) + 1)
        return SquashedNormal(mu, log_std.exp())

    def act(dist, seed):
        """As `rsample`, with given noise."""
        pre = dist.base_dist.loc + dist.base_dist.scale * numbers(torch, 16, 2, seed=seed)
        return dist.transforms[0](pre)

    log = []
    for step in range(6):
        obs, next_obs = (numbers(torch, 16, 3, seed=10 * step + k) for k in (0, 1))
        action = torch.tanh(numbers(torch, 16, 2, seed=10 * step + 2))
        reward = obs.sum(-1, keepdim=True)
        with torch.no_grad():
            dist = policy(next_obs)
            next_action = act(dist, 10 * step + 3)
            log_prob = dist.log_prob(next_action).sum(-1, keepdim=True)
            v = torch.min(*target(next_obs, next_action)) - log_alpha.exp() * log_prob
            target_q = reward + 0.99 * v
        q1, q2 = critic(obs, action)
        critic_loss = F.mse_loss(q1, target_q) + F.mse_loss(q2, target_q)
        critic_opt.zero_grad()
        critic_loss.backward()
        critic_opt.step()

        dist = policy(obs)
        new_action = act(dist, 10 * step + 4)
        log_prob = dist.log_prob(new_action).sum(-1, keepdim=True)
        actor_loss = (
            log_alpha.exp().detach() * log_prob - torch.min(*critic(obs, new_action))
        ).mean()
        actor_opt.zero_grad()
        actor_loss.backward()
        actor_opt.step()

        alpha_opt.zero_grad()
        alpha_loss = (log_alpha.exp() * (-log_prob + 2.0).detach()).mean()
        alpha_loss.backward()
        alpha_opt.step()
        with torch.no_grad():
            for p, tp in zip(critic.parameters(), target.parameters()):
                tp.data.copy_(0.05 * p.data + 0.95 * tp.data)
        log.append([critic_loss.item(), actor_loss.item(), alpha_loss.item()])
    drawn = policy(obs).rsample()
    return {
        "log": log, "mean": policy(obs).mean, "alpha": log_alpha, "actor": actor.state_dict(),
        "sample": [list(drawn.shape), bool((drawn.abs() <= 1).all()), drawn.requires_grad],
    }  # fmt: skip
