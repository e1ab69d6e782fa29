"""Writing by index and by mask, scattering: values, gradients of target and source, nodes."""

from tests.oracle.data import count_up, wave
from tests.oracle.registry import program

_WRITES = {
    "int": lambda x, v, torch: x.__setitem__(1, v[0]),
    "slice": lambda x, v, torch: x.__setitem__((slice(None), slice(1, None)), v[:, 1:]),
    "ellipsis": lambda x, v, torch: x.__setitem__((..., 0), v[:, 0]),
    "everything": lambda x, v, torch: x.__setitem__(..., v),
    "broadcast": lambda x, v, torch: x.__setitem__(slice(None), v[0]),
    "list": lambda x, v, torch: x.__setitem__([1, 0], v),
    "tensors": lambda x, v, torch: x.__setitem__(
        (torch.tensor([0, 1]), torch.tensor([2, 0])), v[0, :2]
    ),
    "mask": lambda x, v, torch: x.__setitem__(
        torch.tensor([[True, False, True], [False] * 3]), v[0, :2]
    ),
    "mask and number": lambda x, v, torch: x.__setitem__(x > 0, 7.0),
    "number": lambda x, v, torch: x.__setitem__((0, 1), 5.0),
}


@program(rules="T-24 V-32", each=_WRITES.items())
def assignment_routes_gradients(torch, see, case):
    _, write = case
    x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
    v = torch.tensor(wave(2, 3, seed=1), dtype=torch.float64, requires_grad=True)
    y = x * 2
    write(y, v * 3, torch)
    see("value", y)
    see("version", y._version)
    see.graph("history", y)
    y.backward(torch.tensor(wave(2, 3, seed=2), dtype=torch.float64))
    see("gradient of the target", x.grad)
    see("gradient of the source", v.grad)


@program(rules="T-24")
def assignment_broadcasts_or_refuses(torch, see):
    x = torch.zeros(2, 3)
    x[:, 1] = torch.tensor([5.0])
    x[0] = 1
    see("value", x, expect=[[1, 1, 1], [0, 5, 0]])
    x[1, 1:] = torch.tensor([[8.0, 9.0]])
    see("leading ones are dropped", x)
    see.raises("mismatch", lambda: x.__setitem__(0, torch.ones(2)), phrase="expand")
    see.raises("mask mismatch", lambda: x.__setitem__(x > 100, torch.ones(2)))
    see.raises("out of bounds", lambda: x.__setitem__(5, 1.0), phrase="out of bounds")


@program(rules="V-32")
def repeated_targets_all_get_the_gradient_of_the_slot(torch, see):
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    y = x * 1
    y[[1, 1]] = v
    y.backward(torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64))
    see("target", x.grad, expect=[1, 0, 100])
    see("source", v.grad, expect=[10, 10])


@program(rules="V-32 E-3")
def which_node_an_assignment_leaves(torch, see):
    def after(index, value=1.0):
        y = torch.zeros(2, 3, requires_grad=True) * 1
        y[index] = value
        return y.grad_fn

    see("int", after(0), expect="CopySlices")
    see("slice", after((slice(None), 1)), expect="CopySlices")
    see("list", after([0]), expect="IndexPutBackward0")
    see("mask", after(torch.ones(2, 3, dtype=torch.bool)))
    see("slice and list", after((slice(0, 1), [0, 2])))


@program(rules="T-38")
def masked_fill_cuts_the_gradient(torch, see):
    mask = torch.tensor([[True, False, True], [False, False, True]])
    see.derivatives("number", lambda x: x.masked_fill(mask, -1e9), wave(2, 3))
    see.derivatives("0-dim tensor", lambda x, v: x.masked_fill(mask, v), wave(2, 3), 0.5)
    see.derivatives("in place", lambda x: (x * 2).masked_fill_(mask, 0.0), wave(2, 3))
    see.derivatives(
        "broadcast", lambda x: x.masked_fill(mask[0], float("-inf")), wave(2, 3), twice=False
    )


@program(rules="T-38 T-85")
def scatter_and_scatter_add(torch, see):
    i = torch.tensor([[0, 1, 0], [2, 0, 1]])
    base, source = wave(3, 3), wave(2, 3, seed=1)
    see.derivatives("scatter_add", lambda x, s: x.scatter_add(0, i, s), base, source)
    unique = torch.tensor([[0, 1, 2], [1, 2, 0]])
    see.derivatives("scatter", lambda x, s: x.scatter(0, unique, s), base, source)
    see.derivatives(
        "scatter a number", lambda x: x.scatter(1, torch.tensor([[0], [2], [1]]), 5.0), base
    )
    see.derivatives("duplicates add", lambda x, s: x.scatter_add(1, i * 0, s), wave(2, 3), source)
    y = torch.zeros(3, 2).scatter_(1, torch.tensor([[0], [1], [0]]), 1.0)
    see("one-hot by hand", y, expect=[[1, 0], [0, 1], [1, 0]])


@program(rules="T-38")
def index_add_copy_fill_put(torch, see):
    i = torch.tensor([0, 2])
    base, rows = wave(3, 2), wave(2, 2, seed=1)
    see.derivatives("index_add", lambda x, s: x.index_add(0, i, s), base, rows)
    see.derivatives("index_add twice", lambda x, s: x.index_add(0, i * 0, s), base, rows)
    see.derivatives("index_copy", lambda x, s: x.index_copy(0, i, s), base, rows)
    see.derivatives("index_fill", lambda x: x.index_fill(0, i, 2.0), base)
    see.derivatives("index_put", lambda x, s: x.index_put((i,), s), base, rows)
    see.derivatives(
        "accumulate", lambda x, s: x.index_put((i * 0,), s, accumulate=True), base, rows
    )


@program(rules="T-38 T-41 T-85")
def embedding_looks_up_rows(torch, see):
    F = torch.nn.functional
    words = torch.tensor([[1, 0, 1], [2, 2, 2]])
    see.derivatives("embedding", lambda w: F.embedding(words, w), wave(3, 2))
    see.derivatives("padding", lambda w: F.embedding(words, w, padding_idx=2), wave(3, 2))
    see("one_hot", F.one_hot(torch.tensor([0, 2]), 3), expect=[[1, 0, 0], [0, 0, 1]])
    see("one_hot finds the classes", F.one_hot(torch.tensor([[1], [0]])))
    see.raises(
        "past the end", lambda: F.embedding(torch.tensor([3]), torch.zeros(3, 2)), phrase="range"
    )


@program(rules="T-38")
def masked_scatter_and_where_style_updates(torch, see):
    mask = torch.tensor([True, False, True])
    see.derivatives(
        "masked_scatter", lambda x, s: x.masked_scatter(mask, s), wave(3), wave(3, seed=1)
    )
    x = torch.tensor(count_up(4))
    x[x % 2 == 0] = -1
    see("ints by mask", x, expect=[-1, 1, -1, 3])
    x[torch.tensor([0, 1])] += 10
    see("augmented", x, expect=[9, 11, -1, 3])


@program(rules="V-2 V-32")
def augmented_assignment_through_an_index(torch, see):
    x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
    y = x * 1
    y[0] += 1
    y[:, 1] *= 3
    y[[0, 1], [2, 0]] -= 5
    see("value", y)
    see("version", y._version)
    y.sum().backward()
    see("gradient", x.grad, expect=[[1, 3, 1], [1, 3, 1]])


@program(rules="T-24")
def leading_ones_of_an_assigned_value_do_not_count(torch, see):
    n = torch.tensor([2, 0])
    for name, key, shape in (
        ("by index", n, (1, 2)),
        ("by mask", torch.tensor([True, False, True]), (1, 1, 2)),
        ("one element", n, (1, 1)),
        ("nothing", torch.zeros(3) > 0, (1, 0)),
        ("by slice", slice(0, 2), (1, 2)),
    ):
        x, v = torch.zeros(3, requires_grad=True) * 1, torch.ones(shape, requires_grad=True)
        x[key] = v
        see(name, (x, torch.autograd.grad(x.sum(), v)[0]))
    x = torch.zeros(3)
    see.raises(
        "other sizes", lambda: x.__setitem__(x == 0, torch.ones(2, 3)), phrase="shape mismatch"
    )
    see.raises(
        "by an empty mask", lambda: x.__setitem__(x > 0, torch.ones(2, 1)), phrase="shape mismatch"
    )
    see.raises("index_put_", lambda: x.index_put_((n,), torch.ones(1, 2)), phrase="shape mismatch")
