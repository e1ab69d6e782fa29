"""A graph that an earlier backward has released is refused when it is opened (both engines)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import vizgrad
from vizgrad.debugger.shell.scene import Scene
from vizgrad.debugger.shell.stops import Backward, Stop
from vizgrad.debugger.traces import load_trace


@pytest.fixture(params=["vizgrad", "torch"])
def lib(request: pytest.FixtureRequest) -> Any:
    return vizgrad if request.param == "vizgrad" else pytest.importorskip("torch")


def leaf(lib: Any) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def line_of(test: Any, text: str) -> int:
    """The line in this file of a statement of a test."""
    code = test.__code__
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(
        number
        for number in range(code.co_firstlineno, len(lines))
        if lines[number - 1].strip() == text
    )


def refused(loss: Any, **options: Any) -> RuntimeError:
    with pytest.raises(RuntimeError, match="through the graph a second time") as raised:
        vizgrad.debug(loss, display=False, **options)
    assert raised.value.explanation.kind == "graph-freed"
    return raised.value


def test_the_line_that_released_it_is_named() -> None:
    x = leaf(vizgrad)
    loss = (x.exp() * x).sum()
    loss.backward()
    grad = x.grad.clone()
    error = refused(loss)
    line = line_of(test_the_line_that_released_it_is_named, "loss.backward()")
    assert f"This graph was released by the backward on line {line}, so" in str(error)
    note = "\n".join(error.__notes__)
    assert "retain_graph=True" in note
    assert "compute the loss again" in note
    assert x.grad.tolist() == grad.tolist()


def test_a_watch_knows_the_line_for_pytorch_too() -> None:
    torch = pytest.importorskip("torch")
    x = leaf(torch)
    with vizgrad.watch():
        loss = (x.exp() * x).sum()
        loss.backward()
    line = line_of(test_a_watch_knows_the_line_for_pytorch_too, "loss.backward()")
    assert f"released by the backward on line {line}," in str(refused(loss))


def test_without_a_watch_the_refusal_of_pytorch_says_how_to_see_the_line() -> None:
    torch = pytest.importorskip("torch")
    with vizgrad.watch():
        pass  # the last watch knows nothing of what follows
    loss = leaf(torch).exp().sum()
    loss.backward()
    error = refused(loss)
    assert "released by an earlier backward" in str(error)
    assert "with vizgrad.watch():" in "\n".join(error.__notes__)


def test_a_part_that_is_released_is_enough(lib: Any) -> None:
    x = leaf(lib)
    shared = x.exp() * x
    shared.sum().backward()
    error = refused((shared * shared).sum())
    assert "A part of this graph was released" in str(error)
    assert "(2 of 3 nodes with saved values lack theirs)" in "\n".join(error.__notes__)


def test_what_runs_a_second_time_is_opened_a_second_time(lib: Any) -> None:
    x = leaf(lib)
    kept = (x.exp() * x).sum()
    kept.backward(retain_graph=True)
    for loss in (kept, (x + 1).sum(), x.sum()):
        loss.backward(retain_graph=loss is kept)
        session = vizgrad.debug(loss, retain_graph=True, display=False)
        session.continue_()
        assert session.status == "finished"


def test_only_what_the_backward_reaches_counts(lib: Any) -> None:
    x, y = leaf(lib), leaf(lib)
    left, right = x.exp(), y.exp()
    left.sum().backward()
    loss = (left + right).sum()
    session = vizgrad.debug(loss, inputs=[y], display=False)
    session.continue_()
    assert y.grad is not None
    refused((left + right).sum())


def test_a_function_that_reads_nothing_may_run_again(lib: Any) -> None:
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = leaf(lib)
    loss = Twice.apply(x).sum()
    loss.backward()
    session = vizgrad.debug(loss, display=False)
    session.continue_()
    assert x.grad.tolist() == [4.0, 4.0, 4.0]


def test_an_earlier_session_starts_over_or_stays_where_it_stood(lib: Any) -> None:
    x = leaf(lib)
    loss = (x.exp() * x).sum()
    earlier = vizgrad.debug(loss, display=False)
    earlier.continue_()
    grad = x.grad.tolist()
    if lib is vizgrad:  # the session gives back what it has released
        again = vizgrad.debug(loss, display=False)
        again.continue_()
        assert earlier.closed
    else:  # PyTorch has released it for good
        error = refused(loss)
        assert "(restart())" in "\n".join(error.__notes__)
        assert not earlier.closed
        assert earlier.status == "finished"
    assert x.grad.tolist() == grad


def test_the_terminal_writes_the_graph_of_a_backward_that_failed_so(
    lib: Any, tmp_path: Path
) -> None:
    loss = (leaf(lib).exp() * 2).sum()
    loss.backward()
    scene = Scene(Stop("error", "", backward=Backward(loss)), alone=True)
    path = scene.dump(tmp_path / "loss.vgtrace")
    assert path is not None
    trace = load_trace(path)
    assert len(trace.graph.nodes) == 4
    assert "a second time" in trace.trace.records[-1].visit.error
