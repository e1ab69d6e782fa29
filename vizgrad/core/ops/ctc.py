"""Connectionist temporal classification as one node, as PyTorch has it.

With ``create_graph=True`` the derivative records its recursion, which is differentiable in turn.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import ctc as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.joining import record_stack
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor, new_tensor

#: Stands for log(0): far below any score, and without the NaN gradients of -inf.
NEVER = -1e30


@primitive(outputs=("result0", "result1"), node="CtcLossBackward0", typing="moved")
class ctc_loss:
    """Minus the log-probability of the target of each sample: (T, N, C) and targets -> (N,)."""

    def forward(log_probs, targets, *, input_lengths, target_lengths, blank, zero_infinity):
        return kernel.ctc(log_probs, targets, input_lengths, target_lengths, blank)

    def grad_log_probs(
        grad, log_probs, targets, result0, result1, input_lengths, target_lengths, blank, zero_infinity
    ):  # fmt: skip
        settings = input_lengths, target_lengths, blank, zero_infinity
        if isinstance(grad, Tensor):
            return _recorded(grad, log_probs, targets, result0, *settings)
        return kernel.ctc_gradient(grad, log_probs, targets, result0, result1, *settings)


def is_one_node(log_probs: Any, targets: Any) -> bool:
    """Are both plain tensors of the CPU? Otherwise, and where there are tangents, steps are recorded."""
    if DUALS.on:
        return False
    arrays = getattr(log_probs, "_array", None), getattr(targets, "_array", None)
    return all(array.__class__ is xp.ndarray for array in arrays)


def _recorded(grad, log_probs, targets, loss, input_lengths, target_lengths, blank, zero_infinity):
    """The gradient in recorded steps: of all samples at once, for as many steps as the longest has."""
    like = log_probs._array
    states = kernel.states(targets._array, target_lengths, blank)
    skips, last = kernel.may_skip(states, blank), kernel.ends(states, target_lengths)
    count, width, steps = len(states), states.shape[1], xp.array(input_lengths)
    index = new_tensor(xp.broadcast_to(states[:, None, :], (count, len(like), width)).copy())
    emitted = log_probs.permute(1, 0, 2).gather(2, index)

    def allowed(places):
        return new_tensor(xp.where(places, 0.0, NEVER).astype(like.dtype))

    places = xp.arange(width)
    forwards = allowed(places >= 1), allowed(skips)
    backwards = allowed(places < width - 1), allowed(xp.roll(skips, -2, 1))
    alpha = [emitted[:, 0] + allowed(xp.broadcast_to(places < 2, (count, width)))]
    for t in range(1, len(like)):
        alpha.append(_reached(alpha[-1], forwards, 1) + emitted[:, t])
    beta = [allowed(last)]
    for t in range(len(like) - 1, 0, -1):
        on = _reached(beta[0] + emitted[:, t], backwards, -1)
        beta.insert(0, on.where(new_tensor((t < steps)[:, None]), allowed(last)))
    through = record_stack(alpha, 1) + record_stack(beta, 1)
    at_end = record_stack(alpha, 1)[
        new_tensor(xp.arange(count)), new_tensor(xp.maximum(steps - 1, 0))
    ]
    total = (at_end + allowed(last)).logsumexp(1)
    visits = (through - total.reshape(-1, 1, 1)).exp()
    slopes = log_probs.exp().permute(1, 0, 2).scatter_add(2, index, -visits)
    slopes = slopes * grad.reshape(-1, 1, 1)
    unused = new_tensor((xp.arange(len(like)) >= steps[:, None])[:, :, None])
    never = new_tensor(xp.isinf(loss._array)[:, None, None])
    slopes = slopes.masked_fill(never, 0.0 if zero_infinity else xp.nan).masked_fill(unused, 0.0)
    return slopes.permute(1, 0, 2)


def _reached(before, allowed, step):
    """log of the sum over the ways into each state; `step` is 1, or -1 for the ways back."""
    ways = before, before.roll(step, 1) + allowed[0], before.roll(2 * step, 1) + allowed[1]
    return record_stack(ways, 0).logsumexp(0)
