"""The whole spec table and the models of tests/nn on a GPU: as on the CPU within T-87. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.test_on_a_device import ROWS, derivatives
from tests.gpu.comparing import COMPARED
from tests.nn.test_on_a_device import MODELS, STEPS, compared
from tests.specs.checks import check_row
from tests.specs.derived import as_float32
from tests.specs.row import Row, Sample

pytestmark = pytest.mark.gpu

#: (relative, absolute) by size of an element; sums of a device are in no fixed order.
TOLERANCE = {4: (1e-4, 1e-4), 8: (1e-7, 1e-7), 16: (1e-7, 1e-7)}


@pytest.fixture(scope="module", autouse=True)
def cupy() -> Any:
    """Fails, and does not skip, where there is none: nobody asks for these tests without a GPU."""
    import cupy

    assert cupy.cuda.runtime.getDeviceCount() > 0
    return cupy


def agree(row: Row, sample: Sample) -> None:
    with vg.device("cuda"):
        there = derivatives(row, sample, "cuda", row.twice)
    here = derivatives(row, sample, "cpu", row.twice)
    COMPARED["samples"] += 1
    for a, b in zip(there, here, strict=True):
        assert a.dtype == b.dtype
        if b.dtype.kind in "fc":
            size = np.abs(b[np.isfinite(b)]).max(initial=1.0)
            relative, absolute = TOLERANCE.get(b.dtype.itemsize, (1e-3, 1e-3))
            np.testing.assert_allclose(a, b, rtol=relative, atol=absolute * size)
        else:
            np.testing.assert_array_equal(a, b)


def in_single_precision_too(row: Row, sample: Sample) -> None:
    if sample is row.samples[0]:
        agree(row, as_float32(sample))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_as_on_the_cpu(row: Row) -> None:
    check_row(row, agree, in_single_precision_too)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns_the_same(name: str) -> None:
    compared(name, "Adam", 1e-6)


@pytest.mark.parametrize("optimizer", STEPS)
def test_an_optimizer_steps_the_same(optimizer: str) -> None:
    compared("MLP", optimizer, 1e-6)


def test_a_generator_repeats_itself() -> None:
    for draw in (vg.rand, vg.randn):
        vg.cuda.manual_seed(3)
        first = draw(5, device="cuda").tolist()
        vg.cuda.manual_seed(3)
        assert draw(5, device="cuda").tolist() == first
    assert sorted(vg.randperm(6, device="cuda").tolist()) == list(range(6))


def test_pinned_memory_goes_there_and_back() -> None:
    x = vg.arange(6.0).pin_memory()
    assert x.is_pinned()
    assert x.to("cuda", non_blocking=True).cpu().tolist() == x.tolist()
    vg.cuda.synchronize()
    assert vg.cuda.memory_allocated() <= vg.cuda.memory_reserved()
    assert vg.cuda.get_device_name()
