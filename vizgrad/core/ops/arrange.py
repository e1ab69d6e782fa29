"""Parts of tensors, and elements in another order; those marked `view` share memory."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import shapes
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.ops.shape import reshape, slice_dim, sum_to


@primitive(view=True, linear=True)
class diagonal:
    """The diagonal of two dimensions, as a new last dimension."""

    def forward(self, *, offset, dim1, dim2):
        return shapes.diagonal(self, offset, dim1, dim2)

    def grad_self(grad, offset, dim1, dim2, self_meta):
        return diagonal_put(grad, shape=self_meta.shape, offset=offset, dim1=dim1, dim2=dim2)


@primitive(linear=True, node="DiagonalBackward0_copy")
class diagonal_copy:
    """The diagonal of two dimensions, copied."""

    def forward(self, *, offset, dim1, dim2):
        return shapes.diagonal(self, offset, dim1, dim2).copy()

    def grad_self(grad, offset, dim1, dim2, self_meta):
        return diagonal_put(grad, shape=self_meta.shape, offset=offset, dim1=dim1, dim2=dim2)


@primitive(linear=True, node="DiagonalScatterBackward0")
class diagonal_put:
    """Zeros of `shape` with the value on the diagonal of two dimensions."""

    def forward(self, *, shape, offset, dim1, dim2):
        out = zeros_beside(self, shape)
        shapes.diagonal(out, offset, dim1, dim2)[...] = self
        return out

    def grad_self(grad, offset, dim1, dim2):
        return diagonal(grad, offset=offset, dim1=dim1, dim2=dim2)


@primitive(linear=True)
class diag_embed:
    """The last dimension on the diagonal of two new ones."""

    def forward(self, *, offset, dim1, dim2):
        return shapes.diag_embed(self, offset, dim1, dim2)

    def grad_self(grad, offset, dim1, dim2):
        return diagonal(grad, offset=offset, dim1=dim1, dim2=dim2)


@primitive(view=True, linear=True)
class unfold:
    """Windows of `size` every `step` along `dim`, as a new last dimension."""

    def forward(self, *, dim, size, step):
        return shapes.unfold(self, dim, size, step)

    def grad_self(grad, dim, size, step, self_meta):
        return unfold_add(grad, shape=self_meta.shape, dim=dim, size=size, step=step)


@primitive(linear=True, node="UnfoldBackwardBackward0")
class unfold_add:
    """The adjoint of `unfold`: windows added up where they overlap."""

    def forward(self, *, shape, dim, size, step):
        return shapes.unfold_add(self, shape, dim, size, step)

    def grad_self(grad, dim, size, step):
        return unfold(grad, dim=dim, size=size, step=step)


@primitive(linear=True)
class flip:
    """Elements in reverse order along `dims`."""

    def forward(self, *, dims):
        return xp.flip(self, dims).copy(order="K")

    def grad_self(grad, dims):
        return flip(grad, dims=dims)


@primitive(linear=True)
class roll:
    """Elements moved round by `shifts` along `dims`."""

    def forward(self, *, shifts, dims):
        return xp.roll(contiguous(self), shifts, dims)

    def grad_self(grad, shifts, dims):
        return roll(grad, shifts=tuple(-s for s in shifts), dims=dims)


@primitive(linear=True, node="Rot90Backward0")
class rot90:
    """Turned by k times 90 degrees in the plane of two dimensions."""

    def forward(self, *, k, dims):
        return xp.rot90(self, k, dims).copy()

    def grad_self(grad, k, dims):
        return rot90(grad, k=-k, dims=dims)


@primitive(linear=True)
class repeat:
    """The whole tensor repeated `repeats` times along each dimension (new ones come first)."""

    def forward(self, *, repeats):
        return xp.tile(self, repeats)

    def grad_self(grad, repeats, self_meta):
        return sum_repeats(grad, repeats, self_meta.shape)


def sum_repeats(grad, repeats, shape):
    """The adjoint of `repeat`: each element's copies added up."""
    shape = (1,) * (len(repeats) - len(shape)) + shape
    split = tuple(n for pair in zip(repeats, shape, strict=True) for n in pair)
    split_grad = reshape(grad, shape=split)
    total = sum_to(split_grad, shape=tuple(n for s in shape for n in (1, s)))
    return reshape(total, shape=shape)


@primitive(linear=True)
class tril:
    """The lower triangles of matrices, zero above the given diagonal."""

    def forward(self, *, diagonal):
        return contiguous(xp.tril(self, diagonal))

    def grad_self(grad, diagonal):
        return tril(grad, diagonal=diagonal)


@primitive(linear=True)
class triu:
    """The upper triangles of matrices, zero below the given diagonal."""

    def forward(self, *, diagonal):
        return contiguous(xp.triu(self, diagonal))

    def grad_self(grad, diagonal):
        return triu(grad, diagonal=diagonal)


def crop_to(value, start, size):
    """The part of matrices from row, column `start` with `size` rows and columns."""
    n = value.ndim
    for dim, first, length in ((n - 2, start[0], size[0]), (n - 1, start[1], size[1])):
        value = slice_dim(value, dim=dim, start=first, end=first + length, step=1)
    return value
