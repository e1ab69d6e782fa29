"""Arguments by which there is no derivative."""

from __future__ import annotations

from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.duals import DUALS, is_dual
from vizgrad.core.tensor.modes import GUARD, MODES, is_grad_enabled
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call


def no_gradient_of(name: str, **arguments: Tensor | None) -> None:
    """RuntimeError, as in PyTorch, for an argument that requires grad though nothing would reach it.

    So it is for one with a tangent, of which PyTorch makes a silent zero.
    """
    for argument, value in arguments.items():
        if is_differentiated(value):
            raise wrong_call(
                RuntimeError(
                    f"The function '{name}' is not differentiable with respect to argument '{argument}'. "
                    "This input cannot have requires_grad True."
                ),
                f"give it without history: {argument}.detach()",
            )


def is_differentiated(value: Tensor | None) -> bool:
    """Is a gradient by it asked for, or has it a tangent?"""
    if value is None:
        return False
    if value.requires_grad and is_grad_enabled():
        return True
    while isinstance(value, Wrapped):
        value = value.value
    return bool(DUALS.on and is_dual(value))


def inside_a_transform() -> bool:
    return bool(GUARD.transforms and MODES.transforms)
