"""The kernel of statistics on a GPU: as on the CPU, one launch, nobody waits. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.arrays.test_statistics import ELEMENTS, ON_DEVICE, agrees
from vizgrad.core.arrays.statistics import quick, quick_later, statistics

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def cupy() -> Any:
    """Fails, and does not skip, where there is none: nobody asks for these tests without a GPU."""
    import cupy

    import vizgrad as vg

    vg.zeros(1, device="cuda")
    assert cupy.cuda.runtime.getDeviceCount() > 0
    return cupy


@pytest.mark.parametrize("dtype", ON_DEVICE)
@pytest.mark.parametrize("size", [0, 1, 8, 9, 255, 256, 257, 100_000, 3_000_001])
def test_numbers_are_as_on_the_host(cupy: Any, dtype: str, size: int) -> None:
    values = np.round(np.random.default_rng(size).normal(size=size), 1) * 8
    array = (np.abs(values) if dtype == "u1" else values).astype(dtype)
    found, expected = quick(cupy.asarray(array)), quick(array)
    assert found[4:] == expected[4:]
    if size == 0:  # None, which is near to nothing
        assert found == expected
    else:
        assert found[:4] == pytest.approx(expected[:4], rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("one", ELEMENTS)
@pytest.mark.parametrize("other", [0.0, 1.0, -np.inf])
def test_extreme_elements(cupy: Any, dtype: str, one: float, other: float) -> None:
    with np.errstate(all="ignore"):
        array = np.array([one, other] * 200).astype(dtype)
    agrees(quick(cupy.asarray(array)), array)


def test_other_layouts_and_pictures(cupy: Any) -> None:
    array = np.random.default_rng(0).normal(size=(40, 30, 50))
    there = cupy.asarray(array)
    views = [lambda x: x.transpose(2, 0, 1), lambda x: x[:, ::-2], lambda x: x[3]]
    for view in views:
        agrees(quick(view(there)), view(array))
        assert statistics(view(there))[4:] == statistics(view(array))[4:]
    wide = cupy.broadcast_to(there[:1], (500, 30, 50))
    agrees(quick(wide), np.broadcast_to(array[:1], (500, 30, 50)))


def test_it_is_of_the_array_as_it_was_and_the_same_each_time(cupy: Any) -> None:
    array = cupy.asarray(np.random.default_rng(0).normal(size=1_000_003).astype("f4"))
    laters = [quick_later(array) for _ in range(5)]
    array[...] = 7
    found = [later() for later in laters]
    assert found == [found[0]] * 5
    assert found[0].max != 7
