"""Choosing between two tensors: `where`, `maximum`, `minimum`."""

from __future__ import annotations

from vizgrad.arrays import xp
from vizgrad.function.primitive import primitive


@primitive(typing="promote", pointwise=True, node="WhereBackward0")
class _where:
    """`self` where the condition holds, else `other`; the condition comes last, out of promotion."""

    def forward(self, other, *, condition):
        return xp.where(condition, self, other)

    def grad_self(grad, condition):
        return keep(grad, mask=condition)

    def grad_other(grad, condition):
        return keep(grad, mask=xp.logical_not(condition))


@primitive(pointwise=True, linear=True)
class keep:
    """The value where the (plain array) mask holds, 0 elsewhere; never 0 * inf (T-76)."""

    def forward(self, *, mask):
        return xp.where(mask, self, self.dtype.type(0))

    def grad_self(grad, mask):
        return keep(grad, mask=mask)


@primitive(typing="promote", pointwise=True)
class maximum:
    """The larger of the two, NaN if one is NaN; a tie shares the gradient equally (T-72)."""

    forward = xp.maximum

    def grad_self(grad, self, other):
        return share(grad, self, other)

    def grad_other(grad, self, other):
        return share(grad, other, self)


@primitive(typing="promote", pointwise=True)
class minimum:
    """The smaller of the two, NaN if one is NaN; a tie shares the gradient equally (T-72)."""

    forward = xp.minimum

    def grad_self(grad, self, other):
        return share(grad, other, self)

    def grad_other(grad, self, other):
        return share(grad, self, other)


def share(grad, winner, loser):
    """The whole gradient where winner > loser, half of it where they are equal, else 0."""
    return where(winner == loser, grad * 0.5, where(winner > loser, grad, grad * 0))


def where(condition, a, b):
    """Elements of `a` where `condition`, else of `b`; arrays or Tensors."""
    return _where(a, b, condition=getattr(condition, "_array", condition))
