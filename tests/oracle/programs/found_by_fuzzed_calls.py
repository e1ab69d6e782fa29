"""What single random calls found: numbers that do not fit, memory in another order, equal operands, none."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_NUMBERS = (300, 2**31, 1e10, 1e300, float("inf"), 2.5, 1 + 2j, True)
_PLACES = {
    "where": lambda t, x, v: t.where(t.tensor([True, False]), x, v),
    "where, first": lambda t, x, v: t.where(t.tensor([True, False]), v, x),
    "masked_fill": lambda t, x, v: x.masked_fill(t.tensor([True, False]), v),
    "masked_fill by a tensor": lambda t, x, v: x.masked_fill(t.tensor([True, False]), t.tensor(v)),
    "index_fill": lambda t, x, v: x.index_fill(0, t.tensor([0]), v),
    "index_fill by a tensor": lambda t, x, v: x.index_fill(0, t.tensor([0]), t.tensor(v)),
    "addcmul": lambda t, x, v: t.addcmul(x, x, x, value=v),
    "lerp": lambda t, x, v: t.lerp(x, x, v),
    "assigned": lambda t, x, v: x.clone().__setitem__(0, v),
    "index_put by a mask": lambda t, x, v: x.index_put((t.tensor([True, False]),), t.tensor(v)),
    "elu": lambda t, x, v: t.nn.functional.elu(x, v),
    "leaky_relu": lambda t, x, v: t.nn.functional.leaky_relu(x, v),
}  # fmt: skip


@program(rules="T-3 T-95", each=("int8", "int32", "int64", "float32", "float64"))
def a_number_that_the_type_does_not_hold(torch, see, name):
    for what, call in _PLACES.items():
        for value in _NUMBERS:
            x = torch.tensor([0, 1], dtype=getattr(torch, name))
            # 0 and 1 times infinity, or infinity as a weight, is another matter
            if value == float("inf") and what in ("lerp", "addcmul", "elu", "leaky_relu"):
                continue
            see.attempt(f"{what} {value}", lambda c=call, x=x, v=value: c(torch, x, v))


@program(rules="V-29 T-95")
def memory_whose_dims_lie_in_another_order(torch, see):
    block = torch.tensor(wave(2, 3, 4)).transpose(-2, -1).clone()  # keeps its strides
    see("strides", block.stride())
    see("a region of it", block.as_strided((5,), (2,), 3))
    see("one element", block.as_strided((), (), 7))
    see("in place", block.clone().as_strided_((2, 2), (4, 1), 1))
    see("shown by another", torch.zeros(0).double().set_(block.untyped_storage(), 2, (3,), (1,)))
    see("smaller", block.clone().resize_(4))
    moved = torch.ones(3)[1:].resize_(5)
    see("a larger block begins where the old one did", moved.storage_offset())


@program(rules="T-30 T-95")
def complex_random_numbers_have_two_parts(torch, see):
    for name in ("uniform_", "normal_"):
        drawn = getattr(torch.zeros(2000, dtype=torch.complex64), name)()
        spread = torch.view_as_real(drawn).std(0)
        see(name, bool((spread > 0.2).all()), expect=True)
    for low, high in ((float("nan"), 1), (0, float("nan")), (0, float("inf"))):
        see.raises(f"{low} to {high}", lambda a=low, b=high: torch.ones(2).uniform_(a, b))
    see.raises("whole chances", lambda: torch.ones(2, dtype=torch.complex64).bernoulli_(0.5))
    see.raises("no such word", lambda: torch.randn(2, nonsense=1))


@program(rules="T-95")
def the_first_of_equal_rows_has_the_gradient_of_a_largest(torch, see):
    weight = torch.tensor([[1.0, 2.0], [1.0, 0.0], [0.5, 2.0]], requires_grad=True)
    bags = torch.nn.functional.embedding_bag(
        torch.tensor([0, 1, 2, 1, 2]), weight, torch.tensor([0, 3, 3]), mode="max"
    )
    (bags * torch.arange(1.0, 7.0).reshape(3, 2)).sum().backward()
    see("values", bags)
    see("gradient", weight.grad)


@program(rules="T-95")
def derivatives_at_points_where_formulas_meet(torch, see):
    F = torch.nn.functional
    for eps in (1e-8, 2.5):
        see.derivatives(
            f"cosine, eps={eps}",
            lambda a, b, e=eps: F.cosine_similarity(a, b, eps=e),
            wave(2, 3),
            wave(2, 3, seed=1),
        )
    for slope in (1.0, 0.5, 2.0):
        x = torch.tensor([0.0, -1.0, 1.0], requires_grad=True)
        for name in ("elu", "celu"):
            y = getattr(F, name)(x.clone(), slope, inplace=True)
            (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
            see(f"{name} {slope}, twice", torch.autograd.grad(first.sum(), x)[0])
    huge = torch.tensor([[1.0, 1.0], [3e38, 3e38]], requires_grad=True)
    F.glu(huge, 0).sum().backward()
    see("glu of huge numbers", huge.grad)
    x = torch.ones(3, requires_grad=True)
    source = torch.tensor(2.0, requires_grad=True)
    x.scatter_add(0, torch.zeros(0, dtype=torch.int64), source).sum().backward()
    see("added nowhere", source.grad)


@program(rules="T-2 T-95")
def the_gradient_of_a_leaf_that_was_chosen_in_another_type(torch, see):
    mask = torch.tensor([False, True])
    for first, second in (("float32", "float64"), ("float64", "float32"), ("float16", "float32")):
        x = torch.tensor([1.0, 2.0], dtype=getattr(torch, first), requires_grad=True)
        y = torch.tensor([3.0, 4.0], dtype=getattr(torch, second), requires_grad=True)
        torch.where(mask, x, y).abs().sum().backward()
        see(f"{first}, {second}", [x.grad, y.grad])
        half = torch.where(mask, y.detach(), x) * 2
        see(f"{first}, {second}, alone", torch.autograd.grad(half.abs().sum(), x))


@program(rules="T-95")
def the_order_of_a_zeta_function_is_a_whole_number(torch, see):
    q = torch.tensor([0.622, 2.0], dtype=torch.float64, requires_grad=True)
    for dtype in (torch.int32, torch.int64, torch.float64):
        order = torch.tensor([5], dtype=dtype)
        (plain,) = torch.autograd.grad(torch.special.zeta(order, q).sum(), q)
        (first,) = torch.autograd.grad(torch.special.zeta(order, q).sum(), q, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), q)
        see(f"{dtype}".split(".")[-1], [plain, first, second])


@program(rules="T-95")
def sizes_flags_and_strides_of_nothing(torch, see):
    for shape in ((0,), (2, 0), (0, 2), (2, 0, 3), (0, 1)):
        see(f"strides of {shape}", torch.zeros(shape).stride())
    tall = torch.zeros(7, 2).fill_diagonal_(3.0, True)
    see("wrapped", tall)
    see("in two writes", tall._version)
    F = torch.nn.functional
    see.raises("half a window", lambda: F.max_pool2d(torch.ones(1, 2, 2), [2.0, 1]))
    see.raises(
        "a word for a flag", lambda: torch.allclose(torch.ones(1), torch.ones(1), equal_nan="a")
    )
    see.raises("no label", lambda: F.multilabel_margin_loss(torch.ones(2), torch.tensor([0, -5])))
    see("numbers alone", [torch.add(0.5, 2), torch.mul(2, 3), torch.floor_divide(7, 2)])


_MARGINS = {
    "multi": lambda F, x, labels: F.multi_margin_loss(x, labels[:, 0]),
    "multi, squared": lambda F, x, labels: F.multi_margin_loss(x, labels[:, 0], p=2),
    "multilabel": lambda F, x, labels: F.multilabel_margin_loss(x, labels),
}
_SCORES = (
    [2.0, 1.0],
    [1.0, 2.0],
    [1.0, 0.0],
    ["nan", 1.0],
    [1.0, "nan"],
    ["inf", 1.0],
    [1.0, "inf"],
)


@program(rules="T-95", each=tuple(_MARGINS))
def margins_that_are_just_kept_and_scores_that_are_no_numbers(torch, see, name):
    """A gap of exactly 0 has no gradient, and one that is NaN counts as 0."""
    labels = torch.tensor([[0, -1]])
    for row in _SCORES:
        x = torch.tensor([[float(each) for each in row]], dtype=torch.float64, requires_grad=True)
        loss = _MARGINS[name](torch.nn.functional, x, labels)
        loss.backward()
        see(f"loss of {row}", loss)
        see(f"gradient of {row}", x.grad)
