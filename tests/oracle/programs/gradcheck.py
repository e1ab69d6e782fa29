"""gradcheck and gradgradcheck: what passes, what fails and how."""

import warnings
from importlib import import_module

from tests.oracle.registry import program


def point(torch, *values, dtype="float64"):
    return torch.tensor(values or [1.0, 2.0], dtype=getattr(torch, dtype), requires_grad=True)


def function(torch, forward, backward):
    def wrap(ctx, *args):
        ctx.save_for_backward(*args)
        return forward(*args)

    body = {"forward": staticmethod(wrap), "backward": staticmethod(backward)}
    return type("Mine", (torch.autograd.Function,), body).apply


def wrong(torch):
    return function(torch, lambda x: x * 2, lambda ctx, g: g * 3)


RIGHT = {
    "sin": lambda torch: (torch.sin, point(torch)),
    "two inputs, two outputs": lambda torch: (
        lambda a, b: (a * b, a + b), (point(torch), point(torch, 3.0, 4.0)),
    ),
    "list": lambda torch: (lambda a: [a * 2, a * 3], [point(torch)]),
    "a number beside it": lambda torch: (lambda a, n: a * n, (point(torch), 3)),
    "an index": lambda torch: (lambda a, i: a[i], (point(torch), torch.tensor([0, 0]))),
    "0-dim": lambda torch: (torch.sin, point(torch).sum().detach().requires_grad_()),
    "empty": lambda torch: (torch.sin, torch.zeros(0, dtype=torch.float64, requires_grad=True)),
    "a result": lambda torch: (torch.sin, point(torch) * 1),
    "strides": lambda torch: (
        lambda x: x.t() @ x, torch.arange(6.0, dtype=torch.float64).reshape(2, 3).t().requires_grad_(),
    ),
    "in place": lambda torch: (lambda a: a.clone().mul_(a), point(torch)),
    "itself": lambda torch: (lambda a: a, point(torch)),
    "an integer beside it": lambda torch: (lambda a: (a * 2, a.argmax()), point(torch)),
    "a constant": lambda torch: (lambda a: torch.ones(2, dtype=torch.float64), point(torch)),
    "an integer": lambda torch: (lambda a: a.detach().long(), point(torch)),
    "one part detached": lambda torch: (lambda a: (a * 2, a.detach() * 2), point(torch)),
    "abs at its kink": lambda torch: (torch.abs, point(torch, 0.0)),
    "complex": lambda torch: (lambda a: a * a.conj() + a * a, point(torch, 1 + 2j, 0.5j, dtype="complex128")),
    "complex to real": lambda torch: (lambda a: a.real * a.abs(), point(torch, 1 + 2j, dtype="complex128")),
    "real to complex": lambda torch: (lambda a: torch.complex(a, a * a), point(torch)),
}  # fmt: skip


@program(rules="G-1 G-2 G-4 G-6", each=RIGHT)
def what_passes(torch, see, case):
    fn, inputs = RIGHT[case](torch)
    gradcheck = torch.autograd.gradcheck
    see("slow", gradcheck(fn, inputs), expect=True)
    if (
        case != "an integer"
    ):  # PyTorch's fast mode takes the difference of whole numbers for a slope
        see("fast", gradcheck(fn, inputs, fast_mode=True), expect=True)
    see("types", gradcheck(fn, inputs, check_grad_dtypes=True), expect=True)
    if case not in ("empty", "a constant", "complex", "complex to real", "real to complex"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's vmap loads what it calls deprecated
            see("batches", gradcheck(fn, inputs, check_batched_grad=True), expect=True)
    first = inputs[0] if isinstance(inputs, (tuple, list)) else inputs
    see("nothing is changed", first)


@program(rules="G-1 G-2 G-5")
def what_fails(torch, see):
    error = import_module(f"{torch.__name__}.autograd.gradcheck").GradcheckError
    see("class", (error.__name__, issubclass(error, RuntimeError)))
    gradcheck, x = torch.autograd.gradcheck, point(torch)
    mismatch = "Jacobian mismatch for output 0 with respect to input 0"
    see.raises("wrong", lambda: gradcheck(wrong(torch), x), phrase=mismatch)
    see.raises("fast", lambda: gradcheck(wrong(torch), x, fast_mode=True), phrase=mismatch)
    see("as False", gradcheck(wrong(torch), x, raise_exception=False), expect=False)
    see.raises("coarse", lambda: gradcheck(torch.sin, x, eps=1.0), phrase=mismatch)
    see("tolerant", gradcheck(torch.sin, x, eps=1.0, rtol=1.0))
    second = lambda a, b: (a * 1, wrong(torch)(b))  # noqa: E731
    see.raises(
        "which",
        lambda: gradcheck(second, (x, point(torch))),
        phrase="output 1 with respect to input 1",
    )
    see.raises(
        "hidden", lambda: gradcheck(lambda a: a.detach() * 2, x), phrase="expected to be zero"
    )
    calls = []

    def unsteady(ctx, g):
        calls.append(1)
        return g * (2 + 1e-9 * len(calls))

    shaky = function(torch, lambda a: a * 2, unsteady)
    see.raises("unsteady", lambda: gradcheck(shaky, x), phrase="Backward is not reentrant")
    see("within", gradcheck(shaky, x, nondet_tol=1e-6))

    def biased(ctx, g):
        return g * 2 + 1e-7

    bias = function(torch, lambda a: a * 2, biased)
    see.raises("bias", lambda: gradcheck(bias, x), phrase="backward not multiplied by grad_output")


@program(rules="G-5")
def gradients_that_are_not_there(torch, see):
    gradcheck, x = torch.autograd.gradcheck, point(torch)

    def make(backward):
        def forward(ctx, a):
            ctx.set_materialize_grads(False)
            return a * 2, a * 3

        body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return type("Mine", (torch.autograd.Function,), body).apply

    def careful(ctx, g, h):
        parts = [k * v for k, v in ((2, g), (3, h)) if v is not None]
        return sum(parts) if parts else None

    def careless(ctx, g, h):
        if g is None and h is None:
            return torch.ones(2, dtype=torch.float64)
        return careful(ctx, g, h)

    see("careful", gradcheck(make(careful), x), expect=True)
    see.raises("careless", lambda: gradcheck(make(careless), x), phrase="undefined or zero")
    see("not asked", gradcheck(make(careless), x, check_undefined_grad=False), expect=True)
    see.raises("an error passes", lambda: gradcheck(make(lambda ctx, g, h: g * 2 + h * 3), x))


@program(rules="G-3")
def inputs_that_cannot_be_checked(torch, see):
    gradcheck, x = torch.autograd.gradcheck, point(torch)
    see.raises(
        "no gradient", lambda: gradcheck(torch.sin, x.detach()), phrase="at least one input tensor"
    )
    wide = point(torch, 1.0).expand(3)
    see.raises("overlap", lambda: gradcheck(torch.sin, wide), phrase="dimension with stride 0")
    see.raises(
        "no direction",
        lambda: gradcheck(torch.sin, x, check_backward_ad=False),
        phrase="at least one of check_forward_ad or check_backward_ad",
    )
    see.raises("no tensor", lambda: gradcheck(lambda a: 3.0, x))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gradcheck(torch.sin, point(torch, dtype="float32"), raise_exception=False)
    see("warned", ["not a double precision" in str(w.message) for w in caught])


@program(rules="G-7")
def second_derivatives(torch, see):
    check, x = torch.autograd.gradgradcheck, point(torch)
    see("cube", check(lambda a: a**3, x), expect=True)
    see("gaps", check(lambda a: a**3, x, gen_non_contig_grad_outputs=True), expect=True)
    see("linear", check(lambda a: a * 2, x), expect=True)
    see("two", check(lambda a, b: a * b.sin(), (x, point(torch, 3.0, 4.0))), expect=True)
    given = torch.ones(2, dtype=torch.float64, requires_grad=True)
    see("given", check(lambda a: a**3, x, given), expect=True)
    see("with an integer", check(lambda a: (a**3, a.argmax()), x), expect=True)
    see("fast", check(lambda a: a**3, x, fast_mode=True), expect=True)
    cut = function(torch, lambda a: a**2, lambda ctx, g: g * 2 * ctx.saved_tensors[0].detach())
    see("first", torch.autograd.gradcheck(cut, x), expect=True)
    see.raises("cut", lambda: check(cut, x), phrase="Jacobian mismatch")
    see("as False", check(cut, x, raise_exception=False), expect=False)
    see.raises(
        "no gradient", lambda: check(torch.sin, x.detach()), phrase="at least one input tensor"
    )
    see.raises("no direction", lambda: check(torch.sin, x, check_rev_over_rev=False))


@program(rules="G-2")
def jacobians_themselves(torch, see):
    made = import_module(f"{torch.__name__}.autograd.gradcheck")
    x = point(torch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls two of them deprecated
        see("by differences", made.get_numerical_jacobian(lambda i: i[0] * i[0], (x,), eps=1e-6))
        see("by backward", made.get_analytical_jacobian((x,), x * x))
        see.raises(
            "scaled", lambda: made.get_numerical_jacobian(lambda i: i[0], (x,), grad_out=2.0)
        )
    one = made.get_numerical_jacobian_wrt_specific_input
    see("of one input", one(lambda a, b: a * b, 1, (x, x * 2), (x * x,), 1e-6))
    z = point(torch, 1 + 2j, 0.5j, dtype="complex128")
    square = lambda a: (a * a.conj()).real  # noqa: E731
    see("of a complex one", one(square, 0, (z,), (square(z),), 1e-6))
    see.raises("complex to complex", lambda: one(lambda a: a * a, 0, (z,), (z * z,), 1e-6))
