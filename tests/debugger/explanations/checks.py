"""Functions that gradcheck cannot compare with themselves."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.wrong import wrong
from vizgrad.autograd.gradcheck import get_numerical_jacobian


def ones() -> Any:
    return vg.ones(2, dtype=vg.float64, requires_grad=True)


@wrong("not-repeatable", AssertionError)
def a_function_that_returns_more_the_second_time() -> None:
    calls: list[Any] = []

    def func(x: Any) -> Any:  # blame
        calls.append(x)
        return (x * 2,) * len(calls)

    vg.autograd.gradcheck(func, ones())


@wrong("not-repeatable", AssertionError)
def a_function_whose_shape_hangs_on_the_values() -> None:
    def func(x: Any) -> Any:  # blame
        return x[x >= 1] * 2

    vg.autograd.gradcheck(func, ones())


@wrong("not-repeatable", AssertionError)
def a_shape_that_hangs_on_the_values_in_one_direction() -> None:
    def func(x: Any) -> Any:  # blame
        return x[x >= 1] * 2

    vg.autograd.gradcheck(func, ones(), fast_mode=True)


@wrong("not-repeatable", AssertionError)
def gradients_that_are_fewer_for_other_values() -> None:
    def func(x: Any, y: Any) -> Any:  # blame
        return x**3 + y**3 if x.sum() <= 2 else x**3

    vg.autograd.gradgradcheck(func, (ones(), ones()))


@wrong("not-repeatable", AssertionError)
def a_jacobian_of_a_shape_that_hangs_on_the_values() -> None:
    def func(inputs: Any) -> Any:  # blame
        (x,) = inputs
        return x[x >= 1] * 2

    get_numerical_jacobian(func, (ones(),))
