"""What has no derivative (T-84), half precision (T-87), convolutions (T-88)."""

from tests.oracle.data import wave
from tests.oracle.points import watch
from tests.oracle.registry import program

_STEPS = {
    "heaviside": lambda torch, x: torch.heaviside(x, x.detach()),
    "histc": lambda torch, x: torch.histc(x),
    "argmax": lambda torch, x: x.argmax(),
    "argmin": lambda torch, x: x.argmin(0),
    "argsort": lambda torch, x: x.argsort(),
    "nonzero": lambda torch, x: x.nonzero(),
    "bucketize": lambda torch, x: torch.bucketize(x, torch.tensor([0.0])),
    "searchsorted": lambda torch, x: torch.searchsorted(torch.tensor([0.0]), x),
    "bincount": lambda torch, x: torch.bincount(x.detach().long().abs()),
    "count_nonzero": lambda torch, x: x.count_nonzero(),
    "isnan": lambda torch, x: x.isnan(),
    "comparison": lambda torch, x: x < 1,
    "logical_not": lambda torch, x: x.logical_not(),
    "floor_divide": lambda torch, x: x // 2,
    "floor_divide by a tensor": lambda torch, x: torch.floor_divide(x, x.detach()),
    "div, floor": lambda torch, x: torch.div(x, 2, rounding_mode="floor"),
    "div, trunc": lambda torch, x: torch.div(x, x.detach(), rounding_mode="trunc"),
    "signbit": lambda torch, x: x.signbit(),
    "nextafter": lambda torch, x: torch.nextafter(x, x.detach()),
    "long": lambda torch, x: x.long(),
    "sign": lambda torch, x: x.sign(),
    "sgn": lambda torch, x: x.sgn(),
    "matrix_rank": lambda torch, x: torch.linalg.matrix_rank(x[None]),
    "multinomial": lambda torch, x: torch.multinomial(x.abs(), 1),
    "bernoulli": lambda torch, x: torch.bernoulli(x.abs().clamp(0, 1)),
    "poisson": lambda torch, x: torch.poisson(x.abs()),
    "zeros_like": lambda torch, x: torch.zeros_like(x),
    "igamma by its first": lambda torch, x: torch.special.gammainc(x.abs() + 1, x.detach().abs()),
    "zeta by its first": lambda torch, x: torch.special.zeta(x.abs() + 2, x.detach().abs()),
}


@program(rules="T-84", each=_STEPS)
def no_derivative(torch, see, name):
    x = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)

    def run():
        out = _STEPS[name](torch, x)
        if not out.requires_grad:
            return "silently nothing"
        return torch.autograd.grad(out.sum(), x)[0]

    see.attempt(name, run)


@program(rules="T-84")
def integers_and_bools_never_require_grad(torch, see):
    for name in ("int64", "bool", "uint8"):
        ones = torch.ones(2, dtype=getattr(torch, name))
        make = lambda d=ones.dtype: torch.ones(2, dtype=d, requires_grad=True)  # noqa: E731
        see.raises(name, make, phrase="floating point")
        see.raises(f"later, {name}", ones.requires_grad_)


@program(rules="T-84")
def the_values_of_unique(torch, see):
    x = torch.tensor([2.0, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
    total = torch.unique(x).sum()
    see.differs(
        "gradient",
        see.outcome(lambda: torch.autograd.grad(total, x)[0]),
        torch=RuntimeError,
        vizgrad=[1, 1, 0],
        because="T-84: a value of unique is one of the elements",
    )


@program(rules="T-87")
def half_precision_accumulates_in_single(torch, see):
    many = torch.full((4096,), 1.0, dtype=torch.float16)
    see("sum of ones", many.sum(), expect=4096)
    tenth = torch.full((10000,), 0.1, dtype=torch.float16)
    see("sum of tenths", tenth.sum(), expect=1000)
    see("mean", tenth.mean())
    big = torch.full((64,), 600.0, dtype=torch.float16)
    see("mean of a sum too large", big.mean(), expect=600)
    see("beyond the largest", torch.full((200,), 600.0, dtype=torch.float16).sum())
    see("var", torch.tensor([1.0, 2.0, 4.0, 300.0] * 50, dtype=torch.float16).var())
    see("norm", torch.full((100,), 200.0, dtype=torch.float16).norm(), expect=2000)
    see("softmax", torch.softmax(torch.linspace(-4, 4, 2000).half(), 0).float().sum().item() > 0.9)
    see("logsumexp", torch.zeros(5000, dtype=torch.float16).logsumexp(0))
    x = tenth.clone().requires_grad_()
    (x * 1).sum().backward()
    see("gradient", x.grad.sum())
    one = torch.tensor(0.5, dtype=torch.float16, requires_grad=True)
    (g,) = torch.autograd.grad(one.expand(4096).sum(), one)
    see("of what is expanded", g, expect=4096)
    see("matrix product", torch.full((1, 2048), 1.0).half() @ torch.full((2048, 1), 1.0).half())


@program(rules="T-87")
def sums_of_single_precision_lose_little(torch, see):
    many = torch.full((1000003,), 0.1, dtype=torch.float32)
    see("sum", abs(many.sum().item() / 100000.3 - 1) < 1e-6, expect=True)
    see("mean", abs(many.mean().item() / 0.1 - 1) < 1e-6, expect=True)


_CONVS = {
    "plain": {},
    "padding": {"padding": 1},
    "padding of two": {"padding": (2, 0)},
    "valid": {"padding": "valid"},
    "same": {"padding": "same"},
    "same, dilated": {"padding": "same", "dilation": 2},
    "same, even kernel": {"padding": "same", "kernel": 2},
    "stride": {"stride": 2},
    "stride of two": {"stride": (1, 2), "padding": 1},
    "dilation": {"dilation": 2},
    "groups": {"groups": 2},
    "depthwise": {"groups": 4, "padding": 1},
    "kernel 1": {"kernel": 1},
    "all": {"stride": 2, "padding": 2, "dilation": 2, "groups": 2},
}


def _take(given, dims):
    """The options for so many dimensions; a pair says nothing of three."""
    return {k: v if not isinstance(v, tuple) or len(v) == dims else v[0] for k, v in given.items()}


@program(rules="T-88", each=_CONVS)
def convolutions_of_every_rank(torch, see, name):
    F = torch.nn.functional
    options = dict(_CONVS[name])
    kernel, groups = options.pop("kernel", 3), options.get("groups", 1)
    for dims in (1, 2, 3):
        size = (6, 7, 5)[:dims]
        fn = getattr(F, f"conv{dims}d")
        given = _take(options, dims)
        image, weight = wave(2, 4, *size), wave(4, 4 // groups, *(kernel,) * dims, seed=2)
        watch(torch, see, f"{dims}d", lambda x, w, b, f=fn, g=given: f(x, w, b, **g),
              image, weight, wave(4, seed=5), types=["float64"], twice=dims < 3)  # fmt: skip
        plain = getattr(torch, f"conv{dims}d")(
            torch.tensor(image[0]), torch.tensor(weight), **given
        )
        see(f"{dims}d, one image", plain)


@program(rules="T-88")
def the_gradient_for_the_input_is_a_transposed_convolution(torch, see):
    F = torch.nn.functional
    x = torch.tensor(wave(1, 2, 5, 6), dtype=torch.float64, requires_grad=True)
    w = torch.tensor(wave(3, 2, 3, 2, seed=1), dtype=torch.float64)
    out = F.conv2d(x, w, stride=2, padding=1)
    g = torch.tensor(wave(*out.shape, seed=2), dtype=torch.float64)
    (found,) = torch.autograd.grad(out, x, g)
    back = F.conv_transpose2d(g, w, stride=2, padding=1)
    see("difference", (found - back).abs().max().item() < 1e-12, expect=True)


@program(rules="T-88")
def gradients_nobody_asks_for_are_not_made(torch, see):
    F = torch.nn.functional
    made = {"x": wave(1, 2, 4, 4), "w": wave(2, 2, 3, 3, seed=1), "b": wave(2, seed=2)}
    for wanted in ("x", "w", "b", "xw", "xb", "wb", "xwb"):
        t = {
            k: torch.tensor(v, dtype=torch.float64, requires_grad=k in wanted)
            for k, v in made.items()
        }
        out = F.conv2d(t["x"], t["w"], t["b"])
        edges = [fn is not None for fn, _ in out.grad_fn.next_functions]
        see(f"{wanted}: edges", edges, expect=[k in wanted for k in "xwb"])
        out.sum().backward()
        see(f"{wanted}: gradients", [t[k].grad for k in "xwb"])


@program(rules="T-88")
def convolutions_that_are_refused(torch, see):
    F = torch.nn.functional
    x, w = torch.ones(1, 2, 4, 4), torch.ones(2, 2, 3, 3)
    see.raises(
        "same with a stride", lambda: F.conv2d(x, w, padding="same", stride=2), phrase="strided"
    )
    see.raises("unknown padding", lambda: F.conv2d(x, w, padding="full"))
    see.raises("negative padding", lambda: F.conv2d(x, w, padding=-1), phrase="negative")
    see.raises("stride 0", lambda: F.conv2d(x, w, stride=0))
    see.raises("dilation 0", lambda: F.conv2d(x, w, dilation=0))
    see.raises("groups", lambda: F.conv2d(x, w, groups=3))
    see.raises("channels", lambda: F.conv2d(torch.ones(1, 3, 4, 4), w), phrase="channels")
    see.raises(
        "kernel too large", lambda: F.conv2d(torch.ones(1, 2, 2, 2), w), phrase="Kernel size"
    )
    see.raises("bias", lambda: F.conv2d(x, w, torch.ones(3)))
    see.raises("dims", lambda: F.conv2d(torch.ones(4, 4), w))
    see.raises("dtypes", lambda: F.conv2d(x.double(), w))
