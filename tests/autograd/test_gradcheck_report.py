"""What a failed gradcheck tells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.function.custom.making import function
from tests.fixtures import strict_module
from vizgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from vizgrad.autograd.gradcheck_report import Mismatch, place


def x(*values: float) -> Any:
    return vg.tensor(values or (0.5, 1.0, 3.0), dtype=vg.float64, requires_grad=True)


def failed(func: Any, *inputs: Any, **settings: Any) -> GradcheckError:
    with pytest.raises(GradcheckError) as caught:
        gradcheck(func, inputs, **settings)
    return caught.value


def square(backward: Any) -> Any:
    """a * a with another backward: `backward(a, grad)`."""

    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a * a

    return function(forward, lambda ctx, grad: backward(ctx.saved_tensors[0], grad)).apply


@pytest.mark.rule("G-2")
def test_a_wrong_factor_is_named_and_no_width_is_blamed() -> None:
    error = failed(square(lambda a, grad: grad * a), x())
    report = error.report
    assert (report.output, report.input, report.worst) == (0, 0, (2, 2))
    assert report.pattern() == "Backward gives 0.5 times the differences everywhere."
    assert "the gradient is wrong" in report.verdict()
    assert str(report) in error.__notes__
    assert "3 of 9 elements are wrong, the worst at input[2], output[2]" in str(report)
    assert [step.eps for step in report.steps] == pytest.approx([10.0**-n for n in range(2, 11)])
    assert all(abs(step.apart - 3) < 1e-5 for step in report.steps)
    assert "<- used" in report.steps_table().splitlines()[5]


@pytest.mark.rule("G-2")
def test_coarse_arithmetic_is_told_from_a_wrong_gradient() -> None:
    error = failed(lambda a: (a.float() ** 2).double(), x())
    assert "the differences were at fault, not the gradient" in error.report.verdict()
    best = min((s for s in error.report.steps), key=lambda s: s.apart)
    assert f"eps={best.eps:g}" in error.report.verdict()
    assert gradcheck(lambda a: (a.float() ** 2).double(), x(), eps=best.eps)


@pytest.mark.rule("G-2", "G-6")
def test_a_kink_beside_the_point() -> None:
    error = failed(lambda a: (a - 1 - 1e-8).abs(), x(1.0))
    assert "agree at eps=" in error.report.verdict()
    assert "closer the narrower" in failed(lambda a: (a - 1 - 1e-11).abs(), x(1.0)).report.verdict()


@pytest.mark.rule("G-2")
def test_patterns() -> None:
    weight = vg.arange(9.0, dtype=vg.float64).reshape(3, 3).sin()

    def linear(backward: Any) -> Any:
        return function(lambda ctx, a: a @ weight, lambda ctx, grad: backward(grad)).apply

    def pattern(func: Any, *inputs: Any) -> str:
        return failed(func, *inputs).report.pattern()

    assert "transposed" in pattern(linear(lambda grad: grad @ weight), x())
    assert "-1 times" in pattern(linear(lambda grad: -grad @ weight.t()), x())
    assert "zeros everywhere" in pattern(linear(lambda grad: grad * 0), x())
    uneven = vg.tensor([1.0, 2.0, 1.0], dtype=vg.float64)
    assert "No simple factor" in pattern(linear(lambda grad: grad @ weight.t() * uneven), x())
    z = vg.tensor([1 + 2j], dtype=vg.complex128, requires_grad=True)
    assert "conjugate" in pattern(
        function(
            lambda ctx, a: a * (2 + 1j), lambda ctx, grad: grad * (2 + 1j)
        ).apply, z
    )  # fmt: skip


@pytest.mark.rule("G-2")
def test_the_heat_map_shows_where() -> None:
    weight = vg.arange(12.0, dtype=vg.float64).reshape(3, 4).sin()

    def backward(ctx: Any, grad: Any) -> Any:
        return grad @ weight.t() * vg.tensor([1, 1.01, 1], dtype=vg.float64)

    report = failed(function(lambda ctx, a: a @ weight, backward).apply, x()).report
    lines = report.heat_map().splitlines()
    assert [line.split()[-1] for line in lines[1:4]] == ["········", "░░░░░░░░", "········"]
    assert lines[0].split() == ["backward", "differences", "apart"]
    assert lines[2].split()[:2] == ["1", "████▒▒▓▓"]


def matrices(analytical: Any, numerical: Any, **more: Any) -> Mismatch:
    analytical, numerical = np.asarray(analytical), np.asarray(numerical)
    rows, columns = numerical.shape
    return Mismatch(0, 1, "", (rows,), (columns,), numerical, analytical, 1e-6, 1e-5, 1e-3, **more)


def test_large_matrices_are_shown_by_blocks() -> None:
    numerical = np.ones((100, 300))
    analytical = numerical.copy()
    analytical[57, 211] = 5
    report = matrices(analytical, numerical)
    assert report.worst == (57, 211)
    lines = report.heat_map().splitlines()
    assert len(lines) == 18
    assert max(map(len, lines)) < 120
    wrong = [line for line in lines[1:17] if not line.endswith("·" * 24)]
    assert len(wrong) == 1
    first, _, last = wrong[0].split()[0].partition("-")
    assert int(first) <= 57 <= int(last)


def test_nan_that_is_expected_is_not_the_worst() -> None:
    report = matrices([[math.nan, 1.0], [math.nan, 2.0]], [[math.nan, 1.0], [0.5, 9.0]])
    assert report.worst == (1, 0)
    assert "?" in report.heat_map()
    assert "No simple factor" in report.pattern()


def test_a_function_that_fails_further_away() -> None:
    def func(a: Any) -> Any:
        if float(a.detach()[0]) > 1.0005:
            raise ZeroDivisionError
        return square(lambda a, grad: grad * a)(a)

    report = failed(func, x(1.0)).report
    assert report.steps[0].numerical is None
    assert "(the function fails)" in report.steps_table()
    assert "the gradient is wrong" in report.verdict()


def test_who_does_not_ask_pays_for_no_report() -> None:
    calls: list[Any] = []

    def func(a: Any) -> Any:
        calls.append(1)
        return square(lambda a, grad: grad * a)(a)

    assert not gradcheck(func, x(), raise_exception=False)
    quiet = len(calls)
    failed(func, x())
    assert len(calls) == 2 * quiet + 18


def test_second_derivatives_have_a_report_too() -> None:
    with pytest.raises(GradcheckError) as caught:
        gradgradcheck(square(lambda a, grad: 2 * grad * a.detach()), x())
    assert "zeros everywhere" in str(caught.value.report)


def test_places() -> None:
    assert place("input", 5, (2, 3)) == "input[1, 2]"
    assert place("output", 0, ()) == "output"


def test_a_report_of_a_gpu() -> None:
    expected = str(failed(square(lambda a, grad: grad * a), x()).report)
    with strict_module.as_cuda():
        there = x().detach().to("cuda").requires_grad_()
        assert str(failed(square(lambda a, grad: grad * a), there).report) == expected
