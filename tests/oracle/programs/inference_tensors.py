"""Inference tensors outside the mode: what may be done with them, one by one."""

import copy

from tests.oracle.registry import program


def made_inside(torch, *size, **options):
    with torch.inference_mode():
        return torch.ones(*size, **options)


@program(
    rules="M-24",
    each=(
        ("view", lambda torch, i: i.view(2)),
        ("index", lambda torch, i: i[0]),
        ("expand", lambda torch, i: i.expand(2, 2)),
        ("detach", lambda torch, i: i.detach()),
        ("data", lambda torch, i: i.data),
        ("to the same type", lambda torch, i: i.to(torch.float32)),
        ("contiguous", lambda torch, i: i.contiguous()),
        ("clone", lambda torch, i: i.clone()),
        ("to another type", lambda torch, i: i.to(torch.float64)),
        ("product", lambda torch, i: i * i),
        ("cat", lambda torch, i: torch.cat([i, i])),
        ("sum", lambda torch, i: i.sum()),
    ),
)
def what_stays_an_inference_tensor(torch, see, case):
    _, make = case
    made = make(torch, made_inside(torch, 2))
    see("kind", (made.is_inference(), made.requires_grad, made._is_view()))
    see("value", made)


@program(
    rules="M-25",
    each=(
        ("add_", lambda torch, i: i.add_(1)),
        ("setting an element", lambda torch, i: i.__setitem__(0, 1.0)),
        ("zero_", lambda torch, i: i.zero_()),
        ("copy_", lambda torch, i: i.copy_(torch.zeros(2))),
        ("out=", lambda torch, i: torch.add(i, 1, out=i)),
        ("fill through a view", lambda torch, i: i[:1].fill_(3)),
    ),
)
def it_cannot_be_written(torch, see, case):
    _, write = case
    i = made_inside(torch, 2)
    see.raises("with grad", lambda: write(torch, i), phrase="Inplace update to inference tensor")
    with torch.no_grad():
        see.raises("under no_grad", lambda: write(torch, i), phrase="Inplace update")
    fresh = made_inside(torch, 2)  # PyTorch may have written before it refused
    with torch.inference_mode():
        write(torch, fresh)
    see("inside", fresh)


@program(rules="M-25")
def it_cannot_come_to_require_grad(torch, see):
    i = made_inside(torch, 2)
    phrase = "requires_grad=True on inference tensor"
    see.raises("requires_grad_", i.requires_grad_, phrase=phrase)
    see.raises("attribute", lambda: setattr(i, "requires_grad", True), phrase=phrase)
    see.raises("Parameter", lambda: torch.nn.Parameter(i), phrase=phrase)
    see("False is allowed", i.requires_grad_(False).requires_grad, expect=False)
    with torch.inference_mode():
        inside = torch.nn.Parameter(torch.ones(2))
    see("a Parameter made inside", (inside.is_inference(), inside.requires_grad))


@program(
    rules="M-24",
    each=(
        ("add", lambda torch, i, x: i + x),
        ("subtract", lambda torch, i, x: x - i),
        ("cat", lambda torch, i, x: torch.cat([i, x])),
        ("add_ to a result", lambda torch, i, x: (x * 1).add_(i)),
        ("condition", lambda torch, i, x: torch.where(i > 0, x, x)),
        ("mask", lambda torch, i, x: x[i > 0]),
        ("values chosen", lambda torch, i, x: torch.where(x > 0, x, i)),
    ),
)
def formulas_that_do_not_save_it(torch, see, case):
    _, operate = case
    x = torch.ones(2, requires_grad=True)
    y = operate(torch, made_inside(torch, 2), x)
    see("result", y)
    see("gradient", torch.autograd.grad(y.sum(), x)[0])


@program(
    rules="M-25 V-24",
    each=(
        ("product", lambda torch, i, x: i * x),
        ("matrix product", lambda torch, i, x: i @ x),
        ("mul_ of a result", lambda torch, i, x: (x * 1).mul_(i)),
    ),
)
def formulas_that_save_it(torch, see, case):
    _, operate = case
    x = torch.ones(2, requires_grad=True)
    i = made_inside(torch, 2)
    see.raises("refused", lambda: operate(torch, i, x), phrase="cannot be saved for backward")
    with torch.no_grad():
        see("nothing is saved under no_grad", operate(torch, i, x).is_inference(), expect=False)


@program(rules="M-25 F-35 F-50")
def in_a_function(torch, see):
    i, x = made_inside(torch, 2), torch.ones(2, requires_grad=True)

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    class Saves(Plain):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(b)
            return a + b

    class Writes(Plain):
        @staticmethod
        def forward(ctx, a, b):
            ctx.mark_dirty(b)
            return b.add_(a)

    see("used", Plain.apply(x, i))
    see.raises("saved", lambda: Saves.apply(x, i), phrase="nference tensors")
    see.raises("written", lambda: Writes.apply(x, i), phrase="Inplace update")
    with torch.inference_mode():
        inside = Plain.apply(x, x)
        see("applied inside", (inside.is_inference(), inside.requires_grad), expect=(True, False))


@program(rules="V-4 V-5 M-25")
def its_version(torch, see):
    i = made_inside(torch, 2)
    see.raises("read", lambda: i._version, phrase="do not track version counter")
    see("incremented", torch.autograd.graph.increment_version(i), expect=None)


@program(rules="M-24")
def reading_it(torch, see):
    i = made_inside(torch, 2)
    see("numbers", (i.tolist(), i.sum().item(), i.is_leaf, i.requires_grad))
    see("array", i.numpy().tolist(), expect=[1.0, 1.0])
    see("copy", copy.deepcopy(i).tolist())
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(i)
    see("given to backward", x.grad)


@program(rules="M-23")
def a_factory_that_asks_for_gradients(torch, see):
    with torch.inference_mode():
        a = torch.ones(2, requires_grad=True)
        inside = a * 2
    see("flags", (a.requires_grad, a.is_leaf, a.is_inference()), expect=(True, True, True))
    see("used inside", (inside.requires_grad, inside.grad_fn), expect=(False, None))
    outside = a + torch.ones(2)
    outside.sum().backward()
    see("used outside", (outside, a.grad))


@program(rules="M-22")
def modes_within_modes(torch, see):
    x = torch.ones(2, requires_grad=True)

    def state():
        y = x * 2
        return (
            torch.is_inference_mode_enabled(),
            torch.is_grad_enabled(),
            y.requires_grad,
            y.is_inference(),
        )

    with torch.inference_mode():
        see("inside", state())
        with torch.inference_mode(False):
            see("switched off", state(), expect=(False, True, True, False))
        with torch.enable_grad():
            see("enable_grad", state(), expect=(True, True, False, True))
        with torch.no_grad(), torch.inference_mode(False):
            see("off again", state())
        torch.set_grad_enabled(True)
        see("set_grad_enabled", state())
    see("after", state(), expect=(False, True, True, False))


@program(rules="M-27 V-2")
def writing_normal_tensors_inside(torch, see):
    leaf, plain = torch.ones(2, requires_grad=True), torch.ones(2)
    a = torch.ones(2, requires_grad=True) * 1
    b = a * a
    with torch.inference_mode():
        leaf.add_(1)
        plain.mul_(2)
        plain[0] = 5
        a.add_(1)
        view = plain[:1]
        view.add_(1)
    see("versions", (leaf._version, plain._version, view._version, a._version), expect=(1, 3, 3, 1))
    see("values", (leaf, plain))
    see.raises(
        "the saved value is stale", lambda: b.sum().backward(), phrase="modified by an inplace"
    )


@program(rules="M-28 V-47")
def writing_views_made_inside(torch, see):
    constant, x = torch.ones(2), torch.ones(2, requires_grad=True)
    base = x * 1
    with torch.inference_mode():
        of_constant, of_base, of_leaf = constant[:1], base[:1], x[:1]
    of_constant.add_(1)
    see("by a constant, of a constant", constant, expect=[2, 1])
    phrase = "created in inference mode"
    see.raises("with an operand", lambda: of_constant.mul_(x[:1]), phrase=phrase)
    see.raises("of a result", lambda: of_base.add_(1), phrase=phrase)
    see.raises("of a leaf", lambda: of_leaf.mul_(2), phrase=phrase)


@program(rules="M-29")
def backward_inside(torch, see):
    log = []
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    x.register_hook(
        lambda g: log.append(
            (torch.is_inference_mode_enabled(), torch.is_grad_enabled(), g.is_inference())
        )
    )
    with torch.inference_mode():
        y.backward(retain_graph=True)
        (found,) = torch.autograd.grad(y, x)
    see("accumulated", x.grad)
    see("kinds", (x.grad.is_inference(), found.is_inference()))
    see("what the hook saw", log)
