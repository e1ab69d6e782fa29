"""Where arrays live: numpy on the CPU, cupy on a CUDA device.

Kernels are written once, against numpy's functions: given a cupy array (or the strict fake array of
the tests) these dispatch to its own implementation (NEP 13, NEP 18) and never copy to the host
silently. Only what has no array argument to dispatch on (`zeros`, `arange`, random numbers) asks for
a backend by device.

cupy makes arrays, and starts kernels, on the device that is current for the thread, wherever the operands
are. Who computes with arrays makes their device the current one first. Where there is one device, or none,
nobody asks.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any, Final, Self, TypeVar, cast

import numpy as np

from vizgrad.core.arrays import device_memory, dtypes
from vizgrad.core.arrays.graph_capture import capture

#: The type of an array of any backend. Kept as Any: cupy is not installed everywhere.
Array = Any


@dataclass(frozen=True, slots=True)
class Device:
    """``cpu`` or ``cuda:N``; prints and compares as torch.device does.

    Made from a string ("cuda:1"), a type and an index, or the number of a CUDA device. In a `with`
    statement it is the default device of what is made inside.
    """

    type: str
    index: int | None = None

    def __post_init__(self) -> None:
        if self.index is None and (
            self.type.__class__ is not str or self.type not in ("cpu", "cuda")
        ):
            parsed = parse_device(self.type)
            object.__setattr__(self, "type", parsed.type)
            object.__setattr__(self, "index", parsed.index)

    def __enter__(self) -> Self:
        _default.outer.append(get_default_device())
        set_default_device(self)
        return self

    def __exit__(self, *_: object) -> None:
        _default.device = _default.outer.pop()

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


CPU = Device("cpu")


class _Default(threading.local):
    """Each thread has a default device of its own, the CPU to begin with, as in PyTorch."""

    device = CPU

    def __init__(self) -> None:
        #: The defaults before each `with Device(...)` that this thread is inside of.
        self.outer: list[Device] = []


_default = _Default()


def get_default_device() -> Device:
    """Where tensors of this thread are made when no device is named."""
    return _default.device


def set_default_device(device: Device | str | int | None) -> None:
    """Sets where tensors of this thread are made when no device is named; None stands for the CPU."""
    wanted = CPU if device is None else parse_device(device)
    namespace_for(wanted)  # is there such a device?
    _default.device = wanted


_namespaces: dict[type, tuple[ModuleType, Device]] = {np.ndarray: (np, CPU)}
#: The library of each kind of device, once it is known to work.
_libraries: dict[str, ModuleType] = {"cpu": np}


def register_library(namespace: ModuleType, device: Device) -> None:
    """Makes the arrays of a library the memory of a kind of device (cupy; the tests' strict fake)."""
    _namespaces[namespace.ndarray] = (namespace, device)
    _libraries[device.type] = namespace
    for tell in libraries_changed:
        tell()


def forget_library(device: Device) -> None:
    """Undoes `register_library`."""
    namespace = _libraries.pop(device.type)
    del _namespaces[namespace.ndarray]
    for tell in libraries_changed:
        tell()


#: Called when a library was registered or forgotten.
libraries_changed: list[Callable[[], None]] = []


def library_of_devices() -> Any:
    """cupy, or None if it was not asked for yet."""
    return _libraries.get("cuda")


def is_array(value: object) -> bool:
    return type(value) in _namespaces or isinstance(value, np.ndarray)


def is_array_type(kind: type) -> bool:
    """Are things of this type arrays, of elements side by side in memory?"""
    return issubclass(kind, np.ndarray) or (kind in _namespaces and not hasattr(kind, "values"))


def is_on_host(array: Array) -> bool:
    """May its elements be looked at without waiting for a device?"""
    return isinstance(array, np.ndarray)


def is_on_device(value: object) -> bool:
    """Is it an array in the memory of a device?"""
    kind = type(value)
    return kind is not np.ndarray and kind in _namespaces and not hasattr(kind, "values")


def namespace_of(array: Array) -> ModuleType:
    """numpy, or the library of a registered array type."""
    kind = type(array)
    if hasattr(kind, "values"):  # a sparse array: of the elements that it stores
        kind = type(array.values)
    return _namespaces.get(kind, (np, CPU))[0]


def device_of(array: Array) -> Device:
    if type(array) is np.ndarray:
        return CPU
    found = _namespaces.get(type(array))
    if found is None:
        values = getattr(array, "values", None)  # of a sparse array
        return CPU if values is None else device_of(values)
    number = getattr(getattr(array, "device", None), "id", None)
    return found[1] if number is None else Device(found[1].type, int(number))


def parse_device(device: Device | str | int | None) -> Device:
    """A device from "cpu", "cuda:1" or 1; `None` is the default device. RuntimeError for anything else."""
    if device is None:
        return get_default_device()
    if isinstance(device, Device):
        return device
    if device.__class__ is str and device == "cpu":
        return CPU
    if isinstance(device, int):
        return Device("cuda", device)
    if not isinstance(device, str):
        raise TypeError(
            f"argument 'device' must be vizgrad.device, a string or a number, not {type(device).__name__}"
        )
    kind, _, number = device.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdigit()):
        raise RuntimeError(f"Invalid device string: {device!r}; expected 'cpu', 'cuda' or 'cuda:N'")
    return Device(kind, int(number) if number else None)


def namespace_for(device: Device) -> ModuleType:
    """numpy, or cupy for a CUDA device; RuntimeError that says what is missing."""
    library = _libraries.get(device.type) or _load_cupy()
    if device.index and device.type != "cpu":
        count = library.cuda.runtime.getDeviceCount()
        if device.index >= count:
            have = "is 1 device" if count == 1 else f"are {count} devices"
            raise RuntimeError(
                f"CUDA error: invalid device ordinal: there is no {device}, there {have}, counted from cuda:0"
            )
    return library


def check_type(dtype: np.dtype[Any]) -> None:
    """Are there arrays of the type on a device? NotImplementedError for float8."""
    if dtype.name.startswith("float8"):
        raise NotImplementedError(
            f"{dtype.name} is not implemented for CUDA devices: cupy has no such arrays. Keep the tensor on "
            "the CPU, or use bfloat16"
        )


def _load_cupy() -> ModuleType:
    try:
        cupy: Any = import_module("cupy")
    except ImportError as error:
        raise RuntimeError(
            "vizgrad was asked for a CUDA device, but cupy is not installed: "
            "pip install 'vizgrad[cuda12]' (or 'vizgrad[cuda13]')"
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # cupy raises CUDARuntimeError, whose import needs a driver
        raise RuntimeError(f"No CUDA device is usable from cupy: {error}") from error
    if count == 0:
        raise RuntimeError("No CUDA device was found by cupy")
    device_memory.install(cupy)
    register_library(cupy, Device("cuda", 0))
    return cupy


def placed(device: Device) -> Device:
    """The device with its number: "cuda" is the current one."""
    if device.index is not None or device.type == "cpu":
        return device
    return Device(device.type, int(namespace_for(device).cuda.runtime.getDevice()))


def pinned(array: np.ndarray) -> np.ndarray:
    """A copy in memory of the host that a device can read by itself; RuntimeError without a device."""
    namespace_for(Device("cuda"))
    out = import_module("cupyx").empty_pinned(array.shape, array.dtype)
    out[...] = array
    return out


def is_pinned(array: Array) -> bool:
    """Is it memory that `pinned` gave, or a part of it?"""
    base = array.base if isinstance(array, np.ndarray) else None
    while isinstance(base, np.ndarray):
        base = base.base
    return type(getattr(base, "obj", base)).__name__ == "PinnedMemoryPointer"


def to_device(array: Array, device: Device) -> Array:
    """The array on `device`; the same object if it is there already."""
    here = device_of(array)
    if here.type == device.type and (device.index is None or device.index == here.index):
        return array
    if hasattr(array, "mapped"):  # a sparse array consists of several
        return array.mapped(lambda part: to_device(part, device))
    if device.type == "cpu":
        return array.get()
    check_type(array.dtype)
    cupy = namespace_for(device)
    if here.type == device.type and not (array.flags.c_contiguous or array.flags.f_contiguous):
        with array.device:  # cupy copies what lies in one piece alone from device to device
            array = array.copy()
    with cupy.cuda.Device(placed(device).index):
        return cupy.asarray(array)


def beside(like: Array, value: Array) -> Array:
    """An array made on the host, moved to where `like` is. For a graph of launches it is a constant."""
    if type(like) is np.ndarray:
        return value
    if isinstance(value, np.ndarray) and (found := capture()) is not None:
        return found.uploaded(value)
    return to_device(value, device_of(like))


def read_only(array: Array) -> Array:
    """The same memory as an array that refuses writes, where the backend knows of such (numpy)."""
    if not isinstance(array, np.ndarray):
        return array
    shown = array.view()
    shown.flags.writeable = False
    return shown


def writeable(array: Array) -> bool:
    """May the array be written to? True where the backend has no read-only arrays."""
    return type(array) is not np.ndarray or array.flags.writeable


def to_host(array: Array) -> np.ndarray:
    """A numpy array with the same elements: the one place where device memory is read."""
    return array if isinstance(array, np.ndarray) else to_device(array, CPU)


def special_functions(array: Array) -> ModuleType:
    """The library of special functions for arrays of this kind, imported when it is first needed."""
    prefix = "" if namespace_of(array) is np else "cupyx."
    return import_module(prefix + "scipy.special")


_generic, _asarray = np.generic, np.asarray


def as_array(value: Array) -> Array:
    """numpy returns scalars where an operation gives 0 dimensions; tensors hold arrays always."""
    return _asarray(value) if isinstance(value, _generic) else value


# --- the device on which a library of several devices works: that of the operands ---------------------


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
