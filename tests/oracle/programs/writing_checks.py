"""What in-place writes, `out=`, `.data =` and `requires_grad` refuse, and what integers do."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def leaf(torch, n=3):
    return torch.tensor(wave(n), requires_grad=True)


@program(
    rules="V-6 V-11",
    each=(
        ("copy_", lambda torch, a, w: a.copy_(w)),
        ("an element", lambda torch, a, w: a.__setitem__(0, w[0])),
        ("a slice", lambda torch, a, w: a.__setitem__(slice(2), w[:2])),
        ("through a view", lambda torch, a, w: a[:1].copy_(w[:1])),
    ),
)
def integers_take_values_without_history(torch, see, case):
    _, write = case
    for name in ("int64", "bool"):
        a = torch.zeros(3, dtype=getattr(torch, name))
        write(torch, a, leaf(torch) * 10)
        see(name, (a, a.requires_grad, a.grad_fn, a._version))


@program(
    rules="V-6",
    each=(
        ("int + float", "int64", lambda torch, a: a.add_(1.5)),
        ("int * float tensor", "int64", lambda torch, a: a.mul_(torch.ones(3))),
        ("int / int", "int32", lambda torch, a: a.div_(2)),
        ("float + complex", "float32", lambda torch, a: a.add_(1j)),
        ("bool + int", "bool", lambda torch, a: a.add_(1)),
        ("exp_ of ints", "int64", lambda torch, a: a.exp_()),
        ("float32 + float64", "float32", lambda torch, a: a.add_(torch.ones(3).double())),
        ("float16 + float32", "float16", lambda torch, a: a.add_(torch.ones(3))),
        ("int8 + int64", "int8", lambda torch, a: a.add_(torch.ones(3, dtype=torch.int64))),
        ("int8 beyond its range", "int8", lambda torch, a: a.add_(300)),
        ("bool * bool", "bool", lambda torch, a: a.mul_(True)),
        ("copying floats to ints", "int32", lambda torch, a: a.copy_(torch.tensor([1.5, -1.5, 2]))),
        ("a wider operand", "float32", lambda torch, a: a.add_(torch.ones(2, 3))),
        ("copying too many", "float32", lambda torch, a: a.copy_(torch.ones(2, 3))),
        ("copying too few", "float32", lambda torch, a: a.copy_(torch.ones(2))),
    ),
)
def types_and_shapes_of_results(torch, see, case):
    _, dtype, write = case
    a = torch.ones(3, dtype=getattr(torch, dtype))
    see.attempt("result", lambda: write(torch, a))
    see("after", (a.dtype, a.shape))


@program(
    rules="V-7",
    each=(
        ("add_", lambda torch, a: a.add_(1)),
        ("copy_", lambda torch, a: a.copy_(torch.ones(3))),
        ("an element", lambda torch, a: a.__setitem__(slice(2), 5.0)),
        ("a part of it", lambda torch, a: a[:2].add_(1)),
        ("out=", lambda torch, a: torch.add(torch.ones(3), 1, out=a)),
        ("uniform_", lambda torch, a: a.uniform_()),
        ("scatter_", lambda torch, a: a.scatter_(0, torch.tensor([0]), 1.0)),
    ),
)
def elements_at_one_place_cannot_be_written(torch, see, case):
    _, write = case
    see.raises("expanded", lambda: write(torch, torch.ones(1).expand(3)), phrase="clone()")
    see("one element is one place", torch.ones(1).expand(1).add_(1), expect=[2])


@program(
    rules="V-7",
    each=(
        ("copy_", lambda torch, a: a[1:].copy_(a[:3])),
        ("add_", lambda torch, a: a[1:].add_(a[:3])),
        ("assignment", lambda torch, a: a.__setitem__(slice(1, None), a[:3])),
        ("transposed", lambda torch, a: a.view(2, 2).add_(a.view(2, 2).t())),
        ("out=", lambda torch, a: torch.add(a[:3], 1, out=a[1:])),
        ("itself", lambda torch, a: a.add_(a)),
        ("apart", lambda torch, a: a[2:].add_(a[:2])),
        ("interleaved", lambda torch, a: a[::2].add_(a[1::2])),
        ("out= apart", lambda torch, a: torch.add(a[:2], 1, out=a[2:])),
    ),
)
def operands_that_share_elements(torch, see, case):
    _, write = case
    a = torch.tensor(wave(4))
    see.attempt("result", lambda: write(torch, a))


@program(
    rules="V-8",
    each=(
        ("an operand", lambda torch, x: torch.add(x, 1, out=torch.ones(3))),
        ("out itself", lambda torch, x: torch.add(torch.ones(3), 1, out=x)),
        ("cat", lambda torch, x: torch.cat([x, x], out=torch.ones(6))),
        ("a comparison", lambda torch, x: torch.gt(x, 0, out=torch.ones(3, dtype=torch.bool))),
        ("integers from floats", lambda torch, x: torch.add(
            torch.ones(3), 1, out=torch.ones(3, dtype=torch.int64))),
        ("a wider type", lambda torch, x: torch.add(torch.ones(3), 1, out=torch.ones(3).double())),
        ("nothing yet", lambda torch, x: torch.add(torch.ones(3), 1, out=torch.ones(0))),
    ),
)  # fmt: skip
def out_and_gradients(torch, see, case):
    _, compute = case
    see.attempt("with grad", lambda: compute(torch, leaf(torch)))
    with torch.no_grad():
        see.attempt("without", lambda: compute(torch, leaf(torch)))


@program(rules="E-9 V-57", each=(1, "yes", None))
def only_a_bool_says_that_gradients_are_wanted(torch, see, case):
    x = torch.ones(2)
    see.raises("method", lambda: x.requires_grad_(case), phrase="must be bool")
    see.raises("attribute", lambda: setattr(x, "requires_grad", case), phrase="must be a bool")
    see("unchanged", x.requires_grad, expect=False)


@program(rules="V-56")
def what_data_may_become(torch, see):
    x = leaf(torch)
    ints = torch.zeros(3, dtype=torch.int64)
    see.raises("integers", lambda: setattr(x, "data", ints), phrase="floating point or complex")
    see.raises("no tensor", lambda: setattr(x, "data", 1))
    constant = torch.ones(2)
    constant.data = ints
    see("of a constant", (constant, constant._version))
    see("read", (x.data.requires_grad, x.data._is_view(), x.data is x.data))


@program(rules="V-56 V-1")
def data_of_a_view_is_replaced_alone(torch, see):
    a = torch.zeros(3)
    v = a[:2]
    v.data = torch.ones(2)
    v.add_(1)
    see("base and view", (a, v, a._version, v._version))


@program(rules="V-60 V-66")
def the_old_value_an_inplace_operation_keeps_is_packed(torch, see):
    x, w = leaf(torch), leaf(torch)
    packed = []

    def pack(t):
        packed.append(t.tolist())
        return t.tolist()

    with torch.autograd.graph.saved_tensors_hooks(pack, torch.tensor):
        y = x * 1
        y.mul_(w)
        z = x * 1
        z[:1].pow_(3)
    see("packed", sorted(map(len, packed)), expect=[1, 3, 3])
    first = torch.autograd.grad((y + z).sum(), (x, w), create_graph=True)
    see("gradients", first)
    see("once more", torch.autograd.grad((first[0] * first[1]).sum(), (x, w)))
