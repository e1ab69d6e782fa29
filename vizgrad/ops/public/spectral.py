"""Short-time Fourier transforms (spec T-40)."""

from __future__ import annotations

from typing import Any

from vizgrad.ops.forms import public
from vizgrad.ops.padding import constant_pad_nd
from vizgrad.ops.public import creation, fft, reshape, slicing
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor


def _windowed(n_fft: int, win_length: int | None, given: Tensor | None, like: Tensor) -> Tensor:
    """The window, zeros on both sides up to n_fft."""
    length = n_fft if win_length is None else win_length
    if not 0 < length <= n_fft:
        raise RuntimeError(f"expected 0 < win_length <= n_fft, but got win_length={length}")
    window: Any = creation.ones(length, dtype=like.real.dtype) if given is None else given
    if window._array.shape != (length,):
        raise RuntimeError(
            f"expected a 1D window tensor of size equal to win_length={length}, but got window with "
            f"size {list(window.shape)}"
        )
    left = (n_fft - length) // 2
    return constant_pad_nd.record(window, pad=((left, n_fft - length - left),), value=0)


@public(method=True)
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
) -> Tensor:
    """Transforms of overlapping pieces of a signal (L,) or (B, L): (..., frequencies, pieces).

    Pieces of `n_fft` elements begin every `hop_length` (n_fft // 4) elements and are multiplied by
    `window`; with `center` the signal is continued by half a piece on each side (`pad_mode`). Of a real
    signal only n_fft // 2 + 1 frequencies unless `onesided=False`.
    """
    if return_complex is None and not input.is_complex():
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs")
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"stft: expected a 1D or 2D tensor, got {input._array.ndim} dimensions")
    hop = n_fft // 4 if hop_length is None else hop_length
    if hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    if center:
        input = _continued(input, n_fft // 2, pad_mode)
    length = input._array.shape[-1]
    if not 0 < n_fft <= length:
        raise RuntimeError(f"stft: expected 0 < n_fft <= {length}, but got n_fft={n_fft}")
    pieces: Any = slicing.unfold(input, -1, n_fft, hop)
    pieces = pieces * _windowed(n_fft, win_length, window, input)
    norm = "ortho" if normalized else None
    half = not input.is_complex() if onesided is None else onesided
    found = fft.rfft(pieces, norm=norm) if half else fft.fft(pieces, norm=norm)
    found = found.transpose(-1, -2)
    return found if return_complex is not False else found.view_as_real()


def _continued(input: Tensor, by: int, mode: str) -> Tensor:
    """The signal with `by` more elements on each side."""
    n = input._array.shape[-1]
    if mode == "constant":
        pad = ((0, 0),) * (input._array.ndim - 1) + ((by, by),)
        return constant_pad_nd.record(input, pad=pad, value=0)
    if mode != "reflect":
        raise RuntimeError(f"stft: pad_mode {mode!r} is not supported; use 'reflect' or 'constant'")
    if by >= n:
        raise RuntimeError(
            f"Argument #4: Padding size should be less than the corresponding input dimension, but "
            f"got: padding ({by}, {by}) at dimension 2 of input {list(input.shape)}"
        )
    places = [*range(by, 0, -1), *range(n), *range(n - 2, n - 2 - by, -1)]
    return input[..., places]


@public(method=True)
@takes_tensors
def istft(
    input: Tensor,
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
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft"
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    frequencies, count = input._array.shape[-2:]
    half = frequencies == n_fft // 2 + 1 if onesided is None else onesided
    if frequencies != (n_fft // 2 + 1 if half else n_fft):
        raise RuntimeError(
            "istft: expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"n_fft, but got {frequencies}"
        )
    spectrum = input.transpose(-1, -2)
    norm = "ortho" if normalized else None
    if half and not return_complex:
        pieces: Any = fft.irfft(spectrum, n=n_fft, norm=norm)
    else:
        pieces = fft.ifft(spectrum, norm=norm)
        pieces = pieces if return_complex else pieces.real
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
        pad = ((0, 0),) * (signal.ndim - 1) + ((0, missing),)
        signal = constant_pad_nd.record(signal, pad=pad, value=0)
    return signal


def _added_up(pieces: Tensor, hop: int, total: int) -> Tensor:
    """(..., pieces, n) overlapping by steps of `hop` -> (..., total)."""
    count, n = pieces._array.shape[-2:]
    places = creation.tensor([[hop * i + j for j in range(n)] for i in range(count)])
    batch = pieces.shape[:-2]
    flat = reshape.reshape(pieces, (*batch, count * n))
    zeros = pieces.new_zeros((*batch, total))
    return zeros.index_add(-1, reshape.reshape(places, (-1,)), flat)
