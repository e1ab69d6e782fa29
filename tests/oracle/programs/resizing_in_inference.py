"""`resize_` of tensors that require grad: inference mode allows it."""

from tests.oracle.registry import program

RESIZERS = (
    ("another shape", lambda torch, t: t.resize_(3, 2)),
    ("fewer elements", lambda torch, t: t.resize_(2)),
    ("the same shape", lambda torch, t: t.resize_(2, 3)),
    ("resize_as_", lambda torch, t: t.resize_as_(torch.zeros(1, 2))),
    ("resize_as_ of the same shape", lambda torch, t: t.resize_as_(torch.zeros(2, 3))),
)


def leaf(torch):
    return torch.arange(6.0).reshape(2, 3).requires_grad_()


@program(rules="Y-14", each=RESIZERS)
def inference_mode_resizes_what_requires_grad(torch, see, case):
    _, resize = case
    outside = leaf(torch)
    with torch.inference_mode():
        inside = leaf(torch)
        for name, t in (("made inside", inside), ("made outside", outside)):
            see(f"{name}: itself", resize(torch, t) is t, expect=True)
            kind = (t.requires_grad, t.is_leaf, t.is_inference(), tuple(t.shape))
            see(f"{name}: kind", kind)
            see(f"{name}: values", t.detach())
    see("version", outside._version)


@program(rules="Y-14")
def a_larger_block(torch, see):
    with torch.inference_mode():
        t = leaf(torch).resize_(3, 4)
        see("kept", t.detach().view(-1)[:6], expect=[0, 1, 2, 3, 4, 5])
        see("shape", tuple(t.shape))


@program(rules="Y-14")
def it_is_refused_elsewhere(torch, see):
    phrase = "cannot resize variables that require grad"
    see.raises("with grad", lambda: leaf(torch).resize_(3, 2), phrase=phrase)
    see.raises("the same shape", lambda: leaf(torch).resize_(2, 3), phrase=phrase)
    with torch.no_grad():
        see.raises("under no_grad", lambda: leaf(torch).resize_(3, 2), phrase=phrase)
        see.raises("resize_as_", lambda: leaf(torch).resize_as_(torch.zeros(2)), phrase=phrase)
    with torch.inference_mode():
        inside = leaf(torch)
    outside = "Inplace update to inference tensor outside InferenceMode"
    see.raises("an inference tensor", lambda: inside.resize_(3, 2), phrase=outside)
    see.raises("resize_as_ of one", lambda: inside.resize_as_(torch.zeros(2)), phrase=phrase)


@program(rules="Y-14")
def gradients_of_what_was_resized(torch, see):
    x = leaf(torch)
    with torch.inference_mode():
        x.resize_(3, 2)
    (x * 2).sum().backward()
    see("gradient", x.grad, expect=[[2, 2], [2, 2], [2, 2]])
