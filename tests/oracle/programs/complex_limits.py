"""Complex numbers where they are refused, or are asked to be real."""

from tests.oracle.data import complex_wave
from tests.oracle.registry import program

_INF, _NAN = float("inf"), float("nan")

_ACTIVATIONS = [
    "relu",
    "leaky_relu",
    "elu",
    "celu",
    "selu",
    "gelu",
    "mish",
    "softplus",
    "logsigmoid",
    "hardtanh",
    "relu6",
    "hardsigmoid",
    "hardswish",
    "hardshrink",
    "softshrink",
    "glu",
    "rrelu",
]
_LOSSES = ["mse_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"]


@program(rules="T-41", each=_ACTIVATIONS)
def activations_of_real_numbers_alone(torch, see, name):
    z = torch.tensor(complex_wave(2, 2))
    see.raises(name, lambda: getattr(torch.nn.functional, name)(z))


@program(rules="T-41", each=("elu_", "leaky_relu_", "relu_", "hardtanh_"))
def in_place_too(torch, see, name):
    z = torch.tensor(complex_wave(2, 2))
    see.raises(name, lambda: getattr(torch.nn.functional, name)(z))
    see("unchanged", z)


@program(rules="T-42", each=_LOSSES)
def losses_of_real_numbers_alone(torch, see, name):
    a, b = torch.tensor(complex_wave(2, 2)), torch.tensor(complex_wave(2, 2, seed=3))
    see.raises(name, lambda: getattr(torch.nn.functional, name)(a, b), phrase="not implemented for")


@program(rules="T-25 T-32")
def a_complex_number_as_a_real_one(torch, see):
    for name in ("complex64", "complex128"):
        real, other = (torch.tensor(v, dtype=getattr(torch, name)) for v in (2 + 0j, 2 + 1j))
        see(f"float, {name}", (float(real), int(real), bool(real), complex(other)))
        see.raises(f"float of other, {name}", lambda z=other: float(z), phrase="without overflow")
        see.raises(f"int of other, {name}", lambda z=other: int(z), phrase="without overflow")
        see.raises(f"index, {name}", lambda z=real: [1, 2, 3][z])


@program(rules="T-34 T-78")
def sums_of_exponentials(torch, see):
    pairs = complex_wave(3, 4, low=-2, high=2), complex_wave(3, 4, low=-2, high=2, seed=5)
    a, b = (torch.tensor(p, dtype=torch.complex128, requires_grad=True) for p in pairs)
    weights = torch.tensor(complex_wave(3, 4, seed=9), dtype=torch.complex128)
    for name, made in (
        ("logaddexp", torch.logaddexp(a, b)),
        ("logcumsumexp", torch.logcumsumexp(a, 1)),
        ("the other way", torch.logcumsumexp(b, 0)),
    ):
        see(name, made.detach())
        see(f"{name}: gradients", torch.autograd.grad(made, (a, b), weights, allow_unused=True))
    one, two = (torch.tensor(p, dtype=torch.complex64) for p in pairs)
    see("single", torch.logaddexp(one, two))
    see("single, running", torch.logcumsumexp(one, 1))
    far = torch.tensor([1000 + 1j, -1000 + 2j, 1000 - 1j], dtype=torch.complex128)
    see("far", torch.logaddexp(far, far.flip(0)))
    see("one -inf", torch.logaddexp(torch.tensor(complex(-_INF, 0)), torch.tensor(1 + 1j)))
    see("beside a real", torch.logaddexp(torch.tensor([1.0]), torch.tensor([1 + 1j])))


@program(rules="T-30")
def random_complex_numbers(torch, see):
    for name in ("complex64", "complex128"):
        dtype = getattr(torch, name)
        z = torch.randn(20000, dtype=dtype)
        see(f"{name}, normal", (z.dtype, z.shape))
        see(
            f"{name}, the mean of |z|^2 is 1",
            abs((z.abs() ** 2).mean().item() - 1) < 0.05,
            expect=True,
        )
        see(f"{name}, each part has half", abs(z.imag.var().item() - 0.5) < 0.03, expect=True)
        u = torch.rand(2000, dtype=dtype)
        inside = [bool(((p >= 0) & (p < 1)).all()) for p in (u.real, u.imag)]
        see(f"{name}, even", (u.dtype, inside), expect=(name, [True, True]))
        see(f"{name}, like", (torch.randn_like(z).dtype, torch.rand_like(z).dtype))
    see("requires grad", torch.randn(2, dtype=torch.complex64, requires_grad=True).requires_grad)
