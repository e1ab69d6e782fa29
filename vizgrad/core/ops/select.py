"""Choosing between tensors element by element: `where`, `maximum`, `clamp`, `masked_fill`."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import elementwise
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw, zeros_like


@primitive(pointwise=True, linear=True)
class keep:
    """The value where the (plain array) mask holds, 0 elsewhere; never 0 * inf (T-76)."""

    forward = elementwise.keep

    def grad_self(grad, mask):
        return keep(grad, mask=mask)


@primitive(pointwise=True, linear=True)
class drop:
    """The value where the (plain array) mask does not hold, 0 elsewhere."""

    forward = elementwise.drop

    def grad_self(grad, mask):
        return drop(grad, mask=mask)


@primitive(pointwise=True, node="WhereBackward0")
class where:
    """`self` where the bool tensor `condition` holds, else `other`, which has the type of `self`."""

    def forward(self, other, condition):
        return xp.where(condition, self, other)

    def grad_self(grad, condition):
        return keep(grad, mask=raw(condition))

    def grad_other(grad, condition):
        return drop(grad, mask=raw(condition))


@primitive(typing="promote", pointwise=True, node="WhereBackward0")
class where_mask:
    """`self` where the (plain array) condition holds, else `other`."""

    def forward(self, other, *, condition):
        return xp.where(condition, self, other)

    def grad_self(grad, condition):
        return keep(grad, mask=condition)

    def grad_other(grad, condition):
        return drop(grad, mask=condition)


@primitive(typing="promote", pointwise=True, real_only=True, public=True, numbers="none")
class maximum:
    """The larger of the two, NaN if one is NaN; a tie shares the gradient equally."""

    # T-72

    math_self = "g * (1 if x > other else 1 / 2 if x == other else 0)"
    math_other = "g * (1 if other > x else 1 / 2 if x == other else 0)"

    forward = xp.maximum

    def grad_self(grad, self, other):
        return share(grad, self, other)

    def grad_other(grad, self, other):
        return share(grad, other, self)


@primitive(typing="promote", pointwise=True, real_only=True, public=True, numbers="none")
class minimum:
    """The smaller of the two, NaN if one is NaN; a tie shares the gradient equally."""

    # T-72

    math_self = "g * (1 if x < other else 1 / 2 if x == other else 0)"
    math_other = "g * (1 if other < x else 1 / 2 if x == other else 0)"

    forward = xp.minimum

    def grad_self(grad, self, other):
        return share(grad, other, self)

    def grad_other(grad, self, other):
        return share(grad, self, other)


@primitive(typing="promote", pointwise=True, real_only=True, public=True, numbers="none")
class fmax:
    """The larger of the two; a number wins over NaN, and gets all of the gradient."""

    # T-72

    forward = xp.fmax

    def grad_self(grad, self, other):
        return keep(grad, mask=(raw(self) >= raw(other)) | (raw(other) != raw(other)))

    def grad_other(grad, self, other):
        return drop(grad, mask=(raw(self) >= raw(other)) | (raw(other) != raw(other)))


@primitive(typing="promote", pointwise=True, real_only=True, public=True, numbers="none")
class fmin:
    """The smaller of the two; a number wins over NaN, and gets all of the gradient."""

    forward = xp.fmin

    def grad_self(grad, self, other):
        return keep(grad, mask=(raw(self) <= raw(other)) | (raw(other) != raw(other)))

    def grad_other(grad, self, other):
        return drop(grad, mask=(raw(self) <= raw(other)) | (raw(other) != raw(other)))


@primitive(pointwise=True, linear=True)
class halve:
    """The value, half of it where `tie`, 0 where `lost` (plain array masks)."""

    forward = elementwise.halve

    def grad_self(grad, tie, lost):
        return halve(grad, tie=tie, lost=lost)


def share(grad, winner, loser):
    """The gradient unless winner < loser; half of it at a tie. NaN loses to nothing."""
    a, b = raw(winner), raw(loser)
    return halve(grad, tie=a == b, lost=a < b)


@primitive(pointwise=True, node="ClampBackward1", real_only=True)
class clamp:
    """`self` moved into [min, max], bounds being numbers or None; slope 1 at both bounds (T-71)."""

    forward = elementwise.clamp

    def grad_self(grad, self, min, max):
        return keep(grad, mask=elementwise.inside(raw(self), min, max))


@primitive(pointwise=True, node="ClampMinBackward0", real_only=True)
class clamp_min:
    """`self` raised to at least the number `min`."""

    def forward(self, *, min):
        return elementwise.clamp(self, min=min, max=None)

    def grad_self(grad, self, min):
        return keep(grad, mask=raw(self) >= min)


@primitive(pointwise=True, node="ClampMaxBackward0", real_only=True)
class clamp_max:
    """`self` lowered to at most the number `max`."""

    def forward(self, *, max):
        return elementwise.clamp(self, min=None, max=max)

    def grad_self(grad, self, max):
        return keep(grad, mask=raw(self) <= max)


@primitive(typing="promote", pointwise=True, node="ClampBackward0", real_only=True)
class clamp_both:
    """`clamp` with tensors as bounds; at a tie all of the gradient goes to `self` (T-71)."""

    def forward(self, min, max):
        return xp.minimum(xp.maximum(self, min), max)

    def grad_self(grad, self, min, max):
        return keep(grad, mask=(raw(self) >= raw(min)) & (raw(self) <= raw(max)))

    def grad_min(grad, self, min, max):
        return keep(grad, mask=(raw(self) < raw(min)) & (raw(min) < raw(max)))

    def grad_max(grad, self, min, max):
        return keep(grad, mask=(raw(self) > raw(max)) | (raw(max) < raw(min)))


@primitive(typing="promote", pointwise=True, node="ClampMinBackward1", real_only=True)
class clamp_low:
    """`clamp` with a tensor as lower bound."""

    forward = xp.maximum

    def grad_self(grad, self, other):
        return keep(grad, mask=raw(self) >= raw(other))

    def grad_other(grad, self, other):
        return keep(grad, mask=raw(self) < raw(other))


@primitive(typing="promote", pointwise=True, node="ClampMaxBackward1", real_only=True)
class clamp_high:
    """`clamp` with a tensor as upper bound."""

    forward = xp.minimum

    def grad_self(grad, self, other):
        return keep(grad, mask=raw(self) <= raw(other))

    def grad_other(grad, self, other):
        return keep(grad, mask=raw(self) > raw(other))


@primitive(pointwise=True, node="MaskedFillBackward0")
class masked_fill:
    """`self`, with the number `value` where the mask holds."""

    def forward(self, mask, *, value):
        return elementwise.masked_fill(self, mask, value=value)

    def grad_self(grad, mask):
        return drop(grad, mask=raw(mask))


@primitive(pointwise=True, node="MaskedFillBackward1")
class masked_fill_tensor:
    """`self`, with the 0-dim tensor `value` where the mask holds."""

    def forward(self, mask, value):
        return elementwise.masked_fill(self, mask, value=value)

    def grad_self(grad, mask):
        return drop(grad, mask=raw(mask))

    def grad_value(grad, mask):
        return keep(grad, mask=raw(mask)).sum()


@primitive(pointwise=True)
class nan_to_num:
    """`self` with NaN and infinities replaced by numbers; no gradient goes to what was replaced."""

    forward = elementwise.nan_to_num

    def grad_self(grad, self):
        return keep(grad, mask=xp.isfinite(raw(self)))


@primitive(pointwise=True, public=True, inplace=True)
class sign:
    """-1, 0 or 1; the derivative is 0 everywhere."""

    # T-70

    forward = elementwise.sign

    def grad_self(grad):
        return zeros_like(grad)
