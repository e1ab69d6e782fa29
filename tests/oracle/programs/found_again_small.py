"""What a second search found that few programs meet: old attributes, empty operands, orders of checks."""

from functools import partial

from tests.oracle.registry import program

NAN = float("nan")


@program(rules="Y-32")
def old_attributes_are_read_and_do_nothing(torch, see):
    x = torch.ones(2)
    see("name", x.name, expect=None)
    see(
        "read",
        see.warns("reading", lambda: x.volatile, phrase="volatile was removed"),
        expect=False,
    )
    see.warns("writing", lambda: setattr(x, "volatile", True), phrase="now has no effect")
    see("requires_grad", x.requires_grad, expect=False)


@program(rules="Y-33")
def numpy_has_no_strides_of_empty_arrays(torch, see):
    see("made", torch.zeros(2, 0, 3).stride(), expect=(3, 3, 1))
    see.differs(
        "a view",
        torch.zeros(2, 0, 3).transpose(0, 1).stride(),
        torch=(3, 3, 1),
        vizgrad=(6, 3, 1),
        because="numpy's arrays without elements have no strides; those of a new tensor are shown",
    )


MANY = {
    "made": lambda torch: torch.ones([1] * 65),
    "drawn": lambda torch: torch.randn([1] * 65),
    "indexed": lambda torch: torch.ones([1] * 64)[None],
    "unsqueezed": lambda torch: torch.ones([1] * 64).unsqueeze(0),
    "viewed": lambda torch: torch.ones(1).view([1] * 65),
    "reshaped": lambda torch: torch.ones(1).reshape([1] * 65),
    "expanded": lambda torch: torch.ones(1).expand([1] * 65),
    "stacked": lambda torch: torch.stack([torch.ones([1] * 64)] * 2),
}


@program(rules="Y-34 X-46", each=list(MANY))
def numpy_has_64_dimensions_and_vizgrad_says_so(torch, see, how):
    try:
        found = MANY[how](torch).ndim
    except RuntimeError as error:
        found = "a tensor has at most 64 dimensions" in str(error)
    see.differs(
        "dimensions", found, torch=65, vizgrad=True, because="numpy's arrays have 64 at most"
    )


@program(rules="Y-40", each=["input", "tau", "both"])
def a_product_of_no_reflections_requires_grad(torch, see, what):
    input = torch.ones(2, 3, 2, requires_grad=what != "tau")
    tau = torch.ones(2, 0, requires_grad=what != "input")
    product = torch.linalg.householder_product(input, tau)
    see("product", product)
    see("has a node", product.grad_fn is not None, expect=True)
    product.sum().backward()
    for leaf in (input, tau):
        see(
            f"no gradient {leaf.ndim}", leaf.grad is None or not leaf.grad.any().item(), expect=True
        )


@program(rules="Y-41")
def bags_take_the_old_order_of_weight_and_indices(torch, see):
    F = torch.nn.functional
    weight = torch.arange(6.0).reshape(3, 2).requires_grad_()
    index = torch.tensor([[0, 1], [1, 2]])
    old = see.warns(
        "the old order",
        lambda: F.embedding_bag(weight, index),
        phrase="Argument order of nn.functional.embedding_bag was changed",
    )
    see("result", old)
    see("the same", torch.equal(old, F.embedding_bag(index, weight)), expect=True)


EMPTY = {
    "max_pool1d": ((0, 10), (1, 0, 10)),
    "max_pool2d": ((1, 0, 4, 4), (0, 4, 4)),
    "max_pool3d": ((0, 1, 2, 10), (1, 0, 2, 2, 2)),
    "avg_pool1d": ((0, 10), (1, 0, 10)),
    "avg_pool2d": ((1, 0, 4, 4), (0, 4, 4)),
    "avg_pool3d": ((0, 1, 2, 10),),
}


@program(rules="Y-44", each=list(EMPTY))
def pools_want_elements_in_all_but_the_batch(torch, see, name):
    pool = getattr(torch.nn.functional, name)
    for shape in EMPTY[name]:
        words = (
            "dimensions to have positive length" if "3d" in name else "optional 0 dim batch size"
        )
        see.raises(f"{shape}", lambda shape=shape: pool(torch.ones(shape), 1), phrase=words)
    full = (0, 2, *[4] * int(name[-2]))
    see("no examples", tuple(pool(torch.ones(full), 2).shape))


@program(rules="Y-44")
def both_operands_of_cross_have_three(torch, see):
    a, b = torch.ones(5, 3), torch.ones(5, 1)
    for name, call in {
        "linalg": lambda: torch.linalg.cross(a, b),
        "linalg, turned": lambda: torch.linalg.cross(b, a),
        "by dim": lambda: torch.cross(a, b, dim=1),
    }.items():
        see.raises(name, call, phrase="must have length 3")
    see("of one row", torch.linalg.cross(a, torch.ones(1, 3)))


@program(rules="Y-45")
def some_results_are_not_converted_for_out(torch, see):
    x, wide = torch.ones(3), torch.ones(3, dtype=torch.float64)
    first = torch.tensor([0])
    for name, call in {
        "aminmax": lambda: torch.aminmax(x, out=(torch.ones((), dtype=torch.float64),) * 2),
        "gather": lambda: torch.gather(x, 0, first, out=torch.ones(1, dtype=torch.float64)),
        "complex": lambda: torch.complex(wide, wide, out=torch.zeros(3, dtype=torch.complex64)),
    }.items():
        see.raises(name, call, phrase="Expected")


@program(rules="Y-45", each=["gather", "index_select", "take"])
def what_is_read_by_place_is_not_written_to(torch, see, name):
    index = torch.tensor([1, 2, 0])
    read = getattr(torch, name)
    settings = () if name == "take" else (0,)
    for where, end in (("all", 3), ("a part", 4)):
        a = torch.arange(4.0)
        see.raises(
            where,
            lambda a=a, end=end: read(a[:3], *settings, index, out=a[end - 3 : end]),
            phrase="refer to a single memory location",
        )
        see(f"unchanged {where}", a, expect=[0, 1, 2, 3])


@program(rules="Y-46", each=["multi_margin_loss", "multilabel_margin_loss"])
def an_unknown_reduction_is_refused_before_targets_are_looked_at(torch, see, name):
    loss = getattr(torch.nn.functional, name)
    for target in ([9, 9], [[9, 9, 9], [9, 9, 9]], [0.5]):
        see.raises(
            f"{target}",
            partial(loss, torch.ones(2, 3), torch.tensor(target), reduction="abc"),
            phrase="abc is not a valid value for reduction",
        )


@program(rules="Y-51", each=["elu", "celu", "selu", "prelu"])
def a_nan_stays_where_it_was_born_in_second_derivatives(torch, see, name):
    x = torch.tensor([-1.0, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
    grad = torch.tensor([NAN, NAN, 1.0], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor([0.25], dtype=torch.float64, requires_grad=True)
    given = (x, weight) if name == "prelu" else (x,)
    y = getattr(torch.nn.functional, name)(*given)
    first = torch.autograd.grad(y, given, grad, create_graph=True)
    see("first", first[0])
    for part, total in enumerate(first):
        second = torch.autograd.grad(
            total.sum(), [*given, grad], allow_unused=True, retain_graph=True
        )
        for number, one in enumerate(second):
            see(f"second {part} {number}", one)


@program(rules="Y-51")
def a_nan_of_an_lp_pool_stays_in_its_window(torch, see):
    x = torch.zeros(1, 1, 4, 4, dtype=torch.float64)
    x[0, 0, 2:, 2:] = 1.0
    x.requires_grad_()
    y = torch.nn.functional.lp_pool2d(x, 2.0, 2)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    see("first", first)
    see("second", torch.autograd.grad(first.square().sum(), x)[0])


@program(rules="Y-42")
def a_choice_of_parts_changes_no_loss(torch, see):
    F = torch.nn.functional
    x, weight = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(4, 3) / 10
    see("no choice", F.linear_cross_entropy(x, weight, torch.tensor([1, 2]), options=None))


SPREADS = {
    "nearest": lambda F, x: F.interpolate(x, scale_factor=2.0, mode="nearest"),
    "bilinear": lambda F, x: F.interpolate(x, scale_factor=2.0, mode="bilinear"),
    "replicate": lambda F, x: F.pad(x, (1, 1, 1, 1), mode="replicate"),
    "reflect": lambda F, x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
    "circular": lambda F, x: F.pad(x, (1, 1, 1, 1), mode="circular"),
    "unfold": lambda F, x: F.unfold(x, 2),
}


@program(rules="Y-51", each=list(SPREADS))
def an_infinite_gradient_of_a_copy_reaches_one_element(torch, see, name):
    for value in (NAN, float("inf")):
        x = torch.ones(1, 1, 4, 4, requires_grad=True)
        y = SPREADS[name](torch.nn.functional, x)
        grad = torch.ones(y.shape)
        grad.view(-1)[y.numel() // 3] = value
        see(f"{value}", torch.autograd.grad(y, x, grad)[0])


@program(rules="Y-51", each=["embedding", "embedding_bag", "index_select", "index"])
def an_infinite_gradient_of_a_row_reaches_that_row(torch, see, name):
    F = torch.nn.functional
    index = torch.tensor([0, 1, 1, 3])
    read = {
        "embedding": lambda table: F.embedding(index, table),
        "embedding_bag": lambda table: F.embedding_bag(index.reshape(2, 2), table, mode="sum"),
        "index_select": lambda table: table.index_select(0, index),
        "index": lambda table: table[index],
    }[name]
    for value in (NAN, float("inf")):
        table = torch.ones(5, 3, requires_grad=True)
        rows = read(table)
        grad = torch.ones(rows.shape)
        grad[1, 2] = value
        see(f"{value}", torch.autograd.grad(rows, table, grad)[0])


@program(rules="Y-51")
def a_second_derivative_through_an_lp_pool_and_a_pad_is_finite(torch, see):
    F = torch.nn.functional
    x = torch.tensor(
        [[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, -1.0, 3.0]], dtype=torch.float64, requires_grad=True
    )
    pooled = F.lp_pool2d(x.reshape(1, 1, 2, 4), 2.0, 2)
    y = F.pad(pooled, (1, 1, 0, 0), mode="replicate")
    (first,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
    see("first", first)
    see("second", torch.autograd.grad(first.square().sum(), x)[0])
