"""Copies with a part replaced: a slice, several, a diagonal. All are linear and save nothing."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import casting, shapes
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.arrange import diagonal
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.ops.shape import select, slice_dim


@primitive(linear=True, typing="moved")
class select_scatter:
    """A copy with `src` in the slice at `index` of `dim`."""

    def forward(self, src, *, dim, index):
        out = shapes.copy(self)
        part = out[(slice(None),) * dim + (index, ...)]
        part[...] = casting.fit(part, src)
        return out

    def grad_self(grad, src_meta, dim, index):
        return select_scatter(grad, zeros_beside(grad, src_meta.shape), dim=dim, index=index)

    def grad_src(grad, dim, index):
        return select(grad, dim=dim, index=index)


@primitive(linear=True, typing="moved")
class slice_scatter:
    """A copy with `src` in the elements start, start + step, ... before `end` of `dim`."""

    def forward(self, src, *, dim, start, end, step):
        out = shapes.copy(self)
        part = out[(slice(None),) * dim + (slice(start, end, step),)]
        part[...] = casting.fit(part, src)
        return out

    def grad_self(grad, src_meta, dim, start, end, step):
        zeros = zeros_beside(grad, src_meta.shape)
        return slice_scatter(grad, zeros, dim=dim, start=start, end=end, step=step)

    def grad_src(grad, dim, start, end, step):
        return slice_dim(grad, dim=dim, start=start, end=end, step=step)


@primitive(linear=True, typing="moved")
class diagonal_scatter:
    """A copy with `src` on the diagonal of two dimensions."""

    def forward(self, src, *, offset, dim1, dim2):
        out = shapes.copy(self)
        part = shapes.diagonal(out, offset, dim1, dim2)
        part[...] = casting.fit(part, src)
        return out

    def grad_self(grad, src_meta, offset, dim1, dim2):
        zeros = zeros_beside(grad, src_meta.shape)
        return diagonal_scatter(grad, zeros, offset=offset, dim1=dim1, dim2=dim2)

    def grad_src(grad, offset, dim1, dim2):
        return diagonal(grad, offset=offset, dim1=dim1, dim2=dim2)
