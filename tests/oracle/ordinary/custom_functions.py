"""Functions of one's own: a ReLU, a straight-through sign, a saved polynomial."""

from tests.oracle.ordinary.given import numbers


def main(torch):
    class MyReLU(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            ctx.save_for_backward(input)
            return input.clamp(min=0)

        @staticmethod
        def backward(ctx, grad_output):
            (input,) = ctx.saved_tensors
            grad_input = grad_output.clone()
            grad_input[input < 0] = 0
            return grad_input

    class Sign(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, width=1.0):
            ctx.width = width
            ctx.save_for_backward(x)
            return x.sign()

        @staticmethod
        def backward(ctx, g):
            return g * (ctx.saved_tensors[0].abs() <= ctx.width).float(), None

    x, y = numbers(torch, 16, 8, seed=1), numbers(torch, 16, 2, seed=2)
    w1 = numbers(torch, 8, 10, seed=3).requires_grad_()
    w2 = numbers(torch, 10, 2, seed=4).requires_grad_()
    losses = []
    for _ in range(6):
        relu = MyReLU.apply
        loss = (Sign.apply(relu(x.mm(w1)) - 0.5, 2.0).mm(w2) - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            w1 -= 1e-3 * w1.grad
            w2 -= 1e-3 * w2.grad
            w1.grad.zero_()
            w2.grad.zero_()
        losses.append(loss.item())
    return {"losses": losses, "w1": w1, "w2": w2}
