"""The spec table in every element type on a GPU, and on special values: as on the CPU. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.differences import results_of
from tests.core.ops.test_on_a_device import ROWS
from tests.gpu.comparing import agree_within, outcome
from tests.gpu.exceptions import LAYOUTS, SPECIAL, TYPES
from tests.specs.row import Row
from vizgrad.core.tensor.tensor import Tensor

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore")]

KINDS = (
    vg.float16,
    vg.bfloat16,
    vg.int64,
    vg.int32,
    vg.uint8,
    vg.bool,
    vg.complex64,
    vg.complex128,
)
#: Numbers are drawn: those of the CPU are others.
RANDOM = (
    "rand",
    "dropout",
    "multinomial",
    "bernoulli",
    "normal",
    "poisson",
    "exponential",
    "rrelu",
    "gumbel",
)
#: Results are defined up to a sign or a phase, and their gradients likewise.
DRAWN = [row for row in ROWS if not any(word in row.name for word in RANDOM)]
_INF, _NAN = float("inf"), float("nan")
#: Without denormals: cupy compiles so that they are 0.
VALUES = (0.0, -0.0, 1.0, -1.0, _INF, -_INF, _NAN, 0.5, -2.5, 3e38, 1e-7, 88.8, -104.0, 2.0, 3.0)


def same_in(row: Row, kind: Any, fill: Any) -> None:
    found = []
    for device in ("cpu", "cuda"):
        leaves = [
            fill(array, number, kind).to(device)
            for number, array in enumerate(row.samples[0].arrays)
        ]
        found.append(outcome(lambda given, device=device: run(row, given, device), leaves))
    agree_within(found[1], found[0], kind, LAYOUTS.reason(row.name, kind.name) is None)


def run(row: Row, leaves: list[Tensor], device: str) -> list[Tensor]:
    """Results and gradients."""
    with vg.device(device):
        leaves = [x.detach().requires_grad_() if x.dtype.category >= 2 else x for x in leaves]
        results = results_of(row, leaves)
        roots = [r for r in results if r.requires_grad]
        if not roots:
            return results
        wanted = [x for x in leaves if x.requires_grad]
        ones = [vg.ones_like(r) for r in roots]
        return results + [
            g for g in vg.autograd.grad(roots, wanted, ones, allow_unused=True) if g is not None
        ]


def rounded(array: np.ndarray, _number: int, kind: Any) -> Tensor:
    """The numbers of the sample in another type; of complex ones the imaginary parts are not 0."""
    made = vg.from_numpy(array.copy())
    if array.dtype.kind != "f":
        return made
    if kind.is_complex:
        return (made.to(kind) + 0.25j * made.roll(1).to(kind)).to(kind)
    return (made if kind.is_floating_point else (made * 2).round().abs()).to(kind)


def special(array: np.ndarray, number: int, kind: Any) -> Tensor:
    """Special values, the pairs of them in different orders for each array."""
    if array.dtype.kind != "f":
        return vg.from_numpy(array.copy())
    places = np.arange(array.size) * (1 + 2 * number) + 3 * number
    with np.errstate(over="ignore"):
        values = np.array([VALUES[place % len(VALUES)] for place in places], np.float64)
        return vg.from_numpy(values.reshape(array.shape)).to(kind)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("row", DRAWN, ids=lambda row: row.name)
def test_a_row_in_a_type(row: Row, kind: Any) -> None:
    if reason := TYPES.reason(row.name, kind.name):
        pytest.skip(reason)
    same_in(row, kind, rounded)


@pytest.mark.parametrize("row", DRAWN, ids=lambda row: row.name)
def test_special_values(row: Row) -> None:
    kinds = (vg.float64, vg.float32, vg.float16)
    reasons = [SPECIAL.reason(row.name, kind.name) for kind in kinds]
    for kind, reason in zip(kinds, reasons, strict=True):
        if reason is None:
            same_in(row, kind, special)
    if all(reasons):
        pytest.skip(reasons[0])
