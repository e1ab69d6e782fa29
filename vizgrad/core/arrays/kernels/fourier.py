"""Discrete Fourier transforms, by the array library."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.backend import Array, namespace_of
from vizgrad.core.arrays.errstate import quiet

Dims = tuple[int, ...]


def _scaled(result: Array, scale: float, like: Array) -> Array:
    """Times `scale`, in the precision of `like`."""
    single = like.dtype.itemsize <= (8 if like.dtype.kind == "c" else 4)
    kind = ("c8" if single else "c16") if result.dtype.kind == "c" else "f4" if single else "f8"
    result = result.astype(kind, copy=False)
    return result if scale == 1 else result * result.real.dtype.type(scale)


@quiet
def complex_to_complex(self: Array, *, dims: Dims, forward: bool, scale: float) -> Array:
    """The sum of x_n e^(-2 pi i k n / N), or with e^(+...) for the inverse direction, times `scale`."""
    if not dims:
        return self.copy()
    fft: Any = namespace_of(self).fft
    made = fft.fftn(self, axes=dims) if forward else fft.ifftn(self, axes=dims, norm="forward")
    return _scaled(made, scale, self)


@quiet
def real_to_complex(self: Array, *, dims: Dims, scale: float) -> Array:
    """The half of the forward transform that says all: the last of `dims` has N // 2 + 1 elements."""
    return _scaled(namespace_of(self).fft.rfftn(self, axes=dims), scale, self)


@quiet
def complex_to_real(self: Array, *, dims: Dims, size: int, scale: float) -> Array:
    """The inverse direction from half of a Hermitian signal to `size` real elements along the last dim."""
    fft: Any = namespace_of(self).fft
    sizes = [*(self.shape[d] for d in dims[:-1]), size]
    return _scaled(fft.irfftn(self, s=sizes, axes=dims, norm="forward"), scale, self)
