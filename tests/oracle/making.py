"""What programs about Function make again and again."""


def function(torch, forward, backward=lambda ctx, g: g, **members):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward), **members}
    return type("Made", (torch.autograd.Function,), body)


def leaf(torch, *values):
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


def tanh_in_place(torch):
    """A Function that writes its operand, and saves what it wrote."""

    def forward(ctx, given):
        given.tanh_()
        ctx.mark_dirty(given)
        ctx.save_for_backward(given)
        return given

    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * (1 - out * out)

    return function(torch, forward, backward)
