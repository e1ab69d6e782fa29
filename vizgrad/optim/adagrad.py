"""Adagrad and Adadelta: steps divided by the gradients seen so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.state import wrong_call
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


class Adagrad(Optimizer):
    """Divides the gradient by the root of the sum of all its squares so far.

    J. Duchi, E. Hazan, Y. Singer, Adaptive Subgradient Methods (2011).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_at_least("learning rate", lr)
        check_at_least("lr_decay value", lr_decay)
        check_at_least("weight_decay value", weight_decay)
        check_at_least("initial_accumulator_value value", initial_accumulator_value)
        check_at_least("epsilon value", eps)
        super().__init__(
            params,
            options(
                lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value, foreach=foreach,
                maximize=maximize, differentiable=differentiable, fused=fused,
            ),
        )  # fmt: skip

    def check_sparse(self, group: Group) -> None:
        if group["weight_decay"]:
            raise wrong_call(
                RuntimeError("weight_decay option is not compatible with sparse gradients"),
                "set weight_decay=0 for these parameters, or make the embedding with sparse=False",
            )

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        step = count_step(state)
        if is_sparse(grad):
            self._update_sparse(param, grad.coalesce(), state, group, step)
            return
        total = buffer(state, "sum", param, group["initial_accumulator_value"])
        lr = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        rule.adagrad_step(param, grad, total, lr, group["weight_decay"], group["eps"])

    @staticmethod
    def _update_sparse(param: Array, grad: Any, state: State, group: Group, step: float) -> None:
        from vizgrad.core.arrays.sparse.gradients import adagrad_step

        total = buffer(state, "sum", param, group["initial_accumulator_value"])
        lr = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        adagrad_step(param, grad, total, lr, group["eps"])


class Adadelta(Optimizer):
    """Divides the gradient by its recent size and multiplies by the recent size of the steps.

    M. Zeiler, ADADELTA: An Adaptive Learning Rate Method (2012), algorithm 1.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_at_least("learning rate", lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}; it must be in [0, 1]")
        check_at_least("epsilon value", eps)
        check_at_least("weight_decay value", weight_decay)
        super().__init__(
            params,
            options(
                lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
                capturable=capturable, foreach=foreach, differentiable=differentiable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        count_step(state)
        square = buffer(state, "square_avg", param)
        delta = buffer(state, "acc_delta", param)
        rule.adadelta_step(
            param,
            grad,
            square,
            delta,
            group["lr"],
            group["weight_decay"],
            group["rho"],
            group["eps"],
        )
