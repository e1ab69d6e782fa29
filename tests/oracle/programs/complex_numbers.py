"""Complex tensors: gradients are conjugate Wirtinger derivatives."""

from tests.oracle.registry import program

_VALUES = [1 + 2j, -0.5 + 0.3j, 0.2 - 1j]


def _leaf(torch):
    return torch.tensor(_VALUES, dtype=torch.complex128, requires_grad=True)


@program(rules="T-2 T-3")
def promotion_with_complex(torch, see):
    see("float * 1j", (torch.ones(1) * 1j).dtype, expect="complex64")
    see("double * 1j", (torch.ones(1, dtype=torch.float64) * 1j).dtype, expect="complex128")
    see(
        "f64 + c64",
        (torch.ones(1, dtype=torch.float64) + torch.ones(1, dtype=torch.complex64)).dtype,
    )
    see("int * 1j", (torch.ones(1, dtype=torch.int64) * 1j).dtype)


@program(
    rules="T-33",
    each=("exp", "sin", "cos", "tanh", "sqrt", "log", "reciprocal", "neg", "square", "sigmoid"),
)
def holomorphic_functions(torch, see, name):
    x = _leaf(torch)
    y = getattr(torch, name)(x)
    see("value", y)
    weight = torch.tensor([1 + 1j, 2 - 1j, 0.5j], dtype=torch.complex128)
    see("gradient", torch.autograd.grad(y, x, weight)[0])


@program(rules="T-33", each=("abs", "angle", "real", "imag"))
def to_the_reals(torch, see, name):
    x = _leaf(torch)
    y = getattr(x, name) if name in ("real", "imag") else getattr(torch, name)(x)
    see("value", y)
    see("gradient", torch.autograd.grad(y.sum(), x)[0])


@program(rules="T-34")
def arithmetic(torch, see):
    a, b = (
        _leaf(torch),
        torch.tensor([2 - 1j, 1j, 3 + 0j], dtype=torch.complex128, requires_grad=True),
    )
    weight = torch.tensor([1 + 1j, 2 - 1j, 0.5j], dtype=torch.complex128)
    for name, y in (
        ("add", a + b),
        ("mul", a * b),
        ("div", a / b),
        ("pow", a**2),
        ("conj", a.conj() * b),
    ):
        see(name, torch.autograd.grad(y, [a, b], weight, allow_unused=True))


@program(rules="E-20")
def a_complex_root_needs_a_gradient(torch, see):
    x = _leaf(torch)
    see.raises("sum", (x * x).sum().backward, phrase="real scalar")


@program(rules="F-65")
def a_complex_gradient_for_a_real_argument(torch, see):
    class Turn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 1j

    x = torch.ones(2, requires_grad=True)
    see.raises("custom", lambda: Turn.apply(x).sum().backward(), phrase="complex")
    real, z = torch.ones(3, dtype=torch.float64, requires_grad=True), _leaf(torch)
    see("a product's is made real", torch.autograd.grad((real * z).abs().sum(), real)[0])


@program(rules="T-39")
def products(torch, see):
    a = torch.tensor([[1 + 1j, 2j], [0.5 + 0j, -1j]], dtype=torch.complex128, requires_grad=True)
    y = a @ a
    see("value", y)
    see("gradient", torch.autograd.grad(y.abs().sum(), a)[0])
