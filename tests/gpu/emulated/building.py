"""Kernels of CUDA C++ as libraries of the host: g++ reads them with the headers in `cuda/`.

What was built is kept, in a folder for these headers, this cupy and this compiler. A kernel that does not
compile raises what cupy raises for it.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

from tests.gpu.emulated.account import ACCOUNT

HEADERS = Path(__file__).with_name("cuda")
_FLAGS = ("-x", "c++", "-std=c++17", "-O0", "-w", "-fpermissive", "-fPIC", "-ffp-contract=off")
_KERNEL = re.compile(
    r"(template\s*<[^{};]*>\s*)?(?:extern\s+\"C\"\s+)?__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?"
    r"void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?([\w$]+)\s*\("
)
_DYNAMIC = re.compile(r"extern\s+__shared__\s+([^;\[\]]*?)\s*\b(\w+)\s*\[\s*\]\s*;")
_WAITING = ("__syncthreads", "__syncwarp", "_REDUCE(")
_PREFIX = """\
#include "device.h"
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
"""


def entry(kernel: str) -> str:
    """The name of the function of a library that launches a kernel."""
    return "launch_" + re.sub(r"\W", lambda found: f"_{ord(found[0]):x}_", kernel)


def sizes(kernel: str) -> str:
    """The name of the function of a library that gives the sizes of a kernel's arguments."""
    return "sizes" + entry(kernel).removeprefix("launch")


def digest(*parts: bytes) -> str:
    """A short name for what is made of these."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]


def own_name(path: Path) -> Path:
    """A name beside `path` that no other thread or process writes to: what is made there gets the name
    `path` when it is whole.
    """
    return path.with_name(f"{path.stem}.{os.getpid()}.{threading.get_ident()}{path.suffix}")


class Builder:
    """Compiles what cupy would hand to NVRTC."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("g++")
        if compiler is None:
            raise RuntimeError("the emulated device compiles kernels by g++, and there is none")
        self.compiler = compiler
        found = importlib.util.find_spec("cupy")
        if found is None or found.origin is None:
            raise RuntimeError("the emulated device needs cupy: pip install 'vizgrad[emulated]'")
        self.include = Path(found.origin).parent / "_core" / "include"
        self.folder = folder / self._stamp()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._precompile()

    def _stamp(self) -> str:
        version = subprocess.run([self.compiler, "-v"], capture_output=True, check=True).stderr
        cupy = next(d for d in importlib.metadata.packages_distributions()["cupy"])
        texts = [p.read_bytes() for p in sorted(HEADERS.rglob("*.h"))]
        number = importlib.metadata.version(cupy).encode()
        return digest(version, number, " ".join(_FLAGS).encode(), *texts)

    def _precompile(self) -> None:
        """What each kernel begins with, read once."""
        header = self.folder / "prefix.h"
        if header.with_suffix(".h.gch").exists():
            return
        text = own_name(header)
        text.write_text(_PREFIX)
        text.rename(header)
        made = own_name(header.with_suffix(".h.gch"))
        flags = ["-x", "c++-header", *_FLAGS[2:]]
        self._run(*flags, *self._places(), str(header), "-o", str(made))
        made.rename(header.with_suffix(".h.gch"))

    def _places(self) -> list[str]:
        return [f"-I{HEADERS}", f"-I{self.include}"]

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(
            [self.compiler, *arguments], capture_output=True, text=True, check=False
        )
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            raise RuntimeError("\n".join(lines)[:2000])

    def compile(
        self,
        source: str,
        options: Any = (),
        arch: Any = None,
        filename: str = "",
        names: Any = None,
        *_: Any,
        **__: Any,
    ) -> tuple[bytes, dict[str, str]]:
        """(the path of the library, the names of its kernels by the expressions that were asked for)."""
        from cupy.cuda.compiler import CompileException

        text = _translated(source, list(names or ()))
        name = digest(text.encode(), *(option.encode() for option in options))
        path = self.folder / f"{name}.so"
        if not path.exists():
            made = own_name(path)
            code = made.with_suffix(".cpp")
            code.write_text(text)
            kept = [o for o in options if o.startswith("-D")]
            prefix = ["-include", str(self.folder / "prefix.h")]
            try:
                self._run(
                    *_FLAGS, "-shared", *self._places(), *kept, *prefix, str(code), "-o", str(made)
                )
            except RuntimeError as error:
                raise CompileException(str(error), source, filename, options, "nvrtc") from None
            finally:
                code.unlink()
            made.rename(path)
            ACCOUNT.built += 1
        return str(path).encode(), {each: each for each in names or ()}


def _translated(source: str, names: list[str]) -> str:
    """The text for g++, with functions that launch each kernel, and give the sizes of its arguments."""
    kernels = [name for template, name in _KERNEL.findall(source) if not template] + names
    waiting = int(any(word in source for word in _WAITING))
    text = _DYNAMIC.sub(r"\1* \2 = (\1*)emulated::dynamic;", source)
    launchers = [
        f'extern "C" void {entry(name)}(const unsigned* grid, unsigned, void** given) {{\n'
        f"  emulated::launch([](void** p) {{ emulated::call(&{name}, p); }}, grid, {waiting}, given);\n}}\n"
        f'extern "C" unsigned {sizes(name)}(unsigned* of) {{ return emulated::sizes(&{name}, of); }}'
        for name in dict.fromkeys(kernels)
    ]
    return "\n".join([text, '#include "launch.h"', *launchers, ""])
