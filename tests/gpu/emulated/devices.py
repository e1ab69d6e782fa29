"""The devices and their memory, from Python: see `devices.cpp`."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.gpu.emulated.building import digest

_CODE = Path(__file__).with_name("devices.cpp")
#: How many bytes each device has.
CAPACITY = 16 << 30

_library: Any = None


def load(folder: Path) -> dict[str, int]:
    """Builds and loads the library; gives the addresses of its functions by their names in CUDA."""
    global _library
    path = folder / f"devices-{digest(_CODE.read_bytes())}.so"
    if not path.exists():
        made = path.with_suffix(f".{os.getpid()}")  # another process may do the same
        command = ["g++", "-O1", "-std=c++17", "-shared", "-fPIC", str(_CODE), "-o", str(made)]
        subprocess.run(command, check=True)
        made.rename(path)
    _library = ctypes.PyDLL(str(path))
    _library.emulated_used.restype = ctypes.c_size_t
    _library.emulated_spoiled.restype = ctypes.c_long
    _library.emulated_begin.argtypes = [ctypes.py_object, ctypes.c_int, ctypes.c_size_t]
    names = re.findall(r"^\S+ emulated_([a-z]+[A-Z]?\w*)\(", _CODE.read_text(), re.MULTILINE)
    return {
        name: ctypes.cast(getattr(_library, f"emulated_{name}"), ctypes.c_void_p).value or 0
        for name in names
    }


def begin(error: type, devices: int) -> None:
    """`error` is raised with a status of CUDA's."""
    _library.emulated_begin(error, devices, CAPACITY)


def current() -> int:
    return _library.emulated_getDevice(0)


def use(number: int) -> None:
    """Raises the error that `begin` was given where there is no such device."""
    _library.emulated_setDevice.restype = ctypes.py_object
    _library.emulated_setDevice(number, 0)


def used() -> int:
    """Bytes in use on the current device."""
    return _library.emulated_used()


def spoiled() -> int:
    """How many blocks something was written around, as far as they were freed."""
    return _library.emulated_spoiled()
