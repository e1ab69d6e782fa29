"""Random moves through a backward: at its end all is what it is without, bit for bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch

import vizgrad
from tests.debugger.engines.pytorch.models import Made
from tests.debugger.engines.pytorch.programs import agrees, plainly, same
from tests.debugger.engines.pytorch.threads import held_threads
from tests.debugger.jupyter.widget.views import Following
from vizgrad.debugger.engines.pytorch.effects import grad_of


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
    while session.status == "paused":  # a scaled loss overflows: each infinity stops it
        session.continue_()


def check(make: Callable[[], Made], moves: int, *, view: bool = True) -> None:
    """Values, gradients, the order of nodes and of a person's hooks; `.grad` as before at the start."""
    called: list[str] = []
    expected, order = plainly(lambda: hooked(make(), called))
    calls = called[:]
    called.clear()
    torch.manual_seed(1)
    tensors, loss, options = hooked(make(), called)
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
    assert called == calls
    for name, tensor in tensors.items():
        assert same(tensor.grad, expected[name].grad), name
        assert same(tensor, expected[name]), name
    session.close()
    assert not held_threads()


def hooked(made: Made, called: list[str]) -> Made:
    """With hooks that note in which order they are called."""
    for name, tensor in made[0].items():
        if tensor.requires_grad:
            tensor.register_hook(lambda grad, name=name: called.append(name))
        if tensor.requires_grad and tensor.is_leaf:
            tensor.register_post_accumulate_grad_hook(
                lambda tensor, name=name: called.append(f"{name}, accumulated")
            )
    return made
