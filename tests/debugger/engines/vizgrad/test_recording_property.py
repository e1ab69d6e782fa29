"""Observed equals unobserved: values, versions, hook order, lifetimes, memory."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import vizgrad
from tests.debugger.session.test_stepping_property import modes_of, quietly
from tests.fixtures.programs import Program, World, backward_of
from tests.fixtures.strategies import programs
from tests.fixtures.world import nodes_behind, visible
from vizgrad.core.tensor.tensor import new_tensor

Event = tuple[str, int]


class Lives:
    """Notes when tensors, nodes and arrays die, by what had happened until then."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.deaths: list[tuple[str, int]] = []
        self._references: list[weakref.ref[Any]] = []

    def follow(self, name: str, thing: Any) -> None:
        if thing is not None:
            world, deaths = self.world, self.deaths

            def died(_: Any) -> None:
                deaths.append((name, len(world.journal)))

            self._references.append(weakref.ref(thing, died))


def run(program: Program, observe: bool) -> tuple[Any, ...]:
    """The program, its backward, and the end of everything it made; with who died when."""
    world = World()
    lives = Lives(world)
    error = None
    visible_state: Any = None
    with vizgrad.record() if observe else nullcontext() as recording:
        for instruction in program.instructions:
            world.do(instruction)
        for i, tensor in enumerate(world.pool):
            lives.follow(f"tensor {i}", tensor)
            lives.follow(f"array {i}", tensor._array)
            del tensor
        plan = backward_of(program, world)
        if plan is not None:
            nodes = nodes_behind(plan.tensors)
            for i, node in enumerate(nodes):
                lives.follow(f"node {i} {node.name()}", node)
                del node
            del nodes
            try:
                vizgrad.autograd.backward(plan.tensors, plan.gradients, **plan.settings)
            except (RuntimeError, TypeError, NotImplementedError) as raised:
                error = f"{type(raised).__name__}: {raised}"
            visible_state = visible(world, nodes_behind(plan.tensors))
            del plan
        world.kept.clear()
        world.note("end")
        world.pool.reverse()
        while world.pool:
            world.note("dropped", len(world.pool))
            world.pool.pop()
        del recording
    return error, visible_state, world.journal, lives.deaths


@given(programs())
def test_a_recorded_run_is_an_unrecorded_one(program: Program) -> None:
    gc.disable()
    try:
        with quietly(), modes_of(program):
            plain = run(program, observe=False)
            observed = run(program, observe=True)
        names = ("error", "what is visible", "what hooks saw", "who died when")
        for name, one, other in zip(names, plain, observed, strict=True):
            assert one == other, name
    finally:
        gc.enable()


def test_a_recording_keeps_nothing_alive() -> None:
    gc.disable()
    try:
        with vizgrad.record() as recording:
            x = new_tensor(np.ones(3)).requires_grad_()
            h = (x * x).tanh()
            node, array = weakref.ref(h.grad_fn), weakref.ref(h._array)
            leaf = weakref.ref(x)
            h.backward(new_tensor(np.ones(3)))
            del h
            assert node() is None
            assert array() is None
            del x
            assert leaf() is None
        assert [v.node for v in recording.visits]
        assert recording.graph.nodes
    finally:
        gc.enable()


def peak(work: Callable[[], None]) -> int:
    """Bytes at the worst moment, above what there was before."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    try:
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [1, 10])
def test_recording_does_not_raise_the_peak_of_memory(length: int) -> None:
    def work() -> None:
        x = new_tensor(np.linspace(0, 1, 200_000)).requires_grad_()
        y = x
        for _ in range(length):
            y = y.tanh() * x
        y.backward(new_tensor(np.ones(200_000)))

    def observed() -> None:
        with vizgrad.record():
            work()

    work()
    plain = peak(work)
    assert peak(observed) <= plain * 1.01 + 100_000


def test_recording_leaves_the_state_of_the_thread_as_it_was() -> None:
    from vizgrad.core.tensor.modes import GUARD, MODES

    before, scoped = (MODES.recorder, MODES.scope), GUARD.scoped
    with pytest.raises(ZeroDivisionError), vizgrad.record():
        raise ZeroDivisionError
    assert (MODES.recorder, MODES.scope) == before
    assert GUARD.scoped <= scoped  # less, where a thread of a test before has ended
