"""The kernel that inspects an array and those beside it, on a GPU: as numpy does. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures.inspected import inspected
from vizgrad.core.arrays.fusion.inspection import BESIDE, DETAILS, HEAD, Inspection, inspect

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]

NAN, INF = float("nan"), float("inf")
KINDS = ("f2", ml_dtypes.bfloat16, "f4", "f8", "c8", "c16", "i1", "u1", "i2", "i8", "u8", "?")


@pytest.fixture(scope="module", autouse=True)
def cupy() -> Any:
    """Fails, and does not skip, where there is none: nobody asks for these tests without a GPU."""
    import cupy

    vg.zeros(1, device="cuda")
    assert cupy.cuda.runtime.getDeviceCount() > 0
    return cupy


def there(found: Inspection) -> np.ndarray:
    count = found.memory.get()[: HEAD + DETAILS + BESIDE * found._count]
    return count if count[3] else np.concatenate([count[:HEAD], np.zeros(count.size - HEAD)])


def agree(
    cupy: Any, array: Any, beside: Any = (), before: Any = (), *, zeros: bool = False
) -> None:
    """`before`: arrays that were inspected sooner."""
    earlier = [inspect(cupy.asarray(each)) for each in before]
    found = inspect(cupy.asarray(array), [cupy.asarray(b) for b in beside], earlier, zeros=zeros)
    sizes = [each.size for each in earlier]
    expected = inspected(np.asarray(array), [np.asarray(b) for b in beside], sizes, zeros)
    np.testing.assert_allclose(there(found), expected, rtol=1e-15)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("size", [0, 1, 3, 257, 100_000])
def test_sizes_in_every_type(cupy: Any, kind: Any, size: int) -> None:
    agree(cupy, (np.random.default_rng(size).normal(size=size) * 9).astype(kind))


@pytest.mark.parametrize("kind", KINDS[:6], ids=str)
@pytest.mark.parametrize("other", KINDS, ids=str)
def test_what_is_beside_in_every_type(cupy: Any, kind: Any, other: Any) -> None:
    values = np.arange(12.0).reshape(3, 4)
    values[1, 2], values[2, 0] = NAN, -INF
    beside = np.array([0, 2.0, -1, 5]).astype(other)
    agree(cupy, values.astype(kind), [beside, np.zeros((3, 1), other), np.ones(5, other)])


@pytest.mark.parametrize("odd", [[], [0], [99_999], [5, 6, 700, 99_000]])
@pytest.mark.parametrize("before", [(), (1.0,), (1.0, INF), (0.0, 0.0)])
@pytest.mark.parametrize("zeros", [False, True])
def test_details_are_noted_where_it_began(
    cupy: Any, odd: list[int], before: tuple[float, ...], zeros: bool
) -> None:
    values = np.zeros(100_000, "f4") if zeros else np.ones(100_000, "f4")
    values[odd] = INF
    earlier = [np.full(3, each) for each in before]
    agree(cupy, values, [np.where(np.isinf(values), 0, values), values], earlier, zeros=zeros)


VIEWS = [
    lambda x: x.T,
    lambda x: x[::-2, 1:],
    lambda x: x[:1],
    lambda x: x.reshape(2, 3, 1, 2, 1, 1, 1, 1, 1, 1),
]


@pytest.mark.parametrize("view", VIEWS)
def test_places_are_in_the_order_of_the_shape(cupy: Any, view: Any) -> None:
    values = np.arange(12.0).reshape(4, 3)
    values[0, 1] = values[1, 1] = values[2, 2] = values[1, 0] = NAN
    own = view(values)
    beside = np.random.default_rng(0).normal(size=(4, 3))
    found = inspect(view(cupy.asarray(values)), [view(cupy.asarray(beside))])
    expected = inspected(own, [view(beside)], [], False)
    np.testing.assert_array_equal(there(found), expected)
    details = found.details()
    assert details is not None
    assert [place for place, _ in details.places] == [
        tuple(map(int, place)) for place in np.argwhere(np.isnan(own))[:3]
    ]


def test_the_smallest_numbers_are_not_zero(cupy: Any) -> None:
    """Although cupy compiles so that arithmetic of float32 takes them for 0."""
    agree(cupy, np.array([0, 1e-45, 0], "f4"))
    agree(cupy, np.array([0, 6e-8], "f2"))


def test_values_are_those_of_then_and_all_are_read_at_once(cupy: Any) -> None:
    arrays = [cupy.asarray(np.full(9, float(n))) for n in range(5)]
    found = [inspect(array) for array in arrays]
    for array in arrays:
        array.fill(NAN)
    assert [each.size for each in found] == [0, 3, 6, 9, 12]
