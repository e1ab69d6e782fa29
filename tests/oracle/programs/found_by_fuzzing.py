"""Random numbers of each type, the bytes of another type, and what the fuzzer found beside them."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.registry import program

COUNTED = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool")


@program(rules="T-30 T-95", each=COUNTED)
def whole_random_numbers_reach_as_far_as_the_type_counts(torch, see, name):
    dtype = getattr(torch, name)
    top = {"float64": 2**53, "float32": 2**24, "float16": 2**11, "bfloat16": 2**8, "bool": 1}
    most = top[name] if name in top else torch.iinfo(dtype).max
    drawn = torch.zeros(4000, dtype=dtype).random_()
    see("within", bool((drawn >= 0).all()) and int(drawn.max()) <= most, expect=True)
    see("spread", int(drawn.max()) > most // 2, expect=True)
    if name != "bool":
        upward = torch.zeros(4000, dtype=dtype).random_(most - 3, None)
        see("from a limit", [int(upward.min()), int(upward.max())])


@program(rules="T-30 T-95")
def limits_that_a_type_does_not_hold(torch, see):
    def fill(dtype, *limits):
        return lambda: torch.zeros(3, dtype=dtype).random_(*limits)

    for limits in ((0,), (-1,), (3, 3), (4, 2)):
        see.raises(f"nothing in {limits}", fill(torch.int64, *limits), phrase="to be less than")
    for dtype, *limits in (
        (torch.int8, 300), (torch.int8, -200, 3), (torch.uint8, -5, None), (torch.bool, 0, 3),
        (torch.float16, 0, 100000),
    ):  # fmt: skip
        see.raises(
            f"{dtype}".split(".")[-1] + str(limits), fill(dtype, *limits), phrase="out of bounds"
        )
    see.raises("complex", fill(torch.complex64))


@program(rules="T-11 T-95", each=("float64", "complex64", "int16", "bool", "int32"))
def the_same_bytes_as_a_type_of_another_size(torch, see, name):
    x = torch.tensor(wave(4, 6), dtype=torch.float32)
    dtype = getattr(torch, name)
    for what, tensor in {
        "all": x, "rows": x[1:3], "every other row": x[::2], "columns": x[:, :4], "from a column": x[:, 2:],
        "odd": x[:, :3], "odd start": x[:, 1:5], "turned": x.t(), "steps": x[:, ::2], "a number": x[0, 0],
        "one": x[:, :1], "nothing": x[:0],
    }.items():  # fmt: skip
        see.attempt(what, lambda t=tensor: (t.view(dtype).shape, t.view(dtype).stride()))
    if name == "int32":
        x.view(dtype)[0, 0] = 0
        see("written through it", x[0, 0])


@program(rules="T-11 T-95")
def bytes_have_no_history(torch, see):
    x = torch.tensor(wave(2, 2), dtype=torch.float64, requires_grad=True)
    types = (torch.float64, torch.int64, torch.float32, torch.complex128)
    for what, tensor in (("leaf", x), ("result", x * 1)):
        see(what, [tensor.view(dtype).requires_grad for dtype in types])


@program(rules="T-95")
def map_asks_for_equal_types_and_no_history(torch, see):
    x = torch.tensor([1.0, 2.0])
    see.raises("another type", lambda: x.map_(x.double(), max))
    see.raises(
        "history", lambda: x.map_(torch.ones(2, requires_grad=True), max), phrase="requires grad"
    )
    see.raises("a number", lambda: x.map_(3, max), phrase="must be Tensor")
    see.raises("another shape", lambda: x.map_(torch.ones(3), max))
    see("written", x.map_(torch.tensor(1.5), max))


@program(rules="T-95")
def rounding_to_places_in_every_type(torch, see):
    for name in ("float64", "float32", "float16", "bfloat16"):
        x = torch.tensor([1.25, -2.345, 1234.5678, 0.5, 930.0, 2.675], dtype=getattr(torch, name))
        for places in (0, 1, 2, -1, -2, 7, 300, -300):
            see(f"{name} {places}", torch.round(x, decimals=places))
    see.raises("a fraction", lambda: torch.round(x, decimals=1.5))


@program(rules="T-83 T-95")
def the_second_operand_of_a_triangle(torch, see):
    A = torch.tensor([[2.0, 1.0], [0.0, 4.0]])
    solve = torch.linalg.solve_triangular
    for name in ("float64", "int64", "float16"):
        see(name, solve(A, torch.ones(2, 1, dtype=getattr(torch, name)), upper=True))
    see.raises(
        "a vector", lambda: solve(A, torch.ones(2), upper=True), phrase="at least 2 dimensions"
    )
    see.raises("rows", lambda: solve(A, torch.ones(3, 2), upper=True), phrase="(2x2 and 3x2)")
    see.raises(
        "columns",
        lambda: solve(A, torch.ones(2, 3), upper=True, left=False),
        phrase="(2x2 and 2x3)",
    )


@program(rules="T-83 T-95")
def matrices_in_half_precision(torch, see):
    A = torch.eye(2, dtype=torch.float16)
    linalg = torch.linalg
    for name in (
        "inv",
        "det",
        "slogdet",
        "cholesky",
        "qr",
        "eig",
        "eigh",
        "eigvals",
        "svd",
        "svdvals",
        "pinv",
    ):
        see.raises(name, partial(getattr(linalg, name), A))
    see.raises("solve", lambda: linalg.solve(A, A))
    see("power", linalg.matrix_power(A, 3))


@program(rules="T-95")
def what_shuffles_are_refused(torch, see):
    F = torch.nn.functional
    x = torch.zeros(1, 4, 2, 2)
    for name in ("pixel_shuffle", "pixel_unshuffle", "channel_shuffle"):
        for factor in (0, -2, 2.0, 2.5):
            see.raises(f"{name} {factor}", partial(getattr(F, name), x, factor))
        see.raises(f"{name} of a row", partial(getattr(F, name), torch.zeros(4), 2))


@program(rules="T-95")
def what_dropout_is_refused(torch, see):
    F = torch.nn.functional
    x = torch.ones(4, 4)
    for p in (float("nan"), -0.5, 1.5):
        see.raises(f"p = {p}", lambda p=p: F.dropout(x, p), phrase="dropout probability")
    for dtype in (torch.int64, torch.bool):
        see.raises(f"{dtype}".split(".")[-1], lambda d=dtype: F.dropout(x.to(d), 0.5))
        see(f"all of {dtype.itemsize} bytes", F.dropout(x.to(dtype), 1.0))
    see.raises("a number", lambda: F.dropout(3, training=False))
    for bounds in ((float("nan"), 0.5), (0.1, float("inf"))):
        see.raises(
            f"rrelu {bounds}", lambda b=bounds: F.rrelu(x, *b, training=True), phrase="finite"
        )
    see("turned", F.dropout(x.t()).stride())


@program(rules="T-95")
def a_slope_too_large_for_its_type(torch, see):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.nn.functional.prelu(x, torch.tensor([1e300])).sum().backward()
    see("gradient", x.grad)


@program(rules="T-78 T-95", each=("float64", "float32", "float16", "bfloat16"))
def a_sigmoid_far_below_0_is_not_0(torch, see, name):
    x = torch.tensor([-30.0, -20.0, -12.0, -5.0, 20.0], dtype=getattr(torch, name))
    see("logarithms", torch.sigmoid(x).double().log())


@program(rules="T-78 T-95")
def a_loss_of_saturated_sigmoids_still_learns(torch, see):
    x = torch.tensor([-20.0, -30.0, -80.0], requires_grad=True)
    F = torch.nn.functional
    loss = F.binary_cross_entropy(torch.sigmoid(x), torch.ones(3))
    loss.backward()
    see("loss", loss)
    see("gradient", x.grad)


@program(rules="T-78 T-95")
def xlog1py_near_0(torch, see):
    small = torch.tensor([1e-20, -1e-20, 1e-300, 1e-9], dtype=torch.float64, requires_grad=True)
    out = torch.special.xlog1py(torch.ones(4, dtype=torch.float64), small)
    see("in units of the operand", out / small.detach())
    see.graph("graph", out)
    top = torch.tensor([255, 1], dtype=torch.uint8)
    see("of bytes", torch.special.xlog1py(1.0, top))
    see("of bytes, a number second", torch.special.xlog1py(top, 3))


@program(rules="T-30 T-95", each=("int64", "bool", "complex64"))
def what_is_drawn_fits_the_type(torch, see, name):
    made = torch.zeros(3, dtype=getattr(torch, name))
    draws = ["log_normal_", "cauchy_", "exponential_"]
    draws += ["uniform_", "normal_"] if name != "complex64" else []
    for draw in draws:
        see.raises(draw, getattr(made.clone(), draw))


@program(rules="T-41 T-95")
def means_of_whole_numbers(torch, see):
    F = torch.nn.functional
    x = torch.tensor([[[[-7, -2, 5], [-8, 1, 9], [3, 3, -1]]]])
    see("plane", F.avg_pool2d(x, 2, stride=1))
    see("padded", F.avg_pool2d(x, 2, padding=1))
    see("without padding", F.avg_pool2d(x, 2, padding=1, count_include_pad=False))
    see("divided", F.avg_pool2d(x, 2, divisor_override=-3))
    see("line", F.avg_pool1d(x[0], 2))
    see("volume", F.avg_pool3d(x[None], (1, 2, 2)))
    see("powers", F.lp_pool2d(x, 2, 2))
    see("responses", F.local_response_norm(x, 2))
    see.raises("narrow ones", lambda: F.avg_pool2d(x.int(), 2))
    see("adapted, in half precision", F.adaptive_avg_pool1d(x[0].half() + 8, 2))
    see.raises("maxima without order", lambda: F.adaptive_max_pool2d(x.to(torch.complex64), 2))


@program(rules="T-39 T-95")
def the_triangle_that_a_cholesky_factor_is_of(torch, see):
    a = torch.tensor([[2.0, 0.5], [1.0, 3.0]], dtype=torch.float64, requires_grad=True)
    for upper in (False, True):
        factor = torch.linalg.cholesky(a, upper=upper)
        see(f"factor, upper={upper}", factor)
        see(f"gradient, upper={upper}", torch.autograd.grad(factor.sin().sum(), a))
        see(f"old name, upper={upper}", torch.cholesky(a, upper))
        bad = torch.tensor([[1.0, 0.0], [2.0, 1.0]])
        see(f"minor, upper={upper}", torch.linalg.cholesky_ex(bad, upper=upper).info)
    see("of nothing", torch.cholesky(torch.zeros(0, 2)))


@program(rules="T-39 T-95")
def factors_of_sums_of_products(torch, see):
    bytes_ = torch.full((2, 2), 3, dtype=torch.uint8)
    for factor in (-1, 300, 1.5, -1.0, True, 2j):
        see.attempt(
            f"addmm {factor}", lambda f=factor: torch.addmm(bytes_, bytes_, bytes_, alpha=f)
        )
        see.attempt(
            f"addmm_ {factor}", lambda f=factor: bytes_.clone().addmm_(bytes_, bytes_, beta=f)
        )
        see.attempt(
            f"addr {factor}", lambda f=factor: torch.addr(bytes_, bytes_[0], bytes_[1], beta=f)
        )
    see.raises(
        "a flag", lambda: torch.addr(torch.ones(1, 1), torch.ones(1), torch.ones(1), alpha=True)
    )


@program(rules="T-95 T-36")
def types_and_places_of_results(torch, see):
    F = torch.nn.functional
    small = torch.full((2, 2), 20, dtype=torch.uint8)
    see("bilinear", F.bilinear(small, small, small[None] // 20))
    see("combinations of nothing", torch.combinations(torch.tensor([1, 2]), 0))
    see.raises("of less", lambda: torch.combinations(torch.tensor([1, 2]), -1))
    nan = float("nan")
    line = torch.tensor([[1.0, nan, 3.0, nan, 2.0]])
    see("NaN, 1d", F.adaptive_max_pool1d(line, 2, return_indices=True))
    see("NaN, 2d", F.adaptive_max_pool2d(line[None], (1, 1), return_indices=True))
    see("whole numbers", F.max_pool1d(torch.tensor([[1, 5, 2, 2]]), 2, return_indices=True))
    see("running products", torch.cumprod(torch.tensor([1.5, 2.5]), 0, out=torch.zeros(2).long()))
    see("running sums", torch.cumsum(torch.tensor([1.5, 2.5]), 0, out=torch.zeros(2).long()))
    out = torch.zeros(0)
    F.normalize(torch.tensor([[3.0, 4.0]]), out=out)
    see("normalized", out)
    see("rank of no system", torch.linalg.lstsq(torch.ones(2, 1), torch.zeros(2, 0)).rank)
    many = torch.tensor([1e300, -1.0, 0.0, 3.0], dtype=torch.float64)
    chance = torch.tensor([0.25, 0.5, 0.5, 1.5], dtype=torch.float64)
    see("draws that are sure", torch.binomial(many, chance))


@program(rules="T-95")
def numbers_and_norms_refused(torch, see):
    F = torch.nn.functional
    x = torch.zeros(2)
    see("a number copied", x.clone().copy_(2))
    see("cut off", x.to(torch.int8).copy_(1000))
    see.raises("no number", lambda: x.copy_("a"), phrase="must be Tensor")
    for p in (2, -0.5, float("nan")):
        see.raises(f"bernoulli_ {p}", lambda p=p: x.clone().bernoulli_(p), phrase="to be in [0, 1]")
    for target in (-0.1, 1.5, float("nan")):
        see.raises(
            f"target {target}",
            lambda t=target: F.binary_cross_entropy(x + 0.5, x + t),
            phrase="between 0 and 1",
        )
    weight = torch.ones(1, 3)
    scores, labels = torch.ones(2, 3), torch.tensor([0, 1])
    see.raises("weights", lambda: F.multi_margin_loss(scores, labels, weight=weight))
    see("a flag for the margin", F.multi_margin_loss(scores, labels, margin=True))
    one = torch.ones(2, dtype=torch.complex64)
    see.raises(
        "real", lambda: torch.linalg.vector_norm(one, dtype=torch.float64), phrase="dtype should be"
    )
    see.raises(
        "complex", lambda: torch.linalg.norm(x, dtype=torch.complex64), phrase="dtype should be"
    )
    see.raises(
        "narrow", lambda: torch.norm(x.double(), dtype=torch.float32), phrase="without narrowing"
    )
    see.raises("of whole numbers", lambda: torch.norm(torch.ones(2).long(), dtype=torch.float64))
    see.raises("singular", lambda: torch.cholesky_inverse(torch.tensor([[1.0, 0.0], [1.0, 0.0]])))
    see.raises("counts", lambda: torch.binomial(torch.ones(2).long(), torch.ones(2)))
    see.raises("sizes", lambda: torch.binomial(torch.ones(2), torch.ones(3)))
    see.raises("no scores", lambda: F.multi_margin_loss(torch.ones(0), torch.tensor(0)))
    see.raises("sizes first", lambda: torch.zeros(2, requires_grad=True).resize_())


NUMBERS = {
    "float16": (65504.0, 65505.0, -1e9),
    "bfloat16": (3.38e38, 3.395e38),
    "complex64": (3.4e38, 1e300),
}


@program(rules="T-95", each=tuple(NUMBERS))
def numbers_that_a_narrow_type_does_not_hold(torch, see, name):
    dtype = getattr(torch, name)
    mask = torch.tensor([True, False])
    for value in (*NUMBERS[name], float("inf")):
        see.attempt(f"full {value}", lambda v=value: torch.full((2,), v, dtype=dtype))
        see.attempt(f"fill {value}", lambda v=value: torch.zeros(2, dtype=dtype).fill_(v))
        see.attempt(
            f"mask {value}", lambda v=value: torch.zeros(2, dtype=dtype).masked_fill(mask, v)
        )


TYPES_OF_SUMS = ("bool", "uint8", "int64", "float32", "complex64")


@program(rules="T-95", each=TYPES_OF_SUMS)
def alpha_is_judged_by_the_type_of_the_result(torch, see, name):
    x = torch.tensor([1, 0, 1]).to(getattr(torch, name))
    for alpha in (1, 2, -1, 1.0, 1.5, True, 1j):
        for k, other in enumerate((x, 2, 0.5, torch.tensor(True))):
            for sums in (torch.add, torch.sub, torch.rsub, torch.Tensor.add_):
                see.attempt(
                    f"{sums.__name__} {alpha} {k}",
                    lambda s=sums, a=alpha, o=other: s(x.clone(), o, alpha=a),
                )


@program(rules="T-95")
def slopes_at_equal_distances_leave_out_the_middle(torch, see):
    inf, nan = float("inf"), float("nan")
    x = torch.tensor([1.0, 2.0, inf, 4.0, 5.0, nan, 7.0, 8.0], dtype=torch.float64)
    for edge_order in (1, 2):
        for spacing in (1, 0.5, [2.0]):
            see(
                f"{edge_order} {spacing}",
                torch.gradient(x, spacing=spacing, edge_order=edge_order)[0],
            )
    see("of whole numbers", torch.gradient(torch.tensor([1, 4, 9, 16]))[0])


@program(rules="T-95")
def one_element_or_none_to_reduce(torch, see):
    tiny = torch.tensor([[1e-30, 1e30]], dtype=torch.float32, requires_grad=True)
    for order in (1, 1.5, 2, 3):
        see(f"norm {order}", torch.linalg.vector_norm(tiny, order, dim=0))
    torch.linalg.vector_norm(tiny, dim=0).sum().backward()
    see("its gradient", tiny.grad)
    for make in (torch.prod, torch.var):
        for value in (torch.tensor(0.0), torch.tensor([0.0])):
            x = value.requires_grad_()
            (grad,) = torch.autograd.grad(make(x), x, create_graph=True)
            see(f"{make.__name__} {value.dim()}", [grad, grad.requires_grad])
    see("slices of nothing", [torch.zeros(0, 1).unique_consecutive(dim=0).shape])
    for search in (torch.unique_consecutive, torch.unique):
        see.raises(search.__name__, lambda s=search: s(torch.zeros(0, 1), dim=1))
    see("outer", torch.tensordot(torch.ones(1, 2), torch.tensor(3.0), dims=0))


@program(rules="T-95")
def what_searches_and_norms_refuse(torch, see):
    x = torch.ones(2, 2)
    for p, most in ((2, -1), (2, float("nan")), (0, 1), (-1, 1), (float("nan"), 1)):
        see.raises(f"renorm {p} {most}", lambda p=p, m=most: x.renorm(p, 0, m))
    for value in (True, 1j):
        see.raises(f"isin {value}", lambda v=value: torch.isin(torch.tensor([v]), x))
        see.raises(f"isin of {value}", lambda v=value: torch.isin(x, torch.tensor([v])))
    see("isreal", torch.isreal(torch.tensor([float("nan"), float("inf"), 1.0])))
    for count, offset in ((0, 0), (-1, 16), (-1, 17), (-1, -1)):
        see.raises(
            f"frombuffer {count} {offset}",
            lambda c=count, o=offset: torch.frombuffer(
                bytearray(16), dtype=torch.float64, count=c, offset=o
            ),
        )
    see.raises("no type", lambda: torch.frombuffer(bytearray(16), dtype=None))
    see.raises("in whole numbers", lambda: torch.tensor([3]).mvlgamma_(1))
    see.raises("rates", lambda: torch.poisson(torch.tensor(float("nan"))))
    see.raises("lu", lambda: torch.lu(torch.tensor([[1]])))
    see.raises("three dims", lambda: torch.norm(torch.ones(1, 1, 1), dim=(0, 1, 2)))
    leaf = x.clone().requires_grad_()
    see.raises("a leaf", lambda: leaf.index_put_((torch.tensor([0]),) * 3, x))
    see("of no dims", torch.fft.fftn(torch.tensor(1 + 1j)))
    see("in C order", [torch.ones(3, 4).t().cumsum(d).stride() for d in (0, 1)])


FRESH = {
    "bilinear": lambda torch, x: torch.nn.functional.bilinear(
        x, x, torch.ones(1, 4, 4, dtype=x.dtype), x[0, :1]
    ),
    "roll": lambda torch, x: x.roll(1),
    "kron": lambda torch, x: torch.kron(x, x),
    "affine_grid": lambda torch, x: torch.nn.functional.affine_grid(
        x[:, :3].reshape(1, 2, 3), (1, 1, 2, 2), align_corners=True
    ),
}


@program(rules="E-73", each=list(FRESH))
def a_result_of_its_own_memory_keeps_its_hook_when_it_is_written(torch, see, name):
    x = torch.tensor(wave(2, 4), dtype=torch.float64).requires_grad_()
    y = FRESH[name](torch, x)
    see("a view", y._is_view(), expect=False)
    y.register_hook(lambda grad: grad * 0.5)
    y.mul_(2.0)
    y.sum().backward()
    see("gradient", x.grad)
