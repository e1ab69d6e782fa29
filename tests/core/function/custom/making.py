"""Functions for tests, made from a forward and a backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import vizgrad as vg
from vizgrad.autograd import Function


def function(
    forward: Callable[..., Any], backward: Callable[..., Any] | None = None, **flags: Any
) -> Any:
    """A Function `Made`; without `backward` the first gradient that is no None comes back."""

    def first(ctx: Any, *grads: Any) -> Any:
        given = next((g for g in grads if g is not None and g.is_floating_point()), None)
        return (given, *([None] * (len(ctx.needs_input_grad) - 1)))

    body = {"forward": staticmethod(forward), "backward": staticmethod(backward or first), **flags}
    return type("Made", (Function,), body)


def leaf(*values: float) -> Any:
    return vg.tensor(list(values) or [1.0, 1.0], requires_grad=True)
