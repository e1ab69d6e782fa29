"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call
from vizgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    buffer,
    check_at_least,
    check_betas,
    count_step,
    options,
)


def _check_kinds(betas: tuple[Any, Any]) -> None:
    """ValueError for an int, as PyTorch has it: a program that runs here should run there."""
    if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
        raise ValueError(
            f"betas must be either both floats or both Tensors, not {betas!r}: write 0.0 for 0"
        )


class Adam(Optimizer):
    """Steps along a moving mean of the gradient, divided by the root of the mean of its square.

    D. Kingma, J. Ba, Adam: A Method for Stochastic Optimization (2014), algorithm 1; eps is added after
    the bias correction (T-62). `amsgrad` divides by the largest mean square so far (S. Reddi et al.,
    On the Convergence of Adam and Beyond, 2018). With `decoupled_weight_decay` it is AdamW.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_at_least("learning rate", lr)
        check_at_least("epsilon value", eps)
        check_betas(betas)
        check_at_least("weight_decay value", weight_decay)
        _check_kinds(betas)
        super().__init__(
            params,
            options(
                lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                maximize=maximize, foreach=foreach, capturable=capturable,
                differentiable=differentiable, fused=fused,
                decoupled_weight_decay=decoupled_weight_decay,
            ),
        )  # fmt: skip

    def check_sparse(self, group: Group) -> None:
        raise wrong_call(
            RuntimeError(
                "Adam does not support sparse gradients, please consider SparseAdam instead"
            ),
            "use SparseAdam for these parameters, or make the embedding with sparse=False",
        )

    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        lr, decay, (beta1, beta2) = float(group["lr"]), group["weight_decay"], group["betas"]
        step = count_step(state)
        mean = buffer(state, "exp_avg", param)
        square = buffer(state, "exp_avg_sq", param)
        largest = buffer(state, "max_exp_avg_sq", param) if group["amsgrad"] else None
        apart = decay and group["decoupled_weight_decay"]
        rule.adam_step(
            param, grad, mean, square, largest,
            lr / (1 - beta1**step), (1 - beta2**step) ** 0.5, 1 - lr * decay if apart else None,
            decay, beta1, beta2, group["eps"],
        )  # fmt: skip


class AdamW(Adam):
    """Adam that shrinks the weights before the step instead of adding their decay to the gradient.

    I. Loshchilov, F. Hutter, Decoupled Weight Decay Regularization (2019).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip
