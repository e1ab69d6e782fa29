"""Parts of a tensor: slices, diagonals, windows, strides (spec T-37)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.errors import index_of, wrap_dim
from vizgrad.core.function.strided import Geometry
from vizgrad.core.function.strided import as_strided as strided
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops import joining as part_ops
from vizgrad.core.ops import shape
from vizgrad.core.ops import shape as ops
from vizgrad.core.ops.copying import without_history
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import sizes_of, takes_axis, takes_out, takes_tensors
from vizgrad.core.tensor.tensor import Tensor, storage_of


@public(method=True)
@takes_tensors
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions as the last dimension (a view)."""
    ndim, offset = input._array.ndim, index_of(offset)
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return shape.diagonal.record(input, offset=offset, dim1=first, dim2=second)


@public(method=True)
@takes_out
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix (a copy), or the matrix with a vector on its diagonal."""
    ndim, diagonal = input._array.ndim, index_of(diagonal)
    if ndim == 1:
        return shape.diag_embed.record(input, offset=diagonal, dim1=0, dim2=1)
    if ndim == 2:
        return shape.diagonal_copy.record(input, offset=diagonal, dim1=0, dim2=1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")


@public(method=True)
@takes_out
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension on the diagonals of new matrices."""
    ndim, offset = input._array.ndim + 1, index_of(offset)
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if first > second:
        first, second, offset = second, first, -offset
    return shape.diag_embed.record(input, offset=offset, dim1=first, dim2=second)


@method
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` every `step` along a dimension, as a new last dimension (a view)."""
    dim, size, step = wrap_dim(dimension, self._array.ndim), index_of(size), index_of(step)
    length = self._array.shape[dim] if self._array.ndim else 1
    if size > length:
        raise RuntimeError(
            f"maximum size for tensor at dimension {dim} is {length} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return shape.unfold.record(self, dim=dim, size=size, step=step)


@public(method=True)
@takes_tensors
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view with any strides and offset (in elements, the offset from the start of the memory)."""
    have = input._array
    sizes, strides = sizes_of("as_strided", (size,)), sizes_of("as_strided", (stride,))
    here = input.storage_offset()
    start = here if storage_offset is None else index_of(storage_offset)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"mismatch in length of strides and shape: {list(sizes)} and {list(strides)}"
        )
    if any(s < 0 for s in strides):
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got strides: "
            f"{list(strides)}"
        )
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    last = start + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    elements = _memory_of(input) // have.itemsize
    if 0 not in sizes and not start <= last < elements:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {start} are "
            f"out of bounds for storage of {elements} elements"
        )
    geometry = Geometry(have.shape, layout.strides_of(have), sizes, strides, start - here)
    return strided.record(input, geometry=geometry)


def _memory_of(tensor: Tensor) -> int:
    """Bytes of the block that the tensor lies in; of a batch that of all examples."""
    while isinstance(tensor, Wrapped) and tensor.level.open:
        tensor = tensor.value
    storage = storage_of(tensor)
    return owner(tensor._array).nbytes if tensor.is_inference() else storage.nbytes


@public(method=True)
@takes_axis
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at `index` of `dim`, without that dimension (a view)."""
    shape = input._array.shape
    at = wrap_dim(dim, len(shape))
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    index = index_of(index)
    if not -shape[at] <= index < shape[at]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at "
            f"dimension {at}"
        )
    return ops.select.record(input, dim=at, index=index % shape[at])


@public(method=True)
@takes_axis
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` elements of `dim` from `start` (a view)."""
    shape = input._array.shape
    length = index_of(length)
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, len(shape))
    if isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind not in "iu"):
        raise RuntimeError(
            f"start must be an 0-dim integral Tensor, not {start.dtype.name} of shape {list(start.shape)}"
        )
    begin = index_of(start)
    if not -shape[at] <= begin <= shape[at]:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{shape[at]}, {shape[at]}], "
            f"but got {begin})"
        )
    begin = begin + shape[at] if begin < 0 else begin
    if length < 0 or begin + length > shape[at]:
        raise RuntimeError(
            f"start ({begin}) + length ({length}) exceeds dimension size ({shape[at]})."
        )
    return ops.slice_dim.record(input, dim=at, start=begin, end=begin + length, step=1)


def check_step(step: int) -> None:
    """RuntimeError for a step that leads nowhere, or backwards."""
    if step <= 0:
        raise RuntimeError(f"slice step must be positive, got {step}")


# Copies with a part replaced.


def _check_size(part: Tensor, src: Tensor) -> None:
    if part._array.shape != src._array.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
        )


def _beside(input: Tensor, src: Tensor) -> Tensor:
    """`src`, without history where the result has a type that has none."""
    return without_history(src, input._array.dtype)


@public(method=True)
@takes_tensors
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` in the slice at `index` of `dim`."""
    _check_size(select(input.detach(), dim, index), src)
    at = wrap_dim(dim, input._array.ndim)
    index = int(index) % input._array.shape[at]
    return part_ops.select_scatter.record(input, _beside(input, src), dim=at, index=index)


@public(method=True)
@takes_tensors
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input` with `src` in the elements start, start + step, ... of `dim`."""
    check_step(step)
    at = wrap_dim(dim, input._array.ndim)
    _check_size(input.detach()[(slice(None),) * at + (slice(start, end, step),)], src)
    first, last, step = slice(start, end, step).indices(input._array.shape[at])
    return part_ops.slice_scatter.record(
        input, _beside(input, src), dim=at, start=first, end=max(first, last), step=step
    )


@public(method=True)
@takes_tensors
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` on a diagonal."""
    _check_size(diagonal(input.detach(), offset, dim1, dim2), src)
    ndim = input._array.ndim
    return part_ops.diagonal_scatter.record(
        input, _beside(input, src), offset=int(offset),
        dim1=wrap_dim(dim1, ndim), dim2=wrap_dim(dim2, ndim),
    )  # fmt: skip
