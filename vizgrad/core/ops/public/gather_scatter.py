"""Reading and writing along a dimension by index tensors (spec T-38, T-85)."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.kernels.indexing import check_select
from vizgrad.core.errors import existing_dim, wrap_dim
from vizgrad.core.function.inplace import check_placing, write
from vizgrad.core.ops import indexing
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import broadcasting, creation, reshape
from vizgrad.core.ops.public.arguments import (
    check_kind,
    check_number,
    check_number_fits,
    element,
    own_number,
    takes_axis,
    takes_out,
    takes_tensors,
)
from vizgrad.core.tensor.requirements import (
    Dim,
    Index,
    Long,
    OneOf,
    RankAtMost,
    Requirement,
    SameDtype,
    ZeroDim,
    first,
)
from vizgrad.core.tensor.tensor import Tensor

_INTEGERS = "{function}(): Expected dtype int32/int64 for index, got {dtype}"
#: The index of a gather or scatter. One of nothing may be of any type and rank; no dimensions are as one.
_Index = Annotated[
    Tensor,
    Index(_INTEGERS, or_empty=True),
    Requirement(
        "{0}._array.size and ({0}._array.ndim or 1) != ({1}._array.ndim or 1)",
        "Index tensor must have the same number of dimensions as input tensor: {ndim} and "
        "{other_ndim} in {function}()",
        other="",
    ),
]

#: The values to write have the dtype of the tensor that they are written into.
_Source = Annotated[
    Tensor,
    SameDtype(
        "",
        "{function}(): Expected self.dtype to be equal to src.dtype, got {other} and {dtype}",
    ),
]
_SourceOrNumber = Annotated[
    Any,
    Requirement(
        "isinstance({0}, _Tensor) and {0}._array.dtype != {1}._array.dtype",
        "{function}(): Expected self.dtype to be equal to src.dtype, got {other} and {dtype}",
        other="",
    ),
]


def _check_fit(
    name: str, index: Tensor, input: Tensor, dim: int, src: Tensor | None = None
) -> None:
    """`index` is no larger than `input` outside `dim`, and nowhere larger than `src`."""
    wanted, have = index._array, input._array
    if not wanted.size:
        return
    if src is not None and src._array.ndim:
        wrap_dim(dim, src._array.ndim)
    if src is not None and max(wanted.ndim, 1) != max(src._array.ndim, 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as src tensor: "
            f"{wanted.ndim} and {src._array.ndim} in {name}()"
        )
    fits = all(n <= m or d == dim for d, (n, m) in enumerate(_pairs(wanted, have)))
    if src is not None:
        fits = fits and all(n <= m for n, m in _pairs(wanted, src._array))
    if not fits:
        also = "" if src is None else f" and to be no larger size than src {list(src._array.shape)}"
        raise RuntimeError(
            f"Expected index {list(wanted.shape)} to be no larger than self {list(have.shape)} apart "
            f"from dimension {dim}{also} in {name}()"
        )


def _pairs(a: Any, b: Any) -> Any:
    return zip(a.shape or (1,), b.shape or (1,), strict=True)


def _check_sizes(name: str, index: Tensor, other: Tensor, dim: int, what: str) -> None:
    if not index._array.size:
        return
    for d, (n, m) in enumerate(zip(index._array.shape, other._array.shape, strict=False)):
        if n > m and d != dim:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index "
                f"{list(index._array.shape)} to be no larger than "
                f"{what} {list(other._array.shape)} apart from dimension {dim} in {name}()"
            )


@public(method=True)
@takes_axis
@takes_out
def gather(input: Tensor, dim: Dim, index: _Index, *, sparse_grad: bool = False) -> Tensor:
    """result[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    at = wrap_dim(dim, input._array.ndim)
    _check_sizes("gather", index, input, at, "self")
    return indexing.gather.record(input, index, dim=at)


@public(method=True)
@takes_axis
@takes_out
def take_along_dim(
    input: Tensor,
    indices: Annotated[
        Tensor,
        Requirement(
            "dim is not None and {0}._array.dtype != _int64",
            "take_along_dim(): dtype of indices should be Long but got {dtype}",
        ),
        Requirement(
            "dim is not None and {0}._array.ndim != {1}._array.ndim",
            "take_along_dim(): input and indices should have the same number of dimensions, but got "
            "{other_ndim} dimensions for input, and {ndim} dimensions for indices",
            other="",
        ),
    ],
    dim: int | None = None,
) -> Tensor:
    """`gather`, with input and indices broadcast against each other outside `dim`, and negative indices."""
    if dim is None:
        return gather(reshape.flatten(input), 0, reshape.flatten(indices))
    at = existing_dim(dim, input._array.ndim)
    a, b = list(input._array.shape), list(indices._array.shape)
    both = broadcasting.broadcast_shapes(
        [1 if d == at else n for d, n in enumerate(a)],
        [1 if d == at else n for d, n in enumerate(b)],
    )
    wide = broadcasting.expand(input, [a[at] if d == at else n for d, n in enumerate(both)])
    index = broadcasting.expand(indices, [b[at] if d == at else n for d, n in enumerate(both)])
    return gather(wide, at, index % a[at] if a[at] else index)


@public(method=True)
@takes_axis
def scatter(
    input: Tensor, dim: Dim, index: _Index, src: _SourceOrNumber = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """A copy of `input` with src[i][j] written at [index[i][j]][j] for dim 0, and so on."""
    op, operands, attributes = _scatter(input, dim, index, src, value, reduce)
    return op.record(input, *operands, **attributes)


@method
@takes_tensors
def scatter_(
    self: Tensor, dim: Dim, index: _Index, src: _SourceOrNumber = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """`scatter`, in place."""
    check_placing(self, index, src)
    op, operands, attributes = _scatter(self, dim, index, src, value, reduce)
    return write(op, self, *operands, name="scatter_", **attributes)


def _scatter(
    input: Tensor, dim: int, index: Tensor, src: Any, value: Any, reduce: str | None
) -> Any:
    at = wrap_dim(dim, input._array.ndim)
    if src is None:
        src = _number(value)
    if reduce is not None:
        return _scatter_reduced(input, at, index, src, reduce)
    if not isinstance(src, Tensor):
        check_number("scatter", "value", src)
        _check_fit("scatter", index, input, at)
        src = element(src, input._array.dtype)
        return indexing.scatter_number, (index,), {"dim": at, "value": src}
    _check_fit("scatter", index, input, at, src)
    return indexing.scatter, (index, src), {"dim": at}


def _number(value: Any) -> Any:
    """`value=` is a number: also that of a tensor without dimensions, whose history nobody asks for."""
    if isinstance(value, Tensor):
        if value._array.ndim or value.requires_grad:
            raise TypeError(
                "scatter() received an invalid combination of arguments: value= takes a number, not a tensor "
                "with dimensions or one that requires grad: hand it as src"
            )
        return value.item()
    return value


def _scatter_reduced(input: Tensor, at: int, index: Tensor, src: Any, reduce: str) -> Any:
    """The older spelling of `scatter_reduce`, which has a derivative here ([D]; in PyTorch it has none)."""
    if reduce not in _OLDER:
        raise RuntimeError(f"reduce argument must be either add or multiply, but got {reduce!r}")
    if not isinstance(src, Tensor):
        check_number("scatter", "value", src)
        src = creation.full(index.shape, src, dtype=input.dtype, device=input.device)
    _check_fit("scatter", index, input, at, src)
    attributes = {"dim": at, "reduce": _OLDER[reduce], "include_self": True}
    return indexing.scatter_reduce, (index, src), attributes


_OLDER = {"add": "sum", "multiply": "prod"}


@public(method=True)
@takes_axis
def scatter_add(input: Tensor, dim: Dim, index: _Index, src: _Source) -> Tensor:
    """A copy of `input` with src[i][j] added at [index[i][j]][j] for dim 0, and so on."""
    at = wrap_dim(dim, input._array.ndim)
    _check_fit("scatter_add", index, input, at, src)
    return indexing.scatter_add.record(input, index, src, dim=at)


@method
@takes_tensors
def scatter_add_(self: Tensor, dim: Dim, index: _Index, src: _Source) -> Tensor:
    """`scatter_add`, in place."""
    check_placing(self, index, src)
    at = wrap_dim(dim, self._array.ndim)
    _check_fit("scatter_add", index, self, at, src)
    return write(indexing.scatter_add, self, index, src, name="scatter_add_", dim=at)


_REDUCE = OneOf(
    ("sum", "prod", "mean", "amax", "amin"),
    "reduce argument must be either sum, prod, mean, amax or amin, got {value}.",
)


@public(method=True)
@takes_tensors
def scatter_reduce(
    input: Tensor, dim: Dim, index: _Index, src: _Source, reduce: Annotated[str, _REDUCE], *,
    include_self: bool = True,
) -> Tensor:  # fmt: skip
    """A copy of `input` with the groups of `src` that `index` names reduced into it.

    `reduce`: "sum", "prod", "mean", "amax", "amin"; with `include_self` what is there takes part.
    """
    at = _check_reduce(input, dim, index, src, reduce)
    return indexing.scatter_reduce.record(
        input, index, src, dim=at, reduce=reduce, include_self=include_self
    )


@method
@takes_tensors
def scatter_reduce_(
    self: Tensor, dim: Dim, index: _Index, src: _Source, reduce: Annotated[str, _REDUCE], *,
    include_self: bool = True,
) -> Tensor:  # fmt: skip
    """`scatter_reduce`, in place."""
    check_placing(self, index, src)
    at = _check_reduce(self, dim, index, src, reduce)
    return write(
        indexing.scatter_reduce, self, index, src, name="scatter_reduce_", dim=at, reduce=reduce,
        include_self=include_self,
    )  # fmt: skip


#: Kinds of elements that have an order, and that have a mean.
_REDUCES = {"amax": "biufV", "amin": "biufV", "mean": "iufcV"}


def _check_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> int:
    check_kind("scatter_reduce", input, _REDUCES.get(reduce, "biufcV"))
    at = wrap_dim(dim, input._array.ndim)
    _check_fit("scatter_reduce", index, input, at, src)
    return at


# Slices of one dimension by a vector of indices: read, written, added (spec T-38, T-85).


_Vector = Annotated[
    Tensor,
    RankAtMost(
        1,
        "{function}(): Index is supposed to be a vector, but got a tensor of shape {shape}",
        IndexError,
    ),
    Index(_INTEGERS),
]


@public(method=True)
@takes_axis
@takes_out
def index_select(input: Tensor, dim: Dim, index: _Vector) -> Tensor:
    """The slices of `dim` at the entries of a vector of indices."""
    at = wrap_dim(dim, input._array.ndim)
    if not input._array.ndim and index._array.size != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {index._array.size} "
            "value(s)"
        )
    if index._array.size and input._array.ndim > 1 and not input._array.shape[at]:
        raise RuntimeError(
            f"index_select(): self indexing axis dim should be positive: dimension {at} has no elements to "
            "select from"
        )
    return indexing.index_select.record(input, index, dim=at)


@public(method=True)
@takes_tensors
def index_add(
    input: Tensor, dim: Dim, index: _Vector, source: _Source, *, alpha: float = 1
) -> Tensor:
    """A copy of `input` with alpha times the slices of `source` added at the entries of `index`."""
    at = _index_write("index_add", input, dim, index, source)
    alpha = element(alpha, source._array.dtype)
    return indexing.index_add.record(input, index, source, dim=at, alpha=alpha)


@method
@takes_tensors
def index_add_(
    self: Tensor, dim: Dim, index: _Vector, source: _Source, *, alpha: float = 1
) -> Tensor:
    """`index_add`, in place."""
    check_placing(self, index, source)
    at = _index_write("index_add", self, dim, index, source)
    alpha = element(alpha, source._array.dtype)
    return write(indexing.index_add, self, index, source, name="index_add_", dim=at, alpha=alpha)


def _check_room(name: str, input: Tensor, at: int, index: Tensor) -> None:
    """Where a dim has no elements, no index is one: RuntimeError of copies and fills, IndexError of sums.

    PyTorch does not ask where the slices themselves have none.
    """
    shape = input._array.shape
    if not shape or shape[at] or not index._array.size:
        return
    if len(shape) == 1 or (name != "index_add" and 0 not in (*shape[:at], *shape[at + 1 :])):
        kind = RuntimeError if name in ("index_copy", "index_fill") else IndexError
        raise kind(f"{name}(): index out of range in self: dimension {at} has no elements")


def _index_write(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    at = wrap_dim(dim, input._array.ndim)
    if source._array.ndim and not 0 <= at < source._array.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {at} is out of bounds of the source tensor with dim "
            f"{source._array.ndim}"
        )
    length = source._array.shape[at] if source._array.ndim else 1
    if index._array.size != length and not source._array.ndim:
        existing_dim(at, 0)
    if index._array.size != length:
        raise RuntimeError(
            f"{name}(): Number of indices ({index._array.size}) should be equal to "
            f"source.size(dim) ({length}), for dim: {at}"
        )
    _check_slices(input, source, at)
    _check_room(name, input, at, index)
    return at


def _check_copied(input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    """The dimension, counted from the front. The order is PyTorch's, which says one of several faults."""
    dim = wrap_dim(dim, input._array.ndim)
    have, given, count = input._array.shape, source._array.shape, index._array.size
    if index._array.ndim > 1:
        raise IndexError(
            f"index_copy_(): Index should have dimension 1 or 0 (got {index._array.ndim})"
        )
    if not given and count != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {count})"
        )
    if have and given and len(have) != len(given):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({len(given)}), destination dimensionality ({len(have)})"
        )
    if index._array.dtype != xp.int64:
        raise RuntimeError(
            f"index_copy_(): Expected a long tensor for index, but got {index.dtype.name}"
        )
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{input.dtype.name} and (source) {source.dtype.name}"
        )
    if have[:dim] + have[dim + 1 :] != given[:dim] + given[dim + 1 :]:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(have)} at dimension {dim} and source slice shape: {list(given)} at dimension {dim}."
        )
    length = given[dim] if given else 1
    if count != length:
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) ({length})"
        )
    _check_room("index_copy", input, dim, index)
    return dim


def _check_slices(input: Tensor, source: Tensor, dim: int) -> None:
    have, given = input._array.shape, source._array.shape
    if (len(have), *have[:dim], *have[dim + 1 :]) != (len(given), *given[:dim], *given[dim + 1 :]):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(have)} source.shape = {list(given)}"
        )


def _check_select(index: Tensor, input: Tensor, dim: int) -> None:
    check_select(index._array, input._array.shape[dim] if input._array.ndim else 1)


@public(method=True)
@takes_tensors
def index_copy(input: Tensor, dim: Dim, index: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the slices of `source` written at the entries of `index`."""
    at = _check_copied(input, dim, index, source)
    return indexing.index_copy.record(input, index, source, dim=at)


@method
@takes_tensors
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy`, in place."""
    check_placing(self, index, source)
    at = _check_copied(self, dim, index, source)
    return write(indexing.index_copy, self, index, source, name="index_copy_", dim=at)


_Filled = Annotated[
    Tensor,
    Long("index_fill_(): Expected dtype int64 for index, got {dtype}", IndexError),
    RankAtMost(1, "index_fill_(): Index has to be a vector/scalar, not of shape {shape}"),
]
_ZERO_DIM = "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {ndim} dimension(s)."
_Number = Annotated[Any, first(ZeroDim(_ZERO_DIM))]


@public(method=True)
@takes_tensors
def index_fill(input: Tensor, dim: Dim, index: _Filled, value: _Number) -> Tensor:
    """A copy of `input` with a number (or a tensor of one, which gets its gradient) at entries of `index`."""
    op, operands, attributes = _index_fill(input, dim, index, value)
    return op.record(input, *operands, **attributes)


@method
@takes_tensors
def index_fill_(self: Tensor, dim: Dim, index: _Filled, value: _Number) -> Tensor:
    """`index_fill`, in place."""
    check_placing(self, index)
    value = own_number(self, value)
    op, operands, attributes = _index_fill(self, dim, index, value)
    return write(op, self, *operands, name="index_fill_", **attributes)


def _index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    at = wrap_dim(dim, input._array.ndim)
    _check_room("index_fill", input, at, index)
    check_number("index_fill", "value", value)
    if not isinstance(value, Tensor):
        check_number_fits(input, value)
        value = element(value, input._array.dtype)
        return indexing.index_fill, (index,), {"dim": at, "value": value}
    if value.is_complex() and not input.is_complex():
        raise RuntimeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    if value._array.dtype != input._array.dtype and is_on_host(value._array):
        element(value.item(), input._array.dtype)  # does the type hold it?
    return indexing.index_fill_tensor, (index, value), {"dim": at}


@public(method=True)
@takes_tensors
def index_reduce(
    input: Tensor,
    dim: Dim,
    index: _Vector,
    source: _Source,
    reduce: Annotated[
        str,
        first(
            OneOf(
                ("prod", "mean", "amax", "amin"),
                "index_reduce_(): Expected reduce to be one of prod, mean, amax or amin but got "
                "{value}.",
            )
        ),
    ],
    *,
    include_self: bool = True,
) -> Tensor:
    """A copy of `input` with the slices of `source` reduced into those that `index` names.

    `reduce`: "prod", "mean", "amax", "amin"; with `include_self` what is there takes part.
    """
    check_kind("index_reduce", input, "iufcV" if reduce == "mean" or not include_self else "biufcV")
    at = _index_write("index_reduce", input, dim, index, source)
    shape = [1] * source._array.ndim
    if shape:
        shape[at] = index._array.size
    spread = index.reshape(shape).expand(source.shape)
    _check_select(index, input, at)
    return scatter_reduce(input, at, spread, source, reduce, include_self=include_self)
