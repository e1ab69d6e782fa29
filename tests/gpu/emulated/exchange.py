"""Functions of Cython modules in the place of their own, also for other Cython modules.

A Cython module hands the addresses of its functions to others in `__pyx_capi__`, capsules whose name is the
signature in C. A module that imports it after `exchange` is given the addresses of Python functions.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.gpu.emulated.account import ACCOUNT
from tests.gpu.emulated.building import digest
from tests.gpu.emulated.graphs import Refused

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
    module: Any,
    functions: Mapping[str, Callable[..., Any]],
    compiled: Mapping[str, int],
    error: type,
    folder: Path,
) -> None:
    """Puts functions in the place of those of the same name; the others do nothing and give 0.

    `compiled` has addresses of functions of the same signature. A function that raises `Refused` raises
    `error`, of its status, for who called.
    """
    guards = _guards(module, functions, compiled, error, folder)
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
            callback = kind(_noting_errors(name, function, guards))
        text = ctypes.create_string_buffer(signature.encode())
        _KEPT.extend((callback, text, capsule))
        address = ctypes.cast(callback, ctypes.c_void_p)
        if name in functions and name not in compiled and hasattr(guards, f"guarded_{name}"):
            ctypes.c_void_p.in_dll(guards, f"python_{name}").value = address.value
            address = ctypes.cast(getattr(guards, f"guarded_{name}"), ctypes.c_void_p)
        module.__pyx_capi__[name] = _capsule(address, ctypes.cast(text, ctypes.c_char_p), None)
        if hasattr(module, name):
            setattr(module, name, _from_python(function, error))


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


# --- errors: a function of Python's that C calls cannot raise, but one around it can ---------------------

_GUARDS = """
#include <cstddef>
#include <cstdint>
struct PyObject;
extern "C" {
PyObject* PyLong_FromLong(long);
void PyErr_SetObject(PyObject*, PyObject*);
static PyObject* error_class = nullptr;
static thread_local int refused = 0;
void emulated_errors(PyObject* error) { error_class = error; }
void emulated_refuse(int status) { refused = status; }
}
static bool raised() {
  if (!refused) return false;
  PyErr_SetObject(error_class, PyLong_FromLong(refused));
  refused = 0;
  return true;
}
"""
_GUARD = """
extern "C" {result} (*python_{name})({given}) = nullptr;
extern "C" {result} guarded_{name}({given}) {{
  {result} found = python_{name}({passed});
  return raised() ? ({result})0 : found;
}}
"""


def _guards(
    module: Any,
    functions: Mapping[str, Callable[..., Any]],
    compiled: Mapping[str, int],
    error: type,
    folder: Path,
) -> Any:
    """A library with a function around each: it raises what was refused inside."""
    text = _GUARDS
    for name in sorted(set(functions) - set(compiled)):
        quoted = re.search('"(.*)"', repr(module.__pyx_capi__.get(name)))
        found = quoted and re.fullmatch(r"(.*?)\s*\((.*)\)", quoted[1])
        if not found or quoted is None or _kinds(quoted[1]) is None or "struct" in found[1]:
            continue
        kinds = [_plain(p) for p in found[2].split(", ")]
        given = ", ".join(f"{kind} p{i}" for i, kind in enumerate(kinds))
        passed = ", ".join(f"p{i}" for i in range(len(kinds)))
        result = _plain(found[1])
        text += _GUARD.format(result=result, name=name, given=given, passed=passed)
    path = folder / f"guards-{digest(text.encode())}.so"
    if not path.exists():
        own = str(os.getpid())  # another process may do the same
        code, made = path.with_suffix(f".{own}.cpp"), path.with_suffix(f".{own}")
        code.write_text(text)
        options = ["-O1", "-w", "-std=c++17", "-shared", "-fPIC"]
        command = ["g++", *options, str(code), "-o", str(made)]
        subprocess.run(command, check=True)
        code.unlink()
        made.rename(path)
    library = ctypes.PyDLL(str(path))
    library.emulated_errors.argtypes = [ctypes.py_object]
    library.emulated_errors(error)
    _KEPT.append(library)
    return library


def _plain(text: str) -> str:
    """The type in C, of what is passed on as it is."""
    text = text.removesuffix(" __pyx_skip_dispatch").strip()
    if text == "PyObject *":
        return "PyObject*"
    return "void*" if "*" in text else "int" if text.startswith(("cuda", "CU")) else text


def _noting_errors(name: str, function: Callable[..., Any], guards: Any) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        try:
            return function(*args)
        except Refused as error:
            guards.emulated_refuse(error.status)
            return 0
        except Exception as error:  # noqa: BLE001  C calls, and knows no exceptions
            ACCOUNT.failures.append(f"{name}: {error!r}")
            print(f"emulated device: {name}: {error!r}", file=sys.stderr, flush=True)
            return 0

    return call


def _from_python(function: Callable[..., Any], error: type) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, *options.values())
        except Refused as refused:
            raise error(refused.status) from None

    return call


def _with_zero(function: Callable[..., Any]) -> Callable[..., Any]:
    """The last argument says that no method of a subclass is to be looked for."""
    return lambda *args: function(*args, 0)


def _nothing(*_: Any) -> int:
    return 0
