"""Arguments by which there is no derivative."""

from __future__ import annotations

from vizgrad.tensor.modes import is_grad_enabled
from vizgrad.tensor.tensor import Tensor
from vizgrad.tensor.wrong_call import wrong_call


def no_gradient_of(name: str, **arguments: Tensor | None) -> None:
    """RuntimeError, as in PyTorch, for an argument that requires grad though nothing would reach it."""
    for argument, value in arguments.items():
        if isinstance(value, Tensor) and value.requires_grad and is_grad_enabled():
            raise wrong_call(
                RuntimeError(
                    f"The function '{name}' is not differentiable with respect to argument '{argument}'. "
                    "This input cannot have requires_grad True."
                ),
                f"give it without history: {argument}.detach()",
            )
