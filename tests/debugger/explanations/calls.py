"""Wrong calls of backward, grad, the modes and the queries."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from tests.debugger.explanations.wrong import wrong
from vizgrad.autograd import grad
from vizgrad.autograd import graph as ag


def leaf(*shape: int) -> Any:
    return vg.ones(*(shape or (3,)), requires_grad=True)


@wrong("not-scalar")
def a_vector_has_no_implicit_gradient() -> None:
    y = leaf() * 2
    y.backward()  # blame


@wrong("not-scalar")
def nor_has_a_complex_number() -> None:
    z = vg.ones((), dtype=vg.complex64, requires_grad=True) * 2
    z.backward()  # blame


@wrong("wrong-call", TypeError)
def a_gradient_that_is_a_number() -> None:
    y = leaf() * 2
    vg.autograd.backward([y], [1.0])  # blame


@wrong("shape-broadcast")
def a_gradient_of_another_shape() -> None:
    y = leaf() * 2
    y.backward(vg.ones(2))  # blame


@wrong("shape-broadcast")
def a_result_is_turned_where_nothing_is_recorded() -> None:
    y = vg.ones(2, 3, requires_grad=True) * 2
    with vg.no_grad():
        y.t_()
    y.backward(vg.ones(3, 2))  # blame


@wrong("shape-broadcast")
def a_gradient_of_another_kind_of_number() -> None:
    y = leaf() * 2
    y.backward(vg.ones(3, dtype=vg.complex64))  # blame


@wrong("wrong-call")
def more_tensors_than_gradients() -> None:
    x = leaf()
    vg.autograd.backward([x * 2, x * 3], [vg.ones(3)])  # blame


@wrong("cut-detach")
def a_root_without_history() -> None:
    y = leaf().detach().sum()
    y.backward()  # blame


@wrong("wrong-call")
def no_inputs_for_backward() -> None:
    y = leaf().sum()
    y.backward(inputs=[])  # blame


@wrong("not-a-leaf")
def inputs_of_backward_without_grad() -> None:
    y = leaf().sum()
    y.backward(inputs=[vg.ones(3)])  # blame


@wrong("wrong-call")
def no_inputs_for_grad() -> None:
    y = leaf().sum()
    grad(y, [])  # blame


@wrong("not-a-leaf")
def an_input_without_grad() -> None:
    y = leaf().sum()
    grad(y, vg.ones(3))  # blame


@wrong("unused")
def an_input_that_is_not_used() -> None:
    y = leaf().sum()
    grad(y, leaf())  # blame


@wrong("wrong-call", ValueError)
def zeros_for_what_may_not_be_unused() -> None:
    x = leaf()
    grad(x.sum(), x, materialize_grads=True, allow_unused=False)  # blame


@wrong("wrong-call", TypeError)
def an_input_that_is_no_tensor() -> None:
    y = leaf().sum()
    grad(y, [3])  # blame


@wrong("wrong-call", TypeError)
def an_edge_from_no_node() -> None:
    y = leaf().sum()
    grad(y, [("node", 0)])  # blame


@wrong("wrong-call", ValueError)
def a_batch_without_gradients() -> None:
    x = leaf()
    grad(x.sum(), x, is_grads_batched=True)  # blame


@wrong("wrong-call")
def a_batch_without_gradients_for_a_vector() -> None:
    x = leaf()
    grad(x * 2, x, is_grads_batched=True)  # blame


@wrong("wrong-call", ValueError)
def batches_of_two_lengths() -> None:
    x = leaf()
    grad((x, x * 2), x, (vg.ones(2, 3), vg.ones(1, 3)), is_grads_batched=True)  # blame


@wrong("wrong-call", TypeError)
def a_batch_that_is_no_tensor() -> None:
    x = leaf()
    grad((x,), x, ([1.0],), is_grads_batched=True)  # blame


@wrong("wrong-call", IndexError)
def a_batch_without_rows() -> None:
    x = leaf()
    grad(x * 2, x, vg.ones(0, 3), is_grads_batched=True)  # blame


@wrong("wrong-call")
def a_batch_of_rows_of_another_shape() -> None:
    x = leaf()
    grad(x * 2, x, vg.ones(2, 4), is_grads_batched=True)  # blame


@wrong("cut-detach")
def an_edge_of_a_constant() -> None:
    ag.get_gradient_edge(vg.ones(3))  # blame


@wrong("cut-detach")
def gradient_kept_for_a_constant() -> None:
    y = vg.ones(3) * 2
    y.retain_grad()  # blame


@wrong("cut-detach")
def an_edge_of_what_the_engine_takes_for_a_variable() -> None:
    from vizgrad.core.graph.edges import gradient_edge

    gradient_edge(vg.ones(3))  # blame


@wrong("unused")
def zeros_for_an_edge_that_is_not_used() -> None:
    x = leaf()
    elsewhere = ag.get_gradient_edge(leaf() * 2)
    grad(x.sum(), elsewhere, materialize_grads=True)  # blame


@wrong("wrong-call", TypeError)
def a_node_that_is_called_with_too_many_gradients() -> None:
    y = leaf() * 2
    y.grad_fn(vg.ones(3), vg.ones(3))  # blame


@wrong("wrong-call", RuntimeError)
def a_grad_fn_that_is_deleted() -> None:
    y = leaf() * 2
    del y.grad_fn  # blame


@wrong("hook-effect")
def a_callback_outside_of_backward() -> None:
    ag.queue_callback(lambda: None)  # blame


@wrong("hook-effect")
def a_question_outside_of_backward() -> None:
    node = (leaf() * 2).grad_fn
    ag.will_execute(node)  # blame


@wrong("grad-mode", TypeError)
def a_mode_that_is_no_bool() -> None:
    vg.set_grad_enabled(1)  # blame


@wrong("grad-mode")
def a_mode_that_is_left_before_it_is_entered() -> None:
    mode = vg.no_grad()
    mode.__exit__(None, None, None)  # blame


@wrong("grad-mode")
def anomaly_detection_that_is_left_twice() -> None:
    mode = vg.autograd.detect_anomaly()
    with mode:
        pass
    mode.__exit__(None, None, None)  # blame


@wrong("wrong-call", ValueError)
def a_variable_that_is_volatile_and_requires_grad() -> None:
    vg.autograd.Variable(vg.ones(3), requires_grad=True, volatile=True)  # blame


@wrong("wrong-call", TypeError)
def a_variable_of_a_list() -> None:
    vg.autograd.Variable([1.0, 2.0])  # blame


@wrong("wrong-call")
def gradients_under_both_names() -> None:
    loss = leaf().sum()
    vg.autograd.backward(loss, vg.ones(()), grad_variables=vg.ones(()))  # blame


@wrong("grad-mode", TypeError)
def a_mode_that_decorates_a_number() -> None:
    vg.no_grad()(3)  # blame


@wrong("hidden-write")
def counting_a_write_of_no_tensor() -> None:
    ag.increment_version(3)  # blame


@wrong("hidden-write")
def counting_writes_of_no_tensors() -> None:
    ag.increment_version([vg.ones(2), 3])  # blame


@wrong("grad-accumulated")
def a_gradient_for_data_that_was_replaced() -> None:
    x = leaf()
    (x * 2).sum().backward()
    x.data = vg.ones(5)
    (x * 2).sum().backward()  # blame


@wrong("grad-accumulated")
def a_leaf_that_is_transposed_before_backward() -> None:
    x = leaf(2, 3)
    loss = (x * 2).sum()
    with vg.no_grad():
        x.t_()
    loss.backward()  # blame


@wrong("grad-accumulated")
def a_gradient_that_cannot_be_added_to() -> None:
    from vizgrad.core.arrays import backend
    from vizgrad.core.tensor.tensor import new_tensor

    x = leaf()
    x.grad = new_tensor(backend.read_only(vg.ones(3)._array))
    (x * 2).sum().backward()  # blame


@wrong("internal")
def a_node_that_is_left_waiting() -> None:
    y = leaf() * 2  # blame
    z = y * 3
    total = z + y

    def cut(grad: Any) -> None:
        z.grad_fn.edges = (None, None)

    total.register_hook(cut)
    total.sum().backward()


@wrong("nonfinite-backward")
def a_gradient_that_is_not_a_number() -> None:
    with vg.autograd.detect_anomaly():
        x = vg.zeros(2, requires_grad=True)
        y = x.sqrt()  # blame
        (y * 0).sum().backward()


@wrong("cut-dtype")
def a_mask_is_subtracted() -> None:
    mask = vg.tensor([True, False, True])
    leaf() - mask  # blame


@wrong("wrong-call", TypeError)
def a_list_is_no_tensor() -> None:
    vg.trapezoid([1.0, 2.0])  # blame


@wrong("shape-broadcast")
def a_kernel_is_given_shapes_that_do_not_fit() -> None:
    vg.linalg.solve(vg.eye(3), vg.ones(2, 2))  # blame


@wrong("cut-dtype", NotImplementedError)
def complex_numbers_are_not_above_zero() -> None:
    z = vg.ones(2, dtype=vg.complex64)
    z.relu_()  # blame
