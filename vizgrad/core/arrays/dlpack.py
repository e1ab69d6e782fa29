"""Memory that is shared with other libraries by DLPack (https://dmlc.github.io/dlpack), without a copy.

A producer gives a capsule, whose memory holds a description of the array; a consumer reads it, once. The
libraries below (numpy, cupy) do both, but numpy has no bfloat16 and no float8 there: such an array is
described as one of unsigned integers of the same size, and the code of the type in the capsule is exchanged.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Final

import numpy as np

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import (
    CPU,
    Array,
    Device,
    namespace_for,
    on,
    placed,
)

#: Numbers of kinds of devices: memory of the host, of a CUDA device, of the host that CUDA has pinned, and
#: of both.
DL_CPU, DL_CUDA, DL_CUDA_HOST, DL_CUDA_MANAGED = 1, 2, 3, 13
#: The newest version of the protocol that is asked for.
VERSION: Final = (1, 0)
#: Codes of kinds of types: unsigned integers, and those that numpy does not know.
_UNSIGNED: Final = 1
_NARROW: Final = {
    4: "bfloat16", 10: "float8_e4m3fn", 11: "float8_e4m3fnuz", 12: "float8_e5m2",
    13: "float8_e5m2fnuz", 14: "float8_e8m0fnu",
}  # fmt: skip
_CODES: Final = {name: code for code, name in _NARROW.items()}


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned. The older DLManagedTensor begins with the tensor."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def _pointer(capsule: Any, name: bytes) -> int:
    return _of_capsules("PyCapsule_GetPointer", ctypes.c_void_p)(capsule, name)


def _is_valid(capsule: Any, name: bytes) -> int:
    return _of_capsules("PyCapsule_IsValid", ctypes.c_int)(capsule, name)


@cache
def _of_capsules(name: str, result: type[Any]) -> Any:
    """A function of Python's own; late, for Python in WebAssembly may show none of them."""
    found = getattr(ctypes.pythonapi, name)
    found.restype, found.argtypes = result, (ctypes.py_object, ctypes.c_char_p)
    return found


def is_capsule(value: object) -> bool:
    return type(value).__name__ == "PyCapsule"


def _is_versioned(capsule: Any) -> bool:
    return bool(_is_valid(capsule, b"dltensor_versioned"))


def described_by(capsule: Any) -> _Tensor:
    """The description in a capsule. RuntimeError for one that was read already, or is of something else."""
    if _is_versioned(capsule):
        return _Versioned.from_address(_pointer(capsule, b"dltensor_versioned")).tensor
    if not _is_valid(capsule, b"dltensor"):
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, "
            "so you might have already constructed a tensor from it once."
        )
    return _Tensor.from_address(_pointer(capsule, b"dltensor"))


def dl_device(device: Device) -> tuple[int, int]:
    """A device as DLPack's pair of numbers."""
    return (DL_CPU, 0) if device.type == "cpu" else (DL_CUDA, placed(device).index or 0)


def device_from(pair: Any) -> Device:
    """The device of DLPack's pair of numbers. BufferError for kinds of devices that are unknown here."""
    kind, number = int(pair[0]), int(pair[1])
    if kind in (DL_CPU, DL_CUDA_HOST):
        return CPU
    if kind in (DL_CUDA, DL_CUDA_MANAGED):
        return Device("cuda", number)
    raise BufferError(
        f"Unsupported device_type: {kind} of DLPack; there are 1 (CPU) and 2 (CUDA) here"
    )


def exported(
    array: Array, stream: int | None, max_version: tuple[int, int] | None, copy: bool | None
) -> Any:
    """A capsule that describes the array, or a copy of it.

    `stream`: of a device, the handle of the consumer's stream, which waits for what the current one was asked
    for; -1 for no wait. BufferError from the library where the array cannot be described.
    """
    options: dict[str, Any] = {"max_version": max_version}
    if copy:  # cupy copies to the host alone
        array = array.copy("K")
    if not isinstance(array, np.ndarray):
        options["stream"] = stream
    code = _CODES.get(array.dtype.name)
    if code is None:
        return array.__dlpack__(**options)
    capsule = array.view(f"u{array.dtype.itemsize}").__dlpack__(**options)
    described_by(capsule).code = code
    return capsule


class Offer:
    """A capsule for a library to read; its producer is not asked again."""

    def __init__(self, capsule: Any, device: tuple[int, int]) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


class _Writable:
    """An array of numpy's, which takes what an older producer describes as read-only, as it is: memory that
    may be written to.
    """

    def __init__(self, array: np.ndarray) -> None:
        self._kept = array
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def imported(source: Any, *, device: Device | None = None, copy: bool | None = None) -> Array:
    """The array that a producer (an object with `__dlpack__`) or a capsule describes, over its memory.

    With `device` on that device, and with `copy` never over its memory. BufferError or RuntimeError where
    it cannot be read.
    """
    if is_capsule(source):
        return _read(source)
    there = device_from(source.__dlpack_device__())
    options: dict[str, Any] = {"max_version": VERSION}
    if copy is not None:
        options["copy"] = copy
    if there.type == "cuda":
        with on(there) as library:
            # 1 stands for the default stream, whose own handle is 0
            options["stream"] = library.cuda.get_current_stream().ptr or 1
            array = _read(_asked(source, options))
    else:
        array = _read(_asked(source, options))
    if copy and "copy" not in options:
        array = array.copy()
    return array


def shared(value: Any) -> Array | None:
    """The array over the memory of another library's array, by DLPack or as memory of CUDA; None
    for a value that offers neither.
    """
    kind = type(value)
    if hasattr(kind, "__dlpack__"):
        return imported(value)
    if hasattr(value, "__cuda_array_interface__"):
        return namespace_for(Device("cuda")).asarray(value)
    return None


def _asked(source: Any, options: dict[str, Any]) -> Any:
    """The producer's capsule; what an older producer does not know, it is not asked for."""
    for unknown in ("max_version", "copy", ""):
        try:
            return source.__dlpack__(**options)
        except TypeError:
            if not unknown:
                raise
            options.pop(unknown, None)
    raise AssertionError


def _read(capsule: Any) -> Array:
    described = described_by(capsule)
    pair = (described.device_type, described.device_id)
    device = device_from(pair)
    name = _NARROW.get(described.code)
    if name is not None:
        described.code = _UNSIGNED
    offer = Offer(capsule, (DL_CPU, 0) if device is CPU else pair)
    if device is CPU:
        described.device_type = DL_CPU  # numpy reads pinned memory as any other
        is_old = not _is_versioned(capsule)
        array = np.from_dlpack(offer)
        if is_old:  # it says nothing of being read-only, so numpy takes it for that
            array = np.asarray(_Writable(array))
    else:
        with on(device):
            array = namespace_for(device).from_dlpack(offer)
    return array if name is None else array.view(dtypes.by_name(name).np)
