"""Copies between types and into existing memory."""

from __future__ import annotations

from vizgrad.arrays import backend, dtypes, xp
from vizgrad.arrays.kernels import casting
from vizgrad.function.primitive import primitive
from vizgrad.ops.constants import zeros_like
from vizgrad.ops.reduce import sum_all
from vizgrad.ops.shape import clone as clone


@primitive(linear=True, node="ToCopyBackward0")
class to_copy:
    """A copy in another element type (a numpy dtype)."""

    def forward(self, *, dtype):
        return casting.cast(self, dtype)

    def grad_self(grad, self_meta):
        return cast(grad, self_meta.dtype)


@primitive(linear=True, node="ToCopyBackward0")
class to_device:
    """A copy on another device; `source` is where it was."""

    def forward(self, *, device, source):
        return backend.to_device(self, device)

    def grad_self(grad, device, source):
        return to_device(grad, device=source, source=device)


def cast(value, dtype):
    """For formulas: `value` in the numpy dtype `dtype`, as it is if it has that type."""
    have = value.dtype.np if isinstance(value.dtype, dtypes.DType) else value.dtype
    return value if have == dtype else to_copy(value, dtype=dtype)


@primitive(linear=True, node="CopyBackwards")
class copy:
    """What `copy_` writes: `src` in the shape and type of `self`, whose old value is lost."""

    def forward(self, src):
        return casting.fit(self, src)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_src(grad):
        return grad


@primitive(linear=True, node="FillBackward2")
class fill_number:
    """What `fill_` with a number writes."""

    def forward(self, *, value):
        return xp.full_like(self, value, order="C", subok=False)

    def grad_self(grad):
        return zeros_like(grad)


@primitive(linear=True, node="FillBackward3")
class fill:
    """What `fill_` with a 0-dim tensor writes."""

    def forward(self, value):
        return casting.fit(self, value)

    def grad_self(grad):
        return zeros_like(grad)

    def grad_value(grad):
        return sum_all(grad)


@primitive(linear=True, node="ZeroBackward0")
class zero:
    """What `zero_` writes."""

    def forward(self):
        return xp.zeros_like(self, order="C", subok=False)

    def grad_self(grad):
        return zeros_like(grad)


@primitive(linear=True, node="OverwriteBackward0")
class overwrite:
    """What the random fillers write: a plain array."""

    def forward(self, *, values):
        return values

    def grad_self(grad):
        return zeros_like(grad)
