"""A thread may end in any mode: what it had switched on counts no longer (M-1)."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import vizgrad as torch
from tests.fixtures.limits import HANG
from vizgrad.core.tensor.modes import GUARD, MODES, start_recording


def counts() -> tuple[int, int, int]:
    return len(GUARD.no_grad), GUARD.inference, GUARD.scoped


def no_more_than(before: tuple[int, int, int]) -> bool:
    """Less is right: a thread of a test before may have ended meanwhile."""
    return all(now <= then for now, then in zip(counts(), before, strict=True))


def _abandon(context: Any) -> Callable[[], None]:
    kept: list[Any] = []

    def enter() -> None:
        made = context()
        made.__enter__()
        kept.append(made)  # so that no collector leaves the block in another thread

    return enter


ENDS = {
    "grad off": lambda: torch.set_grad_enabled(False),
    "grad off twice": lambda: (torch.set_grad_enabled(False), torch.set_grad_enabled(False)),
    "off and on": lambda: (torch.set_grad_enabled(False), torch.set_grad_enabled(True)),
    "no_grad": _abandon(torch.no_grad),
    "inference": _abandon(torch.inference_mode),
    "normal within inference": lambda: [
        _abandon(torch.inference_mode)(),
        _abandon(lambda: torch.inference_mode(False))(),
    ],
    "a scope": _abandon(lambda: torch.scope("block")),
    "a recording": lambda: start_recording(SimpleNamespace(recorded=lambda node, outputs: None)),
    "saved tensor hooks": _abandon(
        lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    ),
}


@pytest.mark.rule("M-1")
@pytest.mark.parametrize("name", ENDS)
def test_what_a_thread_left_on_ends_with_it(name: str) -> None:
    before = counts()
    inside: list[Any] = []

    def work() -> None:
        ENDS[name]()
        inside.append(counts())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(HANG)
    del thread
    gc.collect()
    if name == "inference" or "within" in name:
        torch.ones(1, requires_grad=True) * 2  # lets go of the block, of which nothing is left
    assert no_more_than(before)
    if name != "off and on":
        assert inside[0] != before
    x = torch.ones(2, requires_grad=True)
    assert (x * 2).requires_grad


def test_the_threads_that_live_are_still_counted() -> None:
    before = counts()
    ready, done = threading.Event(), threading.Event()
    found: list[Any] = []

    def stays() -> None:
        torch.set_grad_enabled(False)
        ready.set()
        assert done.wait(HANG)
        x = torch.ones(2, requires_grad=True)
        found.append((x * 2).requires_grad)

    staying = threading.Thread(target=stays)
    staying.start()
    assert ready.wait(HANG)
    ending = threading.Thread(target=lambda: torch.set_grad_enabled(False))
    ending.start()
    ending.join(HANG)
    gc.collect()
    assert len(GUARD.no_grad) == before[0] + 1
    done.set()
    staying.join(HANG)
    del staying, ending
    gc.collect()
    assert found == [False]
    assert no_more_than(before)
    assert MODES.grad
