"""Saved values that cannot be had, and hooks on them."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.calls import leaf
from tests.debugger.explanations.wrong import wrong
from vizgrad.autograd import Function
from vizgrad.autograd import graph as ag
from vizgrad.autograd.function import NestedIOFunction


@wrong("saved-overwritten")
def a_result_that_is_written_after_it_was_saved() -> None:
    y = leaf().exp()
    y.add_(1)  # blame
    y.sum().backward()


@wrong("saved-overwritten")
def an_operand_that_is_written_by_its_own_operation() -> None:
    y = leaf() * 1
    y.mul_(y)  # blame
    y.sum().backward()


@wrong("saved-overwritten")
def a_tensor_that_a_function_saved() -> None:
    y = leaf() * 1
    z = Square.apply(y)
    y[0] = 3  # blame
    z.sum().backward()


@wrong("saved-overwritten")
def a_tensor_that_is_read_off_the_node() -> None:
    y = leaf() * 1
    z = y * y
    y.zero_()  # blame
    z.grad_fn._saved_self  # noqa: B018  reading it is what is wrong


@wrong("cut-detach")
def a_tensor_whose_history_was_taken_away() -> None:
    y = leaf() * 1
    z = y * y
    y.detach_()  # blame
    z.sum().backward()


@wrong("graph-freed")
def a_graph_that_is_run_twice() -> None:
    z = leaf().exp().sum()
    z.backward()  # blame
    z.backward()


@wrong("graph-freed")
def a_function_whose_values_are_released() -> None:
    z = Square.apply(leaf())
    z.sum().backward()  # blame
    z.grad_fn.saved_tensors  # noqa: B018  reading it is what is wrong


@wrong("graph-freed")
def raw_values_that_are_released() -> None:
    z = Square.apply(leaf())
    z.sum().backward()  # blame
    z.grad_fn._raw_saved_tensors  # noqa: B018  reading it is what is wrong


@wrong("graph-freed")
def indices_that_are_released() -> None:
    y = leaf()[vg.tensor([0, 2])]
    y.sum().backward()  # blame
    y.grad_fn._saved_indices  # noqa: B018  reading it is what is wrong


@wrong("graph-freed")
def a_nested_function_that_is_run_twice() -> None:
    z = Nested()([leaf()])[0].sum()
    z.backward()  # blame
    z.backward()


@wrong("graph-freed")
def a_write_to_a_part_that_is_run_twice() -> None:
    y = leaf() * 1
    y[:1].add_(1)
    z = y.sum()
    z.backward()  # blame
    z.backward()


class Square(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Nested(NestedIOFunction):
    def forward_extended(self, parts: Any) -> Any:
        self.save_for_backward(parts)
        return [part * 2 for part in parts]

    def backward_extended(self, *grads: Any) -> Any:
        return [grad * 2 for grad in grads]


@wrong("hook-effect")
def a_pack_hook_that_writes() -> None:
    def pack(tensor: Any) -> Any:  # blame
        return tensor.add_(1)

    with ag.saved_tensors_hooks(pack, lambda packed: packed):
        (leaf() * 1).exp()


@wrong("hook-effect", TypeError)
def an_unpack_hook_that_returns_no_tensor() -> None:
    def unpack(packed: Any) -> Any:  # blame
        return 3

    with ag.saved_tensors_hooks(lambda t: t, unpack):
        y = leaf().exp()
    y.sum().backward()


@wrong("hook-effect")
def an_unpack_hook_that_returns_another_shape() -> None:
    def unpack(packed: Any) -> Any:  # blame
        return vg.ones(2)

    with ag.saved_tensors_hooks(lambda t: t, unpack):
        y = leaf().exp()
    y.sum().backward()


@wrong("hook-effect", TypeError)
def hooks_on_saved_tensors_that_are_no_functions() -> None:
    with ag.saved_tensors_hooks(3, print):  # blame
        pass


@wrong("hook-effect")
def hooks_where_they_are_switched_off() -> None:
    with ag.disable_saved_tensors_hooks("not here"):
        hooks = ag.saved_tensors_hooks(print, print)
        hooks.__enter__()  # blame


@wrong("hook-effect")
def hooks_that_are_left_before_they_are_entered() -> None:
    hooks = ag.saved_tensors_hooks(print, print)
    hooks.__exit__()  # blame


@wrong("hook-effect")
def switching_hooks_off_where_they_are_on() -> None:
    hooks = ag.saved_tensors_hooks(lambda t: t, lambda t: t)
    off = ag.disable_saved_tensors_hooks("not here")
    with hooks:
        off.__enter__()  # blame


@wrong("hook-effect", TypeError)
def hooks_on_one_value_that_are_no_functions() -> None:
    y = leaf().exp()
    y.grad_fn._raw_saved_result.register_hooks(1, 2)  # blame


@wrong("hook-effect")
def hooks_on_a_value_that_is_not_needed() -> None:
    y = leaf() * vg.ones(3)
    y.grad_fn._raw_saved_self.register_hooks(print, print)  # blame


@wrong("hook-effect")
def hooks_on_a_value_that_is_released() -> None:
    y = leaf().exp()
    y.sum().backward()
    y.grad_fn._raw_saved_result.register_hooks(print, print)  # blame


@wrong("hook-effect")
def hooks_on_a_value_that_has_some() -> None:
    y = leaf().exp()
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t, lambda t: t)
    raw.register_hooks(lambda t: t, lambda t: t)  # blame


@wrong("saved-overwritten")
def copies_within_copies() -> None:
    with ag.allow_mutation_on_saved_tensors(), ag.allow_mutation_on_saved_tensors():  # blame
        pass


@wrong("saved-overwritten", AssertionError)
def copies_that_are_gone() -> None:
    with ag.allow_mutation_on_saved_tensors():
        y = leaf().exp()
    y.sum().backward()  # blame
