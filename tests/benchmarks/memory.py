"""Peak memory of a step, as the operating system sees it: numpy's and PyTorch's alike."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_of(step: Callable[[], object]) -> float:
    """Bytes in use at the worst moment of `step`, above those before it; NaN where nobody tells."""
    gc.collect()
    _give_back()
    try:
        _CLEAR.write_text("5")  # forget the peak
        before = _field("VmRSS")
        step()
        return _field("VmHWM") - before
    except (OSError, KeyError):
        return float("nan")


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
