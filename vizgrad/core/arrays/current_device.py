"""The device on which a library of several devices works: that of the operands.

cupy makes arrays, and starts kernels, on the device that is current for the thread, wherever the operands
are. Who computes with arrays makes their device the current one first. Where there is one device, or none,
nobody asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final, TypeVar, cast

import numpy as np

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import (
    CPU,
    Device,
    check_type,
    get_default_device,
    is_on_device,
    libraries_changed,
    library_of_devices,
    namespace_for,
    parse_device,
)

F = TypeVar("F", bound=Callable[..., Any])


class _Host:
    """The context of what is made on the host."""

    def __enter__(self) -> Any:
        return np

    def __exit__(self, *_: object) -> None: ...


_HOST: Final = _Host()


def on(device: Device | str | int | None) -> Any:
    """A context that gives the library that makes arrays on `device`, None being the default device.

    Inside, that device is the current one.
    """
    wanted = get_default_device() if device is None else parse_device(device)
    return _HOST if wanted is CPU or wanted.type == "cpu" else _on_device(wanted)


@contextmanager
def _on_device(device: Device) -> Iterator[Any]:
    library = namespace_for(device)
    try:
        if device.index is None:
            yield library
        else:
            with library.cuda.Device(device.index):
                yield library
    except ValueError as error:  # cupy's, that there is no such type
        found = re.search(r"float8_\w+", str(error))
        if found is not None:
            check_type(np.dtype(dtypes.by_name(found[0]).np))
        raise


class _Devices:
    """Is there more than one? Read by code that runs often."""

    several = False


DEVICES: Final = _Devices()
#: Called when `DEVICES.several` has changed.
WHEN_SEVERAL: Final[list[Callable[[], None]]] = []


def _look() -> None:
    library = library_of_devices()
    several = library is not None and library.cuda.runtime.getDeviceCount() > 1
    if several != DEVICES.several:
        DEVICES.several = several
        for tell in WHEN_SEVERAL:
            tell()


libraries_changed.append(_look)


def places(arrays: Iterable[Any]) -> list[int]:
    """The numbers of the devices that arrays, or Tensors, are on, each once. Objects other than arrays
    are on none.
    """
    found: list[int] = []
    for given in arrays:
        array = getattr(given, "_array", given)
        array = getattr(array, "values", array)  # of a sparse array
        if is_on_device(array):
            number = array.device.id
            if number not in found:
                found.append(number)
    return found


def current() -> int:
    """The number of the current device. There must be one."""
    return library_of_devices().cuda.runtime.getDevice()


def entered(number: int) -> Any:
    """A context in which a device is the current one."""
    return library_of_devices().cuda.Device(number)


def elsewhere(*values: Any) -> Any:
    """The device of the first array or Tensor in `values`, to be entered; None if it is the current one."""
    found = places(values)
    return entered(found[0]) if found and found[0] != current() else None


def check_one_place(*values: Any) -> None:
    """RuntimeError for arrays on several devices: cupy would fetch elements of one from the other."""
    found = places(values)
    if len(found) > 1:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            + " and ".join(f"cuda:{number}" for number in sorted(found))
            + "!"
        )


def make_current(*arrays: Any) -> None:
    """Makes the device of the first array that is on one the current device, until another is made so."""
    found = places(arrays)
    if found and found[0] != current():
        entered(found[0]).use()


def on_device_of(*arrays: Any) -> Any:
    """A context in which the device of the arrays is the current one."""
    if DEVICES.several and (place := elsewhere(*arrays)) is not None:
        return place
    return _HOST


def near(function: F) -> F:
    """The function of arrays, run on their device; it costs the time of one more call."""

    @wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:
            with place:
                return function(*args, **options)
        return function(*args, **options)

    return cast("F", run)


def go_back(number: int) -> None:
    """Makes a device the current one, as it was before."""
    if current() != number:
        entered(number).use()


def keeping_the_device(steps: Generator[Any, None, None]) -> Generator[Any, None, None]:
    """Gives what `steps` give; after each the current device is what it was before."""
    while True:
        before = current()
        try:
            step = next(steps, _END)
        finally:
            go_back(before)
        if step is _END:
            return
        yield step


_END: Final = object()
