"""Discrete choices made smooth, with the noise given; hard ones straight through."""

from tests.oracle.ordinary.given import numbers


def main(torch):
    F = torch.nn.functional
    logits = numbers(torch, 6, 4, seed=1).requires_grad_()
    values = numbers(torch, 4, 3, seed=2)
    losses, tau = [], 1.0
    optimizer = torch.optim.Adam([logits], lr=0.1)
    for i in range(6):
        u = torch.sigmoid(numbers(torch, 6, 4, seed=10 + i))
        noise = -torch.log(-torch.log(u + 1e-20) + 1e-20)
        soft = F.softmax((logits + noise) / tau, dim=-1)
        index = soft.max(-1, keepdim=True)[1]
        hard = torch.zeros_like(logits).scatter_(-1, index, 1.0)
        sample = hard - soft.detach() + soft
        loss = (sample @ values).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tau = max(0.5, tau * 0.9)
        losses.append(loss.item())
    return {"losses": losses, "logits": logits, "kind": F.gumbel_softmax(logits, hard=True).sum(-1)}
