"""Pooling over windows (T-41): the largest element (one index a window, T-72) or the mean."""

from __future__ import annotations

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.kernels import places as places_kernel
from vizgrad.core.arrays.kernels import pooling as kernel
from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.constants import raw
from vizgrad.core.tensor.tensor import Tensor


def _max_pool(dims: int) -> Primitive:
    class Declaration:
        """The largest of each window; its gradient goes to one element. `pool` is the geometry."""

        def forward(self, *, pool):
            return layout.images(kernel.max_pool(self, pool), self)

        # The result is not saved: it may be written in place, and is found again quickly.
        def grad_self(grad, self, pool):
            if not isinstance(grad, Tensor):
                return kernel.max_pool_gradient(grad, self, pool)
            x = raw(self)
            where = kernel.positions(x, kernel.max_pool(x, pool), pool)
            return spread_to(grad, where=where, pool=pool, size=_size(self, pool))

    Declaration.__name__ = f"max_pool{dims}d_with_indices"
    return primitive(flat=("self",))(Declaration)


def _size(meta, pool):
    """The spatial sizes of an input, or of its Meta."""
    return tuple(meta.shape[len(meta.shape) - len(pool.kernel) :])


@primitive(linear=True, node="MaxPool2DWithIndicesBackwardBackward0")
class spread_to:
    """Each window's value added to the element at position `where` of the window, zeros elsewhere."""

    def forward(self, *, where, pool, size):
        return kernel.spread_to(self, where, pool, size)

    def grad_self(grad, where, pool):
        return take_from(grad, where=where, pool=pool)


@primitive(linear=True, node="TakeFromWindowBackward0")
class take_from:
    """The element at position `where` of each window."""

    def forward(self, *, where, pool):
        return kernel.take_from(self, where, pool)

    def grad_self(grad, where, pool, self_meta):
        return spread_to(grad, where=where, pool=pool, size=_size(self_meta, pool))


def _avg_pool(dims: int) -> Primitive:
    class Declaration:
        """The mean of each window."""

        def forward(self, *, pool, count_include_pad, divisor_override):
            result = kernel.mean_pool(self, pool, count_include_pad, divisor_override)
            return layout.images(result, self)

        def grad_self(grad, pool, count_include_pad, divisor_override, self_meta):
            return spread_mean(
                grad, pool=pool, size=_size(self_meta, pool),
                count_include_pad=count_include_pad, divisor_override=divisor_override,
            )  # fmt: skip

    Declaration.__name__ = f"avg_pool{dims}d"
    return primitive(linear=True, flat=("self",))(Declaration)


@primitive(linear=True, node="AvgPool2DBackwardBackward0")
class spread_mean:
    """Each window's value shared equally among its elements."""

    def forward(self, *, pool, size, count_include_pad, divisor_override):
        return kernel.spread_mean(self, pool, size, count_include_pad, divisor_override)

    def grad_self(grad, pool, count_include_pad, divisor_override):
        return AVG_POOL[2](
            grad, pool=pool, count_include_pad=count_include_pad, divisor_override=divisor_override
        )


@primitive(linear=True)
class resample:
    """Each of the last dimensions multiplied by a plain matrix (out, in)."""

    def forward(self, *, matrices):
        return kernel.resample(self, matrices)

    def grad_self(grad, matrices):
        return resample(grad, matrices=tuple(m.T for m in matrices))


def _adaptive(dims: int) -> Primitive:
    class Declaration:
        """Means over parts of the image: a product with a matrix in each dimension."""

        def forward(self, *, matrices):
            return layout.images(kernel.resample(self, matrices), self)

        def grad_self(grad, matrices):
            return resample(grad, matrices=tuple(m.T for m in matrices))

    Declaration.__name__ = f"adaptive_avg_pool{dims}d"
    return primitive(linear=True, flat=("self",))(Declaration)


#: Number of spatial dimensions -> operation.
MAX_POOL = {dims: _max_pool(dims) for dims in (2, 3)}
AVG_POOL = {dims: _avg_pool(dims) for dims in (2, 3)}
ADAPTIVE = {dims: _adaptive(dims) for dims in (2, 3)}


# Elements of planes by index, and their transpose: adaptive maxima, and undoing a pooling.


@primitive(linear=True)
class take_places:
    """The elements at `index`: places in each plane of the last `dims` dimensions."""

    def forward(self, index, *, dims):
        return places_kernel.take(self, index, dims)

    def grad_self(grad, index, dims, self_meta):
        return put_places(grad, index, size=self_meta.shape[len(self_meta.shape) - dims :])


@primitive(linear=True)
class put_places:
    """Planes of `size`, zero but for the values at `index`; equal places add up."""

    def forward(self, index, *, size):
        return places_kernel.put(self, index, size)

    def grad_self(grad, index, size):
        return take_places(grad, index, dims=len(size))


def _largest(name: str, dims: int) -> Primitive:
    class Declaration:
        """The elements at `index`: the largest of each part, or window, of the plane."""

        def forward(self, index):
            return layout.images(places_kernel.take(self, index, dims), self)

        def grad_self(grad, index, self_meta):
            size = self_meta.shape[len(self_meta.shape) - dims :]
            return put_places(grad, index, size=size)

    Declaration.__name__ = f"{name}{dims}d"
    return primitive(linear=True, flat=("self",))(Declaration)


def _unpool(dims: int) -> Primitive:
    class Declaration:
        """Values put back to where a max pooling took them from; zeros elsewhere.

        The last of several for one place (from windows that overlap) stays; each gets the place's gradient.
        """

        def forward(self, index, *, size):
            return places_kernel.put_last(self, index, size)

        def grad_self(grad, index, size):
            return take_places(grad, index, dims=len(size))

    Declaration.__name__ = f"max_unpool{dims}d"
    return primitive(linear=True)(Declaration)


#: Number of spatial dimensions -> operation.
ADAPTIVE_MAX = {dims: _largest("adaptive_max_pool", dims) for dims in (2, 3)}
FRACTIONAL_MAX = {dims: _largest("fractional_max_pool", dims) for dims in (2, 3)}
UNPOOL = {dims: _unpool(dims) for dims in (2, 3)}
