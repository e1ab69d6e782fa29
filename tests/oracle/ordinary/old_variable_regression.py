"""Linear regression as in 2017: Variable, volatile-free, .data and .data[0]-style reads."""

from tests.oracle.ordinary.given import numbers


def main(torch):
    Variable = torch.autograd.Variable
    x = Variable(numbers(torch, 20, 3, seed=1))
    y = Variable(numbers(torch, 20, 1, seed=2), requires_grad=False)
    w = Variable(numbers(torch, 3, 1, seed=3), requires_grad=True)
    b = Variable(torch.zeros(1), requires_grad=True)
    losses = []
    for _ in range(15):
        loss = ((x.mm(w) + b.expand(20, 1) - y) ** 2).mean()
        loss.backward()
        w.data -= 0.1 * w.grad.data
        b.data.sub_(0.1 * b.grad.data)
        w.grad.data.zero_()
        b.grad.data.zero_()
        losses.append(loss.data.item())
    return {"losses": losses, "w": w.data, "b": b.data}
