"""All derivatives of a function at a point: value, gradients, and the gradients of those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .data import wave


def derivatives(
    torch: Any, see: Any, name: str, fn: Callable[..., Any], *inputs: Any, twice: bool = True, dtype: str = "float64"
) -> None:
    """Sees `fn(*tensors)`, its gradients for uneven incoming gradients, and (`twice`) the second derivatives.

    `inputs` are nested lists; each becomes a leaf that requires grad.
    """
    leaves = [torch.tensor(values, dtype=getattr(torch, dtype), requires_grad=True) for values in inputs]
    results = fn(*leaves)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    see(f"{name}: value", results)
    differentiable = [r for r in results if r.requires_grad]
    incoming = [weights(torch, r, seed=3 + i).requires_grad_() for i, r in enumerate(differentiable)]
    firsts = torch.autograd.grad(differentiable, leaves, incoming, create_graph=twice, allow_unused=True)
    see(f"{name}: gradient", [None if g is None else g.detach() for g in firsts])
    if not twice:
        return
    curved = [g for g in firsts if g is not None and g.requires_grad]
    outer = [weights(torch, g, seed=11 + i) for i, g in enumerate(curved)]
    # Which zeros are undefined is a matter of how a formula is written, not a rule.
    seconds = torch.autograd.grad(curved, [*leaves, *incoming], outer, materialize_grads=True)
    see(f"{name}: second derivative", [g.detach() for g in seconds])


def weights(torch: Any, like: Any, seed: int) -> Any:
    """A constant of the same shape and dtype with uneven values: a sum of ones hides transposed gradients."""
    shape = tuple(like.shape)
    made = torch.tensor(wave(*shape, low=0.5, high=1.5, seed=seed), dtype=like.dtype)
    return made.reshape(shape) if 0 in shape else made  # nested lists cannot say (0, 3)
