"""Losses by margins between classes: their nodes keep nothing as large as all pairs of classes (T-42)."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import margins as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.select import keep
from vizgrad.core.ops.shape import unsqueeze


@primitive(pointwise=True, real_only=True)
class squared_hinge:
    """x^2 above 0, else 0: also where x is NaN, and then without a gradient."""

    math_self = "g * 2 * max(x, 0)"

    def forward(self):
        return xp.where(self > 0, self * self, self.dtype.type(0))

    def grad_self(grad, self):
        return keep(grad * (2 * self), mask=raw(self) > 0)


@primitive(real_only=True)
class multilabel_margin_loss:
    """The sum of max(0, 1 - x[j] + x[i]) / classes over labels j and other classes i, of each row."""

    def forward(self, target):
        return kernel.multilabel_margin(self, target)

    def grad_self(grad, self, target):
        slopes = kernel.multilabel_margin_slopes(raw(self), raw(target))
        return unsqueeze(grad, dim=1) * constant(slopes, grad)
