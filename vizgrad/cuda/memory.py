"""How much memory of a device is in use, and was at most: the names of torch.cuda.memory."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.device_memory import PEAKS, amount, bytes_of
from vizgrad.cuda.devices import is_available, library, number_of


def memory_allocated(device: Any = None) -> int:
    """Bytes of the device in use by arrays, in blocks of 512; 0 without a device."""
    return _pool(device, "used_bytes")


def memory_reserved(device: Any = None) -> int:
    """Bytes of the device that pools hold, cupy's and those of graphs; 0 without a device."""
    return _pool(device, "total_bytes")


def max_memory_allocated(device: Any = None) -> int:
    """The most of `memory_allocated` since the start, or the last `reset_peak_memory_stats`."""
    return max(memory_allocated(device), _peak(PEAKS.allocated, device))


def max_memory_reserved(device: Any = None) -> int:
    """The most of `memory_reserved` since the start, or the last `reset_peak_memory_stats`."""
    return max(memory_reserved(device), _peak(PEAKS.reserved, device))


def reset_peak_memory_stats(device: Any = None) -> None:
    """The peaks are now what is in use."""
    if is_available():
        for peaks in (PEAKS.allocated, PEAKS.reserved):
            peaks.pop(number_of(device), None)


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Bytes of the device that no program uses, and all that it has."""
    with library().cuda.Device(number_of(device)):
        free, whole = library().cuda.runtime.memGetInfo()
        return int(free), int(whole)


def empty_cache() -> None:
    """Gives memory of the current device that is kept for later back; nothing happens without one."""
    if is_available():
        library().get_default_memory_pool().free_all_blocks()


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Lets cupy's pool take this part of the device's memory. ValueError outside [0, 1]."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0.0~1.0")
    with library().cuda.Device(number_of(device)):
        library().get_default_memory_pool().set_limit(fraction=float(fraction))


def memory_stats(device: Any = None) -> dict[str, int]:
    """Current and largest numbers of bytes under PyTorch's keys: those that cupy's pool knows."""
    return {
        "allocated_bytes.all.current": memory_allocated(device),
        "allocated_bytes.all.peak": max_memory_allocated(device),
        "reserved_bytes.all.current": memory_reserved(device),
        "reserved_bytes.all.peak": max_memory_reserved(device),
    }


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """`memory_stats` as a table. `vizgrad.memory()` says who holds what."""
    number = number_of(device)
    rows = [f"| memory of cuda:{number} | now | at most |", "|---|---|---|"]
    found = memory_stats(number)
    for words, key in (("allocated", "allocated_bytes"), ("reserved", "reserved_bytes")):
        now, most = (amount(found[f"{key}.all.{when}"]) for when in ("current", "peak"))
        rows.append(f"| {words} | {now} | {most} |")
    return "\n".join(rows)


def _pool(device: Any, question: str) -> int:
    if not is_available():
        return 0
    with library().cuda.Device(number_of(device)):
        return bytes_of(library().get_default_memory_pool(), question)


def _peak(peaks: dict[int, int], device: Any) -> int:
    return peaks.get(number_of(device), 0) if is_available() else 0
