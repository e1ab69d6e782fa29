"""Operations on complex numbers: value, gradient by PyTorch's convention, second derivative."""

from functools import partial

from tests.oracle.data import complex_wave, wave
from tests.oracle.registry import program as plain_program

program = partial(plain_program, milestone="complex")

_ELEMENTWISE = [
    "neg",
    "exp",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
    "square",
    "abs",
    "sgn",
    "angle",
    "conj_physical",
]


@program(rules="T-33", each=_ELEMENTWISE)
def of_one_number(torch, see, name):
    values = complex_wave(2, 3, low=0.15, high=1.2)
    see.derivatives(name, getattr(torch, name), values, dtype="complex128")


_PAIRS = {
    "add": lambda torch, a, b: a + b,
    "sub with alpha": lambda torch, a, b: torch.sub(a, b, alpha=2 - 1j),
    "mul": lambda torch, a, b: a * b,
    "div": lambda torch, a, b: a / b,
    "rdiv": lambda torch, a, b: (2 + 1j) / a + b,
    "rsub": lambda torch, a, b: (2 + 1j) - a * b,
    "number": lambda torch, a, b: a * (2 - 3j) + b,
    "pow": lambda torch, a, b: a**b,
    "square": lambda torch, a, b: a**2 + b**3,
    "a complex power": lambda torch, a, b: a ** (1.5 + 1j) + b**-1,
    "lerp": lambda torch, a, b: torch.lerp(a, b, 0.3),
    "addcmul": lambda torch, a, b: torch.addcmul(a, a, b, value=2),
    "addcdiv": lambda torch, a, b: torch.addcdiv(a, a, b, value=2),
    "conj": lambda torch, a, b: a.conj() * b,
    "real": lambda torch, a, b: a.real * b,
    "imag": lambda torch, a, b: a.imag * b,
    "where": lambda torch, a, b: torch.where(a.real > 0, a, b),
    "masked_fill": lambda torch, a, b: (a * b).masked_fill(a.real > 0.1, 2j),
    "mse of sizes": lambda torch, a, b: (a.abs() - b.abs()) ** 2,
    "view_as_real": lambda torch, a, b: torch.view_as_real(a * b) ** 2,
    "there and back": lambda torch, a, b: torch.view_as_complex(torch.view_as_real(a * b) * 2),
}


@program(rules="T-34", each=_PAIRS)
def of_two_numbers(torch, see, name):
    a, b = complex_wave(2, 3, low=0.2, high=1.2), complex_wave(3, low=0.2, high=1.2, seed=5)
    see.derivatives(name, partial(_PAIRS[name], torch), a, b, dtype="complex128")


_SHAPES = {
    "sum": lambda torch, a: a.sum(),
    "sum over a dim": lambda torch, a: a.sum(0, keepdim=True),
    "mean": lambda torch, a: a.mean(1),
    "prod": lambda torch, a: a.prod(),
    "prod over a dim": lambda torch, a: a.prod(1),
    "cumsum": lambda torch, a: a.cumsum(1),
    "cumprod": lambda torch, a: a.cumprod(1),
    "index": lambda torch, a: a[[0, 0], [1, 2]],
    "slice": lambda torch, a: a[:, 1:] * 1j,
    "transpose": lambda torch, a: a.mT * 1j,
    "mH": lambda torch, a: a.mH * 1j,
    "H": lambda torch, a: a.H * 1j,
    "reshape": lambda torch, a: (a * 1j).reshape(-1),
    "cat": lambda torch, a: torch.cat([a, a * 1j]),
    "stack": lambda torch, a: torch.stack([a, a * 1j]),
    "flip": lambda torch, a: a.flip(0) * 1j,
    "roll": lambda torch, a: a.roll(1, 0) * 1j,
    "gather": lambda torch, a: a.gather(1, torch.tensor([[0, 0], [1, 2]])),
    "diagonal": lambda torch, a: a.diagonal() * a[0, 0],
    "tril": lambda torch, a: a.tril() * 1j,
    "unbind": lambda torch, a: a.unbind(0)[1] * a.unbind(0)[0],
    "split": lambda torch, a: a.split(2, 1)[0] * 1j,
    "expand": lambda torch, a: a[0].expand(4, 3) * 1j,
    "repeat": lambda torch, a: a.repeat(2, 1) * 1j,
    "real view": lambda torch, a: a.real.sum() + a.imag.prod(),
    "vector_norm": lambda torch, a: torch.linalg.vector_norm(a, dim=1),
    "norm": lambda torch, a: torch.norm(a),
    "1-norm": lambda torch, a: torch.linalg.vector_norm(a, ord=1),
    "var": lambda torch, a: a.var(1),
    "std": lambda torch, a: a.std(),
    "to single": lambda torch, a: a.to(torch.complex64).to(torch.complex128),
}


@program(rules="T-36 T-37 T-38", each=_SHAPES)
def of_one_matrix(torch, see, name):
    values = complex_wave(2, 3, low=0.2, high=1.2)
    see.derivatives(name, partial(_SHAPES[name], torch), values, dtype="complex128")


_PRODUCTS = {
    "mm": lambda torch, a, b: a @ b,
    "with a vector": lambda torch, a, b: a @ b[:, 0],
    "bmm": lambda torch, a, b: torch.bmm(a[None], b[None]),
    "addmm": lambda torch, a, b: torch.addmm(a @ b, a, b, beta=2, alpha=1j),
    "dot": lambda torch, a, b: torch.dot(a[0], b[:, 0]),
    "vdot": lambda torch, a, b: torch.vdot(a[0], b[:, 0]),
    "outer": lambda torch, a, b: torch.outer(a[0], b[0]),
    "einsum": lambda torch, a, b: torch.einsum("ij,jk->ki", a, b),
    "linear": lambda torch, a, b: torch.nn.functional.linear(a, b.mT, b[0]),
    "tensordot": lambda torch, a, b: torch.tensordot(a, b, dims=1),
    "kron": lambda torch, a, b: torch.kron(a, b),
}


@program(rules="T-39", each=_PRODUCTS)
def of_two_matrices(torch, see, name):
    a, b = complex_wave(2, 3), complex_wave(3, 2, seed=5)
    see.derivatives(name, partial(_PRODUCTS[name], torch), a, b, dtype="complex128")


_TO_COMPLEX = {
    "complex": lambda torch, a, b: torch.complex(a, b),
    "polar": lambda torch, a, b: torch.polar(a, b),
    "times i": lambda torch, a, b: a * 1j + b,
    "to": lambda torch, a, b: (a * b).to(torch.complex128) * 1j,
    "view_as_complex": lambda torch, a, b: torch.view_as_complex(torch.stack([a, b], -1)) ** 2,
    "angle": lambda torch, a, b: torch.angle(a) + b,
    "exp of a phase": lambda torch, a, b: torch.exp(1j * a) * b,
}


@program(rules="T-30 T-33", each=_TO_COMPLEX)
def from_real_numbers(torch, see, name):
    a, b = wave(2, 3, low=0.2, high=1.2), wave(2, 3, low=0.2, high=1.2, seed=5)
    see.derivatives(name, partial(_TO_COMPLEX[name], torch), a, b)


@program(rules="T-70", each=("abs", "sgn", "angle"))
def at_zero(torch, see, name):
    x = torch.tensor([0j, 1 + 0j], dtype=torch.complex128, requires_grad=True)
    y = getattr(torch, name)(x)
    see("value", y)
    see("gradient", torch.autograd.grad(y, x, torch.ones_like(y))[0])


@program(rules="V-20 V-31 T-31")
def parts_are_views(torch, see):
    x = torch.tensor(complex_wave(3), dtype=torch.complex128, requires_grad=True)
    a = x * 1
    a.real.mul_(2)
    a.imag[1:] = 0
    see("value", a)
    see("versions", [a._version, a.real._version])
    see.graph("history", a)
    see("gradient", torch.autograd.grad(a, x, torch.ones_like(a) * (1 + 2j))[0])
    pairs = torch.tensor(wave(3, 2), dtype=torch.float64, requires_grad=True)
    b = pairs * 1
    torch.view_as_complex(b).mul_(1j)
    see("rotated", b)
    see("its gradient", torch.autograd.grad((b * b).sum(), pairs)[0])
    see("is a view", [a.real._is_view(), a.real._base is a, torch.view_as_complex(b)._base is b])


@program(rules="V-31")
def a_real_view_follows_its_base(torch, see):
    x = torch.tensor(complex_wave(3), dtype=torch.complex128, requires_grad=True)
    a = x * 1
    v = a.imag
    a.mul_(1 + 1j)
    see("value", v)
    see("gradient", torch.autograd.grad((v * v).sum(), x)[0])


@program(rules="E-20 E-9")
def what_is_refused(torch, see):
    x = torch.tensor(complex_wave(3), dtype=torch.complex128, requires_grad=True)
    see("may require grad", x.requires_grad)
    see.raises("imag of real", lambda: x.abs().imag, phrase="non-complex")
    see.raises("as real", lambda: torch.view_as_real(x.abs()), phrase="complex tensors")
    see.raises("last size", lambda: torch.view_as_complex(torch.ones(3)), phrase="size 2")
    see.raises("last stride", lambda: torch.view_as_complex(torch.ones(2, 2).mT), phrase="stride 1")
    see.raises("two types", lambda: torch.complex(torch.ones(2), torch.ones(2).double()))
    see.raises("max", x.max)
    see.raises("less", lambda: x < x)
    see.raises("floor", x.floor)
    see.raises("sign", x.sign, phrase="complex")
    see.raises("implicit gradient", x.sum().backward, phrase="real scalar")
    see.raises(
        "a complex gradient for a real root",
        lambda: x.abs().sum().backward(torch.tensor(1j, dtype=torch.complex128)),
        phrase="same dtype",
    )
    see.raises("into real memory", lambda: torch.ones(3).mul_(1j), phrase="can't be cast")


@program(rules="E-70 E-64")
def hooks_and_leaves(torch, see):
    seen = []
    x = torch.tensor(complex_wave(3), dtype=torch.complex128, requires_grad=True)
    y = x * (2 + 1j)
    y.register_hook(lambda grad: seen.append(grad.clone()) or grad * 1j)
    (y * y.conj()).real.sum().backward()
    see("in the hook", seen)
    see("at the leaf", x.grad)
    (x.real**2).sum().backward()
    see("accumulated", x.grad)
    see("dtype", x.grad.dtype)


@program(rules="T-1 T-31")
def attributes_and_conversions(torch, see):
    x = torch.tensor([[1 + 2j, 3 - 1j]])
    see("dtype", x.dtype)
    see("kinds", [x.is_complex(), x.is_floating_point(), x.dtype.is_complex, x.element_size()])
    see("numbers", [x[0, 0].item(), x.tolist(), complex(x[0, 1])])
    see("isreal", torch.isreal(torch.tensor([1 + 0j, 1j])))
    see("real of real is itself", torch.ones(2).real.dtype)
    see("equal", (x == x.conj().conj()).all())
    see("resolve_conj", x.conj().resolve_conj())
    see("close", torch.allclose(x, x + 1e-9))
    see("finite", torch.isfinite(x))
    x.real = torch.tensor([[5.0, 6.0]])
    see("written", x)
    see("version", x._version)
    see("zeros", torch.zeros(2, dtype=torch.cfloat))
    see("full", torch.full((2,), 1 + 1j))
    see("eye", torch.eye(2, dtype=torch.complex128))


_INVERSES = ("asin", "acos", "atan", "asinh", "acosh", "atanh", "log", "sqrt", "rsqrt", "log1p")


@program(rules="T-33", each=_INVERSES)
def in_all_four_quadrants(torch, see, name):
    """Functions of several branches: a formula may hold on one half-plane only."""
    z = [complex(x, y) for x in (-1.5, -0.4, 0.3, 1.7) for y in (-1.2, 0.6)]
    see.derivatives(name, getattr(torch, name), z, dtype="complex128")


_BESIDE_COMPLEX_NUMBERS = {
    "number - tensor": lambda torch, x: 1j - x,
    "equal to a real number - tensor": lambda torch, x: (x - 1.0) + ((1 + 0j) - x),
    "tensor - number": lambda torch, x: x - 1j,
    "rsub": lambda torch, x: torch.rsub(x, 2 - 1j),
    "number / tensor": lambda torch, x: 1j / x,
    "number ** tensor": lambda torch, x: (1 + 1j) ** x,
    "tensor ** number": lambda torch, x: x ** (1 + 1j),
}


@program(rules="T-3 T-6", each=_BESIDE_COMPLEX_NUMBERS)
def real_tensors_beside_complex_numbers(torch, see, name):
    x = torch.tensor([0.5, 1.5], requires_grad=True)
    y = _BESIDE_COMPLEX_NUMBERS[name](torch, x)
    see("value", y)
    see("dtype", y.dtype)
    see("gradient", torch.autograd.grad(y, x, torch.full_like(y, 1 + 2j))[0])


@program(rules="T-7")
def ranges_between_complex_numbers(torch, see):
    see("linspace", torch.linspace(0, 1 + 1j, 5))
    see("logspace", torch.logspace(0, 1j, 3))
    see("double", torch.linspace(1j, 2, 3, dtype=torch.complex128))


@program(rules="T-1")
def types_of_parts(torch, see):
    for name in ("float32", "float64", "complex64", "complex128"):
        dtype = getattr(torch, name)
        see(name, [dtype.to_complex(), dtype.to_real()])
    see.raises("integers", torch.int64.to_complex, phrase="Unknown Complex ScalarType")


@program(rules="T-3")
def real_tensors_hold_no_complex_number(torch, see):
    x = torch.ones(2)
    see.raises("fill_", lambda: x.fill_(1j), phrase="without overflow")
    see.raises("assigning", lambda: x.__setitem__(0, 1j), phrase="without overflow")
    see("value", x)
