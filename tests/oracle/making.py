"""What programs about Function make again and again."""


def function(torch, forward, backward=lambda ctx, g: g, **members):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward), **members}
    return type("Made", (torch.autograd.Function,), body)


def leaf(torch, *values):
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)
