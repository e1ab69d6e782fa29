"""Libraries in the place of CUDA's: cuBLAS in loops (`products.cpp`), others so that cupy can be loaded.

A function that is not emulated says so when it is called, and gives the status "not supported".
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.gpu.emulated.building import digest

_FAMILIES = ("libcublas", "libcusolver", "libcusparse", "libcurand", "libcufft")
#: Functions that only keep handles and settings.
_BOOKKEEPING = re.compile(
    "Create|Destroy|SetStream|GetStream|SetPointerMode|GetPointerMode|SetMathMode|GetMathMode|GetVersion"
    "|SetAtomics|GetProperty"
)
_PRODUCTS = Path(__file__).with_name("products.cpp")
_loaded: dict[str, ctypes.CDLL] = {}


def load(folder: Path) -> None:
    """Builds and loads libraries with all that cupy's modules link with, and lets cupy find them."""
    known: dict[str, Any] = {}
    folder = folder / f"libraries-{digest(_PRODUCTS.read_bytes(), Path(__file__).read_bytes())}"
    folder.mkdir(exist_ok=True)
    for library, symbols in _wanted().items():
        path = folder / library
        if not path.exists():
            _build(path, symbols)
        loaded = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        name = library.partition(".")[0].removeprefix("lib")
        _loaded[name] = loaded
        known[name] = SimpleNamespace(_handle_uint=loaded._handle, abs_path=str(path))
    from cuda import pathfinder

    real = pathfinder.load_nvidia_dynamic_lib
    pathfinder.load_nvidia_dynamic_lib = lambda name: known.get(name) or real(name)


def of(name: str) -> ctypes.CDLL:
    """The library of this name, as "cublas"."""
    return _loaded[name]


def products() -> int:
    """How many products cuBLAS was asked for until now."""
    return ctypes.c_long.in_dll(_loaded["cublas"], "emulated_products").value


def _wanted() -> dict[str, set[str]]:
    """The functions that cupy's modules link with, by library."""
    found = importlib.util.find_spec("cupy_backends")
    assert found is not None
    assert found.origin is not None
    root = Path(found.origin).parent.parent
    wanted: dict[str, set[str]] = {}
    for pattern in ("cupy_backends/cuda/libs/*.so", "cupy/cuda/*.so", "cupyx/*.so"):
        for module in root.glob(pattern):
            done = subprocess.run(
                ["nm", "-D", str(module)], capture_output=True, text=True, check=True
            )
            for symbol, library in re.findall(r" U (\w+)@(lib\w+\.so\.\d+)", done.stdout):
                if library.startswith(_FAMILIES):
                    wanted.setdefault(library, set()).add(symbol)
    return wanted


def _build(path: Path, symbols: set[str]) -> None:
    text = "#include <cstdio>\n"
    written: set[str] = set()
    if path.name.startswith("libcublas."):
        text += _PRODUCTS.read_text()
        command = ["g++", "-E", "-P", str(_PRODUCTS)]
        expanded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        written = set(re.findall(r"\b(cublas\w+)\(", expanded))
    text += "".join(map(_stub, sorted(symbols - written)))
    own = str(os.getpid())  # another process may do the same
    code, exported = path.with_suffix(f".{own}.cpp"), path.with_suffix(f".{own}.map")
    made = path.with_suffix(f".{own}")
    code.write_text(text)
    exported.write_text(f"{path.name} {{ global: *; }};")
    options = [f"-Wl,-soname,{path.name}", f"-Wl,--version-script={exported}"]
    command = ["g++", "-O2", "-w", "-shared", "-fPIC", *options, str(code), "-o", str(made)]
    subprocess.run(command, check=True)
    made.rename(path)


def _stub(symbol: str) -> str:
    if _BOOKKEEPING.search(symbol):
        if "Create" in symbol:
            return f'extern "C" int {symbol}(void** made) {{ if (made) *made = (void*)1; return 0; }}\n'
        return f'extern "C" int {symbol}(...) {{ return 0; }}\n'
    say = f'fprintf(stderr, "not emulated: {symbol}\\n");'
    return f'extern "C" int {symbol}(...) {{ {say} return 7; }}\n'
