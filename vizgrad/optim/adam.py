"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.kernels import optimizers as rule
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.optim import differentiable, multi_tensor
from vizgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    buffer,
    check_at_least,
    check_betas,
    count_step,
    only_writes,
    options,
    steps_beside,
    with_many,
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
    the bias correction. `amsgrad` divides by the largest mean square so far (S. Reddi et al.,
    On the Convergence of Adam and Beyond, 2018). With `decoupled_weight_decay` it is AdamW.
    """

    # T-62

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

    update_recorded = staticmethod(differentiable.adam)
    captured = "by count"

    def _update_many(self, group: Group, known: multi_tensor.Group) -> list[Tensor] | None:
        if group["amsgrad"] or group["capturable"] or group["maximize"]:
            return None
        found = known.plan_for(group["params"], self.state, ("exp_avg", "exp_avg_sq"))
        if found is None or (step := found[0].count()) is None:
            return None
        plan, grads = found
        plan.run(grads, lambda p, g, m, s: self._run_rule(p, g, m, s, None, step, group))
        return plan.left

    @only_writes
    @with_many(_update_many)
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        if group["capturable"]:
            self._update_by_count(param, grad, state, group)
            return
        step = count_step(state)
        first, second = state.get("exp_avg"), state.get("exp_avg_sq")
        mean = buffer(state, "exp_avg", param) if first is None else first._array
        square = buffer(state, "exp_avg_sq", param) if second is None else second._array
        largest = buffer(state, "max_exp_avg_sq", param) if group["amsgrad"] else None
        self._run_rule(param, grad, mean, square, largest, step, group)

    def _run_rule(
        self, param: Array, grad: Array, mean: Array, square: Array, largest: Array | None,
        step: float, group: Group,
    ) -> None:  # fmt: skip
        lr, decay, (beta1, beta2) = float(group["lr"]), group["weight_decay"], group["betas"]
        apart = decay and group["decoupled_weight_decay"]
        rule.adam_step(
            param, grad, mean, square, largest,
            lr / (1 - beta1**step), (1 - beta2**step) ** 0.5, 1 - lr * decay if apart else None,
            decay, beta1, beta2, group["eps"],
        )  # fmt: skip

    def _update_by_count(self, param: Array, grad: Array, state: State, group: Group) -> None:
        lr, decay, (beta1, beta2) = group["lr"], group["weight_decay"], group["betas"]
        rule.adam_step_by_count(
            param, grad, buffer(state, "exp_avg", param), buffer(state, "exp_avg_sq", param),
            buffer(state, "max_exp_avg_sq", param) if group["amsgrad"] else None,
            steps_beside(state, param), lr._array if isinstance(lr, Tensor) and lr.is_cuda else float(lr),
            decay, bool(decay and group["decoupled_weight_decay"]), beta1, beta2, group["eps"],
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


# Adamax, NAdam and RAdam: Adam with another norm, with Nesterov momentum, with a warm-up.


def _check(lr: float, betas: tuple[float, float], eps: float, weight_decay: float) -> None:
    check_at_least("learning rate", lr)
    check_at_least("epsilon value", eps)
    check_betas(betas)
    check_at_least("weight_decay value", weight_decay)


class Adamax(Optimizer):
    """Adam with the largest recent gradient in place of the root mean square.

    D. Kingma, J. Ba, Adam: A Method for Stochastic Optimization (2014), algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        super().__init__(
            params,
            options(
                lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
                maximize=maximize, differentiable=differentiable, capturable=capturable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        beta1, beta2 = group["betas"]
        step = count_step(state)
        mean = buffer(state, "exp_avg", param)
        norm = buffer(state, "exp_inf", param)
        lr = group["lr"] / (1 - beta1**step)
        rule.adamax_step(
            param, grad, mean, norm, lr, group["weight_decay"], beta1, beta2, group["eps"]
        )


class NAdam(Optimizer):
    """Adam that looks one step of momentum ahead.

    T. Dozat, Incorporating Nesterov Momentum into Adam (2016), with its schedule of momenta.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        check_at_least("momentum_decay value", momentum_decay)
        super().__init__(
            params,
            options(
                lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay,
                maximize=maximize, foreach=foreach, capturable=capturable,
                differentiable=differentiable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        lr, eps, decay = group["lr"], group["eps"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        step = count_step(state)
        shrink = 1 - lr * decay if decay and group["decoupled_weight_decay"] else None
        mean = buffer(state, "exp_avg", param)
        square = buffer(state, "exp_avg_sq", param)
        product: Any = state.get("mu_product")
        if product is None:
            product = state["mu_product"] = new_tensor(xp.ones((), "float32"))
        mu = beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        following = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        product._array *= mu
        done = float(product._array)
        root = (1 - beta2**step) ** 0.5
        ahead = lr * following / (1 - done * following)
        rule.nadam_step(
            param, grad, mean, square, lr * (1 - mu) / (1 - done), ahead, root, shrink, decay, beta1,
            beta2, eps,
        )  # fmt: skip


class RAdam(Optimizer):
    """Adam that steps along the plain mean until the variance of its denominator can be estimated.

    L. Liu et al., On the Variance of the Adaptive Learning Rate and Beyond (2019), algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check(lr, betas, eps, weight_decay)
        super().__init__(
            params,
            options(
                lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
                foreach=foreach, capturable=capturable,
                decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable,
            ),
        )  # fmt: skip

    @only_writes
    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        lr, decay = group["lr"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        step = count_step(state)
        shrink = 1 - lr * decay if decay and group["decoupled_weight_decay"] else None
        mean = buffer(state, "exp_avg", param)
        square = buffer(state, "exp_avg_sq", param)
        lr = lr / (1 - beta1**step)
        left = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / left
        if length > 5:
            rectify = (
                (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            )
            lr = lr * rectify**0.5 * left**0.5
        rule.radam_step(
            param, grad, mean, square, length > 5, lr, shrink, decay, beta1, beta2, group["eps"]
        )


# Adam for sparse gradients.


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
        from vizgrad.core.arrays.sparse.gradients import adam_step

        beta1, beta2 = group["betas"]
        step = state["step"] = state.get("step", 0) + 1
        size = float(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
        mean = buffer(state, "exp_avg", param)
        square = buffer(state, "exp_avg_sq", param)
        adam_step(param, grad.coalesce(), mean, square, size, beta1, beta2, group["eps"])
