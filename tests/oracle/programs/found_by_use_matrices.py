"""Functions of matrices whose values or gradients were wrong in public programs and random calls."""

from tests.oracle.data import wave
from tests.oracle.programs.found_by_use_operations import _f64
from tests.oracle.registry import program


@program(rules="X-32")
def pinv_of_hermitian_matrices(torch, see):
    a = _f64(torch, wave(3, 3))
    for what, options in {"plain": {}, "rtol": {"rtol": 0.5}, "atol": {"atol": 0.7}}.items():
        x = a.clone().requires_grad_()  # the upper triangle is not read
        made = torch.linalg.pinv(x, hermitian=True, **options)
        see(what, made)
        see(f"{what}: gradient", torch.autograd.grad(made.sum(), x))
        see(f"{what}: rank", torch.linalg.matrix_rank(a, hermitian=True, **options))
    see.raises("not square", lambda: torch.linalg.pinv(a[:2], hermitian=True), phrase="square")


@program(rules="X-32")
def matrix_exp_in_single_precision(torch, see):
    for size in (0.01, 1.0, 5.0):
        x = (torch.tensor(wave(4, 4)) * size).requires_grad_()
        made = torch.linalg.matrix_exp(x)
        see(f"{size}", made / made.detach().abs().max())
        see(f"{size}: type", str(made.dtype)[-7:])


@program(rules="X-32 X-46")
def slogdet_and_a_power_of_0_keep_their_history(torch, see):
    x = _f64(torch, wave(3, 3)).requires_grad_()
    sign, size = torch.linalg.slogdet(x)
    see("sign", sign)
    see("one node", sign.grad_fn is size.grad_fn, expect=True)
    see("slots", (sign.output_nr, size.output_nr), expect=(0, 1))
    see("of the sign", torch.autograd.grad(sign, x, retain_graph=True, allow_unused=True)[0])
    see("of both", torch.autograd.grad(sign * size, x))
    z = torch.complex(x.detach(), x.detach().flip(0)).requires_grad_()
    sign, size = torch.linalg.slogdet(z)
    first = torch.autograd.grad((sign.real * 2 + sign.imag + size).sum(), z, create_graph=True)[0]
    see("complex", first.detach())
    see("complex, second", torch.autograd.grad(first.abs().pow(2).sum(), z))
    power = torch.linalg.matrix_power(x, 0)
    see("power 0", power)
    see("power 0: gradient", torch.autograd.grad(power.sum(), x))


@program(rules="X-32 X-46")
def tensordot_with_sizes_of_1(torch, see):
    for a, b, dims in [
        ((2, 3), (1, 3), ([0, 1], [0, 1])),
        ((4, 1), (3, 2), ([1], [0])),
        ((4, 3), (1,), 1),
        ((1,), (3,), 1),
        ((4, 3, 2), (1, 3), ([0, 1], [0, 1])),
        ((2, 1), (1, 2), 2),
    ]:
        x, y = (
            _f64(torch, wave(*a)).requires_grad_(),
            _f64(torch, wave(*b, seed=1)).requires_grad_(),
        )
        made = torch.tensordot(x, y, dims)
        see(f"{a} {b} {dims}", made)
        see(f"{a} {b} {dims}: gradient", torch.autograd.grad(made.pow(2).sum(), (x, y)))
    m = torch.ones(2, 3)
    see.raises(
        "sizes", lambda: torch.tensordot(m, m, 1), phrase="contracted dimensions need to match"
    )
    see.raises("a float", lambda: torch.tensordot(m, m, 1.0))
    see.raises("numbers", lambda: torch.tensordot(m, m, (0, 1)))


@program(rules="X-32")
def lstsq_gives_what_its_driver_finds(torch, see):
    for driver in (None, "gelsy", "gels", "gelsd", "gelss"):
        for shape in ((4, 2), (2, 4), (2, 4, 2)):
            a, b = _f64(torch, wave(*shape)), _f64(torch, wave(*shape[:-1], 3, seed=4))
            see(f"{driver} {shape}", list(torch.linalg.lstsq(a, b, driver=driver)))
    a, b = _f64(torch, wave(4, 2)).requires_grad_(), _f64(torch, wave(4, seed=1)).requires_grad_()
    found = torch.linalg.lstsq(a, b, driver="gels")
    see("of a vector", found.solution)
    see("gradient", torch.autograd.grad(found.solution.sum(), (a, b)))
    see.raises("driver", lambda: torch.linalg.lstsq(a, b, driver="x"), phrase="driver")
    see.raises("types", lambda: torch.linalg.lstsq(a, b.float()), phrase="same dtype")


@program(rules="X-46")
def singular_triangles_give_infinities(torch, see):
    a = _f64(torch, [[1.0, 2.0], [0.0, 0.0]])
    for what, b in {
        "column": [[1.0], [1.0]],
        "zero": [[1.0], [0.0]],
        "two": [[1.0, 2.0], [3.0, -4.0]],
    }.items():
        see(what, torch.linalg.solve_triangular(a, _f64(torch, b), upper=True))
        see(f"{what}, lower", torch.linalg.solve_triangular(a.mT, _f64(torch, b), upper=False))
    see(
        "right",
        torch.linalg.solve_triangular(a, _f64(torch, [[1.0, -1.0]]), upper=True, left=False),
    )
    singular = _f64(torch, [[1.0, 2.0], [2.0, 4.0]])
    see("cond", torch.linalg.cond(torch.stack([singular, singular + torch.eye(2)]), 1))
