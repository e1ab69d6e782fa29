"""Adam for sparse gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.wrong_call import wrong_call
from vizgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    buffer,
    check_betas,
    options,
)


class SparseAdam(Optimizer):
    """Adam that moves only the moments and weights for which the gradient stores a value.

    Its other moments do not decay: it is a lazy form of D. Kingma, J. Ba, Adam (2014), for embeddings with
    `sparse=True`. Raises ValueError for sparse parameters, RuntimeError for a dense gradient.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, options(lr=lr, betas=betas, eps=eps, maximize=maximize))
        wrong = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, param in enumerate(group["params"])
            if is_sparse(param._array)
        ]
        if wrong:
            raise ValueError(
                f"Sparse params at indices {wrong}: SparseAdam requires dense parameter tensors"
            )

    def check_sparse(self, group: Group) -> None:
        pass

    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        if not is_sparse(grad):
            raise wrong_call(
                RuntimeError(
                    "SparseAdam does not support dense gradients, please consider Adam instead"
                ),
                "make the embedding with sparse=True, or give the other parameters to Adam",
            )
        from vizgrad.core.arrays.sparse.optimizers import adam_step

        beta1, beta2 = group["betas"]
        step = state["step"] = state.get("step", 0) + 1
        size = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        mean = buffer(state, "exp_avg", param)
        square = buffer(state, "exp_avg_sq", param)
        adam_step(param, grad.coalesce(), mean, square, size, beta1, beta2, group["eps"])
