"""Forward mode, batches, and custom Functions in them."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.wrong import wrong
from vizgrad import func
from vizgrad.autograd import Function
from vizgrad.autograd import forward_ad as fwad


def ones(*shape: int) -> Any:
    return vg.ones(*(shape or (2,)), dtype=vg.float64)


# --- levels -------------------------------------------------------------------------------------------


@wrong("wrong-call")
def a_level_in_a_level() -> None:
    with fwad.dual_level():
        fwad.enter_dual_level()  # blame


@wrong("wrong-call")
def a_level_that_nobody_entered() -> None:
    fwad.exit_dual_level()  # blame


@wrong("wrong-call")
def another_level_than_the_last() -> None:
    with fwad.dual_level():
        fwad.exit_dual_level(level=3)  # blame


@wrong("wrong-call")
def a_dual_without_a_level() -> None:
    fwad.make_dual(ones(), ones())  # blame


@wrong("wrong-call")
def a_level_by_a_number_that_is_none() -> None:
    with fwad.dual_level():
        fwad.make_dual(ones(), ones(), level=3)  # blame


@wrong("wrong-call")
def the_places_of_a_batch_of_sparse_tensors() -> None:
    func.vmap(lambda x: x.indices())(ones(2, 2, 2).to_sparse())  # blame


@wrong("wrong-call")
def a_dual_of_a_sparse_tensor() -> None:
    with fwad.dual_level():
        fwad.make_dual(ones(2, 2).to_sparse(), ones(2, 2))  # blame


# --- duals --------------------------------------------------------------------------------------------


@wrong("wrong-call")
def a_dual_of_a_dual() -> None:
    with fwad.dual_level():
        dual = fwad.make_dual(ones(), ones())
        fwad.make_dual(dual, ones())  # blame


@wrong("wrong-call")
def a_tangent_with_a_tangent() -> None:
    with fwad.dual_level():
        dual = fwad.make_dual(ones(), ones())
        fwad.make_dual(ones(), dual)  # blame


@wrong("shape-broadcast")
def a_tangent_of_another_size() -> None:
    with fwad.dual_level():
        fwad.make_dual(ones(2), ones(3))  # blame


@wrong("cut-dtype", ValueError)
def a_complex_tangent_of_real_numbers() -> None:
    with fwad.dual_level():
        fwad.make_dual(ones(), ones() * 1j)  # blame


@wrong("cut-dtype", ValueError)
def a_tangent_of_integers() -> None:
    with fwad.dual_level():
        fwad.make_dual(vg.tensor([1, 2]), ones())  # blame


@wrong("wrong-call", TypeError)
def a_dual_of_a_number() -> None:
    with fwad.dual_level():
        fwad.make_dual(1.0, ones())  # blame


@wrong("wrong-call", TypeError)
def a_number_unpacked() -> None:
    with fwad.dual_level():
        fwad.unpack_dual(1.0)  # blame


# --- a jvp of one's own -------------------------------------------------------------------------------


class Twice(Function):
    """What the Functions below have in common."""

    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass


def tangent_through(function: Any) -> None:
    with fwad.dual_level():
        function.apply(fwad.make_dual(ones(), ones()))


@wrong("function-return")
def a_tangent_too_many() -> None:
    class Wrong(Twice):
        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t, t  # blame

    tangent_through(Wrong)


@wrong("function-return")
def a_tangent_that_is_a_number() -> None:
    class Wrong(Twice):
        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return 2.0  # blame

    tangent_through(Wrong)


@wrong("function-return")
def a_tangent_of_what_has_none() -> None:
    class Wrong(Twice):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.argmax()

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t  # blame

    tangent_through(Wrong)


@wrong("function-return")
def a_returned_tangent_of_another_size() -> None:
    class Wrong(Twice):
        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.sum()  # blame

    tangent_through(Wrong)


@wrong("function-return")
def a_tangent_not_written_in_place() -> None:
    class Wrong(Twice):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(*inputs)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 2  # blame

    tangent_through(Wrong)


@wrong("function-return")
def a_view_with_a_tangent_that_is_none() -> None:
    class Wrong(Twice):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.clone()  # blame

    tangent_through(Wrong)


# --- inside of transforms -----------------------------------------------------------------------------


@wrong("wrong-call")
def a_number_of_a_batch() -> None:
    def function(x: Any) -> Any:
        return x * x.sum().item()  # blame

    func.vmap(function)(ones(3, 2))


@wrong("wrong-call")
def a_write_into_the_memory_of_a_batch() -> None:
    def function(x: Any) -> Any:
        x.data = ones(2)  # blame
        return x

    func.vmap(function)(ones(3, 2))


@wrong("grad-mode")
def backward_inside() -> None:
    def function(x: Any) -> Any:
        y = (x**2).sum()
        y.backward()  # blame
        return y

    func.grad(function)(ones())


@wrong("grad-mode")
def a_gradient_retained_inside() -> None:
    def function(x: Any) -> Any:
        y = (x**2).sum()
        y.retain_grad()  # blame
        return y

    func.grad(function)(ones())


@wrong("wrong-call")
def grad_of_what_is_the_same_for_all() -> None:
    w = ones().requires_grad_()

    def function(x: Any) -> Any:
        return vg.autograd.grad((x * w).sum(), (x, w))[1]  # blame

    func.vmap(function)(ones(3, 2).requires_grad_())


@wrong("function-return")
def a_function_of_the_old_style() -> None:
    class Old(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:  # blame
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    func.vmap(Old.apply)(ones(3, 2))
