"""Actor and critic with orthogonal weights, advantages by GAE, clipped ratios, minibatches, KL, annealed rates."""

import numpy as np

from tests.oracle.ordinary.given import numbers, redraw


def main(torch):
    nn = torch.nn
    Categorical, Normal = torch.distributions.Categorical, torch.distributions.Normal

    def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
        torch.nn.init.orthogonal_(layer.weight, std)
        torch.nn.init.constant_(layer.bias, bias_const)
        return layer

    class Agent(nn.Module):
        def __init__(self, continuous):
            super().__init__()
            self.continuous = continuous
            self.critic = nn.Sequential(
                layer_init(nn.Linear(4, 8)),
                nn.Tanh(),
                layer_init(nn.Linear(8, 8)),
                nn.Tanh(),
                layer_init(nn.Linear(8, 1), std=1.0),
            )
            self.actor = nn.Sequential(
                layer_init(nn.Linear(4, 8)), nn.Tanh(), layer_init(nn.Linear(8, 3), std=0.01)
            )
            if continuous:
                self.actor_logstd = nn.Parameter(torch.zeros(1, 3))

        def get_value(self, x):
            return self.critic(x)

        def get_action_and_value(self, x, action):
            if self.continuous:
                action_mean = self.actor(x)
                action_logstd = self.actor_logstd.expand_as(action_mean)
                probs = Normal(action_mean, torch.exp(action_logstd))
                if action.dim() == 1:
                    action = action.unsqueeze(-1).expand_as(action_mean) * 0.5
                return (
                    action,
                    probs.log_prob(action).sum(1),
                    probs.entropy().sum(1),
                    self.critic(x),
                    probs,
                )
            probs = Categorical(logits=self.actor(x))
            return action, probs.log_prob(action), probs.entropy(), self.critic(x), probs

    def env_step(obs, action, t):
        push = torch.nn.functional.one_hot(action.long() % 3, 4).float()
        return torch.tanh(
            obs * 0.8 + 0.3 * push + 0.2 * numbers(torch, *obs.shape, seed=100 + t)
        ), push.sum(1) - obs.norm(dim=1)

    results = {}
    for continuous in (False, True):
        agent = Agent(continuous)
        redraw(agent, 4)
        optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3, eps=1e-4)
        num_steps, num_envs, gamma, gae_lambda, clip_coef = 8, 3, 0.99, 0.95, 0.2
        obs = torch.zeros((num_steps, num_envs) + (4,))
        actions = torch.zeros((num_steps, num_envs))
        logprobs = torch.zeros((num_steps, num_envs))
        rewards, dones, values = (torch.zeros((num_steps, num_envs)) for _ in range(3))
        next_obs, next_done = numbers(torch, num_envs, 4, seed=1), torch.zeros(num_envs)
        rng = np.random.RandomState(2)
        log = []
        for update in range(1, 4):
            frac = 1.0 - (update - 1.0) / 3
            optimizer.param_groups[0]["lr"] = frac * 3e-3
            for step in range(num_steps):
                obs[step] = next_obs
                dones[step] = next_done
                with torch.no_grad():
                    chosen = torch.tensor(rng.randint(0, 3, num_envs))
                    action, logprob, _, value, _ = agent.get_action_and_value(next_obs, chosen)
                    values[step] = value.flatten()
                actions[step] = chosen
                logprobs[step] = logprob
                next_obs, reward = env_step(next_obs, chosen, update * 20 + step)
                rewards[step] = reward.view(-1)
                next_done = torch.Tensor([float((step + e) % 5 == 4) for e in range(num_envs)])
            with torch.no_grad():
                next_value = agent.get_value(next_obs).reshape(1, -1)
                advantages = torch.zeros_like(rewards)
                lastgaelam = 0
                for t in reversed(range(num_steps)):
                    if t == num_steps - 1:
                        nextnonterminal = 1.0 - next_done
                        nextvalues = next_value
                    else:
                        nextnonterminal = 1.0 - dones[t + 1]
                        nextvalues = values[t + 1]
                    delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
                    advantages[t] = lastgaelam = (
                        delta + gamma * gae_lambda * nextnonterminal * lastgaelam
                    )
                returns = advantages + values
            b_obs, b_logprobs = obs.reshape((-1, 4)), logprobs.reshape(-1)
            b_actions = actions.reshape(-1) if continuous else actions.reshape((-1,)).long()
            b_advantages, b_returns, b_values = (
                advantages.reshape(-1),
                returns.reshape(-1),
                values.reshape(-1),
            )
            b_inds = np.arange(num_steps * num_envs)
            clipfracs = []
            for epoch in range(2):
                rng.shuffle(b_inds)
                for start in range(0, len(b_inds), 12):
                    mb_inds = b_inds[start : start + 12]
                    _, newlogprob, entropy, newvalue, probs = agent.get_action_and_value(
                        b_obs[mb_inds], b_actions[mb_inds]
                    )
                    logratio = newlogprob - b_logprobs[mb_inds]
                    ratio = logratio.exp()
                    with torch.no_grad():
                        old_approx_kl = (-logratio).mean()
                        approx_kl = ((ratio - 1) - logratio).mean()
                        clipfracs += [((ratio - 1.0).abs() > clip_coef).float().mean().item()]
                    mb_advantages = b_advantages[mb_inds]
                    mb_advantages = (mb_advantages - mb_advantages.mean()) / (
                        mb_advantages.std() + 1e-8
                    )
                    pg_loss1 = -mb_advantages * ratio
                    pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
                    pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                    newvalue = newvalue.view(-1)
                    v_loss_unclipped = (newvalue - b_returns[mb_inds]) ** 2
                    v_clipped = b_values[mb_inds] + torch.clamp(
                        newvalue - b_values[mb_inds], -clip_coef, clip_coef
                    )
                    v_loss_clipped = (v_clipped - b_returns[mb_inds]) ** 2
                    v_loss = 0.5 * torch.max(v_loss_unclipped, v_loss_clipped).mean()
                    entropy_loss = entropy.mean()
                    loss = pg_loss - 0.01 * entropy_loss + v_loss * 0.5
                    optimizer.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                    optimizer.step()
            y_pred, y_true = b_values.cpu().numpy(), b_returns.cpu().numpy()
            var_y = np.var(y_true)
            explained_var = np.nan if var_y == 0 else float(1 - np.var(y_true - y_pred) / var_y)
            log.append(
                [
                    loss.item(),
                    old_approx_kl.item(),
                    approx_kl.item(),
                    np.mean(clipfracs),
                    explained_var,
                ]
            )
        kl = torch.distributions.kl_divergence(
            probs,
            type(probs)(*([probs.loc + 0.1, probs.scale] if continuous else [probs.probs.flip(1)])),
        )
        results[f"loose {continuous}"] = [log, kl, agent.state_dict()]
    return results
