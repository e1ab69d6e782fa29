"""Pooling over windows (T-41): the largest element (one index a window, T-72) or the mean."""

from __future__ import annotations

from vizgrad.arrays.kernels import pooling as kernel
from vizgrad.function.primitive import primitive
from vizgrad.ops.constants import raw


@primitive(outputs=("result", "where"), node="MaxPool2DWithIndicesBackward0")
class max_pool:
    """(largest of each window, its position in the window). `pool` is the geometry."""

    def forward(self, *, pool):
        return kernel.max_pool(self, pool)

    def grad_self(grad, where, pool, self_meta):
        size = self_meta.shape[len(self_meta.shape) - len(pool.kernel) :]
        return spread_to(grad, where=raw(where), pool=pool, size=size)


@primitive(linear=True, node="MaxPool2DWithIndicesBackwardBackward0")
class spread_to:
    """Each window's value added to the element at position `where` of the window, zeros elsewhere."""

    def forward(self, *, where, pool, size):
        return kernel.spread_to(self, where, pool, size)

    def grad_self(grad, where, pool):
        return take_from(grad, where=where, pool=pool)


@primitive(linear=True, node="TakeFromWindowBackward0")
class take_from:
    """Of each window the element at position `where`."""

    def forward(self, *, where, pool):
        return kernel.take_from(self, where, pool)

    def grad_self(grad, where, pool, self_meta):
        size = self_meta.shape[len(self_meta.shape) - len(pool.kernel) :]
        return spread_to(grad, where=where, pool=pool, size=size)


@primitive(linear=True, node="AvgPool2DBackward0")
class avg_pool:
    """The mean of each window."""

    def forward(self, *, pool, count_include_pad, divisor_override):
        return kernel.mean_pool(self, pool, count_include_pad, divisor_override)

    def grad_self(grad, pool, count_include_pad, divisor_override, self_meta):
        return spread_mean(
            grad, pool=pool, size=self_meta.shape[len(self_meta.shape) - len(pool.kernel) :],
            count_include_pad=count_include_pad, divisor_override=divisor_override,
        )  # fmt: skip


@primitive(linear=True, node="AvgPool2DBackwardBackward0")
class spread_mean:
    """Each window's value shared equally among its elements."""

    def forward(self, *, pool, size, count_include_pad, divisor_override):
        return kernel.spread_mean(self, pool, size, count_include_pad, divisor_override)

    def grad_self(grad, pool, count_include_pad, divisor_override):
        return avg_pool(
            grad, pool=pool, count_include_pad=count_include_pad, divisor_override=divisor_override
        )


@primitive(linear=True, node="AdaptiveAvgPool2DBackward0")
class resample:
    """Each of the last dimensions multiplied by a matrix (out, in): adaptive means, interpolation.

    `matrices` are plain arrays, one per dimension.
    """

    def forward(self, *, matrices):
        return kernel.resample(self, matrices)

    def grad_self(grad, matrices):
        return resample(grad, matrices=tuple(m.T for m in matrices))
