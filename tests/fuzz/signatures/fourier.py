"""Fourier transforms, windows, short-time transforms."""

from __future__ import annotations

from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first
from tests.fuzz.values import Code, Given


def lengths(d: Draw, so_far: SoFar) -> Any:
    rank = first(so_far).rank
    many = so_far["#many"] = d.whole(0, rank)
    return tuple(d.pick((1, 2, 3, 4)) for _ in range(many))


def as_many_dims(d: Draw, so_far: SoFar) -> Any:
    rank = first(so_far).rank
    many = so_far.get("#many", d.whole(1, max(1, rank)))
    found = d.random.sample(range(rank), min(many, rank))
    return tuple(n - rank if d.chance(0.4) else n for n in found)


NORMS = "norm=pick('forward','backward','ortho',None)?"

TABLE = f"""
fft.fft fft.ifft fft.hfft fft.irfft : input=t(rank=(0,4)) n=none_or(integer(1,6))? dim=dim()? {NORMS}
fft.rfft fft.ihfft : input=t('real',rank=(0,4)) n=none_or(integer(1,6))? dim=dim()? {NORMS}
fft.fft2 fft.ifft2 fft.irfft2 fft.hfft2 : input=t(rank=(2,4)) s=pick(None,(2,3),(4,1),(-1,2))?
    dim=pick((-2,-1),(0,1),(1,0))? {NORMS}
fft.rfft2 fft.ihfft2 : input=t('real',rank=(2,4)) s=pick(None,(2,3),(4,1),(-1,2))?
    dim=pick((-2,-1),(0,1),(1,0))? {NORMS}
fft.fftn fft.ifftn fft.irfftn fft.hfftn : input=t(rank=(0,4)) s=lengths dim=as_many_dims? {NORMS}
fft.fftn fft.ifftn fft.irfftn fft.hfftn : input=t(rank=(1,4)) dim=as_many_dims? {NORMS}
fft.rfftn fft.ihfftn : input=t('real',rank=(1,4)) s=lengths? dim=as_many_dims? {NORMS}
fft.fftshift fft.ifftshift : input=t() dim=dims()?
fft.fftfreq fft.rfftfreq : n=integer(1,6) d=real()? *dtype=dtype('inexact')?? *requires_grad=flag??
hann_window hamming_window bartlett_window blackman_window : window_length=integer(0,6) periodic=flag?
    *dtype=dtype()??
    *requires_grad=flag??
hamming_window : window_length=integer(0,6) periodic=flag alpha=real(0,1) beta=real(0,1)?
kaiser_window : window_length=integer(0,6) periodic=flag? beta=real(1,13)? *dtype=dtype()??
"""


def short_time(d: Draw) -> tuple[list[Any], dict[str, Any]]:
    size = d.whole(8, 16)
    n = d.pick((4, 5, 8))
    dtype = d.dtype("wide")
    x = d.tensor(d.pick(((size,), (2, size), (1, size))), dtype)
    words: dict[str, Any] = {"return_complex": d.pick((True, True, True, False))}
    if d.chance(0.5):
        words["hop_length"] = d.whole(1, n)
    if d.chance(0.4):
        words["win_length"] = d.whole(1, n)
    if d.chance(0.5):
        real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
        words["window"] = d.tensor((words.get("win_length", n),), real, 0.1, 1)
    for name in ("center", "normalized", "onesided"):
        if d.chance(0.3):
            words[name] = d.chance(0.5)
    if d.chance(0.4):
        words["pad_mode"] = d.pick(("reflect", "constant", "replicate", "circular"))
    return [x, n], words


def back_again(d: Draw) -> tuple[list[Any], dict[str, Any]]:
    n = d.pick((4, 6))
    onesided = d.chance(0.7)
    frames = d.whole(2, 5)
    shape = (n // 2 + 1 if onesided else n, frames)
    x = d.tensor(d.pick((shape, (2, *shape))), d.dtype("complex"))
    words: dict[str, Any] = {"onesided": onesided, "hop_length": d.whole(1, 2)}
    if d.chance(0.3):
        words["win_length"] = d.whole(3, n)
    words["window"] = d.tensor(
        (words.get("win_length", n),), "float64" if x.dtype == "complex128" else "float32", 0.5, 1
    )
    for name in ("center", "normalized", "return_complex"):
        if d.chance(0.3):
            words[name] = d.chance(0.5)
    if d.chance(0.3):
        words["length"] = d.whole(2, 12)
    return [x, n], words


MAKERS = {"stft": short_time, "istft": back_again}
__all__ = ["MAKERS", "TABLE", "Code", "Given"]
