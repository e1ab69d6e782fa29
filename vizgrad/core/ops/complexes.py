"""Complex numbers: parts, conjugates, and functions that are not holomorphic.

The formulas of these functions give the complex gradient itself (`vizgrad.core.function.primitive`): for
a change dz of the operand the result's change is Re(conj(gradient) * dz).
"""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import elementwise as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.function.strided import view_as_complex as view_as_complex
from vizgrad.core.function.strided import view_as_real as view_as_real
from vizgrad.core.ops.constants import raw, zeros_like
from vizgrad.core.ops.select import keep


@primitive(pointwise=True, linear=True, holomorphic=False)
class conj:
    """The complex conjugate."""

    forward = xp.conjugate

    def grad_self(grad):
        return conj(grad)


@primitive(
    pointwise=True, linear=True, holomorphic=False, node="ConjPhysicalBackward0", inplace="public"
)
class conj_physical:
    """The complex conjugate, in memory of its own."""

    forward = xp.conjugate

    def grad_self(grad):
        return conj(grad)


@primitive(pointwise=True, linear=True, holomorphic=False, node="RealBackward0")
class real_part:
    """The real part, as a copy: for formulas."""

    def forward(self):
        return self.real.copy()

    def grad_self(grad):
        return grad + 0j


@primitive(pointwise=True, linear=True, holomorphic=False, node="ImagBackward0")
class imag_part:
    """The imaginary part, as a copy: for formulas."""

    def forward(self):
        return self.imag.copy()

    def grad_self(grad):
        return grad * 1j


@primitive(typing="same", pointwise=True, holomorphic=False, node="ComplexBackward0")
class join:
    """real + i * imag."""

    def forward(self, imag):
        return kernel.join(self, imag)

    def grad_self(grad):
        return real_part(grad)

    def grad_imag(grad):
        return imag_part(grad)


@primitive(typing="same", pointwise=True, holomorphic=False)
class polar:
    """abs * e^(i * angle)."""

    def forward(self, angle):
        return kernel.polar(self, angle)

    def grad_self(grad, result):
        return real_part(conj(sgn(result)) * grad)

    def grad_angle(grad, result):
        return imag_part(conj(result) * grad)


@primitive(pointwise=True, holomorphic=False, public=True, inplace=True)
class sgn:
    """z / |z|, and 0 at 0; of real numbers their sign, whose derivative is 0."""

    forward = kernel.sgn

    def grad_self(grad, self, result):
        if raw(self).dtype.kind != "c":
            return zeros_like(grad)
        radial = result * real_part(conj(result) * grad)
        size = abs(self)
        return keep((grad - radial) / (size + (raw(size) == 0)), mask=raw(size) != 0)


@primitive(pointwise=True, holomorphic=False, public=True, aliases="absolute")
class abs:
    """|z|, a real number; the gradient at 0 is 0."""

    # T-70

    forward = xp.absolute

    def grad_self(grad, self):
        return grad * sgn(self)


@primitive(pointwise=True, holomorphic=False)
class angle:
    """The argument of z in radians; the gradient at 0 is 0."""

    forward = kernel.angle

    def grad_self(grad, self):
        size = abs(self)
        turned = sgn(self) * 1j
        return keep(grad * turned / (size + (raw(size) == 0)), mask=raw(size) != 0)


@primitive(pointwise=True, node="AngleBackward0")
class angle_of_real:
    """0 of positive numbers, pi of negative ones; the derivative is 0."""

    forward = kernel.angle

    def grad_self(grad):
        return zeros_like(grad)
