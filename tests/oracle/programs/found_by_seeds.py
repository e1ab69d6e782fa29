"""What seeds of the fuzzer found: powers that keep less, sizes that stay, bounds, vectors, first faults."""

from tests.oracle.registry import program

POWERS = {
    "operator": lambda torch, x, e: x**e,
    "in place": lambda torch, x, e: x.pow_(e),
    "of a 0-dim exponent": lambda torch, x, e: x ** e[0],
    "float_power": lambda torch, x, e: torch.float_power(x, e),
    "ldexp": lambda torch, x, e: torch.ldexp(x, e),
}


@program(rules="Y-60", each=list(POWERS))
def the_result_of_a_power_of_a_plain_exponent_may_be_written(torch, see, name):
    for learned in (False, True):
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        y = POWERS[name](torch, a.clone(), torch.tensor([2.0, 3.0], requires_grad=learned))
        y.detach().mul_(2)
        try:
            y.sum().backward()
            went = a.grad is not None
        except RuntimeError as error:
            went = "modified by an inplace operation" not in str(error)
        if learned:
            see("refused where the exponent requires grad", went, expect=False)
            continue
        see.differs(
            "written", went, torch=False, vizgrad=True,
            because="the derivative by the base reads base and exponent alone",
        )  # fmt: skip


@program(rules="Y-61", each=["int8", "int16", "int32", "int64"])
def a_divisor_is_not_negative(torch, see, name):
    dtype = getattr(torch, name)
    least = torch.iinfo(dtype).min
    one = torch.tensor([least], dtype=dtype)
    see("with itself", torch.gcd(one, one))
    see("with 0", torch.gcd(one, torch.tensor([0], dtype=dtype)))
    see("with 2", torch.gcd(one, torch.tensor([2], dtype=dtype)))
    see.differs(
        "with the largest", torch.gcd(torch.tensor([-least - 1], dtype=dtype), one).item(), torch=-1,
        vizgrad=1, because="the absolute value of the smallest number is none of its type there",
    )  # fmt: skip


LINEAR = {
    "linear": (1, 4, 8),
    "bilinear": (1, 2, 4, 4),
    "trilinear": (1, 2, 4, 2, 2),
}


@program(rules="Y-62", each=list(LINEAR))
def a_size_that_stays_is_copied_whatever_the_factor_is(torch, see, mode):
    x = torch.arange(32.0).square().remainder(7).reshape(LINEAR[mode]).requires_grad_()
    for corners in (False, True):
        y = torch.nn.functional.interpolate(x, None, 1.1, mode, corners)
        see(f"copied, {corners}", torch.equal(y, x), expect=True)
        see(
            f"gradient, {corners}",
            torch.autograd.grad(y, x, torch.arange(32.0).reshape(x.shape))[0],
        )


@program(rules="Y-62", each=["bilinear", "bicubic"])
def antialiasing_copies_a_size_that_stays(torch, see, mode):
    x = torch.arange(32.0).square().remainder(7).reshape(1, 2, 4, 4).requires_grad_()
    y = torch.nn.functional.interpolate(x, scale_factor=1.2, mode=mode, antialias=True)
    see("copied", torch.equal(y, x), expect=True)
    grad = torch.arange(32.0).reshape(x.shape)
    see.differs(
        "the gradient is that of a copy", torch.equal(torch.autograd.grad(y, x, grad)[0], grad),
        torch=False, vizgrad=True, because="a gradient belongs to the value that was computed",
    )  # fmt: skip


@program(rules="Y-65", each=["nearest", "nearest-exact"])
def the_nearest_pixel_is_found_in_single_precision(torch, see, mode):
    for dims in (1, 2, 3):
        found = []
        for size in range(1, 13):
            for factor in (0.3, 0.5, 0.6, 0.7, 1.1, 1.2, 1.3, 1.7, 2.0, 2.2, 2.4, 3.3):
                if int(size * factor) < 1:
                    continue
                shape = (1, 1, *(2,) * (dims - 1), size)
                x = torch.arange(2.0 ** (dims - 1) * size).reshape(shape).requires_grad_()
                factors = (*(1.2,) * (dims - 1), factor)
                y = torch.nn.functional.interpolate(x, scale_factor=factors, mode=mode)
                found.append(y.reshape(-1))
                # PyTorch's gradient copies and doubles in all images, its value in flat ones alone
                if dims == 2 or not {2, 4, size, 2 * size} & set(y.shape[2:]):
                    weights = torch.arange(y.numel() * 1.0).reshape(y.shape)
                    found.append(torch.autograd.grad(y, x, weights)[0].reshape(-1))
        see(f"{dims} dims", torch.cat(found))


@program(rules="Y-62", each=["nearest", "nearest-exact", "bilinear", "bicubic"])
def images_of_bytes_are_resized(torch, see, mode):
    x = torch.arange(96).pow(3).remainder(251).to(torch.uint8)
    for shape in ((1, 3, 4, 8), (2, 6, 2, 4)):
        for how in ({"size": (5, 3)}, {"size": (2, 2)}, {"scale_factor": 1.2}):
            image = torch.nn.functional.interpolate(x.reshape(shape), mode=mode, **how)
            see(f"{shape} {how}", image)


@program(rules="Y-63", each=["clamp", "clip", "clamp_", "clip_"])
def bounds_are_of_one_kind(torch, see, name):
    bound = torch.tensor(1.7, dtype=torch.float64)
    for given in ([0.0, 3.0], 3.0, [0, 3]):
        x = torch.tensor(given)
        see.attempt(f"{given}", lambda x=x: getattr(x.clone(), name)(-2.9, bound))
        see.attempt(f"{given}, below", lambda x=x: getattr(x.clone(), name)(min=bound, max=2))
        see.attempt(f"{given}, of a dim", lambda x=x: getattr(x.clone(), name)(-1, bound[None]))
    asked = bound.clone().requires_grad_()
    see.attempt("that requires grad", lambda: getattr(torch.zeros(2), name)(-1, asked))


@program(rules="Y-64", each=["solve", "solve_ex"])
def a_vector_has_a_place_on_the_right_alone(torch, see, name):
    solve = getattr(torch.linalg, name)
    for size, given in (
        ((1, 1), (1,)), ((2, 2), (2,)), ((2, 2, 2), (2, 2)), ((1, 1, 1), (1, 1)), ((2, 1, 1), (1, 2)),
        ((1, 2, 2), (2, 1)), ((2, 2), (3, 2)), ((3, 2, 2), (2, 2)),
    ):  # fmt: skip
        a = torch.eye(size[-1]).expand(size) * 2
        for left in (False, True):
            see.attempt(f"{size} {given} {left}", lambda: solve(a, torch.ones(given), left=left))


#: Of each fault what is wrong with the call, and what is said; of several faults the first here is said.
FAULTS = {
    "dimension": ({"dim": 7}, "Dimension out of range"),
    "index of two dimensions": ({"index": (1, 1)}, "Index should have dimension 1 or 0 (got 2)"),
    "scalar": (
        {"source": (), "index": (2,)},
        "When source is scalar, index should have one element",
    ),
    "ranks": ({"source": (1,)}, "When source and destination are not scalars"),
    "type of index": ({"integers": "float32"}, "Expected a long tensor for index"),
    "type": ({"dtype": "int64"}, "self and source expected to have the same dtype"),
    "slices": ({"source": (1, 2, 5)}, "must have same slice shapes"),
    "count": ({"index": (2,)}, "Number of indices (2) should be equal to source.size(dim) (1)"),
}


@program(rules="T-85", each=list(FAULTS))
def a_copy_of_slices_tells_its_first_fault(torch, see, name):
    late = list(FAULTS)[list(FAULTS).index(name) :]
    for other in late:
        wrong = FAULTS[other][0] | FAULTS[name][0]
        if other != name and FAULTS[other][0].keys() & FAULTS[name][0].keys():
            continue
        dim, shape = wrong.get("dim", 0), wrong.get("source", (1, 2, 3))
        index = torch.zeros(
            wrong.get("index", (1,)), dtype=getattr(torch, wrong.get("integers", "int64"))
        )
        source = torch.ones(shape, dtype=getattr(torch, wrong.get("dtype", "float32")))
        plain = torch.ones(2, 2, 3)
        said = FAULTS[name][1]
        see.raises(f"{name}, {other}", lambda: plain.index_copy(dim, index, source), phrase=said)
        see.raises(
            f"{name}, {other}, written", lambda: plain.index_copy_(dim, index, source), phrase=said
        )
        leaf = torch.ones(2, 2, 3, requires_grad=True)
        see.raises(
            f"{other}, leaf", lambda: leaf.index_copy_(dim, index, source), phrase="leaf Variable"
        )


@program(rules="Y-67", each=["hann_window", "hamming_window", "blackman_window", "bartlett_window"])
def a_window_has_the_bits_of_its_rounded_constants(torch, see, name):
    for kind in ("float16", "bfloat16", "float64"):
        dtype = getattr(torch, kind)
        for periodic in (False, True):
            made = [getattr(torch, name)(n, periodic, dtype=dtype) for n in range(2, 20)]
            see(f"{kind}, {periodic}", [window.double().tolist() for window in made])


@program(rules="Y-68", each=["GRU", "GRUCell", "LSTMCell", "LSTM", "RNN", "RNNCell"])
def autocast_leaves_the_type_of_the_state(torch, see, name):
    kinds = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    cell = name.endswith("Cell")
    shape = (1, 2) if cell else (1, 1, 2)
    module = getattr(torch.nn, name)(7, 2)
    for of_input, first in kinds.items():
        x = torch.ones(1, 7, dtype=first) if cell else torch.ones(1, 1, 7, dtype=first)
        for of_state, second in {"none": None, **kinds}.items():
            state = () if second is None else (torch.zeros(shape, dtype=second),)
            if name.startswith("LSTM") and state:
                state = ((torch.zeros(shape), *state),)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found = module(x, *state)
            first_of = found if cell and not isinstance(found, tuple) else found[0]
            see(f"{of_input}, {of_state}", str(first_of.dtype).split(".")[1])


PADDED = {
    "replicate": lambda F, x: F.pad(x, (0, 1, 1, 0), mode="replicate"),
    "reflect": lambda F, x: F.pad(x, (0, 1, 1, 0), mode="reflect"),
    "constant": lambda F, x: F.pad(x, (0, 1, 1, 0)),
    "circular": lambda F, x: F.pad(x, (0, 1, 1, 0), mode="circular"),
    "group_norm": lambda F, x: F.group_norm(x, 1),
    "channel_shuffle": lambda F, x: F.channel_shuffle(x, 2),
    "pixel_shuffle": lambda F, x: F.pixel_shuffle(x, 2),
    "pixel_unshuffle": lambda F, x: F.pixel_unshuffle(x, 2),
    "adaptive_max_pool2d": lambda F, x: F.adaptive_max_pool2d(x, (2, 2)),
}


@program(rules="Y-69", each=list(PADDED))
def channels_stay_innermost(torch, see, name):
    for shape in ((2, 4, 4, 6), (1, 4, 2, 2)):
        x = torch.arange(192.0)[: shape[0] * shape[1] * shape[2] * shape[3]].reshape(shape)
        x = x.contiguous(memory_format=torch.channels_last).requires_grad_()
        y = PADDED[name](torch.nn.functional, x)
        see(f"{shape}", y)
        see(f"strides, {shape}", list(y.stride()))
        see(f"gradient, {shape}", torch.autograd.grad(y.square().sum(), x)[0])


@program(rules="Y-70")
def a_scale_of_the_inner_vmap_leaves_the_statistics_of_the_outer(torch, see):
    F, vmap = torch.nn.functional, torch.func.vmap
    x = torch.arange(16.0, dtype=torch.float64).reshape(2, 2, 1, 2, 2).sin()
    scale = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    for name in ("instance_norm", "batch_norm"):
        mean = torch.zeros(2, 1, dtype=torch.float64)
        variance = torch.ones(2, 1, dtype=torch.float64)

        def normed(x, mean, variance, bias, name=name):
            more = (True,) if name == "batch_norm" else ()
            return getattr(F, name)(x, mean, variance, None, bias, *more)

        inner = vmap(normed, (None, None, None, 0))
        see(name, vmap(inner, (0, 0, 0, None))(x, mean, variance, scale))
        see(f"mean, {name}", mean)
        see(f"variance, {name}", variance)


@program(rules="Y-71", each=["bfloat16", "float32", "float64"])
def ldexp_in_place_is_one_node(torch, see, name):
    e = torch.tensor([[2.0], [1.0], [-2.0]], requires_grad=True)
    a = torch.ones(3, 3, dtype=getattr(torch, name))
    y = a.ldexp_(e * 1)
    see("node", y.grad_fn.name())
    see("version", y._version)
    see("values", y.double())
    y.sum().backward()
    if name != "bfloat16":
        see("gradient", e.grad)
    see.raises(
        "bools", lambda: torch.ones(3).ldexp_(torch.tensor([True])), phrase="not implemented for"
    )
