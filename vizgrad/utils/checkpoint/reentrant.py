"""The older form: one node for the whole function, whose backward runs a backward of its own (H-2)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from vizgrad.autograd.grad_mode import enable_grad, no_grad
from vizgrad.autograd.running import backward
from vizgrad.core.errors import explained, function_place
from vizgrad.core.function.custom.function import Function
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.utils.checkpoint.hooks_based import again, first
from vizgrad.utils.checkpoint.rng_and_autocast import Surroundings


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns if none of the inputs requires grad: nothing would have a gradient."""
    if not any(isinstance(one, Tensor) and one.requires_grad for one in inputs):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None",
            UserWarning,
            stacklevel=2,
        )


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, with tensors as leaves of their own. RuntimeError for what is no tuple."""
    if not isinstance(inputs, tuple):
        raise wrong_call(
            RuntimeError(
                "Only tuple of tensors is supported. Got Unsupported input type: "
                + type(inputs).__name__
            ),
            "put the tensors into a tuple",
        )
    return tuple(
        one.detach().requires_grad_(one.requires_grad) if isinstance(one, Tensor) else one
        for one in inputs
    )


class CheckpointFunction(Function):
    """Runs `run_function` without a graph; backward runs it again with one, and goes through that."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = Surroundings(args, preserve_rng_state)
        ctx.places = [n for n, one in enumerate(args) if isinstance(one, Tensor)]
        ctx.args = [None if isinstance(one, Tensor) else one for one in args]
        ctx.save_for_backward(*(args[n] for n in ctx.places))
        with no_grad():
            return first(ctx, args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        task = MODES.task
        if task is None or task.captures is not None:
            raise explained(
                RuntimeError(
                    "When use_reentrant=True, vizgrad.utils.checkpoint is incompatible with .grad() or "
                    "passing an `inputs` parameter to .backward(). To resolve this error, you can either set "
                    "use_reentrant=False, or call .backward() without passing the `inputs` argument."
                ),
                kind="wrong-call",
                culprit=function_place(ctx.run_function),
                fix="pass use_reentrant=False to checkpoint",
            )
        inputs = list(ctx.args)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = tensor
        leaves = detach_variable(tuple(inputs))
        with ctx.surroundings.restored(), enable_grad():
            made = again(ctx, leaves)
        outputs = (made,) if isinstance(made, Tensor) else made
        pairs = [
            (output, grad)
            for output, grad in zip(outputs, grads, strict=True)
            if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise explained(
                RuntimeError(
                    "none of output has requires_grad=True, this checkpoint() is not necessary"
                ),
                kind="cut-detach",
                culprit=function_place(ctx.run_function),
                fix="call the function without checkpoint",
            )
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in leaves))
