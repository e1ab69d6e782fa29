"""Functions that do not keep what a Function promises."""

from __future__ import annotations

import pickle
from typing import Any

import vizgrad as vg
from tests.debugger.explanations.calls import leaf
from tests.debugger.explanations.wrong import wrong
from tests.fixtures.strict_module import as_cuda
from vizgrad.autograd import Function
from vizgrad.autograd.function import (
    InplaceFunction,
    NestedIOFunction,
    _iter_tensors,
    _nested_map,
    _unflatten,
    once_differentiable,
)


def identity(ctx: Any, x: Any) -> Any:
    return x.clone()


def function(**members: Any) -> Any:
    """A Function with these methods; forward copies unless it is given."""
    body = {name: staticmethod(member) for name, member in members.items()}
    return type("Wrong", (Function,), {"forward": staticmethod(identity), **body})


def run(backward: Any, *args: Any, **options: Any) -> None:
    out = function(backward=backward, **options).apply(*(args or (leaf(),)))
    out.sum().backward()


# --- what backward returns ---------------------------------------------------------------------------


@wrong("function-return")
def too_many_gradients() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, grad  # blame

    run(backward)


@wrong("function-return")
def a_gradient_for_a_number() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, 1.0  # blame

    run(backward, leaf(), 2, forward=lambda ctx, x, n: x * n)


@wrong("function-return")
def a_gradient_that_is_a_list() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return [grad]  # blame

    run(backward)


@wrong("function-return")
def a_gradient_of_another_shape() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad[:2]  # blame

    run(backward)


@wrong("function-return")
def a_gradient_of_another_shape_with_create_graph() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad[:2]  # blame

    x = leaf()
    vg.autograd.grad(function(backward=backward).apply(x).sum(), x, create_graph=True)


@wrong("function-return")
def a_complex_gradient_for_a_real_input() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 1j  # blame

    run(backward)


@wrong("function-return")
def a_gradient_on_another_device() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.to("cuda")  # blame

    with as_cuda():
        run(backward)


@wrong("function-return")
def a_gradient_on_another_device_with_create_graph() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad.to("cuda")  # blame

    x = leaf()
    with as_cuda():
        vg.autograd.grad(function(backward=backward).apply(x).sum(), x, create_graph=True)


@wrong("wrong-call")
def a_root_gradient_on_another_device() -> None:
    y = leaf() * 2
    with as_cuda():
        y.backward(vg.ones(3).to("cuda"))  # blame


@wrong("second-order-cut")
def a_second_derivative_of_what_has_one() -> None:
    @once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:  # blame
        return grad * 2

    x = leaf()
    y = function(backward=backward).apply(x)
    (g,) = vg.autograd.grad((y * y).sum(), x, create_graph=True)
    g.sum().backward()


# --- what a class must define ------------------------------------------------------------------------


@wrong("function-return", NotImplementedError)
def a_class_without_forward() -> None:
    class Empty(Function):  # blame
        pass

    Empty.apply(leaf())


@wrong("function-return", NotImplementedError)
def a_class_without_backward() -> None:
    class Half(Function):  # blame
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

    Half.apply(leaf()).sum().backward()


@wrong("function-return")
def a_class_with_backward_and_vjp() -> None:
    def backward(ctx: Any, grad: Any) -> Any:
        return grad

    def vjp(ctx: Any, grad: Any) -> Any:  # blame
        return grad

    run(backward, vjp=vjp)


@wrong("function-return")
def forward_as_a_method() -> None:
    class Old(Function):
        def forward(self, x: Any) -> Any:  # blame
            return x

    Old.apply(leaf())


@wrong("function-return")
def an_instance_that_is_called() -> None:
    class Old(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:  # blame
            return x

    Old()(leaf())


@wrong("function-return", NotImplementedError)
def forward_of_the_base_class() -> None:
    Function.forward(None)  # blame


@wrong("function-return", NotImplementedError)
def setup_context_of_the_base_class() -> None:
    Function.setup_context(None, (), None)  # blame


@wrong("function-return", NotImplementedError)
def backward_of_the_base_class() -> None:
    Function.backward(None)  # blame


@wrong("function-return", NotImplementedError)
def jvp_of_the_base_class() -> None:
    Function.jvp(None)  # blame


@wrong("function-return", NotImplementedError)
def vmap_of_the_base_class() -> None:
    Function.vmap(None, None)  # blame


@wrong("function-return", NotImplementedError)
def a_nested_function_without_forward() -> None:
    class Empty(NestedIOFunction):  # blame
        pass

    Empty()([leaf()])


@wrong("function-return", NotImplementedError)
def a_nested_function_without_backward() -> None:
    class Half(NestedIOFunction):  # blame
        def forward_extended(self, parts: Any) -> Any:
            return [part * 2 for part in parts]

    Half()([leaf()])[0].sum().backward()


# --- arguments ---------------------------------------------------------------------------------------


@wrong("function-return", TypeError)
def an_argument_that_is_missing() -> None:
    wanting = function(forward=lambda ctx, x, *, y=1: x * y)
    wanting.apply(z=leaf())  # blame


@wrong("function-return", TypeError)
def a_parameter_that_is_only_a_keyword() -> None:
    wanting = function(forward=lambda ctx, x, *, y=1: x * y)
    wanting.apply(leaf(), y=2)  # blame


@wrong("function-return", TypeError)
def keywords_that_have_no_place() -> None:
    wanting = function(forward=lambda ctx, x, **more: x)
    wanting.apply(leaf(), y=2)  # blame


@wrong("function-return", ValueError)
def a_structure_with_a_number_in_it() -> None:
    class Nested(NestedIOFunction):
        def forward_extended(self, parts: Any) -> Any:
            return parts

    Nested()([leaf(), 3])  # blame


@wrong("function-return", ValueError)
def a_map_over_a_number() -> None:
    _nested_map(lambda thing: False, lambda thing: thing)(3)  # blame


@wrong("function-return", ValueError)
def a_walk_over_a_number() -> None:
    list(_iter_tensors(3))  # blame


@wrong("function-return", IndexError)
def a_structure_with_too_many_places() -> None:
    _unflatten([1], ["a", "b"])  # blame


# --- what forward says -------------------------------------------------------------------------------


@wrong("function-return", TypeError)
def saving_a_number() -> None:
    def forward(ctx: Any, x: Any) -> Any:  # blame
        ctx.save_for_backward(3)
        return x * 2

    function(forward=forward).apply(leaf())


@wrong("function-return", TypeError)
def saving_a_number_for_forward() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_forward(3)  # blame
        return x * 2

    function(forward=forward).apply(leaf())


@wrong("function-return", TypeError)
def materialising_something_else() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(1)  # blame
        return x * 2

    function(forward=forward).apply(leaf())


@wrong("function-dirty")
def marking_a_number_dirty() -> None:
    def forward(ctx: Any, x: Any) -> Any:  # blame
        ctx.mark_dirty(3)
        return x * 2

    function(forward=forward).apply(leaf())


@wrong("function-dirty")
def a_dirty_input_that_is_not_returned() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x * 2  # blame

    function(forward=forward).apply(leaf() * 1)


@wrong("function-dirty")
def a_dirty_view_among_several_outputs() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.add_(1), x * 2

    y = leaf() * 1
    function(forward=forward).apply(y[:2])  # blame


@wrong("forbidden-write")
def a_dirty_leaf() -> None:
    class Add(InplaceFunction):
        def forward(self, x: Any) -> Any:
            self.mark_dirty(x)
            return x.add_(1)

    x = leaf()
    Add(inplace=True)(x)  # blame


@wrong("function-return")
def a_number_without_derivative() -> None:
    def forward(ctx: Any, x: Any) -> Any:  # blame
        ctx.mark_non_differentiable(3)
        return x * 2

    function(forward=forward).apply(leaf())


@wrong("function-return")
def an_input_that_is_returned_and_saved() -> None:
    def forward(x: Any) -> Any:
        return x  # blame

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    function(forward=forward, setup_context=setup_context).apply(leaf())


@wrong("wrong-call", TypeError)
def pickling_a_node() -> None:
    node = function(backward=lambda ctx, grad: grad).apply(leaf()).grad_fn
    pickle.dumps(node)  # blame
