"""Views of an inference tensor that requires grad, made outside inference mode: nothing records them."""

from contextlib import contextmanager

from tests.oracle.registry import program


def made_inside(torch):
    with torch.inference_mode():
        return torch.ones(2, 3, requires_grad=True)


VIEWS = (
    ("view", lambda t: t.view(-1)),
    ("view_as", lambda t: t.view_as(t)),
    ("reshape", lambda t: t.reshape(3, 2)),
    ("flatten", lambda t: t.flatten()),
    ("ravel", lambda t: t.ravel()),
    ("unflatten", lambda t: t.unflatten(1, (3, 1))),
    ("a number as an index", lambda t: t[0]),
    ("a slice", lambda t: t[:, 1:]),
    ("a slice of all", lambda t: t[:]),
    ("an ellipsis", lambda t: t[...]),
    ("None as an index", lambda t: t[None]),
    ("t", lambda t: t.t()),
    ("T", lambda t: t.T),
    ("mT", lambda t: t.mT),
    ("H", lambda t: t.H),
    ("adjoint", lambda t: t.adjoint()),
    ("transpose", lambda t: t.transpose(0, 1)),
    ("swapaxes", lambda t: t.swapaxes(0, 1)),
    ("permute", lambda t: t.permute(1, 0)),
    ("movedim", lambda t: t.movedim(0, 1)),
    ("expand", lambda t: t.expand(4, 2, 3)),
    ("expand_as", lambda t: t.expand_as(t)),
    ("broadcast_to", lambda t: t.broadcast_to((2, 2, 3))),
    ("unsqueeze", lambda t: t.unsqueeze(0)),
    ("squeeze", lambda t: t.squeeze()),
    ("squeeze(0)", lambda t: t.squeeze(0)),
    ("narrow", lambda t: t.narrow(0, 0, 1)),
    ("select", lambda t: t.select(0, 1)),
    ("diagonal", lambda t: t.diagonal()),
    ("unfold", lambda t: t.unfold(1, 2, 1)),
    ("as_strided", lambda t: t.as_strided((2,), (1,))),
    ("split", lambda t: t.split(1)[1]),
    ("split with sizes", lambda t: t.split([1, 1])[1]),
    ("chunk", lambda t: t.chunk(2)[1]),
    ("tensor_split", lambda t: t.tensor_split(2)[0]),
    ("hsplit", lambda t: t.hsplit(3)[0]),
    ("vsplit", lambda t: t.vsplit(2)[0]),
    ("unbind", lambda t: t.unbind()[1]),
    ("iteration", lambda t: next(iter(t))),
    ("detach", lambda t: t.detach()),
)


@contextmanager
def enable_grad_inside_no_grad(torch):
    with torch.no_grad(), torch.enable_grad():
        yield


MODES = (
    ("with grad", lambda torch: torch.enable_grad()),
    ("under no_grad", lambda torch: torch.no_grad()),
    ("enable_grad inside no_grad", enable_grad_inside_no_grad),
    ("inference mode left inside", lambda torch: torch.inference_mode(False)),
    ("in inference mode", lambda torch: torch.inference_mode()),
)


@program(rules="Y-13 M-20", each=VIEWS)
def a_view_of_an_inference_tensor_is_not_recorded(torch, see, case):
    _, make = case
    for name, mode in MODES:
        t = made_inside(torch)
        with mode(torch):
            v = make(t)
        see(
            name,
            (v.requires_grad, v.grad_fn is None, v.is_leaf, v._is_view(), v.is_inference()),
            expect=(False, True, True, False, True),
        )
        see(f"{name}: the value", v)


@program(rules="Y-13")
def results_that_are_no_views_require_grad(torch, see):
    t = made_inside(torch)
    other = torch.ones(2, 3)
    for name, made in (("a number", t + 1), ("a tensor", t * other), ("mask", t[t > 0])):
        see(name, (made.requires_grad, made.is_inference()), expect=(True, False))
    see("not behind a view", (t.view(-1) + 1).requires_grad, expect=False)
    (t + 1).sum().backward()
    see("gradient", t.grad, expect=[[1, 1, 1], [1, 1, 1]])


@program(rules="Y-13")
def operations_on_inference_tensors_alone(torch, see):
    see.differs(
        "sum",
        made_inside(torch).sum().requires_grad,
        torch=False,
        vizgrad=True,
        because="PyTorch records it only where a number or a normal tensor is among the operands",
    )


@program(rules="Y-13")
def a_backward_through_such_a_view_finds_nothing(torch, see):
    x = torch.ones(6, requires_grad=True)
    t = made_inside(torch)
    (t.view(-1) + x).sum().backward()
    see("of the other operand", x.grad)
    see("of the inference tensor", t.grad, expect=None)
    see.raises("alone", (t.view(-1) + 1).sum().backward, phrase="does not require grad")


@program(rules="Y-13 M-24 M-25")
def such_a_view_may_be_written_where_the_tensor_may(torch, see):
    t = made_inside(torch)
    v = t.view(-1)
    see.raises("outside", lambda: v.add_(1), phrase="Inplace update to inference tensor")
    phrase = "requires_grad=True on inference tensor"
    see.raises("requires_grad_", v.requires_grad_, phrase=phrase)


@program(rules="Y-13")
def a_function_that_returns_such_a_view(torch, see):
    class Rows(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, grad):
            return grad.view(2, 3) * 2

    out = Rows.apply(t := made_inside(torch))
    see("kind", (out.requires_grad, out._is_view(), out.is_inference()))
    see("gradient", torch.autograd.grad(out, t, torch.ones(6))[0], expect=[[2, 2, 2], [2, 2, 2]])


@program(rules="Y-13")
def a_view_as_another_type(torch, see):
    v = made_inside(torch).view(torch.int32)
    see("no history", (v.requires_grad, v.grad_fn is None, v._is_view()))
    see.differs(
        "still an inference tensor",
        v.is_inference(),
        torch=False,
        vizgrad=True,
        because="what shares memory with an inference tensor is one, as every other view of it is",
    )
