"""Complex numbers: their parts, and the same memory as pairs of real numbers."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array, as_array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.choice import sign


def is_complex(x: Array) -> bool:
    return x.dtype.kind == "c"


def as_real(self: Array) -> Array:
    """The same memory as real numbers, with a last dimension for real and imaginary part."""
    if not is_complex(self):
        raise RuntimeError(
            f"view_as_real is only supported for complex tensors, got one of {self.dtype}"
        )
    parts = as_array(self).real  # a scalar's would be a copy
    return layout.restrided(parts, (*self.shape, 2), (*self.strides, parts.itemsize))


def as_complex(self: Array) -> Array:
    """The same memory as complex numbers: the last dimension holds real and imaginary part."""
    kinds = {"f4": "c8", "f8": "c16"}
    code = f"{self.dtype.kind}{self.itemsize}"
    if code not in kinds:
        raise RuntimeError(
            "view_as_complex is only supported for floating point tensors of 32 or 64 bits, got "
            f"one of {self.dtype}"
        )
    if not self.ndim or self.shape[-1] != 2:
        raise RuntimeError(
            f"Tensor must have a last dimension of size 2, got shape {list(self.shape)}"
        )
    if not self.size:
        return np.empty_like(self, dtype=kinds[code], shape=self.shape[:-1])
    strides = layout.strides_of(self)
    if strides[-1] != 1:
        raise RuntimeError(f"Tensor must have a last dimension with stride 1, got {strides[-1]}")
    if any(s % 2 for n, s in zip(self.shape[:-1], strides, strict=False) if n != 1):
        raise RuntimeError(
            "Tensor must have a stride divisible by 2 for all but last dimension, got "
            f"{list(strides)}"
        )
    return self.view(kinds[code])[..., 0]


def join(self: Array, imag: Array) -> Array:
    """self + i * imag, of real parts of one type."""
    out = np.empty_like(
        self,
        dtype=np.result_type(self.dtype, np.complex64),
        shape=np.broadcast_shapes(self.shape, imag.shape),
        order="K",
    )
    out.real = self
    out.imag = imag
    return out


@quiet
def polar(self: Array, angle: Array) -> Array:
    return join(self * np.cos(angle), self * np.sin(angle))


def sgn(self: Array) -> Array:
    """z / |z|, and 0 at 0; of a real number its sign."""
    if not is_complex(self):
        return sign(self)
    size = np.abs(self)
    nothing = size == 0
    return np.where(nothing, self.dtype.type(0), self / np.where(nothing, 1, size))


def angle(self: Array) -> Array:
    """The argument in radians; of a real number 0 or pi, NaN of NaN."""
    if is_complex(self):
        return np.arctan2(self.imag, self.real)
    x = self if self.dtype.kind == "f" else self.astype(np.float32)
    turned = np.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0))
    return np.where(x != x, x, turned)
