"""Elements of planes by index, and their transpose: adaptive maxima, and undoing a pooling."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import places as kernel
from vizgrad.core.function.primitive import Primitive, primitive


@primitive(linear=True)
class take_places:
    """The elements at `index`, a plain array of places in each plane of the last `dims` dimensions."""

    def forward(self, *, index, dims):
        return kernel.take(self, index, dims)

    def grad_self(grad, index, dims, self_meta):
        return put_places(grad, index=index, size=self_meta.shape[len(self_meta.shape) - dims :])


@primitive(linear=True)
class put_places:
    """Planes of `size`, zero but for the values at `index`; equal places add up."""

    def forward(self, *, index, size):
        return kernel.put(self, index, size)

    def grad_self(grad, index, size):
        return take_places(grad, index=index, dims=len(size))


def _largest(name: str, dims: int) -> Primitive:
    class Declaration:
        """The elements at `index`: the largest of each part, or window, of the plane."""

        def forward(self, *, index):
            return kernel.take(self, index, dims)

        def grad_self(grad, index, self_meta):
            size = self_meta.shape[len(self_meta.shape) - dims :]
            return put_places(grad, index=index, size=size)

    Declaration.__name__ = f"{name}{dims}d"
    return primitive(linear=True, flat=("self",))(Declaration)


def _unpool(dims: int) -> Primitive:
    class Declaration:
        """Values put back to where a max pooling took them from; zeros elsewhere.

        Of several for one place (from windows that overlap) the last stays; each gets the place's gradient.
        """

        def forward(self, *, index, size):
            return kernel.put_last(self, index, size)

        def grad_self(grad, index, size):
            return take_places(grad, index=index, dims=len(size))

    Declaration.__name__ = f"max_unpool{dims}d"
    return primitive(linear=True)(Declaration)


#: Number of spatial dimensions -> operation.
ADAPTIVE_MAX = {dims: _largest("adaptive_max_pool", dims) for dims in (2, 3)}
FRACTIONAL_MAX = {dims: _largest("fractional_max_pool", dims) for dims in (2, 3)}
UNPOOL = {dims: _unpool(dims) for dims in (2, 3)}
