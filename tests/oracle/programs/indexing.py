"""Reading by index: shapes, views or copies, gradients, refusals."""

from tests.oracle.data import count_up, wave
from tests.oracle.registry import program

_BASIC = {
    "int": lambda x, torch: x[1],
    "negative int": lambda x, torch: x[-1, 0],
    "slice": lambda x, torch: x[:, 1:],
    "step": lambda x, torch: x[..., ::2],
    "negative bounds": lambda x, torch: x[:, -2:-1],
    "slice past the end": lambda x, torch: x[0:10, 2:1],
    "ellipsis": lambda x, torch: x[..., 0],
    "none": lambda x, torch: x[None, :, None, 1],
    "nothing": lambda x, torch: x[()],
    "all ints": lambda x, torch: x[1, 2, 3],
    "0-dim int tensor": lambda x, torch: x[torch.tensor(1)],
    "0-dim int tensor inside": lambda x, torch: x[:, torch.tensor(1)],
}
_ADVANCED = {
    "list": lambda x, torch: x[[0, 1, 0]],
    "tensor": lambda x, torch: x[torch.tensor([1, 0])],
    "negative entries": lambda x, torch: x[:, torch.tensor([-1, 0])],
    "2-D tensor": lambda x, torch: x[:, torch.tensor([[0, 1], [2, 2]])],
    "two adjacent": lambda x, torch: x[:, [0, 1], [2, 3]],
    "two apart": lambda x, torch: x[[0, 1], :, [0, 1]],
    "broadcast": lambda x, torch: x[torch.tensor([[0], [1]]), torch.tensor([0, 2])],
    "with an int": lambda x, torch: x[0, :, [1, 2]],
    "with a slice": lambda x, torch: x[1:, [0, 2], ::3],
    "with none": lambda x, torch: x[None, [0, 1, 1]],
    "mask": lambda x, torch: x[x > 0],
    "row mask": lambda x, torch: x[torch.tensor([True, False])],
    "mask and int": lambda x, torch: x[torch.tensor([False, True]), 1],
    "2-D mask": lambda x, torch: x[torch.tensor([[True, False, True], [False, False, True]])],
    "true": lambda x, torch: x[True],
    "false": lambda x, torch: x[False],
}

_LISTS = {
    "slices": [slice(0, 1), slice(1, 3)],
    "a slice and a number": [0, slice(None)],
    "none": [None, 0],
    "ellipsis": [..., 1],
    "bools": [True, False],
    "nothing": [],
}


@program(rules="T-20 T-23 V-29", each=_BASIC.items())
def basic_indexing_gives_a_view(torch, see, case):
    name, index = case
    see.derivatives(name, lambda x: index(x, torch), wave(2, 3, 4))
    x = torch.zeros(2, 3, 4)
    view = index(x, torch)
    see("is a view", (view._is_view(), view._base is x), expect=(True, True))
    see.layout("layout", view)


@program(rules="T-20 T-21 T-23 V-29", each=_ADVANCED.items())
def advanced_indexing_gives_a_copy(torch, see, case):
    name, index = case
    see.derivatives(name, lambda x: index(x, torch), wave(2, 3, 4))
    x = torch.zeros(2, 3, 4)
    see("is a view", index(x, torch)._is_view(), expect=False)


@program(rules="T-21")
def where_the_dims_of_advanced_indices_go(torch, see):
    x = torch.zeros(2, 3, 4)
    see("apart", x[[0, 1], :, [0, 1]].shape, expect=(2, 3))
    see("adjacent at the end", x[:, [0, 1], [0, 1]].shape, expect=(2, 2))
    see("adjacent in front", x[[0, 1], [0, 1]].shape, expect=(2, 4))
    see("apart by none", x[[0, 1], None, [0, 1]].shape)
    see("int and list apart", x[0, :, [0, 1, 2]].shape)


@program(rules="T-23 T-85")
def repeated_indices_add_their_gradients(torch, see):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = x[[0, 0, 2, 0]]
    see(
        "gradient",
        torch.autograd.grad((y * torch.tensor([1.0, 2, 3, 4])).sum(), x)[0],
        expect=[7, 0, 3],
    )


@program(rules="T-22")
def indices_out_of_bounds(torch, see):
    x = torch.zeros(2, 3)
    see.raises("int", lambda: x[2], phrase="index 2 is out of bounds for dimension 0 with size 2")
    see.raises("negative", lambda: x[0, -4], phrase="out of bounds for dimension")
    see.raises(
        "list", lambda: x[[0, 5]], phrase="index 5 is out of bounds for dimension 0 with size 2"
    )
    see.raises("too many", lambda: x[0, 0, 0], phrase="too many indices for tensor of dimension 2")
    see.raises("of a 0-dim tensor", lambda: torch.tensor(1.0)[0], phrase="0-dim tensor")


@program(rules="T-22")
def masks_must_match_what_they_cover(torch, see):
    x = torch.zeros(2, 3)
    see.raises(
        "too short", lambda: x[torch.tensor([True])], phrase="the shape of the mask [1] at index 0"
    )
    see.raises(
        "wrong dim",
        lambda: x[:, torch.tensor([True, False])],
        phrase="does not match the shape of the indexed tensor",
    )


@program(rules="T-20")
def what_is_no_index(torch, see):
    x = torch.zeros(2, 3)
    see.raises("float", lambda: x[1.5])
    see.raises(
        "float tensor", lambda: x[torch.tensor([1.0])], phrase="must be long, int, byte or bool"
    )
    see.raises("negative step", lambda: x[::-1], phrase="step")
    see.raises("lists that do not broadcast", lambda: x[[0, 1], [0, 1, 2]], phrase="broadcast")


@program(rules="T-25")
def tensors_iterate_over_their_first_dim(torch, see):
    x = torch.tensor(count_up(2, 2), dtype=torch.float32, requires_grad=True)
    rows = list(x)
    see("rows", rows)
    see("unpacking", [r.shape for r in rows])
    a, b = x
    (a * 2 + b).sum().backward()
    see("gradient", x.grad, expect=[[2, 2], [1, 1]])
    see("in", (3.0 in x, 9.0 in x), expect=(True, False))


@program(rules="T-38")
def index_select_masked_select_take(torch, see):
    i = torch.tensor([2, 0, 2])
    see.derivatives("index_select", lambda x: torch.index_select(x, 1, i), wave(2, 3))
    see.derivatives("masked_select", lambda x: torch.masked_select(x, x > 0), wave(2, 3))
    see.derivatives("take", lambda x: torch.take(x, torch.tensor([0, 5, 0])), wave(2, 3))
    see.raises("index_select past the end", lambda: torch.index_select(torch.zeros(2), 0, i))


@program(rules="T-38")
def gather_follows_the_index(torch, see):
    i = torch.tensor([[0, 0], [1, 0]])
    see.derivatives("dim 1", lambda x: torch.gather(x, 1, i), wave(2, 2))
    see.derivatives("dim 0", lambda x: x.gather(0, i), wave(3, 2))
    see.raises(
        "dims", lambda: torch.gather(torch.zeros(2), 0, i), phrase="same number of dimensions"
    )
    see.raises(
        "past the end", lambda: torch.gather(torch.zeros(2, 1), 1, i), phrase="out of bounds"
    )


@program(rules="T-38")
def sorting_carries_gradients_with_the_values(torch, see):
    see.derivatives("sort", lambda x: torch.sort(x, dim=1)[0] ** 2, wave(2, 4))
    see.derivatives("topk", lambda x: torch.topk(x, 2, dim=1)[0] ** 2, wave(2, 4))
    x = torch.tensor([3.0, 1.0, 2.0])
    see("indices", torch.sort(x, descending=True).indices, expect=[0, 2, 1])
    see("argsort", x.argsort(), expect=[1, 2, 0])
    see("nonzero", torch.nonzero(torch.tensor([0, 1, 2])), expect=[[1], [2]])


@program(rules="T-20", each=_LISTS)
def lists_that_are_no_numbers(torch, see, name):
    x = torch.tensor(count_up(2, 3, 4), dtype=torch.float64)
    see("result", x[_LISTS[name]])


@program(rules="T-24")
def a_list_of_lists_is_one_index_tensor(torch, see):
    x = torch.tensor(count_up(2, 3), dtype=torch.float64)
    see.differs(
        "its shape",
        tuple(x[[[0, 1], [1, 0]]].shape),
        torch=(2,),
        vizgrad=(2, 2, 3),
        because="T-24: as numpy, where PyTorch still takes the outer list for a tuple",
    )
    see("written out", x[torch.tensor([[0, 1], [1, 0]])].shape)


@program(rules="T-38", each=["add", "multiply"])
def scatter_with_the_older_reductions(torch, see, case):
    index = torch.tensor([[0, 0, 1], [1, 0, 1]])
    x = torch.tensor(wave(2, 3), dtype=torch.float64)
    src = torch.tensor(wave(2, 3, seed=1), dtype=torch.float64)
    see("tensor", x.scatter(0, index, src, reduce=case))
    see("number", x.scatter(0, index, 1.5, reduce=case))
    see("in place", x.clone().scatter_(1, index, src, reduce=case))
    see.raises(
        "max", lambda: x.scatter(0, index, src, reduce="max"), phrase="either add or multiply"
    )
    see.raises("type", lambda: x.scatter(0, index, src.float(), reduce=case))
