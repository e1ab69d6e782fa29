"""NCCL, from Python: see `nccl.cpp`. What was called on a stream is done there later, by another thread."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.gpu.emulated import devices
from tests.gpu.emulated.building import digest

_CODE = Path(__file__).with_name("nccl.cpp")
#: As cupy's module asks the loader for it.
_NAME = "libnccl.so.2"
_Device = ctypes.CFUNCTYPE(ctypes.c_int)
_current = _Device(devices.current)

_library: Any = None


def load(folder: Path) -> None:
    """Builds and loads the library, so that cupy's module finds it."""
    global _library
    folder = folder / f"nccl-{digest(_CODE.read_bytes())}"
    folder.mkdir(exist_ok=True)
    path = folder / _NAME
    if not path.exists():
        made = path.with_suffix(f".{os.getpid()}")  # another process may do the same
        options = ["-O1", "-std=c++17", "-shared", "-fPIC", "-pthread", f"-Wl,-soname,{_NAME}"]
        subprocess.run(["g++", *options, str(_CODE), "-o", str(made)], check=True)
        made.rename(path)
    _library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    _library.emulated_nccl_begin(_current)
    for name in ("last", "calls"):
        getattr(_library, f"emulated_nccl_{name}").restype = ctypes.c_long
    for name in ("done", "wait"):
        getattr(_library, f"emulated_nccl_{name}").argtypes = [ctypes.c_ssize_t, ctypes.c_long]


def calls() -> int:
    """How many operations of NCCL were begun."""
    return _library.emulated_nccl_calls()


def last() -> int:
    """A number that grows with each of them."""
    return _library.emulated_nccl_last()


def done(stream: int, until: int) -> bool:
    """Has the stream done all that it was given when `last()` was `until`?"""
    return bool(_library.emulated_nccl_done(stream, until))


def settle(stream: int, until: int | None = None) -> None:
    """Waits for it; without `until`, for all."""
    _library.emulated_nccl_wait(stream, last() if until is None else until)
