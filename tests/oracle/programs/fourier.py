"""torch.fft: values, gradients and second derivatives; sizes, dimensions, norms; what is refused."""

from functools import partial

from tests.oracle.data import complex_wave, wave
from tests.oracle.registry import program as plain_program

program = partial(plain_program, milestone="complex")

_OF_COMPLEX = {
    **{
        name: (name, {})
        for name in ("fft", "ifft", "irfft", "hfft", "fftn", "ifftn", "irfftn", "hfftn")
    },
    **{name: (name, {}) for name in ("fft2", "ifft2", "irfft2", "hfft2")},
    "longer": ("fft", {"n": 5}),
    "shorter": ("ifft", {"n": 2, "dim": 0}),
    "ortho": ("fft", {"norm": "ortho"}),
    "forward": ("ifft", {"norm": "forward"}),
    "odd": ("irfft", {"n": 5}),
    "real, ortho": ("irfft", {"n": 6, "norm": "ortho", "dim": 0}),
    "hermitian, forward": ("hfft", {"norm": "forward"}),
    "sizes": ("fftn", {"s": (2, 5)}),
    "one of the dims": ("fftn", {"dim": (0,), "norm": "ortho"}),
    "real, sizes": ("irfftn", {"s": (3, 5)}),
    "hermitian over two": ("hfft2", {"norm": "ortho"}),
}
_OF_REAL = {
    **{
        name: (name, {})
        for name in ("fft", "rfft", "ihfft", "rfftn", "ihfftn", "rfft2", "ihfft2", "ifft")
    },
    "odd": ("rfft", {"n": 3}),
    "longer": ("rfft", {"n": 6, "dim": 0}),
    "ortho": ("rfftn", {"norm": "ortho"}),
    "inverse hermitian, forward": ("ihfft", {"norm": "forward"}),
    "dims": ("rfftn", {"dim": (1, 0)}),
}


def _transform(torch, name, options):
    return lambda x: getattr(torch.fft, name)(x, **options)


@program(rules="T-40", each=_OF_COMPLEX)
def of_complex_numbers(torch, see, case):
    fn = _transform(torch, *_OF_COMPLEX[case])
    see.derivatives(case, fn, complex_wave(3, 4), dtype="complex128")


@program(rules="T-40", each=_OF_REAL)
def of_real_numbers(torch, see, case):
    see.derivatives(case, _transform(torch, *_OF_REAL[case]), wave(3, 4))


@program(rules="T-40 T-4")
def types(torch, see):
    see("of integers", torch.fft.fft(torch.arange(4)))
    see("of single", torch.fft.rfft(torch.ones(4)).dtype)
    see("of double", torch.fft.rfft(torch.ones(4, dtype=torch.float64)).dtype)
    see("back", torch.fft.irfft(torch.ones(3, dtype=torch.complex64)).dtype)


@program(rules="T-40")
def frequencies_and_shifts(torch, see):
    see("fftfreq", [torch.fft.fftfreq(n, 0.5) for n in (4, 5)])
    see("rfftfreq", [torch.fft.rfftfreq(n) for n in (4, 5)])
    x = torch.arange(12).reshape(3, 4)
    see("shift", [torch.fft.fftshift(x), torch.fft.fftshift(x, dim=1), torch.fft.ifftshift(x)])
    see("there and back", torch.fft.ifftshift(torch.fft.fftshift(x)))


@program(rules="T-40")
def what_is_refused(torch, see):
    x, z = torch.ones(3, 4), torch.ones(3, 4, dtype=torch.complex64)
    see.raises("rfft of complex", lambda: torch.fft.rfft(z), phrase="real input")
    see.raises("no points", lambda: torch.fft.fft(x, n=0), phrase="Invalid number of data points")
    see.raises("one to real", lambda: torch.fft.irfft(z[:, :1]), phrase="Invalid number")
    see.raises("norm", lambda: torch.fft.fft(x, norm="none"), phrase="normalization mode")
    see.raises("twice", lambda: torch.fft.fftn(x, dim=(1, -1)), phrase="unique")
    see.raises("lengths", lambda: torch.fft.fftn(x, s=(3,), dim=(0, 1)), phrase="same length")
    see.raises("too many", lambda: torch.fft.fftn(x, s=(3, 3, 3)), phrase="dimensions")
    see.raises("no such dim", lambda: torch.fft.fft(x, dim=2))
