"""Trainings inside a watch: nothing is found in them, and they end where they end without, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import same  # noqa: E402
from tests.debugger.engines.pytorch.trainings import TRAININGS, Left  # noqa: E402


@pytest.mark.parametrize("tier", [{}, {"level": "alarms", "every": 2}], ids=["full", "alarms"])
@pytest.mark.parametrize("training", TRAININGS, ids=lambda training: training.__name__)
@pytest.mark.filterwarnings("ignore:.*lr_scheduler.step")
# a watch hears of modules by global hooks, of which PyTorch says that a compiled module fires them once more
@pytest.mark.filterwarnings("ignore:Using .torch.compile.module.. when there are global hooks")
def test_nothing_is_found_in_a_training(
    training: Callable[[Any], Left], tier: dict[str, Any]
) -> None:
    torch.manual_seed(0)
    expected = training(lambda loss: loss.backward())
    torch.manual_seed(0)
    with vizgrad.watch(**tier) as watch:
        found = training(lambda loss: loss.backward())
    assert watch.findings == []
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert same(found[name], tensor), name
