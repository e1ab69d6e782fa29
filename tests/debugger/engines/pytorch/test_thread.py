"""PyTorch's backward on a thread of its own: it ends with its session, and can be interrupted."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from weakref import ref

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import an_mlp, leaf  # noqa: E402
from tests.debugger.engines.pytorch.threads import held_threads  # noqa: E402
from tests.fixtures.limits import HANG  # noqa: E402
from vizgrad.debugger.engines.pytorch import gate as torch_gate  # noqa: E402
from vizgrad.debugger.engines.pytorch.run import TorchStep  # noqa: E402
from vizgrad.debugger.session.session import Session, SessionBusy  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")


def test_closing_in_the_middle_leaves_neither_thread_nor_hook() -> None:
    def closed() -> tuple[Session, Any]:
        tensors, loss, _ = an_mlp()
        session = vizgrad.debug(loss, retain_graph=True)
        session.step(2)
        assert len(held_threads()) == 1
        session.close()
        assert not held_threads()
        assert all(t.grad is None for t in tensors.values())
        loss.backward()  # would wait, if a hook were left
        assert all(t.grad is not None for t in tensors.values())
        return session, ref(tensors["w"])

    session, kept = closed()
    deadline = time.monotonic() + HANG
    while kept() is not None:  # with PyTorch's queue, as the thread ends
        assert time.monotonic() < deadline
        gc.collect()
    assert session.closed


def test_a_session_that_nobody_holds_ends_its_thread() -> None:
    _, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.step()
    (thread,) = held_threads()
    gone = ref(session)
    del session
    gc.collect()
    assert gone() is None
    thread.join(60)
    assert not thread.is_alive()


def test_another_backward_through_the_same_nodes_does_not_wait() -> None:
    a = leaf(3)
    inner = a.exp()
    session = vizgrad.debug(inner.sum(), retain_graph=True)
    session.step()
    (inner * 2).sum().backward(retain_graph=True)
    assert torch.equal(a.grad, 2 * a.detach().exp())
    session.continue_()
    assert session.position == session.total
    assert torch.allclose(a.grad, 3 * a.detach().exp())


def test_a_hook_cannot_move_its_own_session() -> None:
    a = leaf(3)
    inner = a.exp()
    refused: list[str] = []
    session: Session

    def hook(grad: Any) -> None:
        try:
            session.step()
        except SessionBusy as error:
            refused.append(str(error))

    inner.register_hook(hook)
    session = vizgrad.debug(inner.sum())
    # The hook runs on the backward's thread, the lock is this thread's.
    from vizgrad.debugger.session import run_control as module

    before, module.LOCK_TIMEOUT = module.LOCK_TIMEOUT, 0.1
    try:
        session.continue_()
    finally:
        module.LOCK_TIMEOUT = before
    assert len(refused) == 1
    assert session.status == "finished"


class Endless(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        started.set()
        while not over.is_set():
            time.sleep(0.01)
        return grad * 2


started, over = threading.Event(), threading.Event()


@contextmanager
def interrupted(*, once: bool = False) -> Iterator[None]:
    """Interrupts the main thread while the endless node runs: `once`, and lets the node end, or until
    an interrupt is not waited for.
    """
    started.clear()
    over.clear()
    ended = threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def at_once(number: int, frame: Any) -> None:
        ended.set()
        raise KeyboardInterrupt

    def send() -> None:
        assert started.wait(60)
        while not ended.is_set():
            signal.pthread_kill(main, signal.SIGINT)
            ended.wait(0.5)
            if once:
                over.set()
                return

    before = signal.signal(signal.SIGINT, at_once)
    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        over.set()
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_for_the_node() -> None:
    a = leaf(3)
    session = vizgrad.debug(Endless.apply(a.exp()).sum())
    with interrupted(once=True), pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert session.status == "paused"
    assert session.position == 2
    session.continue_()
    assert torch.equal(a.grad, 2 * a.detach().exp())


def test_a_second_interrupt_ends_the_node() -> None:
    a = leaf(3)
    session = vizgrad.debug(Endless.apply(a.exp()).sum())
    with interrupted(), pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert session.status == "failed"
    assert session.position == 2
    assert not held_threads()
    assert a.grad is None


def test_work_is_shared_among_as_many_threads_as_the_person_has_said() -> None:
    """Else sums are made in another order, and differ in their last bits."""
    before, seen = torch.get_num_threads(), list[int]()
    torch.set_num_threads(before + 2)
    try:
        a = torch.ones(2, requires_grad=True)
        a.register_hook(lambda grad: seen.append(torch.get_num_threads()))
        with vizgrad.debug(a.exp().sum()) as session:
            session.continue_()
        assert torch.get_num_threads() == before + 2
    finally:
        torch.set_num_threads(before)
    assert seen == [before + 2]


def test_the_interpreter_ends_though_a_session_is_open() -> None:
    program = (
        "import torch, vizgrad, vizgrad.debugger.engines.pytorch.run\n"
        "a = torch.ones(3, requires_grad=True)\n"
        "s = vizgrad.debug((a * 2).sum())\n"
        "s.step()\n"
        "print(s)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 3" in done.stdout


def test_a_closed_session_stays_readable_and_small() -> None:
    _, loss, _ = an_mlp()
    session = vizgrad.debug(loss)
    session.continue_()
    trace = session.trace
    session.close()
    assert session.trace == trace
    assert session.run == replace(session.run, status="closed")


def test_steps_hold_copies_for_looking_closely_until_they_are_too_many() -> None:
    a = leaf(1000)
    loss = a.sin().cos().sin().cos().sum()
    session = vizgrad.debug(loss, keep=20_000)
    session.continue_()
    steps: list[Any] = list(session._control.live().history.steps)
    assert all(isinstance(step, TorchStep) for step in steps)
    kept = [step.nbytes > 0 for step in steps]
    assert kept == sorted(kept)
    assert kept[-1]
    assert not kept[0]
    assert session.inspect(0)[1] == session.trace.visits[0]


def test_a_session_between_a_thread_and_close_is_not_waited_for_without_end() -> None:
    """A node that does not end: closing gives up on it, and it ends at its next hook."""
    a = leaf(3)
    session = vizgrad.debug(Endless.apply(a.exp()).sum())
    started.clear()
    over.clear()
    before, torch_gate.ENDING = torch_gate.ENDING, 0.2
    gate = session._control.live()._backward.run._gate
    session.step()
    gate.pass_on()
    assert started.wait(60)
    try:
        session.close()
        assert len(held_threads()) == 1
    finally:
        torch_gate.ENDING = before
        over.set()
    for thread in held_threads():
        thread.join(60)
    assert not held_threads()
    assert a.grad is None
