"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.optim import differentiable
from vizgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    buffer,
    check_at_least,
    only_writes,
    options,
)


class SGD(Optimizer):
    """param -= lr * v, where v is the gradient, or with momentum v = momentum * v + (1 - dampening) * g.

    The first v is the gradient itself, undampened. Nesterov's variant follows I. Sutskever et al.,
    On the importance of initialization and momentum in deep learning (2013).
    """

    # T-62

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_at_least("learning rate", lr)
        check_at_least("momentum value", momentum)
        check_at_least("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "Nesterov momentum requires a momentum and zero dampening, got "
                f"momentum={momentum}, dampening={dampening}"
            )
        super().__init__(
            params,
            options(
                lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                nesterov=nesterov, maximize=maximize, foreach=foreach,
                differentiable=differentiable, fused=fused,
            ),
        )  # fmt: skip

    def check_sparse(self, group: Group) -> None:
        if group["weight_decay"]:
            raise wrong_call(
                RuntimeError(
                    "add(sparse, dense) is not supported. Use add(dense, sparse) instead: weight_decay "
                    "has a gradient for every weight, and this one is sparse"
                ),
                "set weight_decay=0 for these parameters, or make the embedding with sparse=False",
            )

    update_recorded = staticmethod(differentiable.sgd)
    captured = "as they are"

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        if is_sparse(grad):
            self._update_sparse(param, grad, state, group)
            return
        keep, known = group["momentum"], state.get("momentum_buffer")
        first, velocity = known is None, None
        if keep:
            velocity = buffer(state, "momentum_buffer", param) if known is None else known._array
        rule.sgd_step(
            param, grad, velocity, float(group["lr"]), group["weight_decay"],
            keep, group["dampening"], group["nesterov"], first,
        )  # fmt: skip

    def _update_sparse(self, param: Array, grad: Any, state: State, group: Group) -> None:
        from vizgrad.core.arrays.sparse.gradients import sgd_step

        known = state.get("momentum_buffer")
        velocity = sgd_step(
            param, grad, None if known is None else known._array, float(group["lr"]),
            group["momentum"], group["dampening"], group["nesterov"],
        )  # fmt: skip
        if velocity is not None:
            state["momentum_buffer"] = new_tensor(velocity.copy())
