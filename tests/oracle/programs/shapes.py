"""Shape operations: values and gradients, views or copies, strides, and refusals."""

from tests.oracle.data import count_up, wave
from tests.oracle.registry import program

_ONE_TO_ONE = {
    "view": lambda x: x.view(3, 4),
    "view with -1": lambda x: x.view(-1, 2),
    "reshape": lambda x: x.reshape(4, 3),
    "transpose": lambda x: x.transpose(0, 2),
    "permute": lambda x: x.permute(2, 0, 1),
    "movedim": lambda x: x.movedim(0, -1),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x.view(1, 2, 1, 6).squeeze(),
    "squeeze dim": lambda x: x.view(1, 2, 1, 6).squeeze(2),
    "squeeze dims": lambda x: x.view(1, 2, 1, 6).squeeze((0, 2)),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "flatten": lambda x: x.flatten(),
    "flatten some": lambda x: x.flatten(1),
    "unflatten": lambda x: x.view(2, 6).unflatten(1, (2, 3)),
    "expand": lambda x: x.unsqueeze(0).expand(2, -1, -1, -1),
    "T": lambda x: x.view(3, 4).T,
    "t": lambda x: x.view(3, 4).t(),
    "mT": lambda x: x.mT,
    "narrow": lambda x: x.narrow(2, 0, 1),
    "select": lambda x: x.select(1, -1),
    "diagonal": lambda x: x.view(3, 4).diagonal(),
    "diagonal offset": lambda x: x.view(3, 4).diagonal(1),
    "as_strided": lambda x: x.as_strided((2, 2), (3, 1), 1),
    "unfold": lambda x: x.view(12).unfold(0, 4, 2),
    "view_as": lambda x: x.view_as(x.detach()),
}
_COPIES = {
    "contiguous": lambda x: x.transpose(0, 1).contiguous(),
    "clone": lambda x: x.clone(),
    "repeat": lambda x: x.repeat(2, 1, 3),
    "tile": lambda x: x.tile((2,)),
    "repeat_interleave": lambda x: x.repeat_interleave(2, dim=1),
    "flip": lambda x: x.flip(0, 2),
    "roll": lambda x: x.roll(1, 2),
    "tril": lambda x: x.view(3, 4).tril(),
    "tril -1": lambda x: x.view(4, 3).tril(-1),
    "triu": lambda x: x.view(3, 4).triu(1),
    "reshape of a transpose": lambda x: x.transpose(0, 2).reshape(4, 3),
    "diag": lambda x: x.view(3, 4).diag(),
    "diag of a vector": lambda x: x.view(12)[:3].diag(),
}


@program(rules="T-37 V-28", each=_ONE_TO_ONE.items())
def views_share_memory_and_carry_gradients(torch, see, case):
    name, shape = case
    see.derivatives(name, shape, wave(2, 3, 2))
    x = torch.zeros(2, 3, 2)
    view = shape(x)
    see("is a view of its root", view._is_view() and view._base is x, expect=True)
    see.layout("layout", view)
    x += 1
    see("sees the change", view.sum())


@program(rules="T-37", each=_COPIES.items())
def copies_have_their_own_memory(torch, see, case):
    name, shape = case
    see.derivatives(name, shape, wave(2, 3, 2))
    x = torch.zeros(2, 3, 2)
    copy = shape(x)
    x += 1
    see("keeps its values", copy.sum(), expect=0)


@program(rules="T-11")
def view_needs_compatible_strides(torch, see):
    x = torch.arange(6.0).reshape(2, 3)
    see.raises("view of a transpose", lambda: x.t().view(6), phrase="view size is not compatible")
    see.raises("wrong size", lambda: x.view(4), phrase="is invalid for input of size 6")
    see.raises("two -1", lambda: x.view(-1, -1), phrase="only one dimension can be inferred")
    see.raises(
        "reshape to a wrong size", lambda: x.reshape(5, -1), phrase="invalid for input of size 6"
    )
    see("view of a slice", x[:, 1:].view(2, 2))
    see("view with dtype-like sizes", x.view((3, 2)))


@program(rules="T-11")
def reshape_is_a_view_where_it_can_be(torch, see):
    x = torch.arange(6.0).reshape(2, 3)
    base = x._base
    see("of a contiguous tensor", x.reshape(3, 2)._base is base, expect=True)
    see("of a transpose", x.t().reshape(6)._is_view(), expect=False)
    see("to the same shape", x.reshape(2, 3)._base is base)
    see("flatten", torch.zeros(2, 2).flatten()._is_view(), expect=True)
    y = torch.zeros(3)
    see("flatten of a vector is the vector", y.flatten() is y)


@program(rules="T-12")
def expand_repeats_without_memory(torch, see):
    x = torch.tensor([[1.0], [2.0]])
    y = x.expand(2, 3)
    see("value", y, expect=[[1, 1, 1], [2, 2, 2]])
    see.layout("stride 0", y)
    see("-1 keeps", x.expand(-1, 4).shape, expect=(2, 4))
    see("new leading dims", x.expand(5, 2, 1).shape)
    see("expand_as", x.expand_as(torch.zeros(2, 2)))
    see.raises("incompatible", lambda: x.expand(3, 3), phrase="expanded size")
    see.raises("too few dims", lambda: x.expand(2))


@program(rules="T-12")
def squeeze_leaves_other_sizes_alone(torch, see):
    x = torch.zeros(1, 2, 1)
    see("dim of size 2", x.squeeze(1).shape, expect=(1, 2, 1))
    see("all", x.squeeze().shape, expect=(2,))
    see("negative", x.squeeze(-1).shape, expect=(1, 2))
    see.raises("out of range", lambda: x.squeeze(3), phrase="range of [-3, 2]")
    see.raises("unsqueeze out of range", lambda: x.unsqueeze(5), phrase="range of [-4, 3]")


@program(rules="T-14")
def permute_and_transpose_check_their_dims(torch, see):
    x = torch.zeros(2, 3)
    see.raises("twice the same", lambda: x.permute(0, 0))
    see.raises("too few", lambda: x.permute(0))
    see.raises("transpose", lambda: x.transpose(0, 2), phrase="range of [-2, 1]")
    see.raises("t of 3-D", lambda: torch.zeros(1, 2, 3).t(), phrase="2")


@program(rules="T-10 T-37")
def broadcast_helpers(torch, see):
    a, b = torch.tensor([[1.0], [2.0]]), torch.tensor([3.0, 4.0, 5.0])
    see("broadcast_tensors", torch.broadcast_tensors(a, b))
    see("broadcast_to", torch.broadcast_to(b, (2, 3)))
    see("broadcast_shapes", torch.broadcast_shapes((2, 1), (3,)), expect=(2, 3))
    see("meshgrid", torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))


@program(rules="T-37 V-29")
def what_needs_no_broadcasting_is_given_back(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    y, z = torch.broadcast_tensors(x, torch.ones(1))
    see("itself", y is x)
    see("a view", z._is_view())
    see("expand always records", x.expand(2, 3).grad_fn.name())


@program(rules="T-37")
def masks_of_triangles(torch, see):
    x = torch.arange(9.0).reshape(3, 3)
    for k in (-1, 0, 1):
        see(f"tril {k}", x.tril(k))
        see(f"triu {k}", x.triu(k))
    see("batched", torch.ones(2, 2, 3).tril())
    see("bool mask", torch.ones(3, 3, dtype=torch.bool).tril())


@program(rules="T-12 V-29")
def as_strided_counts_from_the_memory_whatever_its_type(torch, see):
    x = torch.arange(6.0).view(torch.int32)
    see("after a slice", x[2:].as_strided((2,), (1,), 1).view(torch.float32), expect=[1, 2])
    see("before it", x[4:].as_strided((2, 2), (2, 1), 0).view(torch.float32))


@program(rules="T-37", each=("atleast_1d", "atleast_2d", "atleast_3d"))
def at_least_so_many_dimensions(torch, see, name):
    fn = getattr(torch, name)
    made = [
        torch.tensor(count_up(*shape), dtype=torch.float64)
        for shape in ((), (2,), (2, 3), (1, 2, 3))
    ]
    for x in made:
        see(f"one, {x.ndim}", fn(x))
    see("several", fn(*made))
    see("a list", fn(made))
    see("a view or the same", [fn(x) is x for x in made])
    see("nothing", fn())
