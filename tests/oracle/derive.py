"""All derivatives of a function at a point: value, gradients, and the gradients of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.oracle.data import complex_wave, wave


def derivatives(
    torch: Any, fn: Callable[..., Any], inputs: Sequence[Any], *, twice: bool, dtype: str
) -> dict[str, list[Any]]:
    """The results of `fn(*leaves)`, its gradients for uneven incoming gradients, and second derivatives.

    `inputs` are nested lists; each becomes a leaf that requires grad.
    """
    leaves = [torch.tensor(v, dtype=getattr(torch, dtype), requires_grad=True) for v in inputs]
    made = fn(*leaves)
    results = list(made) if isinstance(made, (tuple, list)) else [made]
    roots = [r for r in results if r.requires_grad]
    incoming = [weights(torch, r, seed=3 + i).requires_grad_() for i, r in enumerate(roots)]
    grad = torch.autograd.grad
    firsts = grad(roots, leaves, incoming, create_graph=twice, allow_unused=True)
    found = {"value": results, "gradient": [None if g is None else g.detach() for g in firsts]}
    if twice:
        curved = [g for g in firsts if g is not None and g.requires_grad]
        outer = [weights(torch, g, seed=11 + i) for i, g in enumerate(curved)]
        # Which zeros are undefined is a matter of how a formula is written, not a rule.
        seconds = grad(curved, [*leaves, *incoming], outer, materialize_grads=True)
        found["second derivative"] = [g.detach() for g in seconds]
    return found


def weights(torch: Any, like: Any, seed: int) -> Any:
    """A constant of the same shape and dtype with uneven values: ones hide transposed gradients."""
    shape = tuple(like.shape)
    values = complex_wave if like.is_complex() else wave
    made = torch.tensor(values(*shape, low=0.5, high=1.5, seed=seed), dtype=like.dtype)
    return made.reshape(shape) if 0 in shape else made  # nested lists cannot say (0, 3)
