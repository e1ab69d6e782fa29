"""Gradients whose type an operand of integers does not decide; branches of complex functions; overlaps."""

from tests.oracle.registry import program

_FLOATS = [0.5, 2.0, -3.0]


@program(rules="X-40", each=("int64", "int32", "int8", "uint8"))
def an_exponent_of_integers(torch, see, dtype):
    negative = dtype != "uint8"
    exponents = [-3, 2, 1, 0] if negative else [3, 2, 1, 0]
    for floating in ("float32", "float64"):
        for e in (exponents[0], exponents):
            exponent = torch.tensor(e, dtype=getattr(torch, dtype))
            base = [0.5, 2.0, -3.0, 1.5]
            for name, fn in {
                "operator": lambda x, e=exponent: x**e,
                "pow": lambda x, e=exponent: torch.pow(x, e),
                "pow_": lambda x, e=exponent: x.clone().pow_(e),
                "float_power": lambda x, e=exponent: torch.float_power(x, e),
            }.items():
                x = torch.tensor(base, dtype=getattr(torch, floating), requires_grad=True)
                y = fn(x)
                (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
                see(f"{name} {floating} {e}", (y.detach(), g.detach()))
                if g.requires_grad and negative:
                    see(f"{name} {floating} {e} twice", torch.autograd.grad(g.sum(), x)[0])


@program(
    rules="X-40", each=("mul", "div", "atan2", "xlogy", "where", "maximum", "copysign", "outer")
)
def an_operand_of_integers_beside_a_floating_one(torch, see, name):
    for dtype in ("int64", "int8", "bool"):
        other = torch.tensor(
            [1, 0, 1] if dtype == "bool" else [-3, 2, 1], dtype=getattr(torch, dtype)
        )
        for floating in ("float32", "float64"):
            x = torch.tensor(_FLOATS, dtype=getattr(torch, floating), requires_grad=True)
            y = torch.where(x > 0, x, other) if name == "where" else getattr(torch, name)(x, other)
            (g,) = torch.autograd.grad(y[torch.isfinite(y)].sum(), x)
            see(f"{dtype} {floating}", (y.detach(), g))


_COMPLEX = [-2 + 4j, -0.5 - 3.5j, 4j, 1.5 + 4j, -1 - 1e-9j, 0.3 + 2j]


_BRANCHED = (
    "logsumexp", "logaddexp", "logcumsumexp", "log", "log2", "log1p", "sqrt", "power",
    "complex power", "base", "self power", "asin", "acos", "atan", "asinh", "atanh",
)  # fmt: skip


@program(rules="X-44", each=_BRANCHED)
def complex_functions_keep_their_branch(torch, see, name):
    fn = {
        "logsumexp": lambda z: z.logsumexp(0),
        "logaddexp": lambda z: torch.logaddexp(z, z * 2),
        "logcumsumexp": lambda z: z.logcumsumexp(0),
        "power": lambda z: z**1.5,
        "complex power": lambda z: z ** (0.3 + 1j),
        "base": lambda z: 2.0**z,
        "self power": lambda z: z**z,
    }.get(name) or getattr(torch, name)
    for pair in zip(_COMPLEX, _COMPLEX[1:] + _COMPLEX[:1], strict=True):
        z = torch.tensor(pair, dtype=torch.complex128, requires_grad=True)
        y = fn(z)
        see(f"value {pair}", y.detach())
        see(f"gradient {pair}", torch.autograd.grad(y.sum().real + y.sum().imag * 2, z)[0])


@program(rules="X-45", each=("max", "min", "median", "nanmedian", "amax", "amin", "norm"))
def an_extreme_after_a_write_past_the_counter(torch, see, name):
    for value in (9.0, 0.0, float("nan")):
        x = torch.tensor([1.0, 5.0, 2.0], dtype=torch.float64, requires_grad=True)
        y = x * 1
        r = y.norm(float("inf")) if name == "norm" else getattr(y, name)()
        y.data.fill_(value)
        if name != "norm" or value == value:
            see(f"operand {value}", torch.autograd.grad(r, x)[0])
    x = torch.tensor([1.0, 5.0, 2.0], dtype=torch.float64, requires_grad=True)
    r = x.norm(float("inf")) if name == "norm" else getattr(x * 1, name)()
    r.data.add_(1)
    see("result", torch.autograd.grad(r, x)[0])


@program(rules="X-47", each=("complex128", "float64"))
def gradients_of_overlapping_views_add_up_once(torch, see, dtype):
    values = torch.arange(6.0, dtype=torch.float64) + 1
    x = (values + (0.5j * values if dtype == "complex128" else 0)).requires_grad_()
    for name, fn in {
        "unfold": lambda a: a.unfold(0, 3, 1),
        "as_strided": lambda a: a.as_strided((3, 3), (1, 1)),
        "one element": lambda a: a.as_strided((3,), (0,)),
        "expand": lambda a: a.expand(3, 6),
        "expand of a slice": lambda a: a[:1].expand(4),
        "broadcast": lambda a: a.broadcast_to(2, 6),
        "unfold of rows": lambda a: a.reshape(2, 3).unfold(1, 2, 1),
        "unfold of columns": lambda a: a.reshape(2, 3).T.unfold(0, 2, 1),
        "conj": lambda a: a.conj().unfold(0, 3, 2),
        "real": lambda a: a.real.unfold(0, 3, 1),
    }.items():
        y = fn(x)
        weights = torch.arange(float(y.numel()), dtype=torch.float64).reshape(y.shape) + 1
        total = ((y * y.conj()).real * weights).sum() if y.is_complex() else (y * y * weights).sum()
        see(name, torch.autograd.grad(total, x)[0])
    for name, write in {
        "windows side by side": lambda a: a.unfold(0, 2, 2).mul_(2),
        "a row": lambda a: a.view(2, 3)[0].mul_(2),
        "every third": lambda a: a.as_strided((2,), (3,)).copy_(a[:2] * 3),
    }.items():
        base = x * 1
        write(base)
        total = (base * base.conj()).real.sum() if base.is_complex() else (base * base).sum()
        see(f"written: {name}", torch.autograd.grad(total, x)[0])
