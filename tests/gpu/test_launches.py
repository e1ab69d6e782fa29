"""Launches and waits of a training step have bounds. They are counted by the emulated device alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.gpu

#: Kernels of our own and of cupy's, products by cuBLAS, waits, bytes that come to the host.
BOUNDS: dict[tuple[str, str], tuple[int, int, int, int]] = {}


@pytest.fixture(scope="module")
def counted() -> Any:
    import cupy

    if cupy.cuda.runtime.getDeviceProperties(0)["name"] != b"emulated":
        pytest.skip("a real device does not count")
    from tests.gpu.emulated import steps

    return steps.count


@pytest.mark.parametrize(("model", "way"), BOUNDS)
def test_a_step_stays_within_its_bounds(model: str, way: str, counted: Any) -> None:
    found = counted(model, way)
    assert all(have <= most for have, most in zip(found, BOUNDS[model, way], strict=True)), found
