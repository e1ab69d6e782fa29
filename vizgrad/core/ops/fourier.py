"""Discrete Fourier transforms. The matrix of a transform is symmetric: it is its own transpose."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import fourier as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, place_of, raw
from vizgrad.core.ops.images import constant_pad_nd


@primitive(linear=True, node="FftC2CBackward0")
class complex_to_complex:
    """The transform over `dims`, times `scale`; e^(-2 pi i k n / N) if `forward`, else e^(+...)."""

    forward = kernel.complex_to_complex

    def grad_self(grad, dims, forward, scale):
        return complex_to_complex(grad, dims=dims, forward=forward, scale=scale)


@primitive(linear=True, node="FftR2CBackward0")
class real_to_complex:
    """The forward transform of real numbers: half of the last of `dims`, which says all."""

    forward = kernel.real_to_complex

    def grad_self(grad, dims, scale, self_meta):
        missing = self_meta.shape[dims[-1]] - raw(grad).shape[dims[-1]]
        pad = tuple((0, missing if d == dims[-1] else 0) for d in range(grad.ndim))
        whole = constant_pad_nd(grad, pad=pad, value=0)
        return complex_to_complex(whole, dims=dims, forward=True, scale=scale)


@primitive(linear=True, node="FftC2RBackward0", holomorphic=False)
class complex_to_real:
    """The inverse direction from half of a Hermitian signal, to real numbers."""

    forward = kernel.complex_to_real

    def grad_self(grad, dims, size, scale):
        half = real_to_complex(grad, dims=dims, scale=scale)
        # elements that stand for two count twice: all but the first, and the last of an even size
        dim, like = dims[-1], place_of(half).real
        weights = xp.full_like(like, like.dtype.type(2), shape=raw(half).shape[dim])
        weights[0] = 1
        if size % 2 == 0:
            weights[-1] = 1
        shape = [1] * half.ndim
        shape[dim] = -1
        return half * constant(weights.reshape(shape), half)
