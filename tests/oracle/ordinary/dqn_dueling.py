"""A ring of transitions in arrays, dueling heads on frames, double Q-learning, Huber loss, soft target updates."""

import copy

import numpy as np

from tests.oracle.ordinary.given import numbers, redraw


class ReplayBuffer(object):
    def __init__(self, state_shape, max_size=32):
        self.max_size, self.ptr, self.size = max_size, 0, 0
        self.state = np.zeros((max_size, *state_shape), dtype=np.uint8)
        self.next_state = np.zeros((max_size, *state_shape), dtype=np.uint8)
        self.action = np.zeros((max_size, 1), dtype=np.int64)
        self.reward = np.zeros((max_size, 1))
        self.not_done = np.zeros((max_size, 1))
        self.priority = np.ones(max_size)

    def add(self, state, action, next_state, reward, done):
        self.state[self.ptr], self.next_state[self.ptr] = state, next_state
        self.action[self.ptr], self.reward[self.ptr] = action, reward
        self.not_done[self.ptr] = 1.0 - done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, torch, batch_size, rng, beta=0.4):
        p = self.priority[: self.size] ** 0.6
        p /= p.sum()
        ind = rng.choice(self.size, size=batch_size, p=p)
        weights = (self.size * p[ind]) ** -beta
        weights /= weights.max()
        return ind, (
            torch.from_numpy(self.state[ind]).float().div_(255),
            torch.as_tensor(self.action[ind]),
            torch.from_numpy(self.next_state[ind]).float().div_(255),
            torch.FloatTensor(self.reward[ind]),
            torch.FloatTensor(self.not_done[ind]),
            torch.tensor(weights, dtype=torch.float32).unsqueeze(1),
        )


def main(torch):
    nn, F = torch.nn, torch.nn.functional

    class DuelingDQN(nn.Module):
        def __init__(self, input_shape, n_actions):
            super(DuelingDQN, self).__init__()
            self.conv = nn.Sequential(
                nn.Conv2d(input_shape[0], 4, kernel_size=3, stride=2),
                nn.ReLU(),
                nn.Conv2d(4, 4, kernel_size=2),
                nn.ReLU(),
            )
            conv_out_size = self._get_conv_out(input_shape)
            self.fc_adv = nn.Sequential(
                nn.Linear(conv_out_size, 8), nn.ReLU(), nn.Linear(8, n_actions)
            )
            self.fc_val = nn.Sequential(nn.Linear(conv_out_size, 8), nn.ReLU(), nn.Linear(8, 1))

        def _get_conv_out(self, shape):
            o = self.conv(torch.zeros(1, *shape))
            return int(np.prod(o.size()))

        def forward(self, x):
            conv_out = self.conv(x).view(x.size()[0], -1)
            val, adv = self.fc_val(conv_out), self.fc_adv(conv_out)
            return val + (adv - adv.mean(dim=1, keepdim=True))

        @torch.no_grad()
        def act(self, state, epsilon, rng):
            if rng.rand() < epsilon:
                return rng.randint(3)
            return int(self(torch.as_tensor(state).float().unsqueeze(0) / 255).argmax(1).item())

    rng = np.random.RandomState(0)
    q_net = DuelingDQN((2, 9, 9), 3)
    redraw(q_net, 3)
    target_net = copy.deepcopy(q_net)
    for param in target_net.parameters():
        param.requires_grad_(False)
    optimizer = torch.optim.RMSprop(
        q_net.parameters(), lr=0.005, alpha=0.95, eps=0.01, centered=True
    )
    buffer = ReplayBuffer((2, 9, 9))
    frame = rng.randint(0, 256, (2, 9, 9)).astype(np.uint8)
    log, actions = [], []
    for t in range(40):
        action = q_net.act(frame, epsilon=max(0.2, 1 - t / 20), rng=rng)
        following = np.concatenate([frame[1:], rng.randint(0, 256, (1, 9, 9)).astype(np.uint8)])
        buffer.add(
            frame, action, following, float(np.sign(following.mean() - 127)) + action, t % 10 == 9
        )
        frame = following
        actions.append(action)
        if t < 15 or t % 5:
            continue
        ind, (state, action, next_state, reward, not_done, weights) = buffer.sample(torch, 8, rng)
        with torch.no_grad():
            next_action = q_net(next_state).argmax(1, keepdim=True)
            target_q = reward + not_done * 0.9 * target_net(next_state).gather(1, next_action)
        current_q = q_net(state).gather(1, action)
        td_error = (current_q - target_q).detach().abs().squeeze(1)
        loss = (weights * F.smooth_l1_loss(current_q, target_q, reduction="none")).mean()
        huber = F.huber_loss(current_q.detach(), target_q, delta=0.5)
        optimizer.zero_grad()
        loss.backward()
        for param in q_net.parameters():
            param.grad.data.clamp_(-1, 1)
        optimizer.step()
        buffer.priority[ind] = td_error.numpy() + 1e-3
        for param, target_param in zip(q_net.parameters(), target_net.parameters()):
            target_param.data.copy_(0.1 * param.data + (1 - 0.1) * target_param.data)
        log.append([loss.item(), huber.item(), current_q.mean().item()])
    return {
        "log": log,
        "actions": actions,
        "q": q_net.state_dict(),
        "target": target_net.state_dict(),
    }
