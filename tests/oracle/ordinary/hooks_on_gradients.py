"""Gradient reversal, hooks that scale, retain_grad, grads of inner layers logged."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn

    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, alpha):
            ctx.alpha = alpha
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad.neg() * ctx.alpha, None

    feature, label, domain = nn.Linear(4, 5), nn.Linear(5, 2), nn.Linear(5, 2)
    for i, m in enumerate((feature, label, domain)):
        fill(m, i)
    log = []
    feature.weight.register_hook(lambda g: log.append(g.norm().item()))
    label.bias.register_hook(lambda g: g * 0.5)
    x, y = numbers(torch, 6, 4, seed=5), torch.tensor([0, 1, 0, 1, 0, 1])
    params = [p for m in (feature, label, domain) for p in m.parameters()]
    optimizer = torch.optim.SGD(params, lr=0.1)
    for i in range(4):
        h = torch.relu(feature(x))
        h.retain_grad()
        loss = nn.functional.cross_entropy(label(h), y)
        loss = loss + nn.functional.cross_entropy(domain(Reverse.apply(h, 0.1 * i)), 1 - y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"log": log, "h": h.grad, "params": [p.data for p in params]}
