"""Graphs that are deeper than the stack of C, looked at in every way and freed.

`python -m tests.debugger.engines.pytorch.deep_graphs` says the name of each before it begins, as a
process that ends within says nothing more. It runs on a thread with a small stack, so that a graph of a
few thousand nodes is deep.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import vizgrad

DEPTH = 3_000
STACK = 1 << 18


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def chain() -> Any:
    out = torch.ones(2, requires_grad=True)
    for _ in range(DEPTH):
        out = out * 0.999
    return out.sum()


def tree() -> Any:
    """Two ways from each node to the next, and leaves all along."""
    out = torch.ones(2, requires_grad=True)
    for _ in range(DEPTH // 3):
        out = out * 0.5 + out.sin() * 0.5 + torch.zeros(2, requires_grad=True)
    return out.sum()


def of_functions() -> Any:
    out = torch.ones(2, requires_grad=True)
    for n in range(DEPTH):
        out = Twice.apply(out) if n % 2 else out * 0.25
    return out.sum()


def drawn(make: Callable[[], Any]) -> None:
    vizgrad.graph(make())


def closed(make: Callable[[], Any]) -> None:
    vizgrad.debug(make(), display=False).close()


def run_through(make: Callable[[], Any]) -> None:
    session = vizgrad.debug(make(), display=False, keep=1 << 20)
    session.continue_()
    session.close()


def not_closed(make: Callable[[], Any]) -> None:
    vizgrad.debug(make(), display=False).step(3)


def watched(make: Callable[[], Any]) -> None:
    with vizgrad.watch():
        make().backward()


def watched_and_kept(make: Callable[[], Any]) -> None:
    with vizgrad.watch():
        loss = make()
    vizgrad.why(loss)
    del loss


def watched_in_part(make: Callable[[], Any]) -> None:
    """What is below and above was recorded while nobody watched."""
    loss = make()
    with vizgrad.watch():
        for _ in range(DEPTH // 3):
            loss = loss + 1.0
    for _ in range(DEPTH // 3):
        loss = loss * 1.0
    del loss


def exported(make: Callable[[], Any]) -> None:
    session = vizgrad.debug(make(), display=False)
    session.step(3)
    with tempfile.TemporaryDirectory() as folder:
        session.trace.save(Path(folder) / "deep.vgtrace")
    session.close()


def remembered(make: Callable[[], Any]) -> None:
    loss = make()
    vizgrad.memory()
    del loss


def of_second_order(make: Callable[[], Any]) -> None:
    with vizgrad.watch():
        x = torch.ones(2, requires_grad=True)
        out = x
        for _ in range(DEPTH // 4):
            out = out * x
        (first,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    vizgrad.graph(first.sum())


def raised(make: Callable[[], Any]) -> None:
    """The frame that holds the graph goes with its exception."""

    def within() -> None:
        loss = make()
        vizgrad.graph(loss)
        raise ValueError(loss.shape)

    with contextlib.suppress(ValueError):
        within()


def in_a_cycle(make: Callable[[], Any]) -> None:
    """The collector frees it."""
    loss = make()
    vizgrad.graph(loss)
    loss.itself = [loss]
    del loss
    gc.collect()


LOOKS = [
    drawn, closed, run_through, not_closed, watched, watched_and_kept, watched_in_part, exported,
    remembered, of_second_order, raised, in_a_cycle,
]  # fmt: skip


def main() -> None:
    for make in (chain, tree, of_functions):
        for look in LOOKS:
            print(make.__name__, look.__name__, flush=True)
            with contextlib.redirect_stderr(io.StringIO()):
                look(make)
    print("all freed", flush=True)


def kept_till_the_end() -> None:
    """Freed with the interpreter, or never: the process ends well either way."""
    loss = chain()
    vizgrad.graph(loss)
    sys.modules["kept till the end"] = loss  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    if "--no-gc" in sys.argv:
        gc.disable()
    threading.stack_size(STACK)
    for target in (main, kept_till_the_end):
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
