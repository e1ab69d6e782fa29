"""Writes at places that may be equal, on strict arrays: all types, doubles in full, NaN kept (T-89)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from tests.fixtures.strict_array import StrictArray

TYPES = [
    vg.float64, vg.float32, vg.float16, vg.bfloat16, vg.complex64, vg.complex128, vg.int64, vg.int32,
    vg.int16, vg.int8, vg.uint8, vg.bool,
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


def both(call: Callable[[str], Any]) -> None:
    """What `call` gives on the device is what it gives on the CPU, or what it raises."""
    found = []
    for device in ("cpu", "cuda"):
        try:
            out = call(device)
        except (RuntimeError, NotImplementedError, IndexError) as error:
            found.append(type(error))
            continue
        found.append((out.dtype, repr(out.tolist())))
    assert found[0] == found[1]


ADDING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "scatter_add": lambda x, at, y: x.scatter_add(0, at, y),
    "index_add": lambda x, at, y: x.index_add(0, at, y),
    "index_put": lambda x, at, y: x.index_put((at,), y, accumulate=True),
    "sum": lambda x, at, y: x.scatter_reduce(0, at, y, "sum"),
    "mean": lambda x, at, y: x.scatter_reduce(0, at, y, "mean"),
    "prod": lambda x, at, y: x.scatter_reduce(0, at, y, "prod"),
    "amax": lambda x, at, y: x.scatter_reduce(0, at, y, "amax"),
    "amin": lambda x, at, y: x.scatter_reduce(0, at, y, "amin", include_self=False),
}


@pytest.mark.rule("T-89")
@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("write", ADDING.values(), ids=ADDING)
def test_equal_places(write: Callable[[Any, Any, Any], Any], dtype: Any) -> None:
    def call(device: str) -> Any:
        target = vg.tensor([1, 0, 2], device=device).to(dtype)
        at = vg.tensor([0, 2, 0, 2], device=device)
        return write(target, at, vg.tensor([1, 3, 2, 1], device=device).to(dtype))

    both(call)


@pytest.mark.parametrize("reduce", ["amax", "amin"])
@pytest.mark.parametrize("values", [[0.1, 16777217.0, 0.3], [1.0, float("nan"), 3.0]])
def test_doubles_are_not_rounded_and_nan_stays(reduce: str, values: list[float]) -> None:
    def call(device: str) -> Any:
        target = vg.zeros(2, dtype=vg.float64, device=device)
        source = vg.tensor(values, dtype=vg.float64, device=device)
        at = vg.tensor([0, 1, 1], device=device)
        return target.scatter_reduce(0, at, source, reduce, include_self=False)

    both(call)


def test_the_gradient_of_an_indexed_complex_tensor() -> None:
    def call(device: str) -> Any:
        x = vg.tensor([1 + 2j, 3j], device=device, requires_grad=True)
        x[vg.tensor([0, 0, 1], device=device)].abs().sum().backward()
        assert isinstance(x.grad._array, StrictArray) is (device == "cuda")
        return x.grad

    both(call)


POINTWISE: dict[str, Callable[[Any], Any]] = {
    "sign": lambda x: x.sign(),
    "floor": lambda x: x.floor(),
    "ceil": lambda x: x.ceil(),
    "round": lambda x: x.round(),
    "trunc": lambda x: x.trunc(),
    "nan_to_num": lambda x: x.nan_to_num(),
}


@pytest.mark.parametrize(
    "dtype", [vg.int64, vg.int32, vg.uint8, vg.bool], ids=lambda dtype: dtype.name
)
@pytest.mark.parametrize("call", POINTWISE.values(), ids=POINTWISE)
def test_roundings_of_whole_numbers(call: Callable[[Any], Any], dtype: Any) -> None:
    both(lambda device: call(vg.tensor([0, 1, 2], device=device).to(dtype)))
