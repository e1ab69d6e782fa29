"""Fused functions of many arrays in one launch, on strict arrays: what is one launch, and what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from vizgrad.core.arrays import magnitude
from vizgrad.core.arrays.fusion.many import CHUNK, together
from vizgrad.core.arrays.kernels import optimizers as rule


@pytest.fixture(autouse=True, scope="module")
def there() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


def launched() -> list[str]:
    found = [name for name in strict_module.launches if name.startswith("vizgrad_")]
    del strict_module.launches[:]
    return found


def parameters(
    *shapes: tuple[int, ...], device: str = "cuda", dtype: Any = vg.float32
) -> list[Any]:
    made = [
        vg.linspace(-1, 1, int(np.prod(s)), dtype=dtype).reshape(s).to(device).requires_grad_()
        for s in shapes
    ]
    for one in made:
        (one * one).sum().backward()
    return made


SHAPES = ((3, 4), (5,), (), (0, 2), (CHUNK + 3,))
OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "Adam": lambda p: vg.optim.Adam(p, lr=0.1),
    "foreach": lambda p: vg.optim.Adam(p, lr=0.1, foreach=True),
    "AdamW": lambda p: vg.optim.AdamW(p, lr=0.1, fused=True),
    "amsgrad": lambda p: vg.optim.Adam(p, lr=0.1, amsgrad=True, weight_decay=0.1),
    "SGD": lambda p: vg.optim.SGD(p, lr=0.1),
    "momentum": lambda p: vg.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "maximize": lambda p: vg.optim.SGD(p, lr=0.1, maximize=True),
}


@pytest.mark.rule("T-60")
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_step_is_one_launch_for_all_parameters(make: Callable[[Any], Any]) -> None:
    found = []
    for device in ("cpu", "cuda"):
        weights = parameters(*SHAPES, device=device)
        optimizer = make(weights)
        optimizer.step()
        launched()
        versions = [w._version for w in weights]
        optimizer.step()
        assert len(launched()) == (device == "cuda")
        assert [w._version for w in weights] == [v + 1 for v in versions]
        found.append([w.tolist() for w in weights])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-6)


def test_each_type_and_each_group_is_a_launch() -> None:
    weights = parameters((3,), (4,)) + parameters((3,), dtype=vg.float64)
    optimizer = vg.optim.SGD(weights, lr=0.1)
    optimizer.add_param_group({"params": parameters((2,), (2,)), "lr": 0.5})
    optimizer.step()
    assert launched() == [
        "vizgrad_sgd_step_of_many",
        "vizgrad_sgd_step",
        "vizgrad_sgd_step_of_many",
    ]


def test_what_cannot_wait_is_launched_at_once() -> None:
    a, b = vg.ones(4, 4, device="cuda"), vg.ones(4, 4, device="cuda")
    with together():
        rule.descend(a.T._array, b._array, 0.5)  # of two orders
        assert a.tolist() == [[0.5] * 4] * 4
        rule.descend(a._array, b._array, 0.5)
        rule.descend(b._array, b._array, 0.5)
        rule.descend(
            a._array, b._array, 0.25
        )  # written to before: after what was asked for earlier
    assert a.tolist() == [[-0.125] * 4] * 4


def test_clipping_reads_nothing_and_is_a_handful_of_launches() -> None:
    found = []
    for device in ("cpu", "cuda"):
        weights = parameters((3, 4), (5,), (0, 2), (CHUNK + 3,), device=device)
        launched()
        del strict_array.reads[:]
        total = vg.nn.utils.clip_grad_norm_(weights, 0.5)
        assert not strict_array.reads
        assert len(launched()) == (2 if device == "cuda" else 0)
        found.append([total.item(), *(w.grad.tolist() for w in weights)])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-5)


@pytest.mark.parametrize("spoil", [None, float("inf"), float("nan")])
def test_a_scaler_waits_once(spoil: float | None) -> None:
    weights = parameters(*SHAPES)
    optimizer, scaler = vg.optim.SGD(weights, lr=0.1), vg.amp.GradScaler("cuda")
    scaler.scale(vg.zeros((), device="cuda"))
    if spoil is not None:
        weights[1].grad[2] = spoil
    before = [w.tolist() for w in weights]
    scale = scaler.get_scale()
    launched()
    del strict_array.reads[:]
    scaler.step(optimizer)
    scaler.update()
    assert len(strict_array.reads) == 1
    assert len(launched()) == (2 if spoil else 3)
    assert ([w.tolist() for w in weights] == before) == (spoil is not None)
    assert scaler.get_scale() == (scale if spoil is None else scale / 2) == scaler._scale.item()


@pytest.mark.parametrize("dtype", [vg.float32, vg.float16, vg.complex64, vg.int64, vg.bool])
@pytest.mark.parametrize("spoil", [None, float("inf"), float("nan")])
def test_how_large_an_array_is_is_told_by_a_few_numbers(dtype: Any, spoil: float | None) -> None:
    values = vg.arange(-600, 400).to(dtype)
    if spoil is not None:
        if not (dtype.is_floating_point or dtype.is_complex):
            return
        values[7] = spoil
    there = values.to("cuda")._array
    del strict_array.reads[:]
    found = magnitude.largest(there)
    assert strict_array.reads == ["get"]
    np.testing.assert_equal(found, magnitude.largest(values._array))
