"""Tensors as objects of a class of one's own."""

from tests.oracle.registry import program


def _sub(torch):
    class Sub(torch.Tensor):
        def twice(self):
            return self * 2

    return Sub


@program(rules="X-16")
def a_tensor_as_a_subclass_is_a_view_of_it(torch, see):
    Sub = _sub(torch)
    x = torch.ones(3, requires_grad=True)
    y = x.as_subclass(Sub)
    see("class", [type(y) is Sub, isinstance(y, torch.Tensor), y is x, y._base is x])
    see.graph("node", y)
    y.twice().sum().backward()
    see("gradient", x.grad, expect=[2, 2, 2])
    w = torch.ones(3)
    v = w.as_subclass(cls=Sub)
    w.add_(1)
    see("one memory, one counter", [v._version, v._is_view(), v.data_ptr() == w.data_ptr()])
    v.mul_(3)
    see("written", w, expect=[6, 6, 6])
    see("printed", repr(v))
    see("back", [type(v.as_subclass(torch.Tensor)) is torch.Tensor])
    with torch.no_grad():
        see("no_grad", [x.as_subclass(Sub).requires_grad, x.as_subclass(Sub)._is_view()])
    hidden = x * 1
    late = hidden.as_subclass(Sub)
    hidden.mul_(5)
    see("after a write to its base", torch.autograd.grad(late.sum(), x)[0], expect=[5, 5, 5])


@program(rules="X-16")
def a_subclass_is_made_of_a_tensor_without_its_history(torch, see):
    Sub, make = _sub(torch), torch.Tensor._make_subclass
    w = torch.ones(3)
    m = make(Sub, w)
    see("class", [type(m) is Sub, m.requires_grad, m.is_leaf, m._base is None])
    w.add_(1)
    see("one counter", [m._version, m.data_ptr() == w.data_ptr()])
    x = torch.ones(3, requires_grad=True)
    see("of a result", [make(Sub, x * 2).requires_grad, make(Sub, x * 2).grad_fn])
    leaf = make(Sub, x * 2, True)
    leaf.twice().sum().backward()
    see("its gradient", [leaf.is_leaf, leaf.grad, x.grad])
    see("a parameter", type(make(torch.nn.Parameter, w, True)).__name__)


@program(rules="X-16")
def a_subclass_inherits_from_tensor(torch, see):
    x, make = torch.ones(2), torch.Tensor._make_subclass
    for name, fn in {
        "int": lambda: x.as_subclass(int), "made": lambda: make(dict, x),
    }.items():  # fmt: skip
        see.raises(name, fn, phrase="that does not inherit from Tensor")
    see.raises("no class", lambda: x.as_subclass(3), phrase="must be a type")
    see.raises("no tensor", lambda: make(_sub(torch), [1.0]), phrase="must be Tensor")
    see.raises(
        "integers", lambda: make(_sub(torch), torch.ones(2, dtype=torch.int64), True),
        phrase="Only Tensors of floating point and complex dtype can require gradients",
    )  # fmt: skip


@program(rules="X-16")
def results_of_a_subclass(torch, see):
    y = torch.ones(2).as_subclass(_sub(torch))
    for name, made in {"sum": y + 1, "clone": y.clone(), "view": y[:1]}.items():
        see.differs(
            name, type(made).__name__, torch="Sub", vizgrad="Tensor",
            because="there is no __torch_function__: results of operations are plain tensors",
        )  # fmt: skip
