"""RMSprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    buffer,
    check_at_least,
    count_step,
    only_writes,
    options,
)


class RMSprop(Optimizer):
    """Divides the gradient by the root of a moving mean of its square; eps outside the root.

    G. Hinton, lecture 6e of Neural Networks for Machine Learning (2012). `centered` divides by the
    standard deviation instead (A. Graves, Generating Sequences With Recurrent Neural Networks, 2013).
    """

    # T-62

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_at_least("learning rate", lr)
        check_at_least("epsilon value", eps)
        check_at_least("momentum value", momentum)
        check_at_least("weight_decay value", weight_decay)
        check_at_least("alpha value", alpha)
        super().__init__(
            params,
            options(
                lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
                centered=centered, capturable=capturable, foreach=foreach, maximize=maximize,
                differentiable=differentiable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        count_step(state)
        square = buffer(state, "square_avg", param)
        mean = buffer(state, "grad_avg", param) if group["centered"] else None
        keep = group["momentum"]
        velocity = buffer(state, "momentum_buffer", param) if keep > 0 else None
        rule.rmsprop_step(
            param, grad, square, mean, velocity, group["lr"], group["weight_decay"], group["alpha"],
            group["eps"], keep,
        )  # fmt: skip
