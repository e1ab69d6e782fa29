"""Sums, means and products; node names end in 0 for all dimensions, in 1 for some, as PyTorch's."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import reduction
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.select import drop
from vizgrad.core.ops.shape import (
    diagonal_put,
    expand,
    restore_dims,
)


@primitive(linear=True, node="SumBackward0")
class sum_all:
    """The sum of all elements of a numpy array of float32 or float64."""

    forward = reduction.sum_all

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward0")
class sum_wide:
    """The sum of all elements, of any type."""

    forward = reduction.sum_wide

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward0")
class sum_as:
    """The sum of all elements, computed in another type."""

    def forward(self, *, dtype):
        return reduction.sum_wide(self.astype(dtype))

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward1")
class sum_dims:
    """The sum over `dims`."""

    def forward(self, *, dims, keepdim):
        return reduction.sum_dims(self, dims, keepdim)

    def grad_self(grad, dims, keepdim, self_meta):
        return expand(
            restore_dims(grad, dims, keepdim, len(self_meta.shape)), shape=self_meta.shape
        )


@primitive(linear=True, node="MeanBackward0")
class mean_all:
    """The mean of all elements."""

    forward = reduction.mean_all

    def grad_self(grad, self_meta):
        # divided last, so that it is memory of its own, which a hook may write to
        return expand(grad, shape=self_meta.shape) / reduction.count(self_meta.shape)


@primitive(linear=True, node="MeanBackward1")
class mean_dims:
    """The mean over `dims`."""

    def forward(self, *, dims, keepdim):
        return reduction.mean_dims(self, dims, keepdim)

    def grad_self(grad, dims, keepdim, self_meta):
        grad = restore_dims(grad, dims, keepdim, len(self_meta.shape))
        count = reduction.count(self_meta.shape, dims) or 1  # of nothing: no element gets it
        return expand(grad, shape=self_meta.shape) / count


@primitive(node="NansumBackward0")
class nansum_dims:
    """The sum over `dims`, in the type `dtype`, without NaNs, whose gradient is 0."""

    def forward(self, *, dims, keepdim, dtype):
        return reduction.nansum_dims(self if dtype is None else self.astype(dtype), dims, keepdim)

    # It saves what was given, not what was made of it in another type.
    def grad_self(grad, self, dims, keepdim):
        whole = expand(restore_dims(grad, dims, keepdim, self.ndim), shape=self.shape)
        return drop(whole, mask=raw(self) != raw(self))


@primitive
class any_dims:
    """Is one element over `dims` non-zero?"""

    def forward(self, *, dims, keepdim):
        return reduction.any_dims(self, dims, keepdim)


@primitive
class all_dims:
    """Are all elements over `dims` non-zero?"""

    def forward(self, *, dims, keepdim):
        return reduction.all_dims(self, dims, keepdim)


@primitive
class count_nonzero_dims:
    """How many elements over `dims` are non-zero."""

    def forward(self, *, dims):
        return reduction.count_nonzero(self, dims)


@primitive(linear=True)
class trace:
    """The sum of a matrix's diagonal."""

    def forward(self):
        return reduction.trace(self)

    def grad_self(grad, self_meta):
        n = min(self_meta.shape)
        return diagonal_put(
            expand(grad, shape=(n,)), shape=self_meta.shape, offset=0, dim1=0, dim2=1
        )
