"""`vg.check` on Functions with one fault each, and on those that have none."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.check import right, wrong
from vizgrad.autograd import Function

LINES = Path(wrong.__file__).read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("kind", "cls", "inputs"), wrong.CASES, ids=lambda c: getattr(c, "__name__", "")
)
def test_a_fault_is_told_with_its_line(kind: str, cls: Any, inputs: Any) -> None:
    found = vg.check(cls, *inputs)
    assert found
    first = found[0]
    assert first.kind == kind
    assert first.culprit is not None
    assert first.culprit.file == wrong.__file__
    assert "# CULPRIT" in LINES[first.culprit.line - 1]
    assert first.tensor
    assert first.fix
    assert first.story


@pytest.mark.parametrize(("cls", "inputs"), right.CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_nothing_is_said_of_what_is_right(cls: Any, inputs: Any) -> None:
    assert vg.check(cls, *inputs) == []


def test_an_instance_is_examined_with_its_attributes() -> None:
    assert vg.check(right.MaybeInPlace(inplace=True), right.x) == []


def test_names_of_what_is_to_blame() -> None:
    said = {cls.__name__: vg.check(cls, *inputs)[0] for _, cls, inputs in wrong.CASES}
    assert said["Intermediate"].tensor == "e"
    assert said["Shifted"].tensor == "x"
    assert said["OutputInList"].tensor == "kept"
    assert "its sign is wrong" not in said["Sized"].fix
    assert "3 times the derivative" in said["Sized"].fix
    assert "what comes for `a` is that of `b`" in said["Swapped"].fix
    assert "save_for_backward" in said["DrawnAgain"].fix
    assert "AttributeError" in said["Raises"].story


def test_nothing_is_changed() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    vg.manual_seed(3)
    before = vg.get_rng_state() if hasattr(vg, "get_rng_state") else None
    first = vg.rand(1)
    vg.manual_seed(3)
    version, collects, threads = x._version, gc.isenabled(), threading.enumerate()
    with vg.no_grad(), vg.record() as trace:
        vg.check(right.Dropout, x, 0.5)
        assert not vg.is_grad_enabled()
    assert trace.events == ()
    assert vg.rand(1).item() == first.item()
    assert before is not None
    assert (x.grad, x.grad_fn, x._version) == (None, None, version)
    assert gc.isenabled() == collects
    # A thread of a test before this one may end meanwhile.
    assert [thread for thread in threading.enumerate() if thread not in threads] == []


def test_what_cannot_be_examined_is_refused() -> None:
    with pytest.raises(TypeError, match="derived from"):
        vg.check(vg.exp, right.x)
    with pytest.raises(TypeError, match="missing 1 required"):
        vg.check(right.Reversed, right.x)


def test_an_error_of_forward_that_explains_itself_is_a_finding() -> None:
    class SavesNumber(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    (found,) = vg.check(SavesNumber, right.x)
    assert found.kind == "function-return"
    assert "save_for_backward can only save variables" in found.story
