"""Quotients and remainders of floats on strict arrays, whose own are cupy's formulas (T-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module

INF = float("inf")
PAIRS = [
    (1.0, 0.1), (6.0, 0.1), (-6.0, 0.1), (5.0, INF), (-3.0, INF), (3.0, -INF), (INF, 2.0),
    (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (7.0, -2.0), (-7.0, 2.0), (1e30, 1e-30),
    (float("nan"), 1.0), (-4.0, 2.0), (0.0, 3.0), (-0.0, 3.0),
]  # fmt: skip

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "floor_divide": vg.floor_divide,
    "div": lambda x, y: vg.div(x, y, rounding_mode="floor"),
    "remainder": vg.remainder,
    "remainder of a number": lambda x, y: vg.remainder(x, 0.1),
    "floor_divide by a number": lambda x, y: vg.floor_divide(x, 0.1),
    "in place": lambda x, y: x.clone().remainder_(y),
}


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


@pytest.mark.rule("T-5")
@pytest.mark.parametrize(
    "dtype", [vg.float64, vg.float32, vg.float16, vg.bfloat16], ids=lambda d: d.name
)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_they_are_those_of_the_cpu(call: Callable[[Any, Any], Any], dtype: Any) -> None:
    found = []
    for device in ("cpu", "cuda"):
        x, y = (vg.tensor(v, dtype=dtype, device=device) for v in zip(*PAIRS, strict=True))
        found.append(call(x, y))
    assert found[1].dtype is dtype
    np.testing.assert_array_equal(found[1].tolist(), found[0].tolist())
