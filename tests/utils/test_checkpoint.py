"""Checkpoints: what is forgotten, what is noticed, what is left behind."""

from __future__ import annotations

import gc
import math
import weakref
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.fixtures import strict_module
from vizgrad.core.tensor.modes import GUARD, MODES
from vizgrad.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
    set_checkpoint_debug_enabled,
)


@pytest.fixture(autouse=True)
def _nothing_stays_on():
    scoped = GUARD.scoped
    yield
    assert GUARD.scoped <= scoped
    assert MODES.on_record == ()
    assert MODES.saved_hooks is None
    assert vg.is_grad_enabled()


def leaf(*values: float) -> Any:
    return vg.tensor(values, dtype=vg.float64, requires_grad=True)


class Watched:
    """A function of several steps that knows which of its values are in memory."""

    def __init__(self, steps: int = 4) -> None:
        self.steps = steps
        self.made: list[weakref.ref[Any]] = []

    def __call__(self, t: Any) -> Any:
        for _ in range(self.steps):
            t = t.sin()
            self.made.append(weakref.ref(t._array))
        return t.sum()

    def alive(self) -> int:
        return sum(made() is not None for made in self.made)


@pytest.mark.rule("H-3")
def test_values_are_forgotten_in_forward() -> None:
    plain, watched, x = Watched(), Watched(), leaf(0.5, 1.0)
    kept = plain(x)
    y = checkpoint(watched, x, use_reentrant=False)
    assert (plain.alive(), watched.alive()) == (3, 0)  # the last is not saved
    y.backward()
    kept.backward()
    assert watched.alive() == 0
    assert len(watched.made) == 7  # the last sine saves what is needed last


@pytest.mark.rule("H-3")
def test_a_value_is_dropped_when_it_is_read_even_if_the_graph_stays() -> None:
    watched, x = Watched(), leaf(0.5, 1.0)
    y = checkpoint(watched, x, use_reentrant=False)
    alive: list[int] = []
    node = y.grad_fn.next_functions[0][0]
    while node is not None and hasattr(node, "next_functions") and node.next_functions:
        node.register_hook(lambda *_: alive.append(watched.alive()))
        node = node.next_functions[0][0]
    y.backward(retain_graph=True)
    assert alive[:4] == [2, 1, 0, 0]
    assert watched.alive() == 0


@pytest.mark.rule("H-3")
def test_nothing_is_left_of_values_that_a_backward_did_not_need() -> None:
    watched = Watched()
    x = leaf(0.5, 1.0)
    middle: list[Any] = []

    def fn(t: Any) -> Any:
        middle.append(t * 1)
        return watched(middle[-1])

    y = checkpoint(fn, x, use_reentrant=False)
    vg.autograd.grad(y, middle[0], retain_graph=True)
    del middle[1:]
    assert watched.alive() == 0


@pytest.mark.rule("H-3")
def test_the_graph_is_freed_without_the_garbage_collector() -> None:
    class Tensorlike:
        pass

    x = leaf(0.5, 1.0)
    argument = Tensorlike()
    gone = weakref.ref(argument)
    y = checkpoint(lambda t, _: t.exp(), x, argument, use_reentrant=False)
    del argument
    gc.collect()
    gc.disable()
    try:
        assert gone() is not None
        y.sum().backward()
        del y
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.rule("H-3")
def test_a_failed_backward_leaves_nothing_behind() -> None:
    watched = Watched()
    x = leaf(0.5, 1.0)

    class Breaks(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise KeyError("mine")

    y = checkpoint(lambda t: watched(Breaks.apply(t.exp()).sin()), x, use_reentrant=False)
    with pytest.raises(KeyError):
        y.backward(retain_graph=True)
    with pytest.raises(KeyError):
        y.backward(retain_graph=True)
    assert watched.alive() == 0


@pytest.mark.rule("H-3")
def test_what_a_failed_backward_left_is_dropped_by_the_next() -> None:
    watched = Watched()
    x = leaf(0.5, 1.0)
    failures = iter([True, False])
    middle: list[Any] = []

    def fn(t: Any) -> Any:
        middle.append(t * 1)
        return watched(middle[-1])

    def fail(grad: Any) -> None:
        if next(failures):
            raise KeyError("mine")

    y = checkpoint(fn, x, use_reentrant=False)
    last = y.grad_fn.next_functions[0][0]
    last.register_hook(lambda *_: fail(None))
    with pytest.raises(KeyError):
        y.backward(retain_graph=True)
    middle.clear()
    assert watched.alive() > 0
    y.backward(retain_graph=True)
    middle.clear()
    assert watched.alive() == 0


def run_varying(scales: list[float], **settings: Any) -> None:
    numbers = iter(scales)
    x = leaf(0.5, 1.0)
    checkpoint(
        lambda t: (t * next(numbers)).exp().sum(), x, use_reentrant=False, **settings
    ).backward()


@pytest.mark.rule("H-4")
def test_other_values_are_an_error_that_names_the_function() -> None:
    with pytest.raises(CheckpointError, match="position 0") as caught:
        run_varying([1.0, 2.0])
    explanation = caught.value.explanation
    assert explanation.kind == "not-repeatable"
    assert "next(numbers)" in explanation.culprit.text
    assert "saved values: " in str(caught.value)
    run_varying([1.0, 2.0], determinism_check="none")
    run_varying([1.0, 1.0 + 1e-14])  # rounding


@pytest.mark.rule("H-4")
def test_one_changed_row_of_a_large_parameter_is_noticed_by_its_version() -> None:
    w = vg.ones(500, 500, dtype=vg.float64, requires_grad=True)
    x = vg.ones(500, dtype=vg.float64, requires_grad=True)
    y = checkpoint(lambda t: (w @ t).sum(), x, use_reentrant=False)
    with vg.no_grad():
        w[7] += 1e-9
    with pytest.raises(CheckpointError, match="changed in place in between") as caught:
        y.backward()
    assert "w[7] += 1e-9" in str(caught.value)


@pytest.mark.rule("H-4")
def test_memory_written_past_its_version_counter() -> None:
    w = vg.ones(3, dtype=vg.float64)
    y = checkpoint(lambda t: (t * w).sum(), leaf(0.5, 1.0, 2.0), use_reentrant=False)
    w.numpy()[1] = 5
    with pytest.raises(CheckpointError, match="different values"):
        y.backward()


@pytest.mark.rule("H-4")
def test_a_write_of_the_function_itself_that_is_another_each_time() -> None:
    state = vg.ones(2, dtype=vg.float64)

    def fn(t: Any) -> Any:
        state.mul_(0.5)
        return (t * state).sum()

    y = checkpoint(fn, leaf(0.5, 1.0), use_reentrant=False)
    with pytest.raises(CheckpointError, match="different values"):
        y.backward()


@pytest.mark.rule("H-4", "H-5")
def test_debug_shows_both_runs_operation_by_operation() -> None:
    numbers = iter([3, 5])

    def fn(t: Any) -> Any:
        for _ in range(next(numbers)):
            t = t.sin()
        return t.sum()

    y = checkpoint(fn, leaf(0.5, 1.0), use_reentrant=False, debug=True)
    with pytest.raises(CheckpointError) as caught:
        y.backward()
    text = str(caught.value)
    assert "operation 3 of the recomputation" in text
    assert "> 3 forward:       SumBackward0 [] float64" in text
    assert ">   recomputation: SinBackward0 [2] float64" in text
    assert "t = t.sin()" in text
    assert "debug=True" not in text


@pytest.mark.rule("H-5")
def test_debug_for_all_in_a_block() -> None:
    with set_checkpoint_debug_enabled(True), pytest.raises(CheckpointError) as caught:
        run_varying([1.0, 2.0])
    assert "debug=True" not in str(caught.value)
    with set_checkpoint_debug_enabled(False), pytest.raises(CheckpointError) as caught:
        run_varying([1.0, 2.0], debug=True)
    assert "debug=True" in str(caught.value)


@pytest.mark.rule("H-5")
def test_the_check_can_be_left_out_for_values_that_do_not_matter() -> None:
    run_varying([1.0, 5.0], determinism_check="none")


def test_more_segments_than_functions() -> None:
    with pytest.raises(ValueError, match="must not be more") as caught:
        checkpoint_sequential([vg.sin], 2, leaf(1.0))
    assert caught.value.explanation.fix == "ask for fewer segments"


def test_a_debugger_may_run_a_node_again() -> None:
    x = leaf(0.5, 1.0)
    y = checkpoint(lambda t: t.sin().exp().tanh().sum(), x, use_reentrant=False)
    with vg.debug(y) as session:
        for _ in range(3):
            session.step()
        session.back()
        session.back()
        session.continue_()
    expected = vg.autograd.grad(x.sin().exp().tanh().sum(), x)[0]
    assert vg.allclose(x.grad, expected)


def test_an_early_stop_leaves_modules_and_modes_as_they_were() -> None:
    net = vg.nn.Sequential(vg.nn.Linear(2, 3), vg.nn.LayerNorm(3), vg.nn.GELU())
    x = vg.ones(4, 2, requires_grad=True)
    with vg.scope("outside"):
        before = MODES.scope
        checkpoint(net, x, use_reentrant=False).sum().backward()
        assert MODES.scope is before
    assert MODES.task is None

    class Twice(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (_,) = ctx.saved_tensors
            return grad * 2

    checkpoint(lambda t: Twice.apply(t).sum(), x, use_reentrant=False).backward()
    assert vg.is_grad_enabled()


def test_in_a_recording_and_with_paranoid_saves() -> None:
    x = leaf(0.5, 1.0)
    vg.autograd.graph.set_paranoid(True)
    try:
        with vg.record():
            y = checkpoint(lambda t: t.sin().exp().sum(), x, use_reentrant=False)
            y.backward()
    finally:
        vg.autograd.graph.set_paranoid(False)
    assert vg.allclose(x.grad, vg.autograd.grad(x.sin().exp().sum(), x)[0])


@pytest.mark.rule("H-6")
@pytest.mark.parametrize("reentrant", [False, True])
def test_random_numbers_of_a_gpu_are_the_same_again(reentrant: bool) -> None:
    with strict_module.as_cuda():
        x = vg.ones(400, dtype=vg.float64, device="cuda", requires_grad=True)
        y = checkpoint(
            lambda t: (vg.nn.functional.dropout(t, 0.5) * t).sum(), x, use_reentrant=reentrant
        )
        after = vg.rand(3, device="cuda").cpu().tolist()
        y.backward()
        assert x.grad.sum().item() == 2 * y.item()
        assert vg.rand(3, device="cuda").cpu().tolist() != after


@pytest.mark.rule("H-4", "H-9")
def test_on_a_gpu_the_same_is_noticed_and_kept() -> None:
    with strict_module.as_cuda():
        numbers = iter([1.0, 1.0, 2.0])
        x = vg.ones(4, dtype=vg.float64, device="cuda", requires_grad=True)

        def fn(t: Any) -> Any:
            return (t * next(numbers)).exp().sum()

        contexts = partial(
            create_selective_checkpoint_contexts,
            lambda *a, **k: CheckpointPolicy.MUST_CPU_OFFLOAD,
        )
        checkpoint(fn, x, use_reentrant=False, context_fn=contexts).backward()
        assert x.grad.cpu().tolist() == [math.e] * 4
        numbers = iter([1.0, 2.0])
        y = checkpoint(fn, x, use_reentrant=False)
        with pytest.raises(CheckpointError, match="different values"):
            y.backward()


@given(
    st.lists(st.sampled_from(["sin", "cos", "tanh", "sigmoid"]), min_size=1, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.booleans(),
)
def test_gradients_are_bit_for_bit_those_without(
    names: list[str], within: list[bool], early: bool
) -> None:
    def chain(t: Any, level: int = 0) -> Any:
        for number, name in enumerate(names):
            step = getattr(vg, name)
            if within[number] and level < 2:
                t = checkpoint(chain, t, level + 1, use_reentrant=False, early_stop=early)
            t = step(t) * t
        return t

    x = leaf(0.3, -0.2)
    (found,) = vg.autograd.grad(
        checkpoint(chain, x, use_reentrant=False, early_stop=early).sum(), x, create_graph=True
    )
    (second,) = vg.autograd.grad(found.sum(), x)

    def plain(t: Any, level: int = 0) -> Any:
        for number, name in enumerate(names):
            if within[number] and level < 2:
                t = plain(t, level + 1)
            t = getattr(vg, name)(t) * t
        return t

    (expected,) = vg.autograd.grad(plain(x).sum(), x, create_graph=True)
    assert found.tolist() == expected.tolist()
    assert second.tolist() == vg.autograd.grad(expected.sum(), x)[0].tolist()
