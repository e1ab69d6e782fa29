"""What may not be done inside of a function that a transform calls (spec C-7)."""

from __future__ import annotations

from vizgrad.errors import explained


def requires_grad_error() -> RuntimeError:
    """For `requires_grad_()`: which arguments are differentiated is for the transform to say."""
    return explained(
        RuntimeError(
            "You are attempting to call Tensor.requires_grad_() inside of a function being transformed by a "
            "functorch transform. This is unsupported: use the transforms (grad, vjp, jacrev, ...) there, or "
            "call requires_grad_() outside of them"
        ),
        kind="grad-mode",
        fix="make the tensor an argument that the transform differentiates",
    )
