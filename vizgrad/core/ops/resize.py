"""Resizing: linear maps of the last dimensions, so each derivative is the transpose."""

from __future__ import annotations

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.kernels import padding as by_index
from vizgrad.core.arrays.kernels import pooling as kernel
from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.padding import add_back
from vizgrad.core.ops.pooling import resample


def _nearest(name: str) -> Primitive:
    class Declaration:
        """Each pixel a copy of another, given by index."""

        def forward(self, *, places):
            return layout.images(by_index.take(self, places), self)

        def grad_self(grad, places, self_meta):
            size = self_meta.shape[len(self_meta.shape) - len(places) :]
            return add_back(grad, places=places, size=size)

    Declaration.__name__ = name
    return primitive(linear=True)(Declaration)


def _linear(name: str) -> Primitive:
    class Declaration:
        """Each of the last dimensions multiplied by an interpolation matrix."""

        def forward(self, *, matrices):
            return layout.images(kernel.resample(self, matrices), self)

        def grad_self(grad, matrices):
            return resample(grad, matrices=tuple(m.T for m in matrices))

    Declaration.__name__ = name
    return primitive(linear=True)(Declaration)


#: Number of dimensions -> operation.
NEAREST = {dims: _nearest(f"upsample_nearest{dims}d") for dims in (1, 2, 3)}
NEAREST_EXACT = {dims: _nearest(f"upsample_nearest_exact{dims}d") for dims in (1, 2, 3)}
LINEAR = {
    dims: _linear(f"upsample_{word}{dims}d")
    for dims, word in ((1, "linear"), (2, "bilinear"), (3, "trilinear"))
}
CUBIC = {2: _linear("upsample_bicubic2d")}
LINEAR_SMOOTH = {2: _linear("upsample_bilinear2d_aa")}
CUBIC_SMOOTH = {2: _linear("upsample_bicubic2d_aa")}
