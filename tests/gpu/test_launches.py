"""Launches and waits of a training step have bounds. They are counted by the emulated device alone."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.gpu

#: Kernels of our own and of cupy's, products by cuBLAS, waits, bytes that come to the host.
BOUNDS: dict[tuple[str, str], tuple[int, int, int, int]] = {
    ("MLP", "backward"): (19, 8, 0, 0),
    ("MLP", "Adam"): (1, 0, 0, 0),
    ("MLP", "SGD"): (1, 0, 0, 0),
    ("MLP", "clip"): (8, 0, 0, 0),
    ("MLP", "AMP"): (68, 8, 1, 4),
    ("MLP", "watch"): (61, 8, 2, 1252),
    ("MLP", "watch Adam"): (129, 8, 6, 2500),
    ("MLP", "record"): (19, 8, 0, 0),
    ("MLP", "debug"): (54, 8, 5, 1796),
    ("MLP", "graph"): (1, 0, 0, 0),
    ("transformer", "backward"): (62, 20, 0, 0),
    ("transformer", "Adam"): (1, 0, 0, 0),
    ("transformer", "SGD"): (1, 0, 0, 0),
    ("transformer", "clip"): (8, 0, 0, 0),
    ("transformer", "AMP"): (210, 20, 1, 4),  # 169 in a process of its own: see `_MOST_PROGRAMS`
    ("transformer", "watch"): (183, 20, 3, 3940),
    ("transformer", "watch Adam"): (300, 20, 7, 6852),
    ("transformer", "record"): (62, 20, 0, 0),
    ("transformer", "debug"): (202, 20, 8, 7396),
    ("transformer", "graph"): (1, 0, 0, 0),
    ("conv", "backward"): (66, 5, 0, 0),
    ("conv", "Adam"): (1, 0, 0, 0),
    ("conv", "SGD"): (1, 0, 0, 0),
    ("conv", "clip"): (8, 0, 0, 0),
    ("conv", "AMP"): (161, 5, 1, 4),
    ("conv", "watch"): (110, 5, 2, 1316),
    ("conv", "watch Adam"): (178, 5, 6, 2420),
    ("conv", "record"): (66, 5, 0, 0),
    ("conv", "debug"): (99, 5, 5, 1492),
    ("conv", "graph"): (1, 0, 0, 0),
    ("LSTM", "backward"): (169, 19, 0, 0),
    ("LSTM", "Adam"): (1, 0, 0, 0),
    ("LSTM", "SGD"): (1, 0, 0, 0),
    ("LSTM", "clip"): (8, 0, 0, 0),
    ("LSTM", "AMP"): (196, 19, 1, 4),
    ("LSTM", "watch"): (372, 19, 3, 6948),
    ("LSTM", "watch Adam"): (440, 19, 7, 8196),
    ("LSTM", "record"): (169, 19, 0, 0),
    ("LSTM", "debug"): (421, 19, 10, 12716),
    ("LSTM", "graph"): (1, 0, 0, 0),
}


@pytest.fixture(scope="module")
def counted() -> Any:
    import cupy

    if cupy.cuda.runtime.getDeviceProperties(0)["name"] != b"emulated":
        pytest.skip("a real device does not count")
    from tests.gpu.emulated import steps

    return steps.count


@pytest.mark.parametrize(("model", "way"), BOUNDS)
def test_a_step_stays_within_its_bounds(model: str, way: str, counted: Any) -> None:
    found = counted(model, way)
    assert all(have <= most for have, most in zip(found, BOUNDS[model, way], strict=True)), found
