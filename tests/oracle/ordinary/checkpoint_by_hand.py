"""A Function that runs its part again in backward, to save memory."""

from tests.oracle.ordinary.given import fill, numbers


def main(torch):
    nn = torch.nn

    class Checkpoint(torch.autograd.Function):
        @staticmethod
        def forward(ctx, run, count, *tensors):
            ctx.run, ctx.inputs, ctx.parameters = run, list(tensors[:count]), list(tensors[count:])
            with torch.no_grad():
                return ctx.run(*ctx.inputs)

        @staticmethod
        def backward(ctx, *grads):
            inputs = [x.detach().requires_grad_(True) for x in ctx.inputs]
            with torch.enable_grad():
                outputs = ctx.run(*[x.view_as(x) for x in inputs])
            found = torch.autograd.grad(outputs, inputs + ctx.parameters, grads, allow_unused=True)
            return (None, None) + found

    block = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
    fill(block, 1)
    x = numbers(torch, 5, 4, seed=2).requires_grad_()
    out = Checkpoint.apply(block, 1, x, *block.parameters())
    out.pow(2).sum().backward()
    saved = [x.grad.clone()] + [p.grad.clone() for p in block.parameters()]
    x.grad = None
    block.zero_grad()
    block(x).pow(2).sum().backward()
    same = all(
        torch.allclose(a, b) for a, b in zip(saved, [x.grad] + [p.grad for p in block.parameters()])
    )
    return {"same": same, "grads": saved}
