"""The accelerator of this machine, whatever its kind, as torch.accelerator: here CUDA, or none."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from vizgrad import cuda
from vizgrad.core.arrays.backend import Device

F = TypeVar("F", bound=Callable[..., Any])


def is_available() -> bool:
    """Is there a device?"""
    return cuda.is_available()


def device_count() -> int:
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> Device | None:
    """The kind of the device, `device(type="cuda")`; None where there is none."""
    return Device("cuda") if cuda.is_available() else None


def _of_a_device(function: F) -> F:
    """RuntimeError where there is no device."""

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if not cuda.is_available():
            raise RuntimeError("Cannot access accelerator device when none is available.")
        return function(*args, **kwargs)

    return checked  # pyright: ignore[reportReturnType]  it takes what `function` takes


current_device_index = current_device_idx = _of_a_device(cuda.current_device)
set_device_index = set_device_idx = _of_a_device(cuda.set_device)
synchronize = _of_a_device(cuda.synchronize)
current_stream = _of_a_device(cuda.current_stream)
set_stream = _of_a_device(cuda.set_stream)
empty_cache = _of_a_device(cuda.empty_cache)
get_memory_info = _of_a_device(cuda.mem_get_info)
memory_allocated = _of_a_device(cuda.memory_allocated)
memory_reserved = _of_a_device(cuda.memory_reserved)
memory_stats = _of_a_device(cuda.memory_stats)
max_memory_allocated = _of_a_device(cuda.max_memory_allocated)
max_memory_reserved = _of_a_device(cuda.max_memory_reserved)
reset_peak_memory_stats = _of_a_device(cuda.reset_peak_memory_stats)


@contextmanager
def device_index(device: int | None, /) -> Generator[None]:
    """The device of this number is the current one within the block; None changes nothing."""
    if device is None:
        yield
        return
    before = current_device_index()
    set_device_index(device)
    try:
        yield
    finally:
        set_device_index(before)
