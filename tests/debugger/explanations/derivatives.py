"""Functions of which `vizgrad.autograd.functional` cannot give what is asked for."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.wrong import wrong
from vizgrad.autograd import functional


def ones() -> Any:
    return vg.ones(2, dtype=vg.float64)


def cube(t: Any) -> Any:
    return (t**3).sum()


@wrong("wrong-call", TypeError)
def inputs_in_a_list() -> None:
    functional.jacobian(cube, [ones()])  # blame


@wrong("wrong-call")
def a_vector_of_another_size() -> None:
    functional.hvp(cube, ones(), vg.ones(3))  # blame


@wrong("wrong-call", NotImplementedError)
def forward_mode_by_rows() -> None:
    functional.jacobian(cube, ones(), strategy="forward-mode")  # blame


@wrong("not-scalar")
def a_hessian_of_a_vector() -> None:
    def function(t: Any) -> Any:  # blame
        return t**2

    functional.hessian(function, ones())


@wrong("unused")
def a_function_of_nothing_in_strict_mode() -> None:
    def function(t: Any) -> Any:  # blame
        return vg.ones(2)

    functional.vjp(function, ones(), ones(), strict=True)


@wrong("unused")
def a_function_of_one_input_alone_in_strict_mode() -> None:
    def function(a: Any, b: Any) -> Any:  # blame
        return a * 2

    functional.vjp(function, (ones(), ones()), ones(), strict=True)


@wrong("unused")
def a_jacobian_in_one_input_alone_in_strict_mode() -> None:
    def function(a: Any, b: Any) -> Any:  # blame
        return a * 2

    functional.jacobian(function, (ones(), ones()), strict=True)
