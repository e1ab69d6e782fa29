"""Peak memory of a step, as the operating system sees it: numpy's and PyTorch's alike."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
#: glibc's name for the size from which a block is fetched from the system by itself; that size while a peak
#: is measured, and the largest that glibc would choose.
_MMAP_THRESHOLD, _ALONE, _USUAL = -3, 1 << 17, 1 << 25


def peak_of(step: Callable[[], object]) -> float:
    """Bytes in use at the worst moment of `step`, above those before it; NaN where nobody tells.

    Large blocks are fetched from the system by themselves meanwhile. Else freed ones stay in the heap between
    small ones that live on, more or fewer from run to run: up to 200 MB of a training of 600 MB.
    """
    gc.collect()
    _give_back()
    _fetch_alone(_ALONE)
    try:
        _CLEAR.write_text("5")  # forget the peak
        before = _field("VmRSS")
        step()
        return _field("VmHWM") - before
    except (OSError, KeyError):
        return float("nan")
    finally:
        _fetch_alone(_USUAL)


def _fetch_alone(size: int) -> None:
    """Blocks of that many bytes and more are not put into the heap."""
    tune = getattr(ctypes.CDLL(None), "mallopt", None)
    if tune is not None:
        tune(_MMAP_THRESHOLD, size)


def _give_back() -> None:
    """Freed memory that the C library holds goes to the system: else a step seems to need none."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _field(name: str) -> float:
    for line in _STATUS.read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return float(value.split()[0]) * 1024
    raise KeyError(name)
