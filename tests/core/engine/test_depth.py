"""Very long chains: built, run backward and freed without recursion (E-95, E-96)."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import vizgrad
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session

pytestmark = pytest.mark.rule("E-95")


@contextmanager
def shallow() -> Iterator[None]:
    """Little room for recursion: what recurses once per node cannot go unseen."""
    limit = sys.getrecursionlimit()
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 150)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def on_a_small_stack(work: Callable[[], None]) -> None:
    """Runs it on a thread with 256 KiB of stack: recursion in C overflows that soon.

    Python 3.13.0 itself needs 1 MiB to free a linked list of 100,000 objects of any class with slots.
    """
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  carried to the test's thread
            failed.append(error)

    small = 1024 if sys.version_info[:2] == (3, 13) else 256
    before = threading.stack_size(small * 1024)
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if failed:
        raise failed[0]


def leaf() -> Tensor:
    return new_tensor(np.ones(1)).requires_grad_()


def chain(x: Tensor, length: int, step: Callable[[Tensor], Tensor]) -> Tensor:
    y = x
    for _ in range(length):
        y = step(y)
    return y


ONE = new_tensor(np.ones(1))


def test_a_million_additions_are_built_and_freed() -> None:
    def work() -> None:
        x = leaf()
        y = chain(x, 1_000_000, lambda t: t + x)
        middle = weakref.ref(y.grad_fn)
        assert middle() is not None
        del y
        assert middle() is None

    with gc_off(), shallow():
        on_a_small_stack(work)


def test_a_hundred_thousand_additions_run_backward() -> None:
    def work() -> None:
        x = leaf()
        y = chain(x, 100_000, lambda t: t + x)
        y.backward(ONE)
        assert x.grad is not None
        assert x.grad.item() == 100_001

    with gc_off(), shallow():
        on_a_small_stack(work)


def test_a_hundred_thousand_products_run_backward_and_are_released_on_the_way() -> None:
    def work() -> None:
        x = leaf()
        y = chain(x, 100_000, lambda t: t * x)
        y.backward(ONE)
        assert x.grad is not None
        assert x.grad.item() == 100_001

    with gc_off(), shallow():
        on_a_small_stack(work)


@contextmanager
def gc_off() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_only_some_gradients_of_a_long_chain() -> None:
    def work() -> None:
        x = leaf()
        middle = chain(x, 50_000, lambda t: t * x)
        y = chain(middle, 50_000, lambda t: t + 1)
        (g,) = vizgrad.autograd.grad(y, middle, ONE)
        assert g.item() == 1
        (g,) = vizgrad.autograd.grad(middle, x, ONE)
        assert g.item() == 50_001

    with gc_off(), shallow():
        on_a_small_stack(work)


def test_a_long_second_order_graph() -> None:
    def work() -> None:
        x = leaf()
        y = chain(x, 20_000, lambda t: t * 1.0)
        (g,) = vizgrad.autograd.grad(y * y, x, ONE, create_graph=True)
        (second,) = vizgrad.autograd.grad(g, x, ONE)
        assert second.item() == 2

    with gc_off(), shallow():
        on_a_small_stack(work)


def test_a_long_chain_of_views_and_writes() -> None:
    def work() -> None:
        x = new_tensor(np.ones(4)).requires_grad_()
        y = x * 1
        for _ in range(5_000):
            y[:2].mul_(1.0)
        y.backward(new_tensor(np.ones(4)))
        assert x.grad is not None
        assert x.grad.tolist() == [1, 1, 1, 1]

    with gc_off(), shallow():
        on_a_small_stack(work)


@pytest.mark.rule("E-90")
def test_a_thousand_nested_backwards() -> None:
    """Each level's hook runs the backward of the next."""
    levels = 1000
    count = 0

    def hook(grad: Any) -> None:
        nonlocal count
        count += 1
        if count < levels:
            y = leaf()
            with vizgrad.enable_grad():
                z = y * 2
            z.register_hook(hook)
            z.backward(ONE)

    x = leaf()
    y = x * 2
    y.register_hook(hook)
    y.backward(ONE)
    assert count == levels


def test_a_session_on_a_long_chain() -> None:

    x = leaf()
    y = chain(x, 2_000, lambda t: t * x)
    with shallow(), open_session(y, ONE, names={}) as session:
        session.step(10)
        session.back(5)
        session.continue_()
        assert session.position == 2001


@pytest.mark.rule("E-90")
def test_an_error_in_the_depth_comes_out_at_the_top() -> None:
    level = 0

    def hook(grad: Any) -> None:
        nonlocal level
        level += 1
        if level == 150:
            raise ZeroDivisionError("at the bottom")
        with vizgrad.enable_grad():
            z = leaf() * 2
        z.register_hook(hook)
        z.backward(ONE)

    y = leaf() * 2
    y.register_hook(hook)
    with pytest.raises(ZeroDivisionError, match="at the bottom"):
        y.backward(ONE)
    assert level == 150


@pytest.mark.rule("E-90", "E-92")
def test_the_modes_of_the_thread_hold_at_every_depth() -> None:

    seen: set[tuple[Any, ...]] = set()
    level = 0

    def hook(grad: Any) -> None:
        nonlocal level
        level += 1
        scope = MODES.scope
        listening = MODES.recorder
        assert listening is not None
        seen.add(
            (vizgrad.is_grad_enabled(), listening.recorder, scope and scope.name, MODES.anomaly)
        )
        if level < 130:
            with vizgrad.enable_grad():
                z = leaf() * 2
            z.register_hook(hook)
            z.backward(ONE)

    with vizgrad.record() as recording, vizgrad.scope("outside"):
        y = leaf() * 2
        y.register_hook(hook)
        y.backward(ONE)
    assert seen == {(False, recording, "outside", False)}
    assert sum(1 for e in recording.events if e.kind == "backward") == 130


@pytest.mark.rule("E-90")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_interrupt_ends_the_work_of_the_thread_that_does_it(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C reaches the main thread, which only waits for a nested backward on another one."""
    monkeypatch.setattr("vizgrad.core.engine.task.LEVELS", 1)
    v = leaf()
    ended = threading.Event()
    go_on = threading.Event()

    def nest(level: int) -> Callable[[Any], None]:
        def hook(grad: Any) -> None:
            if level:
                backward_of(level - 1)
                return
            assert threading.current_thread() is not threading.main_thread()
            try:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                for _ in range(3000):
                    go_on.wait(0.01)
            finally:
                ended.set()

        return hook

    def backward_of(level: int) -> None:
        with vizgrad.enable_grad():
            x = leaf()
            y = x * 2
            y.register_hook(nest(level))
            out = y.sum() + v.sum() * 0 + (y * v).sum()
        out.backward()

    with pytest.raises(KeyboardInterrupt):
        backward_of(depth)
    assert ended.is_set()
    assert [t.name for t in threading.enumerate() if "nested backward" in t.name] == []
    assert MODES.task is None
    (leaf() * 2).sum().backward()


def test_an_error_of_a_signal_handler_is_the_one_that_comes_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("vizgrad.core.engine.task.LEVELS", 1)

    def handler(number: int, frame: Any) -> None:
        raise TimeoutError("too long")

    def inner(grad: Any) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        for _ in range(3000):
            time.sleep(0.01)

    def outer(grad: Any) -> None:
        with vizgrad.enable_grad():
            y = leaf() * 2
        y.register_hook(inner)
        y.backward()

    y = leaf() * 2
    y.register_hook(outer)
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(TimeoutError, match="too long"):
            y.backward()
    finally:
        signal.signal(signal.SIGUSR1, before)
