"""Functions of complex numbers, as functions of their real and imaginary parts: so slopes can be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import vizgrad as vg

from .row import Row, Sample, one, wave

_MATRIX = (Sample("2x3", (wave(2, 3, low=0.2, high=1.2), wave(2, 3, low=0.2, high=1.2, seed=1))),)
_SQUARE = (Sample("3x3", (wave(3, 3), wave(3, 3, seed=1))),)
_EMPTY = (Sample("empty", (wave(0, 3), wave(0, 3))),)


def _parts(function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Real parts in, real parts out."""

    def call(real: Any, imag: Any) -> Any:
        result = function(vg.complex(real, imag))
        return vg.view_as_real(result) if result.is_complex() else result

    return call


def _well(z: Any) -> Any:
    """A matrix far from singular."""
    return z + 3 * vg.eye(3, dtype=z.dtype)


def _hermitian(z: Any) -> Any:
    return z @ z.mH + vg.diag(vg.tensor([1.0, 2, 3], dtype=z.dtype))


_ELEMENTWISE = {
    "exp": vg.exp, "log": vg.log, "sqrt": vg.sqrt, "reciprocal": vg.reciprocal, "tanh": vg.tanh,
    "sin": vg.sin, "abs": vg.abs, "sgn": vg.sgn, "angle": vg.angle, "conj": vg.conj,
    "conj_physical": vg.conj_physical, "real": vg.real, "imag": vg.imag,
    "product": lambda z: z * z.conj() * (1 + 2j), "quotient": lambda z: z / (z + 1j),
    "power": lambda z: z ** (1.5 + 1j), "cube": lambda z: z**3,
    "polar": lambda z: vg.polar(z.real, z.imag), "prod": lambda z: z.prod(), "var": lambda z: z.var(1),
    "norm": lambda z: vg.linalg.vector_norm(z, dim=1), "cumprod": lambda z: z.cumprod(1),
    "logaddexp": lambda z: vg.logaddexp(z, z.conj() * 1j),
    "logcumsumexp": lambda z: vg.logcumsumexp(z, 1),
    "written part": lambda z: _written(z * 1),
}  # fmt: skip


def _written(z: Any) -> Any:
    z.real.mul_(3)
    return z * z


_OF_MATRICES = {
    "mm": lambda z: z @ z, "mH": lambda z: z.mH @ z, "inv": lambda z: vg.linalg.inv(_well(z)),
    "det": lambda z: vg.linalg.det(_well(z)),
    "logabsdet": lambda z: vg.linalg.slogdet(_well(z)).logabsdet,
    "sign of det": lambda z: vg.linalg.slogdet(_well(z)).sign,
    "solve": lambda z: vg.linalg.solve(_well(z), z[:, :2]), "matrix_exp": vg.linalg.matrix_exp,
    "cholesky": lambda z: vg.linalg.cholesky(_hermitian(z)),
    "eigvalsh": lambda z: vg.linalg.eigvalsh(_hermitian(z)),
    "eigh": lambda z: vg.linalg.eigh(_hermitian(z)).eigenvectors.abs(),
    "svdvals": vg.linalg.svdvals,
    "svd": lambda z: vg.linalg.svd(z, full_matrices=False).U.abs(),
    "eigvals": lambda z: vg.linalg.eigvals(_well(z)).prod(),
    "eig": lambda z: (vg.linalg.eig(_well(z)).eigenvectors.abs() ** 2).sum(1),
}  # fmt: skip

_TRANSFORMS = {
    "fft": vg.fft.fft, "ifft": lambda z: vg.fft.ifft(z, n=4), "fft2": vg.fft.fft2,
    "irfft": vg.fft.irfft, "irfft, odd": lambda z: vg.fft.irfft(z, n=3), "hfft": vg.fft.hfft,
    "rfft": lambda z: vg.fft.rfft(z.real + z.imag), "ihfft": lambda z: vg.fft.ihfft(z.real * z.imag),
}  # fmt: skip

ROWS = [
    Row("angle", vg.angle, one(0.2, 3), np.angle),
    *(
        Row(f"complex {n}", _parts(f), _MATRIX + _EMPTY, rules="T-33")
        for n, f in _ELEMENTWISE.items()
    ),
    *(Row(f"complex {n}", _parts(f), _SQUARE, rules="T-39 T-83") for n, f in _OF_MATRICES.items()),
    *(Row(n, _parts(f), _MATRIX, rules="T-40") for n, f in _TRANSFORMS.items()),
]
