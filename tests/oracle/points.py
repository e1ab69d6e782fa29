"""`watch`: what a function does at one point, or several: value, slopes, and the slopes of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

#: Names of the types in which special points are looked at.
TYPES = ("float64", "float32")


def slopes(torch: Any, fn: Callable[..., Any], *inputs: Any, dtype: str = "float64") -> list[Any]:
    """The gradients of `fn(*leaves).sum()`; None for a leaf that it does not reach."""
    leaves = [torch.tensor(x, dtype=getattr(torch, dtype), requires_grad=True) for x in inputs]
    return list(torch.autograd.grad(fn(*leaves).sum(), leaves, allow_unused=True))


def watch(
    torch: Any,
    see: Any,
    name: str,
    fn: Callable[..., Any],
    *inputs: Any,
    slope: Sequence[Any] | None = None,
    twice: bool = True,
    types: Sequence[str] = TYPES,
) -> None:
    """Sees all derivatives of `fn` at `inputs` in each type; `slope` is what the rule says of each input."""
    for dtype in types:
        see.derivatives(f"{name}, {dtype}", fn, *inputs, twice=twice, dtype=dtype)
        found = slopes(torch, fn, *inputs, dtype=dtype)
        if slope is None:
            see(f"{name}: slopes, {dtype}", found)
        else:
            see(f"{name}: slopes, {dtype}", found, expect=list(slope))
