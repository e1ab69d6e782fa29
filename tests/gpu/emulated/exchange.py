"""Functions of Cython modules in the place of their own, also for other Cython modules.

A Cython module hands the addresses of its functions to others in `__pyx_capi__`, capsules whose name is the
signature in C. A module that imports it after `exchange` is given the addresses of Python functions.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tests.gpu.emulated.account import ACCOUNT

_TYPES: dict[str, Any] = {
    "void": None,
    "int": ctypes.c_int,
    "int __pyx_skip_dispatch": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "float": ctypes.c_float,
    "intptr_t": ctypes.c_ssize_t,
    "size_t": ctypes.c_size_t,
    "uintmax_t": ctypes.c_size_t,
    "cudaMemcpyKind": ctypes.c_int,
    "CUdevice": ctypes.c_int,
}
#: Capsules do not own their names, nor what they point to.
_KEPT: list[Any] = []

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def exchange(
    module: Any, functions: Mapping[str, Callable[..., Any]], compiled: Mapping[str, int]
) -> None:
    """Puts functions in the place of those of the same name; the others do nothing and give 0.

    `compiled` has addresses of functions of the same signature.
    """
    for name, capsule in list(module.__pyx_capi__.items()):
        quoted = re.search('"(.*)"', repr(capsule))
        assert quoted is not None
        signature = quoted[1]
        kinds = _kinds(signature)
        if kinds is None:
            continue
        if name in functions and signature.startswith("struct __pyx_obj_"):
            kinds[0] = ctypes.py_object  # an object of a Cython class, which the function makes
        kind = ctypes.PYFUNCTYPE(*kinds)
        if name in compiled:
            callback = kind(compiled[name])
            function = _with_zero(callback)
        else:
            function = functions.get(name, _nothing)
            callback = kind(_noting_errors(name, function))
        text = ctypes.create_string_buffer(signature.encode())
        _KEPT.extend((callback, text, capsule))
        address = ctypes.cast(callback, ctypes.c_void_p)
        module.__pyx_capi__[name] = _capsule(address, ctypes.cast(text, ctypes.c_char_p), None)
        if hasattr(module, name):
            setattr(module, name, _from_python(function))


def _kinds(signature: str) -> list[Any] | None:
    """The types of the result and of the parameters; None of a variable, and of structures by value."""
    found = re.fullmatch(r"(.*?)\s*\((.*)\)", signature)
    if found is None:
        return None
    parameters = [p for p in found[2].split(", ") if p != "void"]
    try:
        return [_kind(found[1]), *map(_kind, parameters)]
    except KeyError:
        return None


def _kind(text: str) -> Any:
    text = text.strip()
    if text == "PyObject *":
        return ctypes.py_object
    return ctypes.c_void_p if "*" in text else _TYPES[text]


def _noting_errors(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:  # noqa: BLE001  C calls, and knows no exceptions
            ACCOUNT.failures.append(f"{name}: {error!r}")
            print(f"emulated device: {name}: {error!r}", file=sys.stderr, flush=True)
            return 0

    return call


def _from_python(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **options: function(*args, *options.values())


def _with_zero(function: Callable[..., Any]) -> Callable[..., Any]:
    """The last argument says that no method of a subclass is to be looked for."""
    return lambda *args: function(*args, 0)


def _nothing(*_: Any) -> int:
    return 0
