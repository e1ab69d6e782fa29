"""Rprop and ASGD."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.tensor.tensor import Tensor, new_tensor
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


class Rprop(Optimizer):
    """Steps by the sign of the gradient; a step grows while the sign stays and shrinks when it turns.

    M. Riedmiller, H. Braun, A Direct Adaptive Method for Faster Backpropagation Learning (1993).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_at_least("learning rate", lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(
                f"Invalid eta values: {etas[0]}, {etas[1]}; need 0 < first < 1 < second"
            )
        super().__init__(
            params,
            options(
                lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
                differentiable=differentiable, capturable=capturable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        count_step(state)
        before = buffer(state, "prev", param)
        size = buffer(state, "step_size", param, float(group["lr"]))
        rule.rprop(param, grad, before, size, *group["etas"], *group["step_sizes"])


class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters, in `state[p]["ax"]`.

    B. Polyak, A. Juditsky, Acceleration of Stochastic Approximation by Averaging (1992).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_at_least("learning rate", lr)
        check_at_least("weight_decay value", weight_decay)
        super().__init__(
            params,
            options(
                lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach,
                maximize=maximize, differentiable=differentiable, capturable=capturable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        lr, lambd = group["lr"], group["lambd"]
        average = buffer(state, "ax", param)
        step = count_step(state)
        if "eta" not in state:
            state["eta"], state["mu"] = _scalar(lr), _scalar(1.0)
        eta, mu = float(state["eta"]._array), float(state["mu"]._array)
        rule.asgd_step(param, grad, average, 1 - lambd * eta, eta, mu, group["weight_decay"])
        state["eta"] = _scalar(lr / (1 + lambd * lr * step) ** group["alpha"])
        state["mu"] = _scalar(1 / max(1.0, step - group["t0"]))


def _scalar(value: float) -> Tensor:
    """A 0-dim float32 tensor: the form in which PyTorch keeps these two."""
    return new_tensor(xp.asarray(value, "float32"))
