"""Graphs that were looked at are freed as soon as nobody has them, however deep they are."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.deep_graphs import LOOKS  # noqa: E402


@pytest.mark.parametrize("arguments", [[], ["--no-gc"]], ids=["collected", "not collected"])
def test_a_deep_graph_that_was_looked_at_is_freed(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.debugger.engines.pytorch.deep_graphs", *arguments],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[-1] == "all freed"
    assert len(said) == 3 * len(LOOKS) + 1


def drawn(loss: Any) -> None:
    vizgrad.graph(loss)


def debugged(loss: Any) -> None:
    session = vizgrad.debug(loss, display=False)
    session.step(2)
    session.close()


def read(loss: Any) -> None:
    vizgrad.why(loss)
    vizgrad.memory()


class Marked(torch.autograd.Function):
    """Its context can be referred to weakly."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark = x.detach()
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


@pytest.mark.parametrize("look", [drawn, debugged, read])
@pytest.mark.parametrize("within", [False, True], ids=["", "in a watch"])
def test_nothing_lives_longer_than_the_graph(look: Callable[[Any], None], *, within: bool) -> None:
    def recorded() -> tuple[Any, list[Any]]:
        leaf = torch.ones(3, requires_grad=True)
        middle = Marked.apply(leaf.exp())
        loss = middle.sin().sum()
        return loss, [weakref.ref(leaf), weakref.ref(middle.grad_fn.mark)]

    gc.collect()
    gc.disable()
    try:
        if within:
            with vizgrad.watch():
                loss, known = recorded()
        else:
            loss, known = recorded()
        look(loss)
        assert [ref() is None for ref in known] == [False, False]
        del loss
        assert [ref() is None for ref in known] == [True, True]
    finally:
        gc.enable()
