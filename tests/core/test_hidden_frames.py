"""The traceback of an error of a backward ends in the user's line, without frames of vizgrad."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core import error_lines
from vizgrad.core.engine.task import GraphTask


def in_place() -> None:
    x = vg.ones(2, requires_grad=True)
    y = x.exp()
    loss = (y * 2.0).sum()
    y += 1.0
    loss.backward()  # last


def no_scalar() -> None:
    vg.autograd.backward([vg.ones(2, requires_grad=True) * 2])  # last


def not_used() -> None:
    x, w = vg.ones(2, requires_grad=True), vg.ones(2, requires_grad=True)
    vg.autograd.grad(x.sum(), w)  # last


def hook() -> None:
    def fails(grad: Any) -> Any:
        return grad.nothing  # last

    y = vg.ones(2, requires_grad=True) * 2
    y.register_hook(fails)
    y.sum().backward()


class Raising(vg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise ValueError("mine")  # last


def custom() -> None:
    Raising.apply(vg.ones(2, requires_grad=True)).sum().backward()


def frames(program: Callable[[], None]) -> list[traceback.FrameSummary]:
    with pytest.raises((RuntimeError, AttributeError, ValueError, ZeroDivisionError)) as raised:
        program()
    assert raised.value.__traceback__ is not None
    return list(traceback.extract_tb(raised.value.__traceback__))


@pytest.mark.parametrize("program", [in_place, no_scalar, not_used, hook, custom])
@pytest.mark.parametrize("watched", [False, True], ids=["", "watch"])
def test_the_last_line_is_the_users(program: Callable[[], None], *, watched: bool) -> None:
    with vg.watch() if watched else nullcontext():
        found = frames(program)
    assert {each.filename for each in found} == {__file__}
    assert (found[-1].line or "").endswith("# last")


def test_an_error_of_pytorch_within_a_watch_shows_no_frame_of_vizgrad() -> None:
    torch = pytest.importorskip("torch")

    def program() -> None:
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        loss = (y * 2).sum()
        y += 1
        loss.backward()

    with vg.watch():
        found = frames(program)
    ours = (str(Path(vg.__file__).parent), "<vizgrad")
    assert [each.filename for each in found if each.filename.startswith(ours)] == []


def test_a_namespace_without_a_name_is_the_users() -> None:
    scope: dict[str, Any] = {"__name__": None, "vg": vg}
    exec("def program():\n vg.ones(2, requires_grad=True).backward()", scope)
    assert [each.name for each in frames(scope["program"])] == ["frames", "program"]


def test_all_frames_are_there_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIZGRAD_FULL_TRACEBACKS", "1")
    assert frames(in_place)[-1].name == "read_array"


def test_a_notebook_hides_frames_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_lines, "_MAGICS", [True])
    assert frames(in_place)[-1].name == "read_array"


def test_a_defect_keeps_its_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(GraphTask, "run", broken)
    # one of vizgrad's own, though the test is not in vizgrad
    monkeypatch.setitem(broken.__globals__, "__name__", "vizgrad.tests")
    assert [each.name for each in frames(in_place)][-2:] == ["backward", "broken"]
