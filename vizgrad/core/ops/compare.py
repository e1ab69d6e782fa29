"""Comparisons, logic and bits: results without history."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import elementwise
from vizgrad.core.function.primitive import primitive


@primitive(typing="promote", pointwise=True, public=True, inplace=True, numbers="second")
class eq:
    """self == other."""

    forward = xp.equal


@primitive(
    typing="promote",
    pointwise=True,
    public=True,
    inplace=True,
    aliases="not_equal",
    numbers="second",
)
class ne:
    """self != other."""

    forward = xp.not_equal


@primitive(
    typing="promote",
    pointwise=True,
    real_only=True,
    public=True,
    inplace=True,
    aliases="less",
    numbers="second",
)
class lt:
    """self < other."""

    forward = xp.less


@primitive(
    typing="promote",
    pointwise=True,
    real_only=True,
    public=True,
    inplace=True,
    aliases="less_equal",
    numbers="second",
)
class le:
    """self <= other."""

    forward = xp.less_equal


@primitive(
    typing="promote",
    pointwise=True,
    real_only=True,
    public=True,
    inplace=True,
    aliases="greater",
    numbers="second",
)
class gt:
    """self > other."""

    forward = xp.greater


@primitive(
    typing="promote",
    pointwise=True,
    real_only=True,
    public=True,
    inplace=True,
    aliases="greater_equal",
    numbers="second",
)
class ge:
    """self >= other."""

    forward = xp.greater_equal


@primitive(pointwise=True, public=True)
class isnan:
    """Is it NaN?"""

    def forward(self):
        return self != self


@primitive(pointwise=True, public=True)
class isinf:
    """Is it an infinity?"""

    forward = xp.isinf


@primitive(pointwise=True, real_only=True, public=True)
class isposinf:
    """Is it +infinity?"""

    def forward(self):
        return self == xp.inf


@primitive(pointwise=True, real_only=True, public=True)
class isneginf:
    """Is it -infinity?"""

    def forward(self):
        return self == -xp.inf


@primitive(pointwise=True, public=True)
class isfinite:
    """Is it neither infinite nor NaN?"""

    forward = xp.isfinite


@primitive(pointwise=True, public=True)
class signbit:
    """Is the sign bit set (also of -0.0)?"""

    forward = xp.signbit


@primitive(pointwise=True, public=True, inplace=True)
class logical_not:
    """True where zero."""

    forward = xp.logical_not


@primitive(pointwise=True, public=True, inplace=True)
class logical_and:
    """True where both are non-zero."""

    forward = xp.logical_and


@primitive(pointwise=True, public=True, inplace=True)
class logical_or:
    """True where one is non-zero."""

    forward = xp.logical_or


@primitive(pointwise=True, public=True, inplace=True)
class logical_xor:
    """True where exactly one is non-zero."""

    forward = xp.logical_xor


@primitive(typing="promote", pointwise=True, public=True, inplace=True)
class bitwise_and:
    """Bits set in both; `and` of bools."""

    forward = xp.bitwise_and


@primitive(typing="promote", pointwise=True, public=True, inplace=True)
class bitwise_or:
    """Bits set in one; `or` of bools."""

    forward = xp.bitwise_or


@primitive(typing="promote", pointwise=True, public=True, inplace=True)
class bitwise_xor:
    """Bits set in exactly one."""

    forward = xp.bitwise_xor


@primitive(pointwise=True, public=True, inplace=True)
class bitwise_not:
    """Bits turned over; `not` of bools."""

    forward = xp.bitwise_not


@primitive(typing="promote", pointwise=True, public=True, inplace=True)
class bitwise_left_shift:
    """self << other."""

    forward = elementwise.left_shift


@primitive(typing="promote", pointwise=True, public=True, inplace=True)
class bitwise_right_shift:
    """self >> other."""

    forward = elementwise.right_shift


@primitive(typing="same", pointwise=True)
class isclose:
    """|self - other| <= atol + rtol * |other|."""

    def forward(self, other, *, rtol, atol, equal_nan):
        return xp.isclose(self, other, rtol=rtol, atol=atol, equal_nan=equal_nan)
