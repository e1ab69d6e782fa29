"""bfloat16 and float8: what they hold, how they meet other types, that operations round once."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
_NUMBERS = [0.0, -0.0, 1.0, -1.5, 3.14159, 1e-3, 300.0, 70000.0, 1e38, float("inf"), float("nan")]


@program(rules="X-11", each=["bfloat16", *_FLOAT8])
def numbers_are_rounded_to_the_type(torch, see, case):
    dtype = getattr(torch, case)
    x = torch.tensor(_NUMBERS).to(dtype)
    see("values", x.float())
    see("list", [repr(v) for v in x.tolist()])
    see("from double", torch.tensor(_NUMBERS, dtype=torch.float64).to(dtype).double())
    see("made", torch.tensor([1.5, 2.0], dtype=dtype).float())
    see("shape", [x.shape, x.itemsize, x.nbytes, x.element_size()])
    see("kinds", [x.is_floating_point(), x.is_complex(), x.is_signed(), dtype.is_floating_point])
    see("item", x[3].item())
    see("type", x.type().rpartition(".")[2])
    see("printed", str(torch.ones(2, dtype=dtype)).replace("torch", "").replace("vizgrad", ""))
    see("as integers", torch.tensor([1.0, -2.0, 3.5]).to(dtype).to(torch.int64))
    see("of integers", torch.tensor([1, -2, 3]).to(dtype).float())
    see("zeros", torch.zeros(2, dtype=dtype).float())
    see("full", torch.full((2,), 1.5, dtype=dtype).float())
    see("moved", x[2:5].clone().reshape(3, 1).float())
    see("joined", torch.cat([x[:2], x[2:4]]).float())
    see.raises("numpy", x.numpy, phrase="unsupported ScalarType")


@program(rules="X-11", each=["bfloat16", "float16", *_FLOAT8])
def limits_of_narrow_types(torch, see, case):
    limits = torch.finfo(getattr(torch, case))
    for name in ("bits", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        see(name, getattr(limits, name))
    if case != "float8_e5m2fnuz":  # ml_dtypes says 0.25 there
        see("eps", limits.eps)
        see("printed", repr(limits))


_OTHERS = ["bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]


@program(rules="X-11", each=_OTHERS)
def bfloat16_beside_other_types(torch, see, case):
    b, other = torch.bfloat16, getattr(torch, case)
    see("promoted", str(torch.promote_types(b, other)).rpartition(".")[2])
    x, y = torch.tensor([1.5, 2.0], dtype=b), torch.ones(2, dtype=other)
    see("sum", x + y)
    see("number", x * torch.tensor(2).to(other))
    see("of numbers", torch.tensor(2.0, dtype=b) * y)
    see("where", torch.where(torch.tensor([True, False]), x, y))
    see("joined", torch.cat([x, y]))
    see("compared", x == y)
    see("result_type", str(torch.result_type(x, y)).rpartition(".")[2])


@program(rules="X-33", each=["bfloat16", "float16", "float32"])
def nothing_is_subtracted_from_a_bool(torch, see, case):
    x, mask = torch.ones(2, dtype=getattr(torch, case)), torch.tensor([True, False])
    for name, fn in {
        "x - mask": lambda: x - mask, "mask - x": lambda: mask - x, "x - True": lambda: x - True,
        "True - x": lambda: True - x, "in place": lambda: x.clone().sub_(mask),
        "rsub": lambda: torch.rsub(x, mask), "alpha": lambda: torch.sub(x, mask, alpha=2),
    }.items():  # fmt: skip
        see.raises(name, fn, phrase="Subtraction, the `-` operator, with a bool tensor")


@program(rules="X-11", each=["float32", "float8_e5m2", "int64", "bfloat16"])
def float8_is_not_promoted(torch, see, case):
    a, b = torch.float8_e4m3fn, getattr(torch, case)
    see.raises("promote", lambda: torch.promote_types(a, b), phrase="not supported")
    see.raises("sum", lambda: torch.ones(2, dtype=a) + torch.ones(2).to(b))


@program(rules="X-11")
def float8_has_no_arithmetic(torch, see):
    x = torch.ones(2).to(torch.float8_e5m2)
    see.raises("add", lambda: x + x, phrase="not implemented for")
    see.raises("number", lambda: x * 2, phrase="not implemented for")
    see.raises("sum", x.sum, phrase="not implemented for")
    see("equal", x == x)
    see("absolute", x.abs().float())


@program(rules="X-11")
def only_factors_and_divisors_are_not_rounded_first(torch, see):
    x = torch.tensor([1.0, 200.0, -3.0], dtype=torch.bfloat16)
    for name, number in (("0.999", 0.999), ("1e-3", 1e-3), ("257", 257)):
        see(f"times {name}", (x * number).tolist())
        see(f"plus {name}", (x + number).tolist())
        see(f"over {name}", (x / number).tolist())
        see(f"from {name}", (number - x).tolist())
        see(f"in place {name}", x.clone().mul_(number).tolist())
        see(f"0-dim {name}", (x * torch.tensor(number)).tolist())
        see(f"equal to {name}", (x == number).tolist())
        see(f"less than {name}", (x < number).tolist())
        see(f"remainder by {name}", (x % number).tolist())
        see(f"after {name}", torch.nextafter(x, torch.tensor(number)).tolist())


@program(rules="X-11")
def sums_are_made_in_float32(torch, see):
    x = torch.ones(1000, dtype=torch.bfloat16)
    see("sum", x.sum(), expect=1000)
    see("mean", (x * 3).mean())
    see("cumsum", x[:10].cumsum(0))
    y = torch.full((1000,), 0.01, dtype=torch.bfloat16)
    see("small", y.sum())
    see("product", y @ x)
    see("norm", y.norm())
    see("var", torch.tensor(wave(40), dtype=torch.bfloat16).var())
    see("softmax", torch.tensor(wave(8), dtype=torch.bfloat16).softmax(0))
    see("as float", x.sum(dtype=torch.float32))


@program(rules="X-11")
def gradients_are_bfloat16(torch, see):
    w = torch.tensor(wave(3, 4), dtype=torch.bfloat16).requires_grad_()
    x = torch.tensor(wave(5, 4, seed=3), dtype=torch.bfloat16)
    loss = ((x @ w.t()).tanh() ** 2).mean()
    see("loss", loss)
    see.graph("graph", loss)
    loss.backward()
    see("gradient", w.grad)
    (w.float() * 3).sum().backward()
    see("through a conversion", w.grad)
    (first,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    see("first", first)
    (second,) = torch.autograd.grad(first.sum(), w)
    see("second", second)


@program(rules="X-11")
def writes_into_bfloat16(torch, see):
    x = torch.zeros(4, dtype=torch.bfloat16)
    x[1] = 3.14159
    x[2:] += 0.1
    see("written", x)
    x.copy_(torch.tensor([1.001, 2.0, 3.0, 4.0]))
    see("copied", x)
    x.fill_(0.1)
    see("filled", x)
    x.add_(torch.ones(4), alpha=0.5)
    see("added float32", x)
    see.raises("complex", lambda: x.add_(1j))
    see("type", torch.zeros(2).copy_(x[:2]))
    out = torch.empty(4, dtype=torch.bfloat16)
    torch.mul(x, 3, out=out)
    see("out", out)
    see("default", str(torch.tensor(1.5).to(torch.bfloat16).dtype).rpartition(".")[2])


@program(rules="X-11", each=["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def training_in_bfloat16(torch, see, case):
    model = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2)
    )
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.copy_(torch.tensor(wave(*parameter.shape, seed=number)) * 0.5)
    model.to(torch.bfloat16)
    see("types", sorted({str(p.dtype).rpartition(".")[2] for p in model.parameters()}))
    optimizer = getattr(torch.optim, case)(model.parameters(), lr=0.01)
    x = torch.tensor(wave(6, 4, seed=9), dtype=torch.bfloat16)
    target = torch.tensor([0, 1, 1, 0, 1, 0])
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.float().item())
    see("falls", losses[-1] < losses[0])
    see("losses", torch.tensor(losses, dtype=torch.bfloat16))
    see("state", sorted({
        str(v.dtype).rpartition(".")[2]
        for state in optimizer.state.values()
        for name, v in state.items()
        if name != "step" and isinstance(v, torch.Tensor)
    }))  # fmt: skip


_LIMITS = {
    "clamp": lambda t, x: x.clamp(-0.1, 0.3), "clamp_min": lambda t, x: x.clamp_min(0.3),
    "clamp_max": lambda t, x: x.clamp_max(0.3), "clamp_": lambda t, x: (x * 1).clamp_(-0.1, 0.3),
    "clamp_min_": lambda t, x: (x * 1).clamp_min_(0.3), "clamp_max_": lambda t, x: (x * 1).clamp_max_(0.3),
    "hardshrink": lambda t, x: t.nn.functional.hardshrink(x, 0.1), "method": lambda t, x: x.hardshrink(0.3),
    "eq": lambda t, x: x.eq(0.1), "gt": lambda t, x: x > 0.3, "le": lambda t, x: x <= 0.3,
}  # fmt: skip


@program(rules="X-11", each=list(_LIMITS))
def a_limit_is_rounded_to_the_type_of_the_elements(torch, see, name):
    x = torch.tensor([0.1, 0.3, -0.1, -0.3, 0.7], dtype=torch.bfloat16, requires_grad=True)
    y = _LIMITS[name](torch, x)
    see("value", y.float())
    if y.requires_grad:
        see("gradient", torch.autograd.grad(y.sum(), x)[0].float())
