"""The real cupy on a machine without a GPU: CUDA is replaced under it, and its kernels run on the CPU.

`start` is called before cupy is imported for the first time; then `import cupy` is as everywhere.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.gpu.emulated.account import ACCOUNT as ACCOUNT

#: Kernels that were built, and all else that takes long and is the same each time. Git ignores it.
FOLDER = Path(sys.prefix) / "emulated-cuda"


def start(*, devices: int = 1, folder: Path = FOLDER) -> None:
    """Puts the emulated devices in place. AssertionError if cupy is imported already."""
    assert "cupy" not in sys.modules, "cupy is imported already"
    # CUB's headers ask for CUDA's own compiler.
    os.environ["CUPY_ACCELERATORS"] = ""
    from tests.gpu.emulated import building, driver, libraries, nccl, runtime
    from tests.gpu.emulated import devices as machine
    from tests.gpu.emulated.exchange import exchange

    builder = building.Builder(folder)
    os.environ["CUPY_CACHE_DIR"] = str(builder.folder / "cupy")
    libraries.load(builder.folder)
    compiled = machine.load(builder.folder)
    nccl.load(builder.folder)
    from cupy_backends.cuda.api import driver as cuda_driver
    from cupy_backends.cuda.api import runtime as cuda_runtime

    machine.begin(cuda_runtime.CUDARuntimeError, devices)
    error = (
        cuda_runtime.CUDARuntimeError
    )  # the driver's own asks a library of the driver for its words
    exchange(cuda_runtime, runtime.FUNCTIONS, compiled, error, builder.folder)
    exchange(cuda_driver, driver.FUNCTIONS, compiled, error, builder.folder)
    import cupy
    from cupy.cuda import compiler

    compiler._compile_using_nvrtc_no_warning = builder.compile
    compiler._preprocess = lambda *_: "emulated"
    from tests.gpu.emulated import answers, sparse

    answers.put(cupy)
    sparse.put(cupy)
