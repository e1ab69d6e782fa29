"""The fast loop is the reference loop: bits, versions, order of hooks, errors, and who lives how long."""

from __future__ import annotations

import gc
import inspect
import re
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.debugger.session.test_stepping_property import quietly
from tests.fixtures.programs import Program, World, backward_of
from tests.fixtures.strategies import programs
from tests.fixtures.world import kept_unchanged, nodes_behind, visible
from vizgrad.core.engine import task as engine
from vizgrad.core.engine.fast_loop import fast_loop
from vizgrad.core.engine.reference_loop import reference_loop
from vizgrad.core.engine.task_state import TaskState

pytestmark = pytest.mark.rule("E-50", "E-98")

ROOT = Path(engine.__file__).parents[3]


class Trouble(Exception):
    """Raised by a hook."""


class MortalWorld(World):
    """Notes when tensors, nodes and gradients die, by how much the journal told until then: nobody can see
    which of those that die between two calls of a program's code dies first.
    """

    def __init__(self, notes_before_trouble: int) -> None:
        self.deaths: list[tuple[str, int]] = []
        self.running = False
        self._left = notes_before_trouble
        self._references: list[weakref.ref[Any]] = []
        super().__init__()

    def follow(self, name: str, thing: Any) -> None:
        def died(_: Any) -> None:
            self.deaths.append((name, len(self.journal)))

        self._references.append(weakref.ref(thing, died))

    def meet(self, *gradients: Any) -> None:
        for gradient in gradients:
            if gradient is not None:
                self.follow(f"gradient {len(self._references)}", gradient._array)

    def note(self, what: str, *details: Any) -> None:
        super().note(what, *details)
        if self.running:
            self._left -= 1
            if self._left == 0:
                raise Trouble(f"in {what}")


def by_reference(task: TaskState) -> None:
    for _ in reference_loop(task):
        pass


def run(program: Program, notes_before_trouble: int, loop: Callable[[TaskState], None]) -> Any:
    """The program and its backward, run by `loop`; all that can be seen of it, and who died when."""
    world = MortalWorld(notes_before_trouble)
    for instruction in program.instructions:
        world.do(instruction)
    for number, tensor in enumerate(world.pool):
        world.follow(f"tensor {number}", tensor)
        world.follow(f"array {number}", tensor._array)
        del tensor
    plan = backward_of(program, world)
    if plan is None:
        return None
    for number, node in enumerate(nodes_behind(plan.tensors)):
        world.follow(f"node {number} {node.name()}", node)
        del node
    error, world.running = None, True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "fast_loop", loop)
        try:
            vg.autograd.backward(plan.tensors, plan.gradients, **plan.settings)
        except (RuntimeError, TypeError, NotImplementedError, Trouble) as raised:
            error = type(raised), str(raised), getattr(raised, "__notes__", [])
    world.running = False
    seen = visible(world, nodes_behind(plan.tensors))
    changed = kept_unchanged(world)
    del plan
    world.kept.clear()
    world.note("the end")
    world.pool.reverse()
    while world.pool:
        world.note("dropped", len(world.pool))
        world.pool.pop()
    return {
        "error": error,
        "visible": seen,
        "kept gradients that changed": changed,
        "journal": world.journal,
        "deaths": sorted(world.deaths, key=lambda death: (death[1], death[0])),
    }


@contextmanager
def without_collector() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@given(programs(), st.sampled_from((0, 0, 0, 1, 2, 3, 5, 8)))
def test_both_loops_do_the_same(program: Program, notes_before_trouble: int) -> None:
    program = replace(program, anomaly=False)
    used: list[str] = []

    def fast(task: TaskState) -> None:
        used.append("fast")
        fast_loop(task)

    with quietly(), without_collector():
        one = run(program, notes_before_trouble, fast)
        other = run(program, notes_before_trouble, by_reference)
    if one is None:
        assert other is None
        return
    assert used or one["error"] is not None  # an error before the first node
    assert one["kept gradients that changed"] == []
    for name, seen in one.items():
        assert seen == other[name], name


def chain_with_a_switch(order: list[str]) -> vg.Tensor:
    """A hook in the middle switches anomaly mode on; the formula before it makes a NaN."""
    x = vg.tensor([-1.0], requires_grad=True)

    def note(name: str) -> Callable[[Any], None]:
        return lambda grad: order.append(name)

    a = x * 2
    a.register_hook(note("a"))
    b = a.sqrt()
    b.register_hook(note("b"))
    c = b * 2

    def switch(grad: Any) -> None:
        order.append("c")
        vg.autograd.set_detect_anomaly(True)

    c.register_hook(switch)
    return c.sum()


def test_the_reference_loop_goes_on_where_a_hook_switches_anomaly_mode_on() -> None:
    order: list[str] = []
    loss = chain_with_a_switch(order)
    before = vg.is_anomaly_enabled()
    try:
        with (
            pytest.warns(UserWarning, match="SqrtBackward0"),
            pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values"),
        ):
            loss.backward()
    finally:
        vg.autograd.set_detect_anomaly(before)
    assert order == ["c", "b"]


def test_the_reference_loop_is_short_and_the_readmes_quote_it() -> None:
    source = inspect.getsource(reference_loop)
    assert len(source.splitlines()) <= 45
    for readme in (ROOT / "vizgrad/README.md", ROOT / "vizgrad/core/engine/README.md"):
        quoted = re.findall(
            r"```python\n(def reference_loop.*?)```", readme.read_text("utf-8"), re.DOTALL
        )
        assert quoted == [source], readme
