"""Other shapes for the same elements, with PyTorch's signatures and errors (spec T-11 ... T-14)."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.arrays import layout
from vizgrad.arrays.kernels import shapes
from vizgrad.errors import wrap_dim
from vizgrad.function.failing import broadcast_error
from vizgrad.function.strided import Geometry
from vizgrad.function.strided import as_strided as strided
from vizgrad.ops import shape as ops
from vizgrad.ops.public.arguments import dims_given, dims_of, index_of, sizes_of
from vizgrad.tensor.tensor import Tensor, storage_of


def infer(sizes: tuple[int, ...], numel: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """`sizes` with its -1 replaced; RuntimeError if the number of elements does not fit."""
    known, unknown = 1, -1
    for position, n in enumerate(sizes):
        if n == -1:
            if unknown >= 0:
                raise RuntimeError(f"only one dimension can be inferred, but {list(sizes)} has several -1")
            unknown = position
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n} at index {position} of shape {list(sizes)}")
        else:
            known *= n
    if unknown < 0:
        if known != numel:
            raise RuntimeError(
                f"shape '{list(sizes)}' is invalid for input of size {numel} (its shape is {list(shape)})"
            )
        return sizes
    if known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of {numel} elements into shape {list(sizes)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if numel % known:
        raise RuntimeError(
            f"shape '{list(sizes)}' is invalid for input of size {numel} (its shape is {list(shape)})"
        )
    return (*sizes[:unknown], numel // known, *sizes[unknown + 1 :])


def view(self: Tensor, *size: Any) -> Tensor:
    """The same memory under another shape; RuntimeError where strides do not allow it.

    `view(dtype)` reads the same bytes as another type of the same size, without history.
    """
    from vizgrad.arrays.dtypes import DType

    if len(size) == 1 and isinstance(size[0], DType):
        return _view_dtype(self, size[0])
    array = self._array
    return ops.view.record(self, shape=infer(sizes_of("view", size), array.size, array.shape))


def _view_dtype(self: Tensor, dtype: Any) -> Tensor:
    from vizgrad.function.views import become_view
    from vizgrad.tensor.tensor import new_tensor

    if dtype is self.dtype:
        return ops.alias.record(self)
    if dtype.itemsize != self.itemsize:
        raise RuntimeError(
            f"self.size(-1) must be divisible to view {self.dtype.name} as {dtype.name}: only types of the "
            "same size are supported"
        )
    out = new_tensor(self._array.view(dtype.np))
    become_view(out, self.detach(), "view")  # pyright: ignore[reportAttributeAccessIssue]
    return out


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`view` with the shape of `other`."""
    return view(self, other._array.shape)


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements under another shape: a view where strides allow it, else a copy."""
    array = input._array
    sizes = infer(sizes_of("reshape", shape), array.size, array.shape)
    if shapes.can_view(array, sizes):
        return ops.view.record(input, shape=sizes)
    return ops.unsafe_view.record(ops.contiguous_copy.record(input), shape=sizes)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    return reshape(self, other._array.shape)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Dimensions start_dim ... end_dim as one."""
    array = input._array
    first, last = wrap_dim(start_dim, array.ndim), wrap_dim(end_dim, array.ndim)
    if first > last:
        raise RuntimeError(f"flatten() has invalid args: start_dim {start_dim} cannot come after end_dim {end_dim}")
    if array.ndim == 0:
        return reshape(input, 1)
    if first == last:
        return input
    n = 1
    for length in array.shape[first : last + 1]:
        n *= length
    return reshape(input, (*array.shape[:first], n, *array.shape[last + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in C order; a view if possible."""
    return view(contiguous(input), -1)


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Dimension `dim` as several."""
    array = input._array
    at = wrap_dim(dim, array.ndim)
    if not array.ndim:
        raise RuntimeError("unflatten: a 0-dim tensor has no dimension to unflatten")
    parts = tuple(sizes)
    if not parts:
        raise RuntimeError("unflatten: sizes must be non-empty")
    length = array.shape[at]
    if -1 not in parts:
        n = 1
        for p in parts:
            n *= p
        if n != length:
            raise RuntimeError(
                f"unflatten: Provided sizes {list(parts)} don't multiply up to the size of dim {dim} ({length}) "
                "in the input tensor"
            )
    else:
        parts = infer(parts, length, (length,))
    return view(input, (*array.shape[:at], *parts, *array.shape[at + 1 :]))


def contiguous(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """`self` if its memory is in C order, else a copy in that order."""
    return self if self._array.flags.c_contiguous else ops.contiguous_copy.record(self)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged (a view)."""
    ndim = input._array.ndim
    return ops.transpose.record(input, dim0=wrap_dim(dim0, ndim), dim1=wrap_dim(dim1, ndim))


swapaxes = swapdims = transpose


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; tensors of fewer dimensions as they are."""
    if input._array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return ops.t.record(input)


def T(self: Tensor) -> Tensor:
    """All dimensions reversed (a view)."""
    ndim = self._array.ndim
    if ndim not in (0, 2):
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated. "
            "Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*range(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return ops.permute.record(self, dims=tuple(range(ndim - 1, -1, -1)))


def mT(self: Tensor) -> Tensor:
    """The last two dimensions exchanged (a view)."""
    ndim = self._array.ndim
    if ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {ndim}-D tensor.")
    return ops.transpose.record(self, dim0=ndim - 2, dim1=ndim - 1)


def permute(input: Tensor, *dims: Any) -> Tensor:
    """Dimensions in the given order (a view)."""
    ndim = input._array.ndim
    order = dims_given("permute", dims)
    if len(order) != ndim:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    wrapped = tuple(wrap_dim(d, ndim) for d in order)
    if len(set(wrapped)) != ndim:
        raise RuntimeError(f"permute(): duplicate dims are not allowed, got {list(order)}")
    return ops.permute.record(input, dims=wrapped)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places, the rest in order (a view)."""
    ndim = input._array.ndim
    sources = (source,) if isinstance(source, int) else tuple(source)
    targets = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(sources) != len(targets):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)}) should contain the same "
            f"number of dims as destination ({list(targets)})"
        )
    sources, targets = (tuple(wrap_dim(d, ndim) for d in ds) for ds in (sources, targets))
    if not ndim:
        return ops.alias.record(input)
    if len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise RuntimeError(f"movedim: repeated dim in source {list(sources)} or destination {list(targets)}")
    order: list[int] = [-1] * ndim
    for s, d in zip(sources, targets, strict=True):
        order[d] = s
    rest = iter(d for d in range(ndim) if d not in sources)
    return ops.permute.record(input, dims=tuple(next(rest) if d < 0 else d for d in order))


moveaxis = movedim


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 (a view)."""
    return ops.unsqueeze.record(input, dim=wrap_dim(dim, input._array.ndim + 1))


def squeeze(input: Tensor, *dim: Any) -> Tensor:
    """Dimensions of size 1 removed: all, or those named (a view)."""
    if not dim or dim == (None,):
        return ops.squeeze_all.record(input)
    ndim = input._array.ndim
    if len(dim) == 1 and isinstance(dim[0], int):
        return ops.squeeze_dim.record(input, dim=wrap_dim(dim[0], ndim))
    dims = dims_of(dims_given("squeeze", dim), ndim) or ()
    return ops.squeeze_dims.record(input, dims=dims)


def expand(self: Tensor, *size: Any) -> Tensor:
    """Dimensions of size 1, and new leading ones, repeated without memory; -1 keeps a size (a view)."""
    want = sizes_of("expand", size)
    have = self._array.shape
    extra = len(want) - len(have)
    if extra < 0:
        raise RuntimeError(
            f"expand(tensor of shape {list(have)}, size={list(want)}): the number of sizes provided "
            f"({len(want)}) must be greater or equal to the number of dimensions in the tensor ({len(have)})"
        )
    full = list(want)
    for position, n in enumerate(want):
        old = have[position - extra] if position >= extra else None
        if n == -1:
            if old is None:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension "
                    f"{position}"
                )
            full[position] = old
        elif old is not None and old not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({old}) at non-singleton "
                f"dimension {position}.  Target sizes: {list(want)}.  Tensor sizes: {list(have)}"
            )
    return ops.expand.record(self, shape=tuple(full))


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    return expand(self, other._array.shape)


def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    """`expand`, as a function."""
    return expand(input, *size)


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that the given shapes broadcast to; RuntimeError if they do not."""
    from vizgrad.tensor.tensor import Size

    result: tuple[int, ...] = ()
    for each in shapes:
        sizes = (each,) if isinstance(each, int) else tuple(each)
        error = broadcast_error(result, sizes)
        if error is not None:
            raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape. {error}")
        n = max(len(result), len(sizes))
        a, b = (1,) * (n - len(result)) + result, (1,) * (n - len(sizes)) + sizes
        result = tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))
    return Size(result)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tuple(tensors[0])
    shape: tuple[int, ...] = ()
    for each in tensors:
        error = broadcast_error(shape, each._array.shape)
        if error is not None:
            raise error
        shape = broadcast_shapes(shape, each._array.shape)
    return tuple(expand(each, shape) for each in tensors)


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions as the last dimension (a view)."""
    ndim = input._array.ndim
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return ops.diagonal.record(input, offset=offset, dim1=first, dim2=second)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix (a copy), or the matrix with a vector on its diagonal."""
    ndim = input._array.ndim
    if ndim == 1:
        return ops.diag_embed.record(input, offset=diagonal, dim1=0, dim2=1)
    if ndim == 2:
        return ops.diagonal_copy.record(input, offset=diagonal, dim1=0, dim2=1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension on the diagonals of new matrices."""
    ndim = input._array.ndim + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if first > second:
        first, second, offset = second, first, -offset
    return ops.diag_embed.record(input, offset=offset, dim1=first, dim2=second)


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` every `step` along a dimension, as a new last dimension (a view)."""
    dim = wrap_dim(dimension, self._array.ndim)
    length = self._array.shape[dim] if self._array.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return ops.unfold.record(self, dim=dim, size=size, step=step)


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view with any strides and offset (in elements, the offset from the start of the memory)."""
    have = input._array
    sizes, strides = tuple(size), tuple(stride)
    here = input.storage_offset()
    start = here if storage_offset is None else storage_offset
    if len(sizes) != len(strides):
        raise RuntimeError(f"mismatch in length of strides and shape: {list(sizes)} and {list(strides)}")
    if any(s < 0 for s in strides):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}")
    last = start + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    elements = storage_of(input).nbytes // have.itemsize
    if 0 not in sizes and not 0 <= start <= last < elements:
        raise RuntimeError(
            f"setStorage: sizes {list(sizes)}, strides {list(strides)}, storage offset {start} are out of bounds for "
            f"storage of {elements} elements"
        )
    geometry = Geometry(have.shape, layout.strides_of(have), sizes, strides, start - here)
    return strided.record(input, geometry=geometry)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangles of matrices, zero above the given diagonal."""
    _check_matrix("tril", input)
    return ops.tril.record(input, diagonal=diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangles of matrices, zero below the given diagonal."""
    _check_matrix("triu", input)
    return ops.triu.record(input, diagonal=diagonal)


def _check_matrix(name: str, input: Tensor) -> None:
    if input._array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions, got {input._array.ndim}")


def flip(input: Tensor, *dims: Any) -> Tensor:
    """Elements in reverse order along `dims` (a copy)."""
    given = dims_given("flip", dims)
    return ops.flip.record(input, dims=dims_of(given, input._array.ndim) or ())


def fliplr(input: Tensor) -> Tensor:
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    return flip(input, 0)


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Elements moved round by `shifts` along `dims`; in C order over everything if none are given."""
    shift = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None or dims == ():
        if len(shift) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shift)}, dims:0")
        flat = ops.roll.record(flatten(input), shifts=shift, dims=(0,))
        return view(flat, input._array.shape)
    along = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(along) != len(shift):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shift)}, dims:{len(along)}")
    wrapped = tuple(wrap_dim(d, input._array.ndim) for d in along)
    return ops.roll.record(input, shifts=shift, dims=wrapped)


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Turned by k times 90 degrees in a plane of two dimensions."""
    ndim = input._array.ndim
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    plane = tuple(wrap_dim(d, ndim) for d in dims)
    if len(plane) != 2 or plane[0] == plane[1]:
        raise RuntimeError(f"expected two different rotation dims, but got {list(dims)}")
    return ops.rot90.record(input, k=k, dims=plane)


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """The whole tensor repeated along each dimension; extra numbers make new leading ones."""
    counts = sizes_of("repeat", repeats)
    if len(counts) < self._array.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: "
            f"{len(counts)} < {self._array.ndim}"
        )
    return ops.repeat.record(self, repeats=counts)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Like `repeat`; too few numbers are filled up with ones in front."""
    counts = sizes_of("tile", dims)
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element (or slice along `dim`) repeated, one after the other."""
    from vizgrad.ops.public.searching import index_select

    if dim is None:
        input, dim = flatten(input), 0
    at = wrap_dim(dim, input._array.ndim)
    if isinstance(repeats, int):
        shape = input._array.shape
        wide = expand(unsqueeze(input, at + 1), (*shape[: at + 1], repeats, *shape[at + 1 :]))
        copied = ops.contiguous_copy.record(wide)
        return view(copied, (*shape[:at], shape[at] * repeats, *shape[at + 1 :]))
    counts = repeats._array
    if counts.size == 1:
        return repeat_interleave(input, int(counts.reshape(()).item()), at)
    return index_select(input, at, _repeated_positions(counts))


def _repeated_positions(counts: Any) -> Tensor:
    from vizgrad.arrays import xp
    from vizgrad.tensor.tensor import new_tensor

    return new_tensor(xp.repeat(xp.arange(counts.size), counts))


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at `index` of `dim`, without that dimension (a view)."""
    shape = input._array.shape
    at = wrap_dim(dim, len(shape))
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    index = index_of(index)
    if not -shape[at] <= index < shape[at]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {at}"
        )
    return ops.select.record(input, dim=at, index=index % shape[at])


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` elements of `dim` from `start` (a view)."""
    shape = input._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, len(shape))
    begin = index_of(start)
    if not -shape[at] <= begin <= shape[at]:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{shape[at]}, {shape[at]}], but got {begin})"
        )
    begin = begin + shape[at] if begin < 0 else begin
    if length < 0 or begin + length > shape[at]:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({shape[at]}).")
    return ops.slice_dim.record(input, dim=at, start=begin, end=begin + length, step=1)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of a grid from its axes; `indexing` "ij" or "xy"."""
    axes = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    if indexing is None:
        warnings.warn(
            "meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=2,
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    axes = list(axes)
    swap = indexing == "xy" and len(axes) > 1
    if swap:
        axes[0], axes[1] = axes[1], axes[0]
    shape = tuple(a._array.size for a in axes)
    grids = [
        expand(view(a, (1,) * i + (-1,) + (1,) * (len(axes) - 1 - i)), shape) for i, a in enumerate(axes)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def atleast_1d(input: Tensor) -> Tensor:
    return input if input._array.ndim else reshape(input, 1)


def atleast_2d(input: Tensor) -> Tensor:
    return input if input._array.ndim > 1 else unsqueeze(atleast_1d(input), 0)


def atleast_3d(input: Tensor) -> Tensor:
    return input if input._array.ndim > 2 else unsqueeze(atleast_2d(input), -1)
