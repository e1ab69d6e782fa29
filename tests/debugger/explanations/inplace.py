"""Writes that autograd refuses, and operands that do not go together."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.calls import leaf
from tests.debugger.explanations.wrong import wrong
from tests.fixtures.strict_module import as_cuda
from vizgrad.autograd import Function


@wrong("forbidden-write")
def a_leaf() -> None:
    x = leaf()
    x.add_(1)  # blame


@wrong("forbidden-write")
def a_view_of_a_leaf() -> None:
    x = leaf()
    x[0] = 1  # blame


@wrong("forbidden-write")
def an_expanded_tensor() -> None:
    x = vg.ones(1).expand(3)
    x.add_(1)  # blame


@wrong("forbidden-write")
def an_operand_that_overlaps() -> None:
    x = vg.ones(4)
    x[1:].copy_(x[:-1])  # blame


@wrong("forbidden-write")
def values_that_are_placed_where_they_are_read() -> None:
    x = vg.ones(3)
    x.scatter_(0, vg.tensor([2, 1, 0]), x)  # blame


@wrong("forbidden-write")
def a_view_made_without_grad() -> None:
    y = leaf() * 1
    with vg.no_grad():
        part = y[:2]
    part.mul_(2)  # blame


@wrong("forbidden-write")
def one_of_several_views() -> None:
    first, _ = (leaf(4) * 1).chunk(2)
    first.mul_(2)  # blame


@wrong("forbidden-write")
def a_view_from_a_function() -> None:
    y = Same.apply(leaf() * 1)
    y.mul_(2)  # blame


class Same(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad


@wrong("forbidden-write")
def the_base_of_a_view_made_without_grad() -> None:
    y = leaf() * 1
    with vg.no_grad():
        part = y[:2]
    y.mul_(2)  # blame
    part.grad_fn  # noqa: B018  reading it is what is wrong


@wrong("forbidden-write")
def an_inference_tensor() -> None:
    with vg.inference_mode():
        x = vg.ones(3)
    x.add_(1)  # blame


@wrong("forbidden-write")
def read_only_memory() -> None:
    from vizgrad.core.arrays import backend
    from vizgrad.core.tensor.tensor import new_tensor

    x = new_tensor(backend.read_only(vg.ones(3)._array))
    x.add_(1)  # blame


@wrong("shape-broadcast")
def a_result_of_another_shape() -> None:
    x = vg.ones(3)
    x.add_(vg.ones(2, 3))  # blame


@wrong("cut-dtype", NotImplementedError)
def function_of_real_numbers_alone() -> None:
    z = vg.tensor([1 + 2j])
    vg.nn.functional.elu_(z)  # blame


@wrong("cut-dtype")
def a_result_of_a_higher_type() -> None:
    x = vg.ones(3, dtype=vg.int64)
    x.add_(0.5)  # blame


@wrong("shape-broadcast")
def operands_that_do_not_broadcast() -> None:
    x = vg.ones(3)
    x.add_(vg.ones(4))  # blame


@wrong("shape-broadcast")
def operands_that_do_not_broadcast_out_of_place() -> None:
    vg.ones(3) + vg.ones(4)  # blame


@wrong("wrong-call", TypeError)
def operands_that_are_no_tensors() -> None:
    vg.exp("x")  # blame


@wrong("wrong-call", TypeError)
def two_numbers() -> None:
    vg.atan2(1, 2)  # blame


@wrong("cut-dtype", NotImplementedError)
def whole_numbers_where_the_result_would_be_fractions() -> None:
    x = vg.ones(3, dtype=vg.int64)
    x.nextafter_(x)  # blame


@wrong("wrong-call", TypeError)
def a_number_where_a_tensor_comes_first() -> None:
    vg.eq(1, vg.ones(3))  # blame


@wrong("cut-dtype", NotImplementedError)
def arithmetic_with_a_type_that_only_holds_values() -> None:
    x = vg.ones(3).to(vg.float8_e4m3fn)
    x + x  # blame


@wrong("wrong-call", TypeError)
def an_operand_that_is_no_tensor() -> None:
    vg.ones(3).add_("x")  # blame


@wrong("wrong-call")
def operands_of_two_types() -> None:
    vg.ones(2, 2) @ vg.ones(2, 2, dtype=vg.float64)  # blame


@wrong("wrong-call")
def a_number_that_is_too_large() -> None:
    vg.ones(2, dtype=vg.int64) + 2**70  # blame


@wrong("wrong-call")
def operands_on_two_devices() -> None:
    with as_cuda():
        there = vg.ones(3).to("cuda")
        vg.ones(3) + there  # blame
