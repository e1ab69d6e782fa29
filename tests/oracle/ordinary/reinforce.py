"""Policy gradients with a deque of rewards on a corridor, actions from fixed numbers."""

from collections import deque

import numpy as np

from tests.oracle.ordinary.given import fill


def main(torch):
    nn = torch.nn
    policy = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(dim=-1))
    fill(policy, 2)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    draws = np.random.RandomState(0)
    scores = deque(maxlen=5)
    for _ in range(8):
        place, log_probs, rewards = 2, [], deque()
        for _ in range(10):
            state = torch.zeros(5)
            state[place] = 1
            probs = policy(state)
            m = torch.distributions.Categorical(probs)
            action = torch.tensor(int(draws.rand() < probs[1].item()))
            log_probs.append(m.log_prob(action))
            place = min(max(place + (1 if action.item() else -1), 0), 4)
            rewards.append(1.0 if place == 4 else -0.1)
        returns, total = deque(), 0.0
        for r in reversed(rewards):
            total = r + 0.9 * total
            returns.appendleft(total)
        returns = torch.tensor(list(returns))
        returns = (returns - returns.mean()) / (returns.std() + np.finfo(np.float32).eps.item())
        loss = torch.stack([-p * g for p, g in zip(log_probs, returns)]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scores.append(loss.item())
    return {"scores": list(scores), "state": policy.state_dict()}
