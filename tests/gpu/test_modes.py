"""Forward mode and vmap over the spec table on a GPU: as on the CPU. `make gpu-test`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import vizgrad as vg
from tests.core.batching.test_sweep import OF_ELEMENTS
from tests.core.ops.differences import results_of
from tests.core.ops.test_on_a_device import ROWS
from tests.gpu.comparing import agree_within, outcome
from tests.specs.row import Row, wave
from vizgrad.core.tensor.tensor import Tensor

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]

GIVEN = [row for row in ROWS if row.samples[0].arrays]


def compared(row: Row, mode: Callable[[Row, list[Tensor], str], list[Tensor]]) -> None:
    found = []
    for device in ("cpu", "cuda"):
        given = [vg.from_numpy(array.copy()).to(device) for array in row.samples[0].arrays]
        with vg.device(device):
            found.append(outcome(lambda given, d=device: mode(row, given, d), given))
    agree_within(found[1], found[0], vg.float64)


def direction(x: Tensor, number: int, device: str) -> Tensor:
    values = wave(*x.shape, low=-1, high=1, seed=7 + number).reshape(tuple(x.shape))
    return vg.tensor(values, device=device).to(x.dtype)


def tangents(row: Row, given: list[Tensor], device: str) -> list[Tensor]:
    """Results and their tangents along one direction."""
    floating = [number for number, x in enumerate(given) if x.dtype.category >= 2]

    def run(*moved: Tensor) -> tuple[Tensor, ...]:
        every = list(given)
        for number, x in zip(floating, moved, strict=True):
            every[number] = x
        return tuple(results_of(row, every))

    primals = tuple(given[number] for number in floating)
    along = tuple(direction(x, number, device) for number, x in enumerate(primals))
    if not floating:
        return list(run())
    results, moved = vg.func.jvp(run, primals, along)
    return [*results, *moved]


def batched(row: Row, given: list[Tensor], device: str) -> list[Tensor]:
    """Two examples at once: the second has the elements of the first, elsewhere."""
    stacks = [vg.stack([x, x.reshape(-1).roll(1).reshape(x.shape)]) for x in given]
    return list(vg.func.vmap(lambda *each: tuple(results_of(row, list(each))))(*stacks))


@pytest.mark.parametrize("row", GIVEN, ids=lambda row: row.name)
def test_tangents_are_as_on_the_cpu(row: Row) -> None:
    compared(row, tangents)


@pytest.mark.parametrize(
    "row", [r for r in GIVEN if r.name not in OF_ELEMENTS], ids=lambda r: r.name
)
def test_a_batch_is_as_on_the_cpu(row: Row) -> None:
    compared(row, batched)


def test_a_direction_is_not_zero() -> None:
    """Or tangents would agree whatever they are."""
    assert np.abs(direction(vg.ones(3), 0, "cpu").numpy()).min() > 0
