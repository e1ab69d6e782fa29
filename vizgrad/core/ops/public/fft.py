"""torch.fft: discrete Fourier transforms over one, two or any dimensions.

`n` and `s` give the sizes of the transformed signal: the input is cut, or filled with zeros. `norm`
is "backward" (the default: the inverse divides by the number of elements), "forward" or "ortho" (both divide
by its root). Real and integer input is taken where the transform is complex; names with `r` take real input
or give real output and keep half of the symmetric spectrum, names with `h` the other way round.
"""
# T-40

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.errors import existing_dim, index_of, wrap_dim
from vizgrad.core.ops import fourier
from vizgrad.core.ops.copying import to_copy
from vizgrad.core.ops.images import constant_pad_nd
from vizgrad.core.ops.public.arguments import (
    as_float,
    check_dtype,
    fills_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.complexes import conj
from vizgrad.core.ops.public.dimensions import roll
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.tensor.tensor import Tensor

Sizes = Sequence[int] | None


# --- arguments -------------------------------------------------------------------------------------------


def _scale(norm: str | None, count: int, forward: bool) -> float:
    if norm not in (None, "backward", "forward", "ortho"):
        raise RuntimeError(
            f'Invalid normalization mode: "{norm}"; it is "backward", "forward" or "ortho"'
        )
    if norm == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if (norm == "forward") is forward else 1.0


def _complex(input: Tensor) -> Tensor:
    input = as_float(input)
    if input.is_complex():
        return input
    dtype = dtypes.promote_types(input.dtype, dtypes.complex64)
    return to_copy.record(input, dtype=dtype.np)


def _real(name: str, input: Tensor) -> Tensor:
    if input.is_complex():
        raise RuntimeError(
            f"{name} expects a real input tensor, but got {input.dtype}; use the transform of "
            "complex numbers, or .real"
        )
    return as_float(input)


def _dims_and_sizes(
    input: Tensor, s: Sizes, dim: int | Sequence[int] | None
) -> tuple[tuple[int, ...], list[int | None]]:
    """The dimensions in the order in which they are transformed, and what size each is to have."""
    ndim = input._array.ndim
    if s is not None:
        s = [index_of(s)] if isinstance(s, INTS) else [index_of(n) for n in s]
    if dim is None:
        count = ndim if s is None else len(s)
        if count > ndim:
            raise RuntimeError(
                f"Got shape with {count} values but input tensor only has {ndim} dimensions."
            )
        dims = tuple(range(ndim - count, ndim))
    else:
        dims = tuple(wrap_dim(d, ndim) for d in ([dim] if isinstance(dim, INTS) else dim))
    if len(set(dims)) != len(dims):
        raise RuntimeError("FFT dims must be unique")
    if s is not None and len(s) != len(dims):
        raise RuntimeError(
            "When given, dim and shape arguments must have the same length, got "
            f"{len(dims)} and {len(s)}"
        )
    sizes: list[int | None] = [None if s is None or n == -1 else int(n) for n in (s or dims)]
    return dims, sizes


def _resized(input: Tensor, dims: tuple[int, ...], sizes: Sequence[int | None]) -> Tensor:
    """Cut, or filled with zeros at the end."""
    shape = input._array.shape
    pad = [(0, 0)] * len(shape)
    for dim, size in zip(dims, sizes, strict=True):
        wanted = shape[dim] if size is None else size
        if wanted < 1:
            raise RuntimeError(f"Invalid number of data points ({wanted}) specified")
        pad[dim] = (0, wanted - shape[dim])
    if any(after for _, after in pad):
        return constant_pad_nd.record(input, pad=tuple(pad), value=0)
    return input


def _count(input: Tensor, dims: tuple[int, ...]) -> int:
    return math.prod(input._array.shape[d] for d in dims)


# --- transforms --------------------------------------------------------------------------------------------


def _c2c(input: Tensor, s: Sizes, dim: Any, norm: str | None, forward: bool) -> Tensor:
    dims, sizes = _dims_and_sizes(input, s, dim)
    x = _resized(_complex(input), dims, sizes)
    scale = _scale(norm, _count(x, dims), forward)
    return fourier.complex_to_complex.record(x, dims=dims, forward=forward, scale=scale)


def _r2c(name: str, input: Tensor, s: Sizes, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """Half a spectrum of real numbers; in the inverse direction its conjugate."""
    x = _real(name, input)
    dims, sizes = _dims_and_sizes(x, s, dim)
    _need_dims(name, dims)
    x = _resized(x, dims, sizes)
    scale = _scale(norm, _count(x, dims), forward)
    half = fourier.real_to_complex.record(x, dims=dims, scale=scale)
    return half if forward else conj(half)


def _c2r(name: str, input: Tensor, s: Sizes, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """Real numbers of half a Hermitian spectrum; in the forward direction of its conjugate."""
    x = _complex(input)
    dims, sizes = _dims_and_sizes(x, s, dim)
    _need_dims(name, dims)
    last = sizes[-1]
    size = 2 * (x._array.shape[dims[-1]] - 1) if last is None else last
    if size < 1:
        raise RuntimeError(f"Invalid number of data points ({size}) specified")
    x = _resized(x, dims, [*sizes[:-1], size // 2 + 1])
    scale = _scale(norm, size * _count(x, dims[:-1]), forward)
    x = conj(x) if forward else x
    return fourier.complex_to_real.record(x, dims=dims, size=size, scale=scale)


def _need_dims(name: str, dims: tuple[int, ...]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")


def _one(input: Tensor, n: int | None, dim: int) -> Sizes:
    existing_dim(dim, input._array.ndim)
    if n is not None and n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return None if n is None else (n,)


def _out(result: Tensor, out: Tensor | None, name: str, input: Tensor) -> Tensor:
    return result if out is None else written(out, result, name, input)


@takes_tensors
def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The transform along `dim`."""
    return _out(_c2c(input, _one(input, n, dim), dim, norm, True), out, "fft", input)


@takes_tensors
def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `fft`."""
    return _out(_c2c(input, _one(input, n, dim), dim, norm, False), out, "ifft", input)


@takes_tensors
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The transform of real numbers along `dim`: n // 2 + 1 elements."""
    return _out(
        _r2c("rfft", input, _one(_real("rfft", input), n, dim), dim, norm, True), out, "rfft", input
    )


@takes_tensors
def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `rfft`, of size `n` (2 * (size - 1) unless given)."""
    return _out(_c2r("irfft", input, _one(input, n, dim), dim, norm, False), out, "irfft", input)


@takes_tensors
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The real transform of half a Hermitian signal, of size `n`."""
    return _out(_c2r("hfft", input, _one(input, n, dim), dim, norm, True), out, "hfft", input)


@takes_tensors
def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `hfft`, of real numbers."""
    return _out(
        _r2c("ihfft", input, _one(_real("ihfft", input), n, dim), dim, norm, False),
        out,
        "ihfft",
        input,
    )


@takes_tensors
def fftn(
    input: Tensor, s: Sizes = None, dim: Any = None, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The transform over `dim` (all, unless given)."""
    return _out(_c2c(input, s, dim, norm, True), out, "fftn", input)


@takes_tensors
def ifftn(
    input: Tensor, s: Sizes = None, dim: Any = None, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `fftn`."""
    return _out(_c2c(input, s, dim, norm, False), out, "ifftn", input)


@takes_tensors
def rfftn(
    input: Tensor, s: Sizes = None, dim: Any = None, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The transform of real numbers over `dim` (all, unless given), the last one halved."""
    return _out(_r2c("rfftn", input, s, dim, norm, True), out, "rfftn", input)


@takes_tensors
def irfftn(
    input: Tensor, s: Sizes = None, dim: Any = None, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `rfftn`."""
    return _out(_c2r("irfftn", input, s, dim, norm, False), out, "irfftn", input)


@takes_tensors
def hfftn(
    input: Tensor, s: Sizes = None, dim: Any = None, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The real transform of half a signal that is Hermitian in the last of `dim`."""
    return _out(_c2r("hfftn", input, s, dim, norm, True), out, "hfftn", input)


@takes_tensors
def ihfftn(
    input: Tensor, s: Sizes = None, dim: Any = None, norm: str | None = None, *,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The inverse of `hfftn`, of real numbers."""
    return _out(_r2c("ihfftn", input, s, dim, norm, False), out, "ihfftn", input)


def _over_two(transform: Any, name: str) -> Any:
    def two(
        input: Tensor, s: Sizes = None, dim: Any = (-2, -1), norm: str | None = None, *,
        out: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        if dim is None:
            raise TypeError(f"fft_{name}(): argument 'dim' must be tuple of ints, not NoneType")
        return transform(input, s, dim, norm, out=out)

    two.__name__ = two.__qualname__ = name
    two.__doc__ = f"`{transform.__name__}` over the last two dimensions, unless `dim` is given."
    return takes_tensors(two)


fft2 = _over_two(fftn, "fft2")
ifft2 = _over_two(ifftn, "ifft2")
rfft2 = _over_two(rfftn, "rfft2")
irfft2 = _over_two(irfftn, "irfft2")
hfft2 = _over_two(hfftn, "hfft2")
ihfft2 = _over_two(ihfftn, "ihfft2")


# --- frequencies -------------------------------------------------------------------------------------------


def _places(name: str, numbers: Any, n: int, d: float, dtype: Any, **options: Any) -> Tensor:
    """`numbers` / (n * d) as frequencies; infinite for a spacing of 0."""
    wanted = check_dtype(name, dtype) or dtypes.get_default_dtype()
    if wanted.category < 2:
        raise RuntimeError(f"{name} requires a floating point or complex dtype, got {wanted.name}")
    if wanted.is_complex:
        raise NotImplementedError(f'"{name}" not implemented for {wanted.name}')
    with xp.errstate(all="ignore"):
        unit = 1 / xp.float64(n * d)
        return tensor((numbers * unit).astype(wanted.np), **options)


@fills_out
@takes_tensors
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The frequency of each element of `fft`, in cycles per unit of the spacing `d`."""
    numbers = xp.arange(_count_of(n))
    numbers[(n + 1) // 2 :] -= n
    return _places("fftfreq", numbers, n, d, dtype, device=device, requires_grad=requires_grad)


@fills_out
@takes_tensors
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The frequency of each element of `rfft`, in cycles per unit of the spacing `d`."""
    numbers = xp.arange(_count_of(math.trunc(n / 2) + 1))
    return _places("rfftfreq", numbers, n, d, dtype, device=device, requires_grad=requires_grad)


def _count_of(n: int) -> int:
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    return n


def _dims_to_roll(input: Tensor, dim: Any) -> tuple[int, ...]:
    """The dims to roll, all of them unless given; one that is named twice is rolled twice."""
    ndim = input._array.ndim
    if dim is None:
        return tuple(range(ndim))
    return tuple(wrap_dim(d, ndim) for d in ([dim] if isinstance(dim, INTS) else dim))


@takes_tensors
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Frequency 0 moved to the middle of `dim` (all, unless given)."""
    dims = _dims_to_roll(input, dim)
    return roll(input, tuple(input._array.shape[d] // 2 for d in dims), dims)


@takes_tensors
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of `fftshift`."""
    dims = _dims_to_roll(input, dim)
    return roll(input, tuple((input._array.shape[d] + 1) // 2 for d in dims), dims)
