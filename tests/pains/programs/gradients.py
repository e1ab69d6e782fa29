"""Gradients that are zero, badly scaled, or changed by hooks; second derivatives."""

from __future__ import annotations

from typing import Any

import vizgrad as T
from tests.pains.corpus import fine, pain
from vizgrad import why


@pain("zero-derivative", "h")
def all_units_are_dead() -> Any:
    w = T.full((2, 3), 0.1, requires_grad=True)
    b = T.full((3,), -5.0, requires_grad=True)
    h = T.relu(T.ones(4, 2) @ w + b)  # BLAME
    loss = (h.sum() - 1.0) ** 2
    loss.backward()
    return why(w)


@pain("zero-derivative")
def a_sigmoid_is_saturated() -> Any:
    w = T.tensor([300.0, 500.0], requires_grad=True)
    gate = T.sigmoid(w)  # BLAME
    (gate - 0.5).sum().backward()
    return why(w)


@pain("zero-derivative")
def rounding_is_a_step() -> Any:
    w = T.tensor([0.2, 1.7], requires_grad=True)
    level = T.round(w)  # BLAME
    (level * 3.0).sum().backward()
    return why(w)


@pain("zero-derivative")
def everything_is_outside_the_clamp() -> Any:
    w = T.tensor([5.0, 7.0], requires_grad=True)
    action = w.clamp(-1.0, 1.0)  # BLAME
    (action * 2.0).sum().backward()
    return why(w)


@pain("zero-derivative")
def a_coefficient_is_zero() -> Any:
    w = T.tensor([5.0, 7.0], requires_grad=True)
    weight = T.zeros(2)
    loss = (w * weight).sum() + 1.0  # BLAME
    loss.backward()
    return why(w)


@pain("ill-scaled")
def a_recurrence_explodes() -> Any:
    w = T.tensor(3.0, dtype=T.float64)
    first = T.tensor(0.1, dtype=T.float64, requires_grad=True)
    state = first
    for _ in range(30):
        state = w * state  # BLAME
    state.backward()
    return why(first)


@pain("ill-scaled")
def a_chain_of_sigmoids_vanishes() -> Any:
    first = T.tensor([0.3], requires_grad=True)
    h = first
    for _ in range(16):
        h = T.sigmoid(h)  # BLAME
    h.sum().backward()
    return why(first)


@pain("ill-scaled")
def a_division_by_a_tiny_constant() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    scaled = w / 1e-9  # BLAME
    scaled.sum().backward()
    return why(w)


@pain("second-order-cut", "slope")
def a_penalty_has_no_graph() -> None:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    x = T.tensor([0.5, 1.5], requires_grad=True)
    (slope,) = T.autograd.grad(T.tanh(x * w).sum(), x)  # BLAME
    loss = (slope.norm() - 1.0) ** 2
    loss.backward()


@pain("second-order-cut", "slope")
def a_penalty_is_a_constant_part_of_the_loss() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    x = T.tensor([0.5, 1.5], requires_grad=True)
    out = T.tanh(x * w).sum()
    (slope,) = T.autograd.grad(out, x, retain_graph=True)  # BLAME
    loss = out + 10.0 * (slope.norm() - 1.0) ** 2
    loss.backward()


@pain("hook-effect", "h", seen="https://github.com/pytorch/pytorch/issues/61519")
def a_hook_is_registered_before_the_write() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    seen: list[Any] = []
    h = w * 3.0
    h.register_hook(lambda grad: seen.append(grad.clone()))  # BLAME
    h.mul_(4.0)  # BLAME
    h.sum().backward()
    assert seen


@pain("hook-effect", "grad", seen="https://github.com/pytorch/pytorch/issues/60456")
def a_hook_edits_in_place() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    other = T.tensor([1.0, 1.0], requires_grad=True)

    def halve(grad: Any) -> None:
        grad.mul_(0.5)  # BLAME

    h = w * 3.0
    h.register_hook(halve)
    ((h + other) * T.tensor([1.0, 2.0])).sum().backward()


@pain("reference-cycle", "y")
def a_hook_holds_its_tensor() -> Any:
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2.0
    y.register_hook(lambda grad: grad * (y.detach() > 2.0))  # BLAME
    y.sum().backward()


@fine
def some_units_are_dead() -> Any:
    w = T.tensor([[1.0, -1.0], [0.5, -0.5]], requires_grad=True)
    h = T.relu(T.ones(3, 2) @ w)
    h.sum().backward()
    return why(w)


@fine
def the_loss_is_at_its_minimum() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    loss = (w - T.tensor([1.0, 2.0])).pow(2).sum()
    loss.backward()
    return why(w)


@fine
def a_mean_over_many() -> Any:
    w = T.tensor(0.5, requires_grad=True)
    loss = (T.ones(2000) * w).pow(2).mean()
    loss.backward()
    return why(w)


@fine
def a_stable_recurrence() -> Any:
    w = T.tensor(0.9, requires_grad=True)
    state = T.tensor(0.5)
    for _ in range(20):
        state = T.tanh(w * state + 0.1)
    state.backward()
    return why(w)


@fine
def a_penalty_with_a_graph() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    x = T.tensor([0.5, 1.5], requires_grad=True)
    out = T.tanh(x * w).sum()
    (slope,) = T.autograd.grad(out, x, create_graph=True)
    (out + 10.0 * (slope.norm() - 1.0) ** 2).backward()
    return why(w)


@fine
def an_adversarial_example() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    x = T.tensor([0.5, 1.5], requires_grad=True)
    (slope,) = T.autograd.grad(T.tanh(x * w).sum(), x)
    worse = (x + 0.1 * slope.sign()).detach()
    T.tanh(worse * w).sum().backward()
    return why(w)


@fine
def a_hook_returns_another_gradient() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3.0
    h.register_hook(lambda grad: grad * 0.5)
    h.sum().backward()
    return why(w)


@fine
def a_hook_is_registered_after_the_write() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3.0
    h.mul_(4.0)
    h.register_hook(lambda grad: None)
    h.sum().backward()
    return why(w)
