"""Which operations give views, of which base, and what is written through them (V-28, V-29)."""

from tests.oracle.registry import program

_VIEWS = {
    "view": lambda x: x.view(3, 2),
    "reshape": lambda x: x.reshape(6),
    "reshape of a transpose": lambda x: x.t().reshape(6),
    "index": lambda x: x[0],
    "negative index": lambda x: x[-1, -1],
    "slice": lambda x: x[:, 1:],
    "step": lambda x: x[:, ::2],
    "None": lambda x: x[None],
    "ellipsis": lambda x: x[..., 0],
    "everything": lambda x: x[...],
    "select": lambda x: x.select(1, 0),
    "narrow": lambda x: x.narrow(1, 1, 2),
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "expand": lambda x: x[:, :1].expand(2, 3),
    "squeeze": lambda x: x[:1].squeeze(),
    "squeeze of nothing": lambda x: x.squeeze(),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "diagonal": lambda x: x.diagonal(),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "split": lambda x: x.split(1)[1],
    "chunk": lambda x: x.chunk(2)[1],
    "unbind": lambda x: x.unbind()[1],
    "tensor_split": lambda x: x.tensor_split(2)[1],
    "as_strided": lambda x: x.as_strided((2, 2), (3, 1), 1),
    "flatten": lambda x: x.flatten(),
    "flatten of a transpose": lambda x: x.t().flatten(),
    "view_as": lambda x: x.view_as(x),
    "movedim": lambda x: x.movedim(0, 1),
    "unflatten": lambda x: x.unflatten(1, (3, 1)),
    "detach": lambda x: x.detach(),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "ravel": lambda x: x.ravel(),
    "broadcast_to": lambda x: x.broadcast_to(2, 2, 3),
    "contiguous": lambda x: x.contiguous(),
    "contiguous of a transpose": lambda x: x.t().contiguous(),
    "to the same type": lambda x: x.to(x.dtype),
    "positive": lambda x: +x,
    "list": lambda x: x[[0]],
    "True": lambda x: x[True],
    "mask": lambda x: x[x > 0],
    "clone": lambda x: x.clone(),
    "expand_as": lambda x: x[:1].expand_as(x),
    "hsplit": lambda x: x.hsplit(3)[0],
}


@program(rules="V-28 V-29", each=_VIEWS.items())
def what_is_a_view(torch, see, case):
    for name, x in (
        ("constant", torch.arange(6.0).reshape(2, 3).clone()),
        ("non-leaf", torch.arange(6.0, requires_grad=True).reshape(2, 3).clone()),
    ):
        for mode in ("enable_grad", "no_grad"):
            with getattr(torch, mode)():
                y = case[1](x)
            where = f"{name}, {mode}"
            see(f"{where}: itself", y is x)
            see(f"{where}: view", (y._is_view(), y._base is x))
            see(f"{where}: flags", (y.requires_grad, y.grad_fn))
            before = (x._version, y._version)
            with torch.no_grad():
                x.mul_(2)
            see(f"{where}: follows", y.detach().clone())
            see(f"{where}: counted", (x._version - before[0], y._version - before[1]))


_WRITTEN = {name: make for name, make in _VIEWS.items() if name != "unfold"}  # overlaps: V-7


@program(rules="V-30 V-31", each=_WRITTEN.items())
def a_write_through_it(torch, see, case):
    x = torch.arange(6.0, requires_grad=True)
    base = x.reshape(2, 3).clone()
    y = case[1](base)
    w = torch.tensor(3.0, requires_grad=True)
    see.attempt("write", lambda: (y.mul_(w), None)[1])
    see("base", base.detach().clone())
    see.graph("base's history", base)
    see("gradients", torch.autograd.grad((base * base).sum(), (x, w), allow_unused=True))


@program(rules="V-29")
def integers_and_tensors_as_indices(torch, see):
    x = torch.arange(6.0).reshape(2, 3)
    for name, y in (
        ("0-dim tensor", x[torch.tensor(1)]),
        ("1-dim tensor", x[torch.tensor([1])]),
        ("bool scalar", x[torch.tensor(True)]),
        ("tensor and slice", x[torch.tensor(1), :2]),
        ("two 0-dim tensors", x[torch.tensor(1), torch.tensor(0)]),
    ):
        see(name, (y._is_view(), tuple(y.shape), y.data_ptr() == x.data_ptr()))


@program(rules="V-32", each=("slice", "integer", "ellipsis", "tensor", "mask", "list", "repeated"))
def assignments_and_their_nodes(torch, see, how):
    x = torch.arange(4.0, requires_grad=True)
    v = torch.tensor([10.0, 20.0], requires_grad=True)
    a = x * 1
    if how == "slice":
        a[1:3] = v
    elif how == "integer":
        a[1] = v[0]
    elif how == "ellipsis":
        a[...] = v.sum()
    elif how == "tensor":
        a[torch.tensor([0, 2])] = v
    elif how == "mask":
        a[torch.tensor([True, False, True, False])] = v
    elif how == "list":
        a[[0, 3]] = v
    else:
        a[torch.tensor([1, 1])] = v
    see.graph("history", a)
    see("gradients", torch.autograd.grad((a * a).sum(), (x, v)))
