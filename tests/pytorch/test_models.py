"""Layers and models of PyTorch: stepped, gone through at random, and closed, they are what they are without.

VIZGRAD_MOVES=200 makes so many random moves on each model (20 otherwise).
"""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Callable
from time import monotonic
from typing import Any
from weakref import ref

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.fixtures.limits import HANG  # noqa: E402
from tests.pytorch import layers  # noqa: E402
from tests.pytorch.models import MODELS, Made  # noqa: E402
from tests.pytorch.programs import PROGRAMS, agrees, plainly, same  # noqa: E402
from tests.pytorch.threads import held_threads  # noqa: E402
from tests.widgets.views import Following  # noqa: E402
from vizgrad.pytorch.effects import grad_of  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore:Using backward.. with create_graph=True",
    "ignore:None of the inputs have requires_grad",
)
MOVES = int(os.environ.get("VIZGRAD_MOVES", "20"))


def a_layer(name: str) -> Callable[[], Made]:
    make = layers.makes(name)
    assert make is not None, f"nothing is known to call nn.{name} on: add it to layers.py"

    def made() -> Made:
        out = make() * 1
        nodes = {out.grad_fn: None}
        queue = list(nodes)
        for node in queue:
            new = dict.fromkeys(
                n for n, _ in node.next_functions if n is not None and n not in nodes
            )
            queue += new
            nodes |= new
        found = {str(i): node.variable for i, node in enumerate(queue) if hasattr(node, "variable")}
        return found, (out.abs() if out.is_complex() else out).pow(2).sum(), {}

    return made


def moved(session: Any, rng: random.Random, moves: int) -> None:
    """Goes about at random, and to the end."""
    skipped = session.trace.start.skipped
    nodes = [n for n in range(len(session.graph.nodes)) if n not in skipped]
    for _ in range(moves):
        match rng.randrange(6):
            case 0:
                session.step(rng.randrange(1, 4))
            case 1:
                session.back(min(session.position, rng.randrange(1, 6)))
            case 2:
                session.seek(rng.randrange(session.total + 1))
            case 3:
                session.run_to(rng.choice(nodes))
            case 4:
                session.restart()
            case 5:
                session.break_at(node=rng.choice(nodes))
                session.continue_()
                session.clear_breakpoints()
    session.continue_()


def check(make: Callable[[], Made], moves: int, *, view: bool = True) -> None:
    expected, order = plainly(make)
    torch.manual_seed(1)
    tensors, loss, options = make()
    before = {name: grad_of(tensor) for name, tensor in tensors.items()}
    values = {name: None if grad is None else grad.clone() for name, grad in before.items()}
    session = vizgrad.debug(loss, **options)
    following = Following(session) if view else None
    moved(session, random.Random(moves), moves)
    session.restart()
    for name, grad in before.items():
        assert grad_of(tensors[name]) is grad, name
        assert same(grad, values[name]), name
    session.continue_()
    if following is not None:
        agrees(following)
    assert session.status == "finished"
    assert session.position == session.total == len(order)
    names = {n.id: n.name for n in session.graph.nodes}
    assert [names[v.node] for v in session.trace.visits] == order
    for name, tensor in tensors.items():
        assert same(tensor.grad, expected[name].grad), name
        assert same(tensor, expected[name]), name
    session.close()
    assert not held_threads()


@pytest.mark.parametrize("name", layers.names())
def test_every_layer(name: str) -> None:
    check(a_layer(name), 4, view=False)


@pytest.mark.parametrize("make", MODELS + PROGRAMS, ids=lambda make: make.__name__)
def test_models_moved_at_random(make: Callable[[], Made]) -> None:
    check(make, MOVES)


@pytest.mark.parametrize("make", MODELS + PROGRAMS, ids=lambda make: make.__name__)
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
