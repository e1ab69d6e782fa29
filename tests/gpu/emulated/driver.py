"""CUDA's driver: modules, their functions, and launches of these."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from tests.gpu.emulated import graphs, nccl
from tests.gpu.emulated.account import ACCOUNT
from tests.gpu.emulated.building import entry, sizes
from tests.gpu.emulated.devices import current
from tests.gpu.emulated.runtime import NEXT

_modules: dict[int, ctypes.CDLL] = {}
_functions: dict[int, tuple[str, Any]] = {}
#: By function: how many bytes each of its arguments has.
_sizes: dict[int, list[int]] = {}
_loaded: dict[bytes, ctypes.CDLL] = {}
_Grid = ctypes.c_uint * 6
_MOST_ARGUMENTS = 256


def _load(binary: bytes, *_: Any) -> int:
    """A module is the path of a library that `building` has made."""
    library = _loaded.get(binary)
    if library is None:
        library = _loaded[binary] = ctypes.CDLL(binary.decode())
    number = next(NEXT)
    _modules[number] = library
    return number


def _function(module: int, name: str, *_: Any) -> int:
    run = getattr(_modules[module], entry(name))
    run.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p]
    run.restype = None
    number = next(NEXT)
    found = (ctypes.c_uint * _MOST_ARGUMENTS)()
    count = getattr(_modules[module], sizes(name))(found)
    _functions[number] = name, run
    _sizes[number] = found[:count]
    ACCOUNT.kernels.add(name)
    return number


def _launch(function: int, *given: int) -> int:
    grid, (shared, stream, parameters) = given[:6], given[6:9]
    name, run = _functions[function]
    if graphs.under_way():
        kept = _copied(parameters, _sizes[function])
        if graphs.keep(stream, name, lambda: run(_Grid(*grid), shared, kept)):
            return 0
    nccl.settle(stream)
    ACCOUNT.launches.append(name)
    run(_Grid(*grid), shared, parameters)
    return 0


def _copied(parameters: int, lengths: list[int]) -> Any:
    """The arguments, for a launch that comes later."""
    given = (ctypes.c_void_p * len(lengths)).from_address(parameters) if lengths else ()
    copies = [
        ctypes.create_string_buffer(ctypes.string_at(at, length), length)
        for at, length in zip(given, lengths, strict=True)
    ]
    made = (ctypes.c_void_p * len(copies))(*map(ctypes.addressof, copies))
    made.copies = copies
    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "moduleLoadData": _load,
    "moduleGetFunction": _function,
    "launchKernel": _launch,
    "ctxGetCurrent": lambda *_: 1 + current(),
    "ctxGetDevice": lambda *_: current(),
    "occupancyMaxPotentialBlockSize": lambda *_: (132, 256),
    "occupancyMaxActiveBlocksPerMultiprocessor": lambda *_: 8,
    "funcGetAttribute": lambda *_: 1024,
    "get_build_version": lambda *_: 12090,
}
