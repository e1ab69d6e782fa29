"""Losses at their minima, or near: the gradient is small or zero as it should be, and nothing is wrong."""

# Gradients may be None as far as types tell, and these programs are as people write them.
# pyright: reportOperatorIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import vizgrad as T
from tests.pains.corpus import fine
from vizgrad import nn, why

F = nn.functional


def _fitted(loss_of: Callable[[Any, Any], Any]) -> Any:
    """A regression without noise, trained to the end."""
    T.manual_seed(0)
    net, x = nn.Linear(2, 1), T.randn(16, 2)
    y = x @ T.tensor([[1.0], [2.0]]) + 0.5
    opt = T.optim.SGD(net.parameters(), lr=0.3)
    for _ in range(300):
        opt.zero_grad()
        loss_of(net(x), y).backward()
        opt.step()
    return [why(each) for each in net.parameters()]


@fine
def a_square_written_out() -> Any:
    return _fitted(lambda made, y: (made - y).pow(2).mean())


@fine
def a_product_with_itself() -> Any:
    def loss(made: Any, y: Any) -> Any:
        gap = made - y
        return (gap * gap).mean()

    return _fitted(loss)


@fine
def a_dot_product_with_itself() -> Any:
    def loss(made: Any, y: Any) -> Any:
        gap = (made - y).squeeze(1)
        return T.dot(gap, gap) / 16

    return _fitted(loss)


@fine
def a_squared_norm() -> Any:
    return _fitted(lambda made, y: (made - y).norm() ** 2 / 16)


@fine
def losses_of_the_library() -> Any:
    return [*_fitted(F.mse_loss), *_fitted(F.smooth_l1_loss)]


@fine
def a_product_that_is_exactly_zero() -> Any:
    w = T.tensor([1.0, 2.0], requires_grad=True)
    gap = w - T.tensor([1.0, 2.0])
    (gap * gap).sum().backward()
    return why(w)


@fine
def classes_that_are_told_apart_with_certainty() -> Any:
    sure = T.tensor([[300.0, -300.0]], requires_grad=True)
    F.cross_entropy(sure, T.tensor([0])).backward()
    both = T.tensor([40.0], requires_grad=True)
    sides = T.tensor([1.0, -1.0])
    F.binary_cross_entropy_with_logits(sides * both, T.tensor([1.0, 0.0])).backward()
    squashed = T.tensor([14.0], requires_grad=True)
    F.binary_cross_entropy(T.sigmoid(squashed * sides), T.tensor([1.0, 0.0])).backward()
    return [why(sure), why(both), why(squashed)]


@fine
def margins_that_are_kept() -> Any:
    anchor = T.tensor([[0.0, 0.0]], requires_grad=True)
    near, far = T.tensor([[0.1, 0.0]]), T.tensor([[5.0, 0.0]])
    gap = (anchor - near).pow(2).sum(-1) - (anchor - far).pow(2).sum(-1)
    F.relu(gap + 1.0).mean().backward()
    told = [why(anchor)]
    anchor.grad = None
    F.triplet_margin_loss(anchor, near, far).backward()
    return [*told, why(anchor)]


@fine
def hinges_of_support_vectors() -> Any:
    w = T.tensor([3.0, -2.0], requires_grad=True)
    x, y = T.tensor([[1.0, -1.0], [-1.0, 1.0]]), T.tensor([1.0, -1.0])
    (1 - y * (x @ w)).clamp(min=0).mean().backward()
    told = [why(w)]
    w.grad = None
    T.maximum(T.zeros(()), 1 - w[0]).backward()
    return [*told, why(w)]


@fine
def a_root_found_by_newton() -> Any:
    x = T.tensor(2.0, dtype=T.float64, requires_grad=True)
    for _ in range(6):
        f = x**2 - 2
        (slope,) = T.autograd.grad(f, x)
        with T.no_grad():
            x -= f / slope
    ((x**2 - 2) ** 2).backward()
    return why(x)


@fine
def normal_equations_that_are_solved() -> Any:
    T.manual_seed(0)
    x = T.randn(20, 3)
    y = x @ T.tensor([1.0, -2.0, 0.5])
    w = T.linalg.solve(x.T @ x, x.T @ y).detach().requires_grad_()
    ((x @ w - y) ** 2).mean().backward()
    return why(w)


@fine
def a_student_that_is_as_its_teacher() -> Any:
    student, teacher = nn.Linear(2, 2), nn.Linear(2, 2)
    teacher.load_state_dict(student.state_dict())
    opt = T.optim.SGD(student.parameters(), lr=0.1)
    for _ in range(3):
        x = T.randn(5, 2)
        with T.no_grad():
            target = F.softmax(teacher(x), -1)
        loss = -(target * F.log_softmax(student(x), -1)).sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        for mean, new in zip(teacher.parameters(), student.parameters(), strict=True):
            mean.data = 0.9 * mean.data + 0.1 * new.data
    return [why(each) for each in student.parameters()]
