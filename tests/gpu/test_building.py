"""Kernels that g++ compiles for the emulated device."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.gpu.emulated.building import Builder, entry

pytestmark = pytest.mark.gpu
KERNEL = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'


def test_threads_that_compile_one_kernel_do_not_write_one_file(tmp_path: Path) -> None:
    """The thread of a process group copies by the kernels that the program uses."""
    builder, count = Builder(tmp_path), 4
    together = threading.Barrier(count)

    def compiled() -> bytes:
        together.wait(60)
        return builder.compile(KERNEL)[0]

    with ThreadPoolExecutor(count) as pool:
        made = {each.result() for each in [pool.submit(compiled) for _ in range(count)]}
    (path,) = made
    assert entry("twice").encode() in Path(path.decode()).read_bytes()
    left = sorted(each.suffix for each in builder.folder.iterdir())
    assert left == [".gch", ".h", ".so"]
