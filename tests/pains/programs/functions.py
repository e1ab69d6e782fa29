"""Custom Functions, checkpoints and threads within a watch; what examples show is found by "
"`vizgrad.check`."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import nn, why
from vizgrad.utils.checkpoint import checkpoint


@pain("reference-cycle", "y", seen="https://github.com/pytorch/pytorch/issues/25340")
def an_output_is_kept_on_ctx() -> None:
    class Exp(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = T.exp(x)
            ctx.y = y  # BLAME
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.y

    Exp.apply(T.tensor([0.0, 1.0], requires_grad=True)).sum().backward()


@pain("function-dirty", "x")
def an_input_is_changed_unmarked() -> None:
    class Double(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2.0)  # BLAME
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2.0

    a = T.tensor([0.0, 1.0], requires_grad=True)
    Double.apply(a * 1.0).sum().backward()


@pain("function-return", "ScaleBackward")
def a_backward_is_one_gradient_short() -> None:
    class Scale(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.factor  # BLAME

    Scale.apply(T.tensor([1.0, 2.0], requires_grad=True), 3.0).sum().backward()


@pain("not-repeatable", seen="https://github.com/openai/guided-diffusion/issues/167")
def a_checkpoint_draws_anew() -> None:
    w = T.ones(64, requires_grad=True)  # so many that two masks are never the same

    def layer(x: Any) -> Any:
        return (x * (T.rand(64) < 0.5).float()).exp()  # BLAME

    checkpoint(layer, w, use_reentrant=False, preserve_rng_state=False).sum().backward()


@pain("grad-mode")
def a_worker_records_what_nobody_wants() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    results: list[Any] = []

    def evaluate() -> None:
        results.append((w * 2.0).sum())  # BLAME

    with T.no_grad():
        worker = threading.Thread(target=evaluate)
        worker.start()
        worker.join()
    assert results[0].requires_grad


@pain("cut-detach", "layer.weight")
def a_reentrant_checkpoint_is_given_plain_data() -> Any:
    layer, head = nn.Linear(4, 4), nn.Linear(4, 1)
    for _ in range(2):
        hidden = checkpoint(layer, T.ones(2, 4), use_reentrant=True)  # BLAME
        loss = head(hidden).sum()
        loss.backward()
    return why(layer.weight)


def scaling(w: Any) -> Any:
    """A Function that scales by a tensor that it is not given."""

    class Scaled(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * w

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * w

    return Scaled


@pain("cut-detach", "w")
def a_function_takes_a_weight_from_outside() -> Any:
    v, w = T.ones(3, requires_grad=True), T.ones(3, requires_grad=True)
    loss = scaling(w).apply(v * 2.0).sum()  # BLAME
    loss.backward()
    return why(w)


@fine
def a_reentrant_checkpoint_is_given_an_activation() -> Any:
    first, layer = nn.Linear(4, 4), nn.Linear(4, 4)
    loss = checkpoint(layer, first(T.ones(2, 4)), use_reentrant=True).sum()
    loss.backward()
    return why(layer.weight)


@fine
def a_weight_is_used_within_a_function_and_beside_it() -> Any:
    w = T.ones(3, requires_grad=True)
    loss = scaling(w).apply(w * 2.0).sum()
    loss.backward()
    return why(w)


@fine
def a_function_marks_what_it_writes() -> Any:
    class Double(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2.0)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2.0

    a = T.tensor([0.0, 1.0], requires_grad=True)
    Double.apply(a * 1.0).sum().backward()
    return why(a)


@fine
def a_function_saves_its_output() -> Any:
    class Exp(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = T.exp(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (y,) = ctx.saved_tensors
            return grad * y

    x = T.tensor([0.0, 1.0], requires_grad=True)
    Exp.apply(x).sum().backward()
    return why(x)


@fine
def a_checkpoint_with_dropout_repeats() -> Any:
    w = T.tensor([1.0, 2.0, 3.0], requires_grad=True)

    def layer(x: Any) -> Any:
        return T.nn.functional.dropout(x, 0.5).tanh()

    T.manual_seed(0)
    (checkpoint(layer, w, use_reentrant=False) + w).sum().backward()
    return why(w)


@fine
def a_worker_evaluates_without_gradients() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    results: list[Any] = []

    def evaluate() -> None:
        with T.no_grad():
            results.append((w * 2.0).sum())

    worker = threading.Thread(target=evaluate)
    worker.start()
    worker.join()
    (w * w).sum().backward()
    assert not results[0].requires_grad
    return why(w)


@pain("not-repeatable", "noise")
def a_checkpoint_draws_from_a_generator_of_numpy() -> None:
    numbers = np.random.default_rng(0)
    w = T.ones(8, requires_grad=True)

    def noisy(x: Any) -> Any:
        noise = T.tensor(numbers.normal(size=8))  # BLAME
        return (x * noise).exp()

    checkpoint(noisy, w, use_reentrant=False).sum().backward()


@pain("second-order-cut")
def a_penalty_through_what_forward_computed() -> None:
    class Sin(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.cos = x.cos()
            return x.sin()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.cos  # BLAME

    x = T.tensor([0.3], requires_grad=True)
    (slope,) = T.autograd.grad(Sin.apply(x).sum(), x, create_graph=True)
    ((x * 2.0).sum() + slope.pow(2).sum()).backward()


@fine
def a_penalty_on_slopes_that_are_constant() -> Any:
    class Reverse(T.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.factor = factor
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return -ctx.factor * grad, None

    x = T.tensor([0.3], requires_grad=True)
    (slope,) = T.autograd.grad(Reverse.apply(x, 0.5).sum(), x, create_graph=True)
    ((x * 2.0).sum() + slope.pow(2).sum()).backward()
    return why(x)
