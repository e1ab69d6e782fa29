"""Q-learning with replay memory, a target network and gradients clamped one by one."""

import copy
import random
from collections import deque, namedtuple

from tests.oracle.ordinary.given import fill, numbers


Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


def main(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 2))
    fill(net, 3)
    target = copy.deepcopy(net)
    target.eval()
    memory = deque([], maxlen=50)
    states = numbers(torch, 41, 4, seed=4)
    for i in range(40):
        follow = None if i % 10 == 9 else states[i + 1 : i + 2]
        action = torch.tensor([[i % 2]], dtype=torch.long)
        memory.append(Transition(states[i : i + 1], action, follow, torch.tensor([float(i % 3)])))
    rng = random.Random(0)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=0.005)
    losses = []
    for step in range(12):
        batch = Transition(*zip(*rng.sample(list(memory), 8)))
        mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
        following = torch.cat([s for s in batch.next_state if s is not None])
        values = net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
        after = torch.zeros(8)
        with torch.no_grad():
            after[mask] = target(following).max(1)[0]
        loss = nn.SmoothL1Loss()(values, (after * 0.9 + torch.cat(batch.reward)).unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        for param in net.parameters():
            param.grad.data.clamp_(-1, 1)
        optimizer.step()
        if step % 4 == 3:
            target.load_state_dict(net.state_dict())
        losses.append(loss.item())
    return {"losses": losses, "state": net.state_dict()}
