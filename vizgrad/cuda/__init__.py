"""CUDA devices, through cupy (`pip install 'vizgrad[cuda12]'` or `'vizgrad[cuda13]'`).

`is_available`, `device_count` and the seeds may be asked for anywhere; the rest raises RuntimeError, which
says what is missing, where there is no device.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vizgrad.core.arrays import random
from vizgrad.core.arrays.backend import Device, namespace_for, parse_device, placed
from vizgrad.core.arrays.dtypes import CONSTRUCTORS
from vizgrad.core.ops.public.typed_tensors import typed

_CUDA = Device("cuda")

globals().update({name: typed(name, dtype, _CUDA) for name, dtype in CONSTRUCTORS.items()})


def is_available() -> bool:
    """Is there a device, and cupy to use it?"""
    return device_count() > 0


def device_count() -> int:
    """How many devices there are; 0 without cupy or a driver."""
    try:
        return int(_runtime().getDeviceCount())
    except RuntimeError:
        return 0


def is_initialized() -> bool:
    """Has a device been asked for successfully? vizgrad looks for one when it is first needed."""
    return is_available()


def current_device() -> int:
    """The number of the device that "cuda" stands for."""
    return int(_runtime().getDevice())


def set_device(device: Any) -> None:
    """Sets the device that "cuda" stands for; a negative number changes nothing."""
    number = _number(device)
    if number >= 0:
        _library().cuda.Device(number).use()


def synchronize(device: Any = None) -> None:
    """Waits until the device has done all it was asked to."""
    _library().cuda.Device(_number(device)).synchronize()


def get_device_name(device: Any = None) -> str:
    """The maker's name of the device."""
    name = _runtime().getDeviceProperties(_number(device))["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


def memory_allocated(device: Any = None) -> int:
    """Bytes of the device in use by arrays; 0 without a device."""
    if not is_available():
        return 0
    with _library().cuda.Device(_number(device)):
        return int(_library().get_default_memory_pool().used_bytes())


def memory_reserved(device: Any = None) -> int:
    """Bytes of the device that are held, in use or kept for later; 0 without a device."""
    if not is_available():
        return 0
    with _library().cuda.Device(_number(device)):
        return int(_library().get_default_memory_pool().total_bytes())


def empty_cache() -> None:
    """Gives memory that is kept for later back to the device."""
    if is_available():
        _library().get_default_memory_pool().free_all_blocks()


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current device; nothing happens without one."""
    if is_available():
        random.default_generator(_CUDA).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices."""
    for number in range(device_count()):
        random.default_generator(Device("cuda", number)).manual_seed(int(seed))


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return random.default_generator(_CUDA).initial_seed()


def _library() -> Any:
    return namespace_for(_CUDA)


def _runtime() -> Any:
    return _library().cuda.runtime


def _number(device: Any) -> int:
    """The number of a CUDA device given as number, name or Device; None is the current one."""
    if device is None:
        return current_device()
    if isinstance(device, int):
        if device > 0:
            namespace_for(Device("cuda", device))  # is there such a device?
        return device
    wanted = parse_device(device)
    if wanted.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {wanted}")
    found = placed(wanted).index
    assert found is not None
    return found


def __getattr__(name: str) -> Any:
    if name == "amp":  # loaded when it is asked for
        return import_module("vizgrad.cuda.amp")
    raise AttributeError(f"module 'vizgrad.cuda' has no attribute {name!r}")
