"""Steps that are recorded, so that gradients flow through them (`differentiable=True`).

The parameters are results, such as clones: a leaf that requires grad cannot be written while it is recorded.
State tensors are new ones each step, as the graph of the step before holds the old ones.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.public import complexes, creation, from_values
from vizgrad.core.tensor.tensor import Tensor

State = dict[str, Any]
Group = dict[str, Any]


def sgd(param: Tensor, grad: Tensor, state: State, group: Group) -> None:
    """One step of `SGD`. The first velocity is the gradient as a constant, as in PyTorch."""
    if group["weight_decay"]:
        grad = grad + group["weight_decay"] * param
    keep = group["momentum"]
    if keep:
        known = state.get("momentum_buffer")
        velocity = (
            grad.detach().clone()
            if known is None
            else keep * known + (1 - group["dampening"]) * grad
        )
        state["momentum_buffer"] = velocity
        grad = grad + keep * velocity if group["nesterov"] else velocity
    param.add_(-group["lr"] * grad)


def adam(param: Tensor, grad: Tensor, state: State, group: Group) -> None:
    """One step of `Adam` and `AdamW`; of complex parameters real and imaginary parts step as two numbers."""
    if param.is_complex():
        param, grad = complexes.view_as_real(param), complexes.view_as_real(grad)
    lr, decay, (beta1, beta2) = group["lr"], group["weight_decay"], group["betas"]
    if not state:
        state["step"] = creation.zeros(())
        for name in ("exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"]):
            state[name] = from_values.zeros_like(param)
    step = state["step"] = state["step"] + 1
    if decay and group["decoupled_weight_decay"]:
        param.mul_(1 - lr * decay)
    elif decay:
        grad = grad + decay * param
    mean = state["exp_avg"] = state["exp_avg"].lerp(grad, 1 - beta1)
    square = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * grad * grad
    if group["amsgrad"]:
        square = state["max_exp_avg_sq"] = state["max_exp_avg_sq"].maximum(square)
    size = -lr / (1 - beta1**step)
    root = (1 - beta2**step).sqrt()
    param.addcdiv_(mean, square.sqrt() / (root * size) + group["eps"] / size)
