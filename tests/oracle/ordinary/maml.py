"""Meta-learning by hand: inner steps with create_graph, the outer gradient through them."""

from tests.oracle.ordinary.given import numbers


def main(torch):
    F = torch.nn.functional

    def net(x, p):
        h = torch.tanh(F.linear(x, p["w1"], p["b1"]))
        return F.linear(h, p["w2"], p["b2"])

    meta = {
        "w1": numbers(torch, 6, 1, seed=1), "b1": torch.zeros(6),
        "w2": numbers(torch, 1, 6, seed=2), "b2": torch.zeros(1),
    }  # fmt: skip
    meta = {k: v.clone().requires_grad_() for k, v in meta.items()}
    optimizer = torch.optim.Adam(list(meta.values()), lr=0.01)
    x = torch.linspace(-2, 2, 10).unsqueeze(1)
    losses = []
    for step in range(4):
        optimizer.zero_grad()
        total = 0
        for task in range(3):
            y = (1 + task) * torch.sin(x + 0.3 * task + 0.1 * step)
            fast = dict(meta)
            for _ in range(2):
                inner = F.mse_loss(net(x[::2], fast), y[::2])
                grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
                fast = {k: v - 0.05 * g for (k, v), g in zip(fast.items(), grads)}
            total = total + F.mse_loss(net(x[1::2], fast), y[1::2])
        total.backward()
        optimizer.step()
        losses.append(total.item())
    return {"losses": losses, "meta": meta}
