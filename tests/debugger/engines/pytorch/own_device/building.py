"""Builds the device once for each PyTorch and each text, and registers it in this process."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import torch

#: How PyTorch names the device.
NAME = "own"
_CODE = Path(__file__).with_name("device.cpp")
_FOLDER = Path(sys.prefix) / "own-device"


def compiler() -> str | None:
    return shutil.which("g++")


def library() -> Path:
    """CalledProcessError with the compiler's words where it refuses."""
    of = hashlib.sha256(_CODE.read_bytes() + torch.__version__.encode()).hexdigest()[:16]
    made = _FOLDER / f"{of}.so"
    if made.exists():
        return made
    _FOLDER.mkdir(exist_ok=True)
    root = Path(torch.__file__).parent
    part = made.with_suffix(f".{os.getpid()}")
    subprocess.run(
        [
            compiler() or "g++", "-std=c++20", "-O0", "-w", "-shared", "-fPIC",
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
            f"-I{root / 'include'}", f"-I{root / 'include/torch/csrc/api/include'}",
            str(_CODE), "-o", str(part), f"-L{root / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10",
        ],
        check=True,
    )  # fmt: skip
    part.replace(made)
    return made


class _Module:
    """`torch.own`, as far as PyTorch asks for it."""

    is_initialized = is_available = staticmethod(lambda: True)
    current_device = staticmethod(lambda: 0)
    device_count = staticmethod(lambda: 1)
    _is_in_bad_fork = staticmethod(lambda: False)
    manual_seed_all = staticmethod(lambda seed: None)

    @staticmethod
    def get_amp_supported_dtype() -> list[torch.dtype]:
        return [torch.float16, torch.bfloat16]

    @staticmethod
    def device(index: int) -> AbstractContextManager[None]:
        return nullcontext()

    # Random numbers are those of the CPU.

    @staticmethod
    def get_rng_state(device: object = None) -> torch.Tensor:
        return torch.get_rng_state()

    @staticmethod
    def set_rng_state(state: torch.Tensor, device: object = None) -> None:
        torch.set_rng_state(state)


def register() -> None:
    """Before the first backward of the process: PyTorch then starts the threads of all devices."""
    torch.ops.load_library(str(library()))
    torch.utils.rename_privateuse1_backend(NAME)
    torch._register_device_module(NAME, _Module())
    torch.utils.generate_methods_for_privateuse1_backend()
