"""Hooks that return, or are put on, what they must not."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.calls import leaf
from tests.debugger.explanations.wrong import wrong
from vizgrad.autograd import graph as ag


def run_with(hook: Any, place: str = "tensor") -> None:
    x = leaf()
    y = x * 2
    if place == "tensor":
        y.register_hook(hook)
    elif place == "before":
        y.grad_fn.register_prehook(hook)
    elif place == "after":
        y.grad_fn.register_hook(hook)
    else:
        x.register_post_accumulate_grad_hook(hook)
    y.sum().backward()


@wrong("hook-effect", TypeError)
def a_hook_that_returns_a_number() -> None:
    def hook(grad: Any) -> Any:
        return 3  # blame

    run_with(hook)


@wrong("hook-effect")
def a_hook_that_returns_another_shape() -> None:
    def hook(grad: Any) -> Any:
        return grad[:1]  # blame

    run_with(hook)


@wrong("hook-effect")
def a_hook_that_returns_another_type() -> None:
    def hook(grad: Any) -> Any:
        return grad.double()  # blame

    run_with(hook)


@wrong("hook-effect")
def a_hook_that_returns_another_device() -> None:
    def hook(grad: Any) -> Any:
        return Elsewhere.like(grad)  # blame

    run_with(hook)


class Elsewhere:
    """What counts as a tensor on another device, for the check of hooks."""

    requires_grad = False
    device = vg.device("cuda:0")

    @staticmethod
    def like(grad: Any) -> Any:
        there = Elsewhere()
        there.shape, there.dtype = grad.shape, grad.dtype
        return there


@wrong("hook-effect", TypeError)
def a_node_hook_that_returns_no_tuple() -> None:
    def hook(inputs: Any, outputs: Any) -> Any:
        return inputs[0]  # blame

    run_with(hook, "after")


@wrong("hook-effect", TypeError)
def a_prehook_that_returns_no_tuple() -> None:
    def hook(outputs: Any) -> Any:
        return outputs[0]  # blame

    run_with(hook, "before")


@wrong("hook-effect")
def a_node_hook_that_returns_too_many() -> None:
    def hook(inputs: Any, outputs: Any) -> Any:
        return (*inputs, None)  # blame

    run_with(hook, "after")


@wrong("hook-effect")
def a_prehook_that_returns_another_shape() -> None:
    def hook(outputs: Any) -> Any:
        return (outputs[0][:1],)  # blame

    run_with(hook, "before")


@wrong("hook-effect")
def a_post_accumulate_hook_that_returns_something() -> None:
    def hook(param: Any) -> Any:
        return param.grad  # blame

    run_with(hook, "leaf")


@wrong("hook-effect")
def a_hook_that_makes_a_gradient_of_nothing() -> None:
    def hook(inputs: Any, outputs: Any) -> Any:
        return inputs[0], inputs[0]  # blame

    y = leaf() * vg.ones(3)
    y.grad_fn.register_hook(hook)
    y.sum().backward()


@wrong("hook-effect")
def a_hook_that_writes_to_its_gradient() -> None:
    def hook(grad: Any) -> None:
        grad.mul_(2)  # blame

    before = ag.set_strict_hooks(True)
    try:
        run_with(hook)
    finally:
        ag.set_strict_hooks(before)


@wrong("cut-detach")
def a_hook_on_a_constant() -> None:
    x = vg.ones(3)
    x.register_hook(print)  # blame


@wrong("cut-detach")
def a_post_accumulate_hook_on_a_constant() -> None:
    x = vg.ones(3)
    x.register_post_accumulate_grad_hook(print)  # blame


@wrong("not-a-leaf")
def a_post_accumulate_hook_on_a_result() -> None:
    y = leaf() * 2
    y.register_post_accumulate_grad_hook(print)  # blame


@wrong("hook-effect", ValueError)
def a_multi_grad_hook_in_no_mode() -> None:
    ag.register_multi_grad_hook([leaf()], print, mode="some")  # blame


@wrong("cut-detach", AssertionError)
def a_multi_grad_hook_on_a_constant() -> None:
    ag.register_multi_grad_hook([leaf(), vg.ones(2)], print)  # blame
