"""Steps, clipping and scaling of many parameters in one launch on a GPU: as on the CPU. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.arrays.test_many import OPTIMIZERS, SHAPES, parameters

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("dtype", [vg.float32, vg.float64])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps(name: str, dtype: Any) -> None:
    found = []
    for device in ("cpu", "cuda"):
        weights = parameters(*SHAPES, (70, 130), device=device, dtype=dtype)
        optimizer = OPTIMIZERS[name](weights)
        for _ in range(3):
            optimizer.step()
        found.append([w.tolist() for w in weights])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", [vg.float32, vg.float64])
def test_clipping_and_scaling(dtype: Any) -> None:
    found = []
    for device in ("cpu", "cuda"):
        weights = parameters(*SHAPES, (70, 130), device=device, dtype=dtype)
        optimizer, scaler = vg.optim.SGD(weights, lr=0.1), vg.amp.GradScaler(device, init_scale=8.0)
        scaler.scale(vg.zeros((), device=device))
        scaler.unscale_(optimizer)
        total = vg.nn.utils.clip_grad_norm_(weights, 0.5)
        scaler.step(optimizer)
        scaler.update()
        found.append([total.item(), *(w.tolist() for w in weights)])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("spoil", [float("inf"), float("nan")])
def test_a_step_that_overflows_is_left_out(spoil: float) -> None:
    weights = parameters(*SHAPES)
    weights[-1].grad[4000] = spoil
    optimizer, scaler = vg.optim.SGD(weights, lr=0.1), vg.amp.GradScaler("cuda")
    scaler.scale(vg.zeros((), device="cuda"))
    before = [w.tolist() for w in weights]
    scaler.step(optimizer)
    scaler.update()
    assert [w.tolist() for w in weights] == before
    assert scaler.get_scale() == 2.0**15
