"""What gradcheck calls may differentiate itself, and must be the same each time (spec 07: X-2)."""

from tests.oracle.registry import program


def _x(torch):
    return torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)


def _grad_inside(torch, x):
    return torch.autograd.grad((x**3).sum(), x, create_graph=True)[0]


def _backward_inside(torch, x):
    (x * x).sum().backward()
    return x * 2


def _backward_of_a_copy(torch, x):
    leaf = x.detach().requires_grad_()
    (leaf * 3).sum().backward()
    return x * leaf.grad


def _hook_inside(torch, x):
    y = x * 2
    y.register_hook(lambda g: None if g is None else g * 1)
    return y.exp()


def _hook_on_the_input(torch, x):
    handle = x.register_hook(lambda g: g)
    y = x.sin()
    y.grad_fn.register_hook(lambda i, o: handle.remove())
    return y


def _asks_for_the_mode(torch, x):
    assert torch.is_grad_enabled()
    assert x.requires_grad
    return x * (x * 1).retains_grad + x.cos()


@program(
    rules="X-2",
    each=(_grad_inside, _backward_inside, _backward_of_a_copy, _hook_inside, _hook_on_the_input,
          _asks_for_the_mode),
)  # fmt: skip
def functions_that_differentiate_inside_can_be_checked(torch, see, function):
    check = torch.autograd.gradcheck
    for fast in (False, True):
        see(
            f"fast_mode={fast}",
            check(lambda x: function(torch, x), (_x(torch),), fast_mode=fast),
            expect=True,
        )
    with torch.no_grad():
        see.attempt("called in no_grad", lambda: check(lambda x: function(torch, x), (_x(torch),)))


@program(rules="X-2", each=(_grad_inside, _hook_inside, _asks_for_the_mode))
def and_their_second_derivatives(torch, see, function):
    check = torch.autograd.gradgradcheck
    see("checked", check(lambda x: function(torch, x), (_x(torch),)), expect=True)


@program(rules="X-2")
def the_gradient_of_an_inner_grad_is_compared(torch, see):
    wrong = lambda x: torch.autograd.grad((x**3).sum(), x)[0] + x * 0  # noqa: E731  its history is cut
    for fast in (False, True):
        see.raises(f"fast_mode={fast}", lambda fast=fast: torch.autograd.gradcheck(
            wrong, (_x(torch),), fast_mode=fast), phrase="Jacobian mismatch for output 0")  # fmt: skip


def _drifting(torch):
    class Drifts(torch.autograd.Function):
        count = 0

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            Drifts.count += 1
            return grad * (2 + 1e-7 * Drifts.count)

    return Drifts.apply


@program(rules="X-2", each=("slow", "fast"))
def nondeterminism_is_found(torch, see, mode):
    def check(**settings):
        return torch.autograd.gradcheck(
            _drifting(torch), (_x(torch),), fast_mode=mode == "fast", **settings
        )

    see.raises("none allowed", check, phrase="Backward is not reentrant")
    see.raises(
        "less allowed",
        lambda: check(nondet_tol=1e-12),
        phrase="tolerance for nondeterminism was 1e-12",
    )
    see("allowed", check(nondet_tol=1e-3), expect=True)
    see("no exception", check(raise_exception=False), expect=False)


def _counted(function):
    calls = [0]

    def counted(x):
        calls[0] += 1
        return function(x, calls[0])

    return counted


@program(rules="X-2", each=("slow", "fast"))
def outputs_must_keep_their_shape_and_type(torch, see, mode):
    def check(function, **settings):
        return torch.autograd.gradcheck(
            _counted(function), (_x(torch),), fast_mode=mode == "fast", **settings
        )

    shape = "Expected `func` to return outputs with the same shape"
    see.raises(
        "another shape", lambda: check(lambda x, n: (x * 2)[: 1 if n > 2 else 2]), phrase=shape
    )
    see.raises("ever longer", lambda: check(lambda x, n: (x * 2).repeat(n)), phrase=shape)
    see.raises("not caught", lambda: check(lambda x, n: (x * 2).repeat(n), raise_exception=False))
    types = {0: torch.float64, 1: torch.float32}
    dtype = "Expected `func` to return outputs with the same dtype"
    see.raises("another type", lambda: check(lambda x, n: (x * 2).to(types[n > 2])), phrase=dtype)
    see.raises("by turns", lambda: check(lambda x, n: (x * 2).to(types[n % 2])), phrase=dtype)


def _half_complex(torch, real, imaginary):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return torch.complex(x * 1, x * 2)

        @staticmethod
        def backward(ctx, grad):
            return grad.real * real + grad.imag * imaginary

    return Both.apply


@program(rules="X-2", each=("slow", "fast"))
def a_mismatch_in_a_complex_output_says_in_which_part(torch, see, mode):
    def check(real, imaginary):
        return torch.autograd.gradcheck(
            _half_complex(torch, real, imaginary), (_x(torch),), fast_mode=mode == "fast"
        )

    see("right", check(1, 2), expect=True)
    see.raises("real", lambda: check(5, 2), phrase="considering the real part of complex outputs")
    see.raises(
        "imaginary", lambda: check(1, 5), phrase="considering the imaginary part of complex outputs"
    )
