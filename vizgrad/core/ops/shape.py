"""Other shapes for the same elements, parts of them, and another order; those marked `view` share memory."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import reduction, shapes
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.sparse import SparseUnsupported, is_sparse
from vizgrad.core.function.primitive import primitive
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.tensor.tensor import Tensor


@primitive(view=True, linear=True)
class view:
    """The same elements in C order under another shape; strides must allow it (T-11)."""

    def forward(self, *, shape):
        return shapes.view(self, shape)

    def grad_self(grad, self_meta):
        if isinstance(grad, Tensor) and grad.shape == self_meta.shape:
            return view(grad, shape=self_meta.shape)  # never the caller's own tensor (Y-12)
        return reshape(grad, shape=self_meta.shape)


@primitive(linear=True, node="UnsafeViewBackward0")
class unsafe_view:
    """A `view` of memory nobody else has, so it need not be tracked as a view."""

    def forward(self, *, shape):
        return self.reshape(shape)

    def grad_self(grad, self_meta):
        return reshape(grad, shape=self_meta.shape)


def reshape(value, *, shape):
    """For formulas: `value` under another shape, a view where that is possible."""
    if not isinstance(value, Tensor):
        return value if value.shape == shape else value.reshape(shape)
    if value.__class__ is Wrapped and value.level.open:
        return value.level.reshaped(value, shape, reshape)
    array = value._array
    if array.shape == shape:
        return value
    return view.record(
        value if shapes.can_view(array, shape) else contiguous_copy.record(value), shape=shape
    )


@primitive(linear=True, typing="moved")
class clone:
    """A copy of the elements, in memory of its own."""

    forward = shapes.copy

    def grad_self(grad):
        return grad


@primitive(linear=True, typing="moved", node="CloneBackward0")
class contiguous_copy:
    """A copy of the elements in C order."""

    def forward(self):
        return self.copy()

    def grad_self(grad):
        return grad


@primitive(linear=True, typing="moved", node="CloneBackward0")
class clone_in:
    """A copy of the elements in the order of a `memory_format`."""

    def forward(self, *, memory_format):
        return memory_format.applied(self)

    def grad_self(grad):
        return grad


@primitive(view=True, linear=True)
class alias:
    """The same elements, as another tensor."""

    def forward(self):
        return self[...]

    def grad_self(grad):
        return grad


@primitive(view=True, linear=True)
class expand:
    """Dimensions of size 1, and new leading ones, repeated without memory (stride 0)."""

    forward = shapes.expand

    def grad_self(grad, self_meta):
        return sum_to(grad, shape=self_meta.shape)


@primitive(linear=True, node="SumBackward1")
class sum_to:
    """The sum over the dimensions by which `shape` would be broadcast to this shape."""

    def forward(self, *, shape):
        return reduction.sum_to(self, shape)

    def grad_self(grad, self_meta):
        return expand(grad, shape=self_meta.shape)


@primitive(view=True, linear=True)
class permute:
    """Dimensions in another order: result dimension i is dimension dims[i]."""

    def forward(self, *, dims):
        return self.transpose(dims)

    def grad_self(grad, dims):
        return permute(grad, dims=inverse_order(dims))


def inverse_order(dims):
    """The order that undoes `permute(dims=dims)`."""
    inverse = [0] * len(dims)
    for position, dim in enumerate(dims):
        inverse[dim] = position
    return tuple(inverse)


@primitive(view=True, linear=True)
class transpose:
    """Two dimensions exchanged."""

    def forward(self, *, dim0, dim1):
        return self.swapaxes(dim0, dim1) if self.ndim else self[...]

    def grad_self(grad, dim0, dim1):
        return transpose(grad, dim0=dim0, dim1=dim1)


@primitive(view=True, linear=True)
class t:
    """The transpose of a matrix; a vector or scalar as it is."""

    def forward(self):
        return self.T

    def grad_self(grad):
        return t(grad)


@primitive(view=True, linear=True)
class unsqueeze:
    """A new dimension of size 1 at `dim` (not negative)."""

    math_self = "squeeze(g, dim)"

    def forward(self, *, dim):
        return shapes.unsqueeze(self, dim)

    def grad_self(grad, dim):
        return squeeze_dims(grad, dims=(dim,))


@primitive(view=True, linear=True, node="SqueezeBackward0")
class squeeze_all:
    """All dimensions of size 1 removed."""

    def forward(self):
        return xp.squeeze(self)

    def grad_self(grad, self_meta):
        return reshape(grad, shape=self_meta.shape)


@primitive(view=True, linear=True, node="SqueezeBackward1")
class squeeze_dim:
    """One dimension removed if its size is 1."""

    def forward(self, *, dim):
        return shapes.squeeze(self, (dim,))

    def grad_self(grad, self_meta):
        return reshape(grad, shape=self_meta.shape)


@primitive(view=True, linear=True, node="SqueezeBackward2")
class squeeze_dims:
    """Several dimensions removed where their size is 1."""

    def forward(self, *, dims):
        return shapes.squeeze(self, dims)

    def grad_self(grad, self_meta):
        return reshape(grad, shape=self_meta.shape)


@primitive(linear=True, node="SqueezeBackward4")
class drop_dim:
    """A dimension of size 1 taken off memory nobody else has, as `squeeze_` does inside `matmul`."""

    def forward(self, *, dim):
        return shapes.squeeze(self, (dim,))

    def grad_self(grad, self_meta):
        return reshape(grad, shape=self_meta.shape)


def restore_dims(grad, dims, keepdim, ndim):
    """The gradient of a reduction with the reduced dimensions put back as size 1."""
    if keepdim or dims is None:
        return grad
    for dim in sorted(dims):
        grad = unsqueeze(grad, dim=dim)
    return grad


@primitive(view=True, linear=True)
class select:
    """The slice at `index` of `dim`, without that dimension."""

    def forward(self, *, dim, index):
        return self[(slice(None),) * dim + (index, ...)]

    def grad_self(grad, dim, index, self_meta):
        return put(grad, shape=self_meta.shape, key=(slice(None),) * dim + (index,))


@primitive(view=True, linear=True, node="SliceBackward0")
class slice_dim:
    """Elements start, start + step, ... before `end` of `dim`."""

    def forward(self, *, dim, start, end, step):
        if start == end:
            return shapes.empty_slice(self, dim, start)
        return self[(*(slice(None),) * dim, slice(start, end, step))]

    def grad_self(grad, dim, start, end, step, self_meta):
        return put(
            grad, shape=self_meta.shape, key=(slice(None),) * dim + (slice(start, end, step),)
        )


@primitive(linear=True, node="SelectBackwardBackward0")
class put:
    """Zeros of `shape` with the value at the basic index `key` (no element twice)."""

    def forward(self, *, shape, key):
        if is_sparse(self):
            raise SparseUnsupported("select_backward", self.layout)
        out = zeros_beside(self, shape)
        out[key] = self
        return out

    def grad_self(grad, key):
        return take(grad, key=key)


@primitive(view=True, linear=True, node="SliceBackward0")
class take:
    """The view at the basic index `key`."""

    def forward(self, *, key):
        return self[(*key, ...)]

    def grad_self(grad, key, self_meta):
        return put(grad, shape=self_meta.shape, key=key)


# --- parts of tensors, and elements in another order --------------------------------------------------


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
