"""What may not be done inside of a function that a transform calls (spec C-7)."""

from __future__ import annotations

from vizgrad.core.errors import explained, place_of
from vizgrad.core.tensor.source_location import caller


def requires_grad_error() -> RuntimeError:
    """For `requires_grad_()`: which arguments are differentiated is for the transform to say."""
    return _unsupported(
        "requires_grad_", "make the tensor an argument that the transform differentiates"
    )


def retain_grad_error() -> RuntimeError:
    """For `retain_grad()`: a transform fills no `.grad`."""
    return _unsupported(
        "retain_grad", "return the value, and differentiate by it with vizgrad.func.vjp"
    )


def _unsupported(method: str, fix: str) -> RuntimeError:
    return explained(
        RuntimeError(
            f"You are attempting to call Tensor.{method}() inside of a function being transformed by a "
            "functorch transform. This is unsupported: use the transforms (grad, vjp, jacrev, ...) there, or "
            f"call {method}() outside of them"
        ),
        kind="grad-mode",
        culprit=place_of(caller()),
        fix=fix,
    )
