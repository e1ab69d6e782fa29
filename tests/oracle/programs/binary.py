"""Functions of two tensors, broadcasting, ties and traps."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_NAN = float("nan")

_ARITHMETIC = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}
_PLACES = {
    "same shape": ((2, 3), (2, 3)),
    "a row": ((2, 3), (3,)),
    "a column": ((2, 3), (2, 1)),
    "a scalar": ((2, 3), ()),
    "both grow": ((2, 1), (1, 3)),
    "leading dims": ((3,), (2, 1, 3)),
    "empty": ((0, 3), (1, 3)),
}


@program(rules="T-10 T-34", each=_ARITHMETIC.items())
def arithmetic_broadcasts_and_sums_back(torch, see, case):
    _, fn = case
    for name, (left, right) in _PLACES.items():
        a, b = wave(*left, low=0.5, high=2), wave(*right, low=0.5, high=2, seed=1)
        # Nested lists cannot say (0, 3), so it is reshaped.
        see.derivatives(name, lambda x, y, s=left, t=right: fn(x.reshape(s), y.reshape(t)), a, b)


@program(rules="T-34", each=_ARITHMETIC.items())
def arithmetic_with_numbers(torch, see, case):
    _, fn = case
    see.derivatives("number right", lambda x: fn(x, 1.5), wave(3, low=0.5, high=2))
    see.derivatives("number left", lambda x: fn(1.5, x), wave(3, low=0.5, high=2))


@program(rules="T-34")
def add_and_sub_scale_their_second_operand(torch, see):
    see.derivatives("add", lambda a, b: torch.add(a, b, alpha=2.5), wave(3), wave(3, seed=1))
    see.derivatives("sub", lambda a, b: torch.sub(a, b, alpha=2.5), wave(3), wave(3, seed=1))
    see.derivatives("rsub", lambda a: torch.rsub(a, 2.0), wave(3))


@program(rules="T-10")
def shapes_that_do_not_broadcast(torch, see):
    a, b = torch.ones(2, 3), torch.ones(2, 4)
    phrase = "must match the size of tensor b"
    see.raises("+", lambda: a + b, phrase=phrase)
    see.raises("*", lambda: a * b, phrase=phrase)
    see.raises("==", lambda: a == b, phrase=phrase)
    see.raises("where", lambda: torch.where(a > 0, a, b), phrase=phrase)


@program(rules="T-72")
def ties_of_maximum_and_minimum_are_halved(torch, see):
    for name in ("maximum", "minimum"):
        a = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
        b = torch.tensor([1.0, 5.0, 0.0], dtype=torch.float64, requires_grad=True)
        y = getattr(torch, name)(a, b)
        see(f"{name}", y)
        y.sum().backward()
        see(f"{name}: tie first", [a.grad[0].item(), b.grad[0].item()], expect=[0.5, 0.5])
        see(f"{name}: gradients", (a.grad, b.grad))
    see("nan wins", torch.maximum(torch.tensor([_NAN, 1.0]), torch.tensor([1.0, _NAN])))


@program(rules="T-76")
def where_routes_the_gradient(torch, see):
    condition = torch.tensor([True, False, True])
    see.derivatives(
        "same shape", lambda a, b: torch.where(condition, a, b), wave(3), wave(3, seed=1)
    )
    see.derivatives("scalar branch", lambda a: torch.where(condition, a * a, 0.0), wave(3))
    see.derivatives(
        "broadcast", lambda a, b: torch.where(condition, a, b), wave(2, 1), wave(2, 3, seed=1)
    )
    see("method", torch.ones(3).where(condition, torch.zeros(3)), expect=[1, 0, 1])


@program(rules="T-76")
def where_cannot_hide_a_nan_of_the_other_branch(torch, see):
    x = torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True)
    y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
    see("value", y, expect=[0, 2])
    see("gradient", torch.autograd.grad(y.sum(), x)[0], expect=[_NAN, 0.25])
    y = torch.where(x == 0, torch.ones_like(x), 1 / x)
    see("reciprocal", torch.autograd.grad(y.sum(), x)[0], expect=[_NAN, -1 / 16])
    safe = torch.where(x > 0, x, torch.ones_like(x))
    y = torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x))
    see("the input masked too", torch.autograd.grad(y.sum(), x)[0], expect=[0, 0.25])


@program(rules="T-77")
def division_by_zero(torch, see):
    a = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([0.0], dtype=torch.float64, requires_grad=True)
    y = a / b
    see("value", y)
    y.backward()
    see("gradients", [a.grad.item(), b.grad.item()], expect=[float("inf"), -float("inf")])


@program(rules="T-35")
def comparisons_give_bools_without_history(torch, see):
    a = torch.tensor([1.0, 2.0, _NAN], requires_grad=True)
    b = torch.tensor([2.0, 2.0, _NAN])
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        see(name, getattr(torch, name)(a, b))
    see("operators", (a == b, a != b, a < 1.5, a <= 2, a > b, a >= 2.0))
    see("isnan", torch.isnan(a), expect=[False, False, True])
    see("isfinite", torch.isfinite(a))
    see("isinf", torch.isinf(torch.tensor([1.0, float("inf")])))


@program(rules="T-35")
def questions_about_whole_tensors(torch, see):
    a = torch.tensor([1.0, 2.0])
    see("equal", torch.equal(a, a.clone()), expect=True)
    see("equal needs the shape", torch.equal(a, a[:1]), expect=False)
    see("allclose", torch.allclose(a, a + 1e-9), expect=True)
    see("not allclose", torch.allclose(a, a + 0.1), expect=False)
    see("any and all", ((a > 1).any(), (a > 1).all(), (a > 0).all()))
    see(
        "any over a dim",
        torch.tensor([[True, False], [False, False]]).any(dim=1),
        expect=[True, False],
    )
    see(
        "logical",
        (torch.logical_and(a > 1, a > 0), torch.logical_or(a > 1, a > 0), torch.logical_not(a > 1)),
    )


@program(rules="T-34", each=("remainder", "fmod", "atan2", "hypot", "logaddexp", "xlogy"))
def further_functions_of_two(torch, see, name):
    see.derivatives(
        name, getattr(torch, name), wave(3, low=0.3, high=4), wave(3, low=0.4, high=2, seed=1)
    )


@program(rules="T-34")
def lerp_addcmul_addcdiv(torch, see):
    a, b, c = wave(3), wave(3, seed=1), wave(3, low=0.5, high=2, seed=2)
    see.derivatives("lerp", lambda x, y: torch.lerp(x, y, 0.3), a, b)
    see.derivatives("addcmul", lambda x, y, z: torch.addcmul(x, y, z, value=0.5), a, b, c)
    see.derivatives("addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), a, b, c)
