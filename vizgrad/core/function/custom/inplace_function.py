"""InplaceFunction: one operation, in place or not (spec 01 K)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.function.custom.apply import apply
from vizgrad.core.function.custom.function import Function


class InplaceFunction(Function):
    """A Function whose instances say whether it works in place.

        class Double(InplaceFunction):
            def forward(self, x):
                return x.mul_(2) if self.inplace else x * 2

            def backward(self, grad):
                return grad * 2

        Double.apply(x)                 # ctx.inplace is False
        Double(inplace=True)(x)         # writes to x

    `forward` and `backward` may be static, with ctx first, or like methods: `self` is the context. It has
    the attributes of the instance. An in-place result need not be marked dirty (F-113).
    """

    _context_reads_class = True

    inplace = False

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the Function with a new context that has this instance's attributes (F-111)."""
        return apply(type(self), args, kwargs, context_like(self))


def context_like(instance: Any) -> Any:
    """A new context of the instance's class, with the instance's attributes."""
    ctx = type(instance)._backward_cls()
    for name, value in vars(instance).items():
        setattr(ctx, name, value)
    return ctx
