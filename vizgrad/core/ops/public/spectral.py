"""Short-time Fourier transforms (spec T-40)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from vizgrad.core.arrays.dtypes import DType, get_default_dtype
from vizgrad.core.errors import warn_once
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.images import constant_pad_nd
from vizgrad.core.ops.public import (
    complexes,
    creation,
    dimensions,
    fft,
    from_values,
    reshape,
    slicing,
    special,
)
from vizgrad.core.ops.public.arguments import check_kind, takes_tensors
from vizgrad.core.ops.public.creation import arange, check_flag, full
from vizgrad.core.ops.public.padding import pad
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.requirements import DtypeKind
from vizgrad.core.tensor.tensor import Tensor


def _windowed(n_fft: int, win_length: int | None, given: Tensor | None, like: Tensor) -> Tensor:
    """The window, zeros on both sides up to n_fft."""
    length = n_fft if win_length is None else win_length
    if not 0 < length <= n_fft:
        raise RuntimeError(f"expected 0 < win_length <= n_fft, but got win_length={length}")
    window: Any = (
        creation.ones(length, dtype=like.real.dtype, device=like.device) if given is None else given
    )
    if window._array.shape != (length,):
        raise RuntimeError(
            f"expected a 1D window tensor of size equal to win_length={length}, but got window with "
            f"size {list(window.shape)}"
        )
    left = (n_fft - length) // 2
    return constant_pad_nd.record(window, pad=((left, n_fft - length - left),), value=0)


@public(method=True)
@takes_tensors
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Transforms of overlapping pieces of a signal (L,) or (B, L): (..., frequencies, pieces).

    Pieces of `n_fft` elements begin every `hop_length` (n_fft // 4) elements and are multiplied by
    `window`; with `center` the signal is continued by half a piece on each side (`pad_mode`), with
    `align_to_window` by as many zeros as the window is shorter. For a real signal only n_fft // 2 +
    1 frequencies unless `onesided=False`.
    """
    if center and pad_mode in ("reflect", "replicate"):
        check_kind(f"{pad_mode}_pad", input, "iufcV")
    both = input.is_complex() or (window is not None and window.is_complex())
    if return_complex is None and not both:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs")
    if input._array.dtype.kind not in "fcV":
        raise RuntimeError(
            f"stft: expected a tensor of floating point or complex values, got {input.dtype.name}"
        )
    if align_to_window is not None and center:
        raise RuntimeError(
            "stft: align_to_window should only be set when center = false, where it chooses whether pieces "
            "begin where the window does, or n_fft elements are taken"
        )
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, got {input._array.ndim} dimensions")
    hop = n_fft // 4 if hop_length is None else hop_length
    if hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    if center:
        input = _continued(input, n_fft // 2, pad_mode)
    elif align_to_window:
        input = _continued(input, (n_fft - (win_length or n_fft)) // 2, "constant")
    length = input._array.shape[-1]
    if not 0 < n_fft <= length:
        raise RuntimeError(f"stft: expected 0 < n_fft <= {length}, but got n_fft={n_fft}")
    pieces: Any = slicing.unfold(input, -1, n_fft, hop)
    if window is not None or (win_length or n_fft) != n_fft:  # by ones nothing is multiplied
        pieces = pieces * _windowed(n_fft, win_length, window, input)
    norm = "ortho" if normalized else None
    half = not both if onesided is None else onesided
    found = fft.rfft(pieces, norm=norm) if half else fft.fft(pieces, norm=norm)
    found = found.transpose(-1, -2)
    return found if return_complex is not False else complexes.view_as_real(found)


def _continued(input: Tensor, by: int, mode: str) -> Tensor:
    """The signal with `by` more elements on each side."""
    rows = input._array.ndim
    if rows == 1:
        input = dimensions.unsqueeze(input, 0)
    made = pad(input, (by, by), mode)
    return dimensions.squeeze(made, 0) if rows == 1 else made


@public(method=True)
@takes_tensors
@of_examples
def istft(
    input: Annotated[
        Tensor,
        DtypeKind(
            "c",
            "istft requires a complex-valued input tensor matching the output from stft",
            RuntimeError,
        ),
    ],
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose `stft` is `input`, by overlapping and adding, divided by the windows' squares."""
    if window is not None and window.is_complex() and not return_complex:
        raise RuntimeError(
            "istft: Complex windows are incompatible with return_complex=False: the signal is complex too"
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    frequencies, count = input._array.shape[-2:]
    half = frequencies != n_fft if onesided is None else onesided
    if frequencies != (n_fft // 2 + 1 if half else n_fft):
        raise RuntimeError(
            "istft: expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"n_fft, but got {frequencies}"
        )
    spectrum = input.transpose(-1, -2)
    norm = "ortho" if normalized else None
    if return_complex:
        pieces: Any = fft.ifft(spectrum, norm=norm)
    else:  # the other half says nothing more of a real signal
        pieces = fft.irfft(spectrum[..., : n_fft // 2 + 1], n=n_fft, norm=norm)
    weights: Any = _windowed(n_fft, win_length, window, input)
    total = n_fft + hop * (count - 1)
    signal: Any = _added_up(pieces * weights, hop, total)
    shares: Any = _added_up((weights * weights).expand(count, n_fft), hop, total)
    start = n_fft // 2 if center else 0
    stop = total - start if length is None else start + length
    signal, shares = signal[..., start:stop], shares[start:stop]
    if bool((shares.abs() < 1e-11)._array.any()):
        raise RuntimeError("istft: window overlap add min: 0; some elements are under no window")
    signal = signal / shares
    missing = 0 if length is None else length - signal.shape[-1]
    if missing > 0:
        warn_once("istft: the signal has fewer elements than `length`: zeros follow them")
        pad = ((0, 0),) * (signal.ndim - 1) + ((0, missing),)
        signal = constant_pad_nd.record(signal, pad=pad, value=0)
    return signal


def _added_up(pieces: Tensor, hop: int, total: int) -> Tensor:
    """(..., pieces, n) overlapping by steps of `hop` -> (..., total)."""
    count, n = pieces._array.shape[-2:]
    rows = [[hop * i + j for j in range(n)] for i in range(count)]
    places = from_values.tensor(rows, device=pieces.device)
    batch = pieces.shape[:-2]
    flat = reshape.reshape(pieces, (*batch, count * n))
    zeros = pieces.new_zeros((*batch, total))
    return zeros.index_add(-1, reshape.reshape(places, (-1,)), flat)


# Window functions of signal processing (A. Oppenheim, R. Schafer, Discrete-Time Signal Processing, 7.5).


#: A constant as a tensor of the window's type.
Rounded = Callable[[float], Any]
#: A window of the numbers 0, 1, ..., N - 1 and of N - 1, with constants that are rounded as PyTorch's.
Shape = Callable[[Any, int, Rounded], Any]


def _window(
    name: str, shape: Shape, length: int, periodic: bool, options: dict[str, Any]
) -> Tensor:
    """A `periodic` window has one place more, which is left out."""
    requires_grad = options.pop("requires_grad", None) or False
    check_flag(requires_grad)
    dtype: DType = options.pop("dtype", None) or get_default_dtype()
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    if dtype.is_complex and length > 1:
        raise NotImplementedError(f'"{name}" not implemented for {dtype.name}')
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if length <= 1:
        made: Any = full((length,), 1.0, dtype=dtype, **options)
    else:
        numbers: Any = arange(length, dtype=dtype, **options)
        rounded = lambda value: full((), value, dtype=dtype, **options)  # noqa: E731  short beside its use
        made = shape(numbers, length if periodic else length - 1, rounded)
    return made.wanting_grad(requires_grad)


@public
@takes_tensors
def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """(1 - cos(2 pi t)) / 2 for t from 0 to 1; options are `dtype`, `device` and `requires_grad`."""
    return _cosines("hann_window", window_length, periodic, options, 0.5, 0.5)


@public
@takes_tensors
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Any,
) -> Tensor:
    """alpha - beta cos(2 pi t) for t from 0 to 1; options are `dtype`, `device` and `requires_grad`."""
    return _cosines("hamming_window", window_length, periodic, options, float(alpha), float(beta))


@public
@takes_tensors
def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t) for t from 0 to 1; options as of `hann_window`."""
    return _cosines("blackman_window", window_length, periodic, options, 0.42, 0.5, 0.08)


def _cosines(
    name: str,
    length: int,
    periodic: bool,
    options: dict[str, Any],
    level: float,
    once: float,
    twice: float = 0.0,
) -> Tensor:
    def shape(n: Any, last: int, rounded: Rounded) -> Any:
        if twice:
            t = n * rounded(math.pi / last)
            waves = (t * 4).cos() * rounded(twice) - (t * 2).cos() * rounded(once)
        else:
            waves = (n * rounded(2 * math.pi / last)).cos() * rounded(-once)
        return waves + rounded(level)

    return _window(name, shape, length, periodic, options)


@public
@takes_tensors
def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A triangle, 0 at its ends and 1 in the middle; options as of `hann_window`."""

    def shape(n: Any, last: int, rounded: Rounded) -> Any:
        rising = n * rounded(2 / last)
        return where(n <= last // 2, rising, 2 - rising)

    return _window("bartlett_window", shape, window_length, periodic, options)


@public
@takes_tensors
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor:
    """I0(beta sqrt(1 - (2t - 1)^2)) / I0(beta) for t from 0 to 1; options as of `hann_window`."""

    def shape(n: Any, last: int, rounded: Rounded) -> Any:
        within: Any = beta * (1 - (2 * (n / last) - 1) ** 2).clamp(min=0).sqrt()
        return special.i0(within) / special.i0(rounded(beta))

    return _window("kaiser_window", shape, window_length, periodic, options)
