"""Layers and models of PyTorch: stepped, gone through at random, and closed, they are what they are without.

VIZGRAD_MOVES=200 makes so many random moves on each model (20 otherwise).
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from time import monotonic
from typing import Any
from weakref import ref

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch import layers  # noqa: E402
from tests.debugger.engines.pytorch.compiled import COMPILED  # noqa: E402
from tests.debugger.engines.pytorch.libraries import LIBRARIES  # noqa: E402
from tests.debugger.engines.pytorch.models import MODELS, Made  # noqa: E402
from tests.debugger.engines.pytorch.networks import NETWORKS  # noqa: E402
from tests.debugger.engines.pytorch.programs import PROGRAMS  # noqa: E402
from tests.debugger.engines.pytorch.threads import held_threads  # noqa: E402
from tests.debugger.engines.pytorch.walks import check  # noqa: E402
from tests.fixtures.limits import HANG  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore:Using backward.. with create_graph=True",
    "ignore:None of the inputs have requires_grad",
)
ALL = MODELS + PROGRAMS + NETWORKS + COMPILED + LIBRARIES
MOVES = int(os.environ.get("VIZGRAD_MOVES", "20"))


@pytest.mark.parametrize("name", layers.names())
def test_every_layer(name: str) -> None:
    check(layers.loss_of(name), 4, view=False)


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_models_moved_at_random(make: Callable[[], Made]) -> None:
    check(make, MOVES)


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_all_is_free_after_close(make: Callable[[], Made]) -> None:
    kept = _refs(
        make()
    )  # a hook that refers to its tensor keeps it, for PyTorch's hooks are not collected
    session, gone = _closed(make)  # what a frame has named stays as long as the frame
    expected = [each() is None for each in kept]
    deadline = monotonic() + HANG
    while [each() is None for each in gone] != expected:  # with PyTorch's queue, as the thread ends
        assert monotonic() < deadline
        gc.collect()
    assert any(each() is None for each in gone)
    assert session.closed
    assert not held_threads()


def _closed(make: Callable[[], Made]) -> tuple[Any, list[Any]]:
    tensors, loss, options = make()
    session = vizgrad.debug(loss, **options)
    session.step(3)
    session.back(2)
    session.step(4)
    session.close()
    for tensor in tensors.values():
        tensor.grad = None  # with create_graph it refers to what it is of
    return session, _refs((tensors, loss, options))


def _refs(made: Made) -> list[Any]:
    tensors, loss, _ = made
    losses = loss if isinstance(loss, list) else [loss]
    return [ref(tensor) for tensor in (*tensors.values(), *losses)]
