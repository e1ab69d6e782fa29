"""Copies between types and into existing memory."""

from __future__ import annotations

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.kernels import shapes
from vizgrad.core.function.devices import to_device as to_device
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw, zeros_like
from vizgrad.core.ops.reduce import sum_wide
from vizgrad.core.ops.shape import clone as clone
from vizgrad.core.tensor.tensor import new_tensor


@primitive(linear=True, typing="moved", node="ToCopyBackward0")
class to_copy:
    """A copy in another element type (a numpy dtype)."""

    def forward(self, *, dtype):
        return shapes.cast(self, dtype)

    def grad_self(grad, self_meta):
        return cast(grad, self_meta.dtype)


@primitive(linear=True, typing="moved", node="ToCopyBackward0")
class to_copy_in:
    """A copy in another element type and in the order of a `memory_format`."""

    def forward(self, *, dtype, memory_format):
        return memory_format.applied(shapes.cast(self, dtype))

    def grad_self(grad, self_meta):
        return cast(grad, self_meta.dtype)


def converted(input, dtype):
    """A Tensor in the numpy dtype `dtype`: itself if it has that type. Integers have no history."""
    if input._array.dtype == dtype:
        return input
    return to_copy.record(without_history(input, dtype), dtype=dtype)


def without_history(input, dtype):
    """`input`, untracked if a result of type `dtype` has no derivative."""
    return input if dtype.kind in "fcV" or not input._tracked else new_tensor(input._array)


def cast(value, dtype):
    """For formulas: `value` in a type (a DType or numpy's), as it is if it has that type."""
    if isinstance(dtype, dtypes.DType):
        dtype = dtype.np
    return value if raw(value).dtype == dtype else to_copy(value, dtype=dtype)


@primitive(linear=True, typing="moved", node="CopyBackwards")
class copy:
    """The values that `copy_` writes: `src` in the shape and type of `self`, whose old value is lost."""

    def forward(self, src):
        return shapes.fit(self, src)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_src(grad):
        return grad


@primitive(linear=True, typing="moved", node="FillBackward2")
class fill_number:
    """The values that `fill_` with a number writes."""

    def forward(self, *, value):
        return xp.full_like(self, value, order="C")

    def grad_self(grad):
        return zeros_like(grad)


@primitive(linear=True, typing="moved", node="FillBackward3")
class fill:
    """The values that `fill_` with a 0-dim tensor writes."""

    def forward(self, value):
        return shapes.fit(self, value)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_value(grad):
        return sum_wide(grad)


@primitive(linear=True, typing="moved", node="ZeroBackward0")
class zero:
    """The values that `zero_` writes."""

    def forward(self):
        return xp.zeros_like(self, order="C")

    def grad_self(grad):
        return zeros_like(grad)


@primitive(linear=True, typing="moved", node="OverwriteBackward0")
class overwrite:
    """The values that the random fillers write: a plain array."""

    def forward(self, *, values):
        return values

    def grad_self(grad):
        return zeros_like(grad)


@primitive(linear=True, typing="moved", node="OverwriteBackward0")
class overwrite_compared:
    """The values that comparisons write in place: their derivatives are 0, for the other operand, too."""

    def forward(self, other, *, values):
        return values

    def grad_self(grad):
        return zeros_like(grad)

    def grad_other(grad):
        return zeros_like(grad)
