"""gradcheck: what is ours alone. tests/oracle/programs/gradcheck.py compares the rest with PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from vizgrad.core.progress import Progress


def x(*values: float) -> Any:
    return vg.tensor(values or (1.0, 2.0), dtype=vg.float64, requires_grad=True)


class Wrong(vg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        return grad * b, grad * (a + (a > 1.5).to(a.dtype))


@pytest.mark.rule("G-2")
def test_the_worst_element_is_named() -> None:
    with pytest.raises(
        GradcheckError, match=r"(?s)output 0 with respect to input 1.*element 1 of the input"
    ):
        gradcheck(Wrong.apply, (x(), x(3.0, 4.0)))


@pytest.mark.rule("G-1", "G-7")
def test_the_programs_random_numbers_stay_as_they_are() -> None:
    vg.manual_seed(1)
    expected = vg.rand(3).tolist()
    vg.manual_seed(1)
    gradcheck(vg.sin, x(), fast_mode=True)
    gradgradcheck(vg.sin, x())
    assert vg.rand(3).tolist() == expected


@pytest.mark.rule("G-2")
def test_inputs_are_put_back_also_after_an_error() -> None:
    a = x()
    calls = []

    def fails(a: Any) -> Any:
        calls.append(a.tolist())
        if len(calls) > 2:
            raise ZeroDivisionError
        return a * 2

    with pytest.raises(ZeroDivisionError):
        gradcheck(fails, a)
    assert a.tolist() == [1, 2]
    assert a._version == 0
    assert calls[-1] != [1, 2]


def test_a_bar_shows_only_what_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(3, "quick") as progress:
        progress.step()
    assert capsys.readouterr().err == ""
    with Progress(3, "slow work", delay=0.0) as progress:
        for _ in range(3):
            progress.step()
    shown = capsys.readouterr().err
    assert "slow work" in shown
    assert "1/3" in shown or "3/3" in shown
