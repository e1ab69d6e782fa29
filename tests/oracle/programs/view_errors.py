"""Views and in-place operations (V-40 to V-51): how a view was made decides what may be written."""

from tests.oracle.registry import program

_MODIFIED = "and its base or another view of its base has been modified inplace"
_MULTIPLE = "is the output of a function that returns multiple views"


def _root(torch):
    return torch.ones(4, requires_grad=True) * 1


@program(rules="V-40")
def an_ordinary_view_may_be_written(torch, see):
    base = _root(torch)
    view = base[:2]
    view.mul_(2)
    see("view", view)
    see.graph("base", base)
    other = base[2:]
    base.add_(1)
    see("regenerated", other.grad_fn, expect="AsStridedBackward0")


@program(rules="V-41")
def a_view_of_a_leaf_may_not(torch, see):
    leaf = torch.ones(4, requires_grad=True)
    phrase = "a view of a leaf Variable that requires grad is being used in an in-place operation"
    see.raises("view", lambda: leaf[:2].mul_(2), phrase=phrase)
    see.raises("view of a view", lambda: leaf.view(2, 2)[0].mul_(2), phrase=phrase)
    see.raises("base", lambda: leaf.mul_(2), phrase="a leaf Variable that requires grad")


@program(rules="V-42")
def a_view_made_under_no_grad(torch, see):
    base = _root(torch)
    with torch.no_grad():
        view, second = base[:2], base[2:]
    see.raises("in-place", lambda: view.mul_(2), phrase="created in no_grad mode")
    base.mul_(2)
    see.raises(
        "reading grad_fn after the base changed", lambda: second.grad_fn, phrase="modified inplace"
    )


@program(rules="V-43", each=("split", "chunk", "unbind", "iteration"))
def one_of_several_views(torch, see, how):
    parts = {
        "split": lambda t: t.split(2),
        "chunk": lambda t: t.chunk(2),
        "unbind": lambda t: t.unbind(),
        "iteration": list,
    }[how]
    first = parts(_root(torch))[0]
    see.raises("in-place", lambda: first.mul_(2), phrase=_MULTIPLE)
    base = _root(torch)
    first, *_ = parts(base)
    base.mul_(2)
    see.raises("reading grad_fn after the base changed", lambda: first.grad_fn, phrase=_MULTIPLE)
    base = _root(torch)
    first, *_ = parts(base)
    base[1:].mul_(2)
    see.raises("after a sibling changed", lambda: first.grad_fn, phrase="modified inplace")


@program(rules="V-44")
def views_of_such_views_inherit_the_ban(torch, see):
    first = _root(torch).split(2)[0]
    see.raises("of a piece", lambda: first[:1].mul_(2), phrase=_MULTIPLE)
    see.raises("of a piece, viewed", lambda: first.view(2, 1).mul_(2), phrase=_MULTIPLE)
    base = _root(torch)
    with torch.no_grad():
        view = base[:2]
    see.raises("of a no_grad view", lambda: view[:1].mul_(2), phrase="created in no_grad mode")


@program(rules="V-45 F-27 F-28")
def a_view_made_in_a_custom_function(torch, see):
    class Front(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:2]

        @staticmethod
        def backward(ctx, grad):
            return torch.cat([grad, torch.zeros(2)])

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    for name, fn in (("a view of an input", Front.apply), ("an input as it is", Same.apply)):
        base = _root(torch)
        view = fn(base)
        see(f"{name}: is a view", view._is_view(), expect=True)
        see.raises(
            f"{name}: in-place", lambda v=view: v.mul_(2), phrase="created inside a custom Function"
        )
        base.mul_(2)
        see.raises(
            f"{name}: after the base changed", lambda v=view: v.grad_fn, phrase="custom Function"
        )


@program(rules="V-46 F-29")
def several_outputs_of_a_custom_function(torch, see):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:2], x * 2

        @staticmethod
        def backward(ctx, front, double):
            return torch.cat([front, torch.zeros(2)]) + 2 * double

    class WithIndex(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:2], torch.tensor([0, 1])

        @staticmethod
        def backward(ctx, front, index):
            return torch.cat([front, torch.zeros(2)])

    view, _ = Both.apply(_root(torch))
    see.raises("two", lambda: view.mul_(2), phrase=_MULTIPLE)
    front, _ = WithIndex.apply(_root(torch))
    see.raises(
        "an int output does not count",
        lambda: front.mul_(2),
        phrase="created inside a custom Function",
    )


@program(rules="V-48 V-55")
def a_detached_tensor_may_be_written(torch, see):
    base = _root(torch)
    free = base.detach()
    free.mul_(3)
    see("value", base, expect=[3, 3, 3, 3])
    see("no history", free)
    see("the base's node", base.grad_fn, expect="MulBackward0")
    see("version", base._version, expect=1)


@program(rules="V-49")
def slices_by_other_names_may_be_written(torch, see):
    for name, make in (
        ("tensor_split", lambda t: t.tensor_split(2)[0]),
        ("narrow", lambda t: t.narrow(0, 0, 2)),
        ("select", lambda t: t.select(0, 1)),
    ):
        base = _root(torch)
        make(base).mul_(2)
        see(name, base)


@program(rules="V-49")
def pieces_of_a_constant(torch, see):
    base, w = torch.ones(4), torch.ones(2, requires_grad=True)
    first, second = base.split(2)
    first.mul_(3)
    see("constants may be written", base, expect=[3, 3, 1, 1])
    see.raises("an operand with history may not", lambda: second.mul_(w), phrase=_MULTIPLE)
    rows = torch.zeros(2, 2)
    for row in rows:
        row.add_(1)
    see("a loop over rows", rows, expect=[[1, 1], [1, 1]])


@program(rules="V-50")
def flags_of_a_view_made_under_no_grad(torch, see):
    base, leaf = _root(torch), torch.ones(4, requires_grad=True)
    with torch.no_grad():
        for name, t in (("of a result", base[:2]), ("of a leaf", leaf[:2])):
            see(
                name,
                (t.requires_grad, t.grad_fn, t.is_leaf, t._is_view()),
                expect=(True, None, True, True),
            )


@program(rules="V-51")
def writing_a_no_grad_view_inside_no_grad(torch, see):
    base = _root(torch)
    with torch.no_grad():
        view = base[:2]
        view.mul_(5)
    see("value", base, expect=[5, 5, 1, 1])
    see("history is the old one", base.grad_fn, expect="MulBackward0")
    see.raises("grad_fn of the view", lambda: view.grad_fn, phrase="modified inplace")


@program(rules="V-42 V-10")
def an_ordinary_view_written_under_no_grad(torch, see):
    base = _root(torch)
    view = base[:2]
    with torch.no_grad():
        view.mul_(5)
    see("value", base, expect=[5, 5, 1, 1])
    see("base", base.grad_fn, expect="MulBackward0")
    see("version", base._version, expect=1)
    (view.sum() + base.sum()).backward()
    see("allowed, without history", view.grad_fn)
