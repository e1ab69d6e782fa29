"""Dimensions and elements in another order, with PyTorch's signatures and errors (spec T-12 ... T-14)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.errors import existing_dim, index_of, wrap_dim
from vizgrad.core.ops import shape as ops
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import dims_given, dims_of, takes_out, takes_tensors
from vizgrad.core.ops.public.reshape import flatten, reshape
from vizgrad.core.tensor.requirements import MATRICES, RankAtLeast, not_a_tensor
from vizgrad.core.tensor.tensor import Tensor


@public(method=True, aliases="swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged (a view)."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("transpose", "input", 1, input)
    ndim = input._array.ndim
    return ops.transpose.record(input, dim0=wrap_dim(dim0, ndim), dim1=wrap_dim(dim1, ndim))


@public(method=True)
@takes_tensors
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose`, in numpy's words."""
    return transpose(input, axis0, axis1)


@public(method=True)
@takes_tensors
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; tensors of fewer dimensions as they are."""
    if (
        input._array.ndim > 2
    ):  # here, not in the annotation: in a call so short one more would be felt
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D"
        )
    return ops.t.record(input)


def T(self: Tensor) -> Tensor:
    """All dimensions reversed (a view)."""
    ndim = self._array.ndim
    if ndim not in (0, 2):
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*range(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return ops.permute.record(self, dims=tuple(range(ndim - 1, -1, -1)))


def mT(self: Tensor) -> Tensor:
    """The last two dimensions exchanged (a view)."""
    ndim = self._array.ndim
    if not ndim:
        warnings.warn(
            "Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.",
            UserWarning,
            stacklevel=2,
        )
        return self
    if ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {ndim}-D tensor."
        )
    return ops.transpose.record(self, dim0=ndim - 2, dim1=ndim - 1)


@public(method=True)
def permute(input: Tensor, *given: Any, dims: Any = None) -> Tensor:
    """Dimensions in the given order (a view)."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("permute", "input", 1, input)
    ndim = input._array.ndim
    order = dims_given("permute", given if dims is None else (dims,))
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {ndim} is not equal "
            f"to len(dims) = {len(order)}"
        )
    wrapped = tuple(wrap_dim(d, ndim) for d in order)
    if len(set(wrapped)) != ndim:
        raise RuntimeError(f"permute(): duplicate dims are not allowed, got {list(order)}")
    return ops.permute.record(input, dims=wrapped)


@public(method=True, aliases="moveaxis")
@takes_tensors
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places, the rest in order (a view)."""
    ndim = input._array.ndim
    sources = (source,) if isinstance(source, INTS) else tuple(source)
    targets = (destination,) if isinstance(destination, INTS) else tuple(destination)
    if len(sources) != len(targets):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)}) should contain "
            f"the same number of dims as destination ({list(targets)})"
        )
    sources, targets = (tuple(wrap_dim(d, ndim) for d in ds) for ds in (sources, targets))
    if not ndim:
        return ops.alias.record(input)
    if len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise RuntimeError(
            f"movedim: repeated dim in source {list(sources)} or destination {list(targets)}"
        )
    order: list[int] = [-1] * ndim
    for s, d in zip(sources, targets, strict=True):
        order[d] = s
    rest = iter(d for d in range(ndim) if d not in sources)
    return ops.permute.record(input, dims=tuple(next(rest) if d < 0 else d for d in order))


@public(method=True)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 (a view)."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("unsqueeze", "input", 1, input)
    return ops.unsqueeze.record(input, dim=wrap_dim(dim, input._array.ndim + 1))


@public(method=True)
def squeeze(input: Tensor, *given: Any, dim: Any = None) -> Tensor:
    """Dimensions of size 1 removed: all, or those named (a view)."""
    if dim is not None:
        given = (dim,)
    if not given or given == (None,):
        return ops.squeeze_all.record(input)
    try:
        ndim = input._array.ndim
    except AttributeError:
        raise not_a_tensor("squeeze", "input", 1, input) from None
    if len(given) == 1 and isinstance(given[0], int):
        return ops.squeeze_dim.record(input, dim=wrap_dim(given[0], ndim))
    dims = dims_of(dims_given("squeeze", given), ndim) or ()
    return ops.squeeze_dims.record(input, dims=dims)


@public(method=True)
@takes_out
def tril(input: Annotated[Tensor, MATRICES], diagonal: int = 0) -> Tensor:
    """The lower triangles of matrices, zero above the given diagonal."""
    return ops.tril.record(input, diagonal=index_of(diagonal))


@public(method=True)
@takes_out
def triu(input: Annotated[Tensor, MATRICES], diagonal: int = 0) -> Tensor:
    """The upper triangles of matrices, zero below the given diagonal."""
    return ops.triu.record(input, diagonal=index_of(diagonal))


@public(method=True)
@takes_tensors
def flip(input: Tensor, *given: Any, dims: Any = None) -> Tensor:
    """Elements in reverse order along `dims` (a copy)."""
    along = dims_given("flip", given if dims is None else (dims,))
    return ops.flip.record(input, dims=dims_of(along, input._array.ndim) or ())


@public(method=True)
@takes_tensors
def fliplr(
    input: Annotated[Tensor, RankAtLeast(2, "fliplr: input must be at least 2-d")],
) -> Tensor:
    return flip(input, 1)


@public(method=True)
@takes_tensors
def flipud(
    input: Annotated[Tensor, RankAtLeast(1, "flipud: input must be at least 1-d")],
) -> Tensor:
    return flip(input, 0)


@public(method=True)
@takes_tensors
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Elements moved round by `shifts` along `dims`; in C order over everything if none are given."""
    several = isinstance(shifts, Sequence) and not isinstance(shifts, str)
    shift = tuple([index_of(s) for s in (shifts if several else (shifts,))])
    if not shift:
        raise RuntimeError("roll(): `shifts` required: say by how many places")
    if dims is None or (isinstance(dims, tuple) and not dims):
        if len(shift) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shift)}, dims:0")
        flat = ops.roll.record(flatten(input), shifts=shift, dims=(0,))
        return ops.unsafe_view.record(flat, shape=input._array.shape)
    along = (dims,) if isinstance(dims, INTS) else tuple(dims)
    if len(along) != len(shift):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shift)}, dims:{len(along)}"
        )
    wrapped = tuple(existing_dim(d, input._array.ndim) for d in along)
    return ops.roll.record(input, shifts=shift, dims=wrapped)


@public(method=True)
@takes_tensors
def rot90(
    input: Annotated[
        Tensor, RankAtLeast(2, "expected total dims >= 2, but got total dims = {ndim}")
    ],
    k: int = 1,
    dims: Any = (0, 1),
) -> Tensor:
    """Turned by k times 90 degrees in a plane of two dimensions."""
    plane = tuple(wrap_dim(d, input._array.ndim) for d in dims)
    if len(plane) != 2 or plane[0] == plane[1]:
        raise RuntimeError(f"expected two different rotation dims, but got {list(dims)}")
    return ops.rot90.record(input, k=k, dims=plane)


def _of_each(one: Callable[[Tensor], Tensor], tensors: Any) -> Any:
    """`one` of a single tensor; a tuple of results for several, also in a list."""
    if len(tensors) == 1 and isinstance(tensors[0], (Tensor, list, tuple)):
        if isinstance(tensors[0], Tensor):
            return one(tensors[0])
        tensors = tensors[0]
    for position, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"expected Tensor as element {position} in argument 0, but got {type(tensor).__name__}"
            )
    return tuple([one(t) for t in tensors])


def _with_row(input: Tensor) -> Tensor:
    return input if input._array.ndim else reshape(input, 1)


def _as_matrix(input: Tensor) -> Tensor:
    return input if input._array.ndim > 1 else unsqueeze(_with_row(input), 0)


def _as_stack(input: Tensor) -> Tensor:
    return input if input._array.ndim > 2 else unsqueeze(_as_matrix(input), -1)


@public
def atleast_1d(*tensors: Any) -> Any:
    """The tensor with at least one dimension; of several tensors (or a list) a tuple."""
    return _of_each(_with_row, tensors)


@public
def atleast_2d(*tensors: Any) -> Any:
    """With at least two dimensions: a vector is a row."""
    return _of_each(_as_matrix, tensors)


@public
def atleast_3d(*tensors: Any) -> Any:
    """With at least three dimensions: a vector is (1, n, 1), a matrix (m, n, 1)."""
    return _of_each(_as_stack, tensors)
