"""Addition, multiplication and related operations."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import elementwise
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import zeros_like


@primitive(typing="promote", pointwise=True, linear=True)
class add:
    """self + other."""

    forward = xp.add

    def grad_self(grad):
        return grad

    def grad_other(grad):
        return grad


@primitive(typing="promote", pointwise=True, linear=True, node="AddBackward0")
class add_scaled:
    """self + alpha * other."""

    def forward(self, other, *, alpha):
        return self + alpha * other

    def grad_self(grad):
        return grad

    def grad_other(grad, alpha):
        return grad * alpha


@primitive(typing="promote", pointwise=True, linear=True)
class sub:
    """self - other."""

    forward = xp.subtract

    def grad_self(grad):
        return grad

    def grad_other(grad):
        return -grad


@primitive(typing="promote", pointwise=True, linear=True, node="SubBackward0")
class sub_scaled:
    """self - alpha * other."""

    def forward(self, other, *, alpha):
        return self - alpha * other

    def grad_self(grad):
        return grad

    def grad_other(grad, alpha):
        return grad * -alpha


@primitive(typing="promote", pointwise=True, linear=True, node="RsubBackward1")
class rsub_number:
    """A number minus self: what `1 - x` records. The number has no edge."""

    def forward(self, other):
        return other - self

    def grad_self(grad):
        return -grad


@primitive(typing="promote", pointwise=True, linear=True, node="RsubBackward0")
class rsub:
    """other - alpha * self."""

    def forward(self, other, *, alpha):
        return other - self * alpha

    def grad_self(grad, alpha):
        return grad * -alpha

    def grad_other(grad):
        return grad


@primitive(typing="promote", pointwise=True, inplace=True, aliases="multiply")
class mul:
    """self * other."""

    forward = xp.multiply

    def grad_self(grad, other):
        return grad * other

    def grad_other(grad, self):
        return grad * self


@primitive(typing="float", pointwise=True)
class div:
    """self / other, as floating point."""

    # T-4

    forward = xp.true_divide

    def grad_self(grad, other):
        return grad / other

    def grad_other(grad, self, other):
        return -grad * ((self / other) / other)


@primitive(linear=True, pointwise=True, node="MulBackward1")
class mul_number:
    """self * a number that functions bring with them: it is saved as such, so nothing is freed."""

    def forward(self, *, other):
        return self * self.dtype.type(other)

    def grad_self(grad, other):
        return mul_number(grad, other=other)


@primitive(linear=True, pointwise=True, node="DivBackward1")
class div_number:
    """self / a number that functions bring with them."""

    def forward(self, *, other):
        return self / self.dtype.type(other)

    def grad_self(grad, other):
        return div_number(grad, other=other)


@primitive(typing="promote", pointwise=True, node="DivBackward2")
class div_rounded:
    """self / other, rounded towards zero ("trunc") or down ("floor"): its derivative is 0."""

    def forward(self, other, *, rounding_mode):
        return elementwise.divide(self, other, rounding_mode)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_other(grad, other_meta):
        return zeros_like(grad)


def _no_floor_slope(grad):
    raise RuntimeError(
        "derivative for aten::floor_divide is not implemented; it is zero wherever it exists: use "
        "div(a, b, rounding_mode='floor') for that, or detach the operand"
    )


@primitive(typing="promote", pointwise=True, node="NotImplemented", real_only=True)
class floor_divide:
    """self // other. PyTorch has no derivative for it: backward raises, `div` with a mode does not."""

    forward = elementwise.floor_divide
    grad_self = grad_other = _no_floor_slope


@primitive(typing="promote", pointwise=True, node="NotImplemented")
class floor_divide_number:
    """self // a number, which has no edge."""

    forward = elementwise.floor_divide
    grad_self = _no_floor_slope


@primitive(typing="promote", pointwise=True, node="RemainderBackward1", real_only=True)
class remainder:
    """self - floor(self / other) * other: has the sign of `other`."""

    forward = elementwise.remainder

    def grad_self(grad):
        return grad

    def grad_other(grad, self, other):
        return -grad * div_rounded(self, other, rounding_mode="floor")


@primitive(typing="promote", pointwise=True, node="RemainderBackward0")
class remainder_number:
    """The remainder by a number, which has no edge."""

    forward = elementwise.remainder

    def grad_self(grad):
        return grad


@primitive(typing="promote", pointwise=True, node="FmodBackward1", real_only=True)
class fmod:
    """self - trunc(self / other) * other: has the sign of `self`."""

    forward = elementwise.fmod

    def grad_self(grad):
        return grad

    def grad_other(grad, self, other):
        return -grad * div_rounded(self, other, rounding_mode="trunc")


@primitive(typing="promote", pointwise=True, node="FmodBackward0")
class fmod_number:
    """`fmod` by a number, which has no edge."""

    forward = elementwise.fmod

    def grad_self(grad):
        return grad


@primitive(pointwise=True, linear=True, inplace="public", aliases="negative")
class neg:
    """-x."""

    forward = xp.negative

    def grad_self(grad):
        return -grad


@primitive(typing="promote", pointwise=True, node="LerpBackward0")
class lerp_number:
    """self + weight * (end - self), for a weight that is a number."""

    def forward(self, end, *, weight):
        return elementwise.lerp(self, end, weight)

    def grad_self(grad, weight):
        return grad * (1 - weight)

    def grad_end(grad, weight):
        return grad * weight


@primitive(typing="promote", pointwise=True, node="LerpBackward1")
class lerp:
    """self + weight * (end - self)."""

    def forward(self, end, weight):
        return elementwise.lerp(self, end, weight)

    def grad_self(grad, weight):
        return grad * (1 - weight)

    def grad_end(grad, weight):
        return grad * weight

    def grad_weight(grad, self, end):
        return grad * (end - self)


@primitive(typing="promote", pointwise=True)
class addcmul:
    """self + value * tensor1 * tensor2."""

    def forward(self, tensor1, tensor2, *, value):
        product = tensor1 * tensor2
        return self + (product if value == 1 else value * product)

    def grad_self(grad):
        return grad

    def grad_tensor1(grad, tensor2, value):
        return grad * (tensor2 if value == 1 else tensor2 * value)

    def grad_tensor2(grad, tensor1, value):
        return grad * (tensor1 if value == 1 else tensor1 * value)


@primitive(typing="float", pointwise=True)
class addcdiv:
    """self + value * tensor1 / tensor2."""

    def forward(self, tensor1, tensor2, *, value):
        return self + value * (tensor1 / tensor2)

    def grad_self(grad):
        return grad

    def grad_tensor1(grad, tensor2, value):
        return grad * value / tensor2

    def grad_tensor2(grad, tensor1, tensor2, value):
        return -grad * value * (tensor1 / tensor2 / tensor2)
