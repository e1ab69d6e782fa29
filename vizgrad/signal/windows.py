"""Windows of `M` points: symmetric, or with `sym=False` one period of them (T-40)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import pi
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType, get_default_dtype
from vizgrad.core.ops.public import creation, from_values
from vizgrad.core.tensor.in_memory import layout as Layout
from vizgrad.core.tensor.in_memory import strided
from vizgrad.core.tensor.tensor import Tensor

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming",
    "hamming", "hann", "kaiser", "nuttall",
]  # fmt: skip


def _checked(name: str, M: int, dtype: DType | None, layout: Layout) -> DType:
    """The type of the window. ValueError for one that a window cannot have."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    wanted = get_default_dtype() if dtype is None else dtype
    if wanted not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {wanted}")
    return wanted


def _points(
    start: float, end: float, M: int, dtype: DType, device: Any, requires_grad: bool
) -> Tensor:
    return creation.linspace(start, end, M, dtype=dtype, device=device, requires_grad=requires_grad)


def _short(M: int, dtype: DType, device: Any, requires_grad: bool) -> Tensor | None:
    """A window of no points, or of one: 1. None for a longer one."""
    if M > 1:
        return None
    return creation.ones((int(M),), dtype=dtype, device=device, requires_grad=requires_grad)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: DType | None = None,
    layout: Layout = strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-|n - center| / tau). `center` is for `sym=False` alone, by default (M - 1) / 2."""
    wanted = _checked("exponential", M, dtype, layout)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    short = _short(M, wanted, device, requires_grad)
    if short is not None:
        return short
    middle = (M - 1 if sym else M) / 2 if center is None else center
    n = _points(-middle / tau, (-middle + M - 1) / tau, M, wanted, device, requires_grad)
    return (-n.abs()).exp()


def cosine(
    M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """sin(pi * (n + 1/2) / M)."""
    wanted = _checked("cosine", M, dtype, layout)
    short = _short(M, wanted, device, requires_grad)
    if short is not None:
        return short
    step = pi / (M if sym else M + 1)
    return _points(step / 2, step * (M - 0.5), M, wanted, device, requires_grad).sin()


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-(n / std)^2 / 2), n counted from the middle."""
    wanted = _checked("gaussian", M, dtype, layout)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    short = _short(M, wanted, device, requires_grad)
    if short is not None:
        return short
    middle = (M - 1 if sym else M) / 2
    scale = 1 / (std * 2**0.5)
    n = _points(-middle * scale, (M - 1 - middle) * scale, M, wanted, device, requires_grad)
    return (-(n**2)).exp()


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """i0(beta * sqrt(1 - x^2)) / i0(beta), where x goes from -1 to 1."""
    from vizgrad.core.ops.public import special

    wanted = _checked("kaiser", M, dtype, layout)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    short = _short(M, wanted, device, requires_grad)
    if short is not None:
        return short
    scale = 2 * beta / (M - 1 if sym else M)
    n = _points(-beta, min(beta, -beta + (M - 1) * scale), M, wanted, device, requires_grad)
    whole = from_values.tensor(beta, dtype=wanted, device=device)
    return special.i0((whole**2 - n**2).clamp(min=0).sqrt()) / special.i0(whole)


def bartlett(
    M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """1 - |x|, where x goes from -1 to 1."""
    wanted = _checked("bartlett", M, dtype, layout)
    short = _short(M, wanted, device, requires_grad)
    if short is not None:
        return short
    step = 2 / (M - 1 if sym else M)
    return 1 - _points(-1, -1 + step * (M - 1), M, wanted, device, requires_grad).abs()


def general_cosine(
    M: int, *, a: Iterable[float], sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of (-1)^i * a[i] * cos(i * x), where x goes from 0 to 2 pi."""
    return _cosines("general_cosine", M, a, sym, dtype, layout, device, requires_grad)


def _cosines(
    name: str, M: int, a: Any, sym: bool, dtype: DType | None, layout: Layout, device: Any,
    requires_grad: bool,
) -> Tensor:  # fmt: skip
    wanted = _checked(name, M, dtype, layout)
    short = _short(M, wanted, device, requires_grad)
    if short is not None:
        return short
    if not isinstance(a, Sequence):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    step = 2 * pi / (M - 1 if sym else M)
    n = _points(0, (M - 1) * step, M, wanted, device, requires_grad)
    signed = from_values.tensor(
        [(-1) ** i * each for i, each in enumerate(a)],
        dtype=wanted,
        device=device,
        requires_grad=requires_grad,
    )
    turns = creation.arange(len(signed), dtype=wanted, device=device)
    return (signed.unsqueeze(-1) * (turns.unsqueeze(-1) * n).cos()).sum(0)


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: DType | None = None,
    layout: Layout = strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """alpha - (1 - alpha) * cos(x)."""
    a = [alpha, 1.0 - alpha]
    return _cosines("general_cosine", M, a, sym, dtype, layout, device, requires_grad)


def hamming(
    M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`general_hamming` with alpha = 0.54."""
    return general_hamming(
        M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def hann(
    M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`general_hamming` with alpha = 0.5."""
    return general_hamming(
        M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )  # fmt: skip


def blackman(
    M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Three cosines: 0.42, 0.5, 0.08."""
    a = [0.42, 0.5, 0.08]
    return _cosines("blackman", M, a, sym, dtype, layout, device, requires_grad)


def nuttall(
    M: int, *, sym: bool = True, dtype: DType | None = None, layout: Layout = strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Four cosines: 0.3635819, 0.4891775, 0.1365995, 0.0106411."""
    a = [0.3635819, 0.4891775, 0.1365995, 0.0106411]
    return _cosines("general_cosine", M, a, sym, dtype, layout, device, requires_grad)
