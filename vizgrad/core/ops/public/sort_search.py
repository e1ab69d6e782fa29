"""Finding, sorting and counting elements with PyTorch's signatures (spec T-38)."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import as_array, beside
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.inplace import write
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.function.typing import result_dtype
from vizgrad.core.ops import extremes, indexing
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import broadcasting, gather_scatter, reshape
from vizgrad.core.ops.public.arguments import (
    ValuesIndices,
    check_kind,
    check_number,
    takes_axis,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.tensor.requirements import (
    INTEGRAL,
    MASK,
    AtLeast,
    DtypeKind,
    Long,
    OneOf,
    Rank,
    SameDtype,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public(method=True)
@takes_out
def masked_select(
    input: Tensor,
    mask: Annotated[
        Tensor,
        DtypeKind("b", "masked_select: expected BoolTensor for mask, got {dtype}", RuntimeError),
    ],
) -> Tensor:
    """The elements where the mask holds, as a vector; both are broadcast."""
    if input._array.shape != mask._array.shape:
        shape = broadcasting.broadcast_shapes(input._array.shape, mask._array.shape)
        input, mask = (
            x if x._array.shape == shape else broadcasting.expand(x, shape) for x in (input, mask)
        )
    return indexing.masked_select.record(input, mask)


_SAME = "masked_scatter: expected self and source to have same dtypes but got {other} and {dtype}"


@public(method=True)
@takes_tensors
def masked_scatter(
    input: Tensor,
    mask: Annotated[Tensor, MASK],
    source: Annotated[Tensor, SameDtype("input", _SAME)],
) -> Tensor:
    """A copy of `input` with the elements of `source`, in order, where the mask holds."""
    return indexing.masked_scatter.record(input, mask, source)


@method
@takes_tensors
def masked_scatter_(
    self: Tensor, mask: Annotated[Tensor, MASK], source: Annotated[Tensor, SameDtype("self", _SAME)]
) -> Tensor:
    """`masked_scatter`, in place."""
    return write(indexing.masked_scatter, self, mask, source, name="masked_scatter_")


@public(method=True)
@takes_out
def take(
    input: Tensor,
    index: Annotated[Tensor, Long("take(): Expected a long tensor for index, but got {dtype}")],
) -> Tensor:
    """Elements by their number in C order."""
    return indexing.take_flat.record(input, index)


@public(method=True)
@takes_tensors
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Tensor | None = None) -> Any:
    """Where elements are not 0: one row per place, or with `as_tuple` one vector per dimension."""
    if as_tuple and out is not None:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    found = xp.nonzero(xp.atleast_1d(input._array))
    if as_tuple:
        return tuple(new_tensor(contiguous(f)) for f in found)
    if input._array.ndim == 0:
        rows = xp.zeros_like(input._array, shape=(len(found[0]), 0), dtype=xp.int64)
    else:
        rows = xp.stack(found, 1)
    return new_tensor(rows) if out is None else written(out, new_tensor(rows), "nonzero", input)


@public(method=True)
def argwhere(input: Tensor) -> Tensor:
    """`nonzero` as rows."""
    return nonzero(input)


# --- order ----------------------------------------------------------------------------------------


@public(method=True)
@takes_axis
@takes_out
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = False
) -> ValuesIndices:
    """The elements along `dim` in order, and where they were. Always stable."""
    at = wrap_dim(dim, input._array.ndim)
    return ValuesIndices(*extremes.sort.record(input, dim=at, descending=descending))


@public(method=True)
@takes_axis
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """Where the elements of the sorted tensor were."""
    return sort(input.detach(), dim, descending).indices


@public(method=True)
@takes_axis
@takes_out
def topk(
    input: Annotated[
        Tensor,
        DtypeKind(
            "iufcV",
            "topk does not support bool dtypes: convert with .to(vizgrad.uint8)",
            RuntimeError,
        ),
    ],
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> ValuesIndices:
    """The k largest (or smallest) elements along `dim`, in order, and where they were."""
    at = wrap_dim(dim, input._array.ndim)
    length = input._array.shape[at] if input._array.ndim else 1
    if not 0 <= k <= length:
        raise RuntimeError(f"selected index k out of range: {k} of {length} along dimension {at}")
    return ValuesIndices(*extremes.topk.record(input, k=k, dim=at, largest=largest))


@public(method=True)
@takes_out
def msort(input: Tensor) -> Tensor:
    """Sorted along the first dimension."""
    return sort(input, 0).values


@takes_tensors
@of_examples
def one_hot(
    input: Annotated[
        Tensor, Long("one_hot is only applicable to index tensor of type LongTensor, got {dtype}")
    ],
    num_classes: int = -1,
) -> Tensor:
    """A new last dimension with 1 at the class and 0 elsewhere, int64."""
    array = input._array
    if array.size and int(array.min()) < 0:
        raise RuntimeError(f"Class values must be non-negative, got {int(array.min())}.")
    if num_classes == -1:
        if not array.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(array.max()) + 1
        if num_classes > 2**63 - 1:
            raise RuntimeError(f"one_hot: a dimension cannot have {num_classes} elements")
    elif array.size and int(array.max()) >= num_classes:
        raise RuntimeError(
            f"Class values must be smaller than num_classes ({num_classes}), got "
            f"{int(array.max())}."
        )
    found = array[..., None] == xp.arange(num_classes, like=array)
    return new_tensor(found.astype(xp.int64, order="C"))


@public
@takes_out
@of_examples
@quiet
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: Annotated[
        str,
        OneOf(
            ("left", "right"),
            "torch.searchsorted(): side can only be 'left' or 'right' but got {value}",
        ),
    ]
    | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where the values would be put into a sorted vector (or the rows of a sorted tensor).

    `sorter`, of its shape, says in which order the elements of an unsorted one are sorted.
    """
    rows = sorted_sequence._array
    of_bools = (
        input._array.dtype.kind == "b" if isinstance(input, Tensor) else isinstance(input, bool)
    )
    check_kind("searchsorted", sorted_sequence, "iufV" if of_bools else "biufV")
    _check_search(rows.shape, input._array.shape if isinstance(input, Tensor) else ())
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while "
            "right was True"
        )
    if isinstance(input, Tensor):
        values = input._array
        common = result_dtype((input, sorted_sequence))
        for each in (input, sorted_sequence):
            if each.is_complex():
                raise NotImplementedError(
                    f'"searchsorted" not implemented for {each.dtype.name}: it has no order'
                )
        values, rows = (v.astype(common.np, copy=False) for v in (values, rows))
    else:
        values = beside(rows, xp.asarray(input))
    if sorter is not None:
        if sorter._array.shape != rows.shape:
            raise RuntimeError(
                "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
                f"tensor {list(rows.shape)} and got sorter tensor {list(sorter._array.shape)}"
            )
        rows = xp.take_along_axis(rows, sorter._array, -1)
    side = "right" if right or side == "right" else "left"
    if rows.ndim == 1:
        found = xp.searchsorted(rows, values, side)
    else:
        # the first that is not before the value: all are before NaN
        beyond = xp.greater if side == "right" else xp.greater_equal
        found = (~beyond(rows[..., None, :], values[..., :, None])).sum(-1)
    return new_tensor(as_array(found).astype(xp.int32 if out_int32 else xp.int64))


def _check_search(rows: tuple[int, ...], values: tuple[int, ...]) -> None:
    if len(rows) != 1 and not values:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is "
            f"1, but we got boundaries tensor dim({len(rows)})"
        )
    if len(rows) != 1 and rows[:-1] != values[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            "boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(rows)} and input value tensor {list(values)}"
        )


@public
@takes_out
@of_examples
def bucketize(
    input: Any,
    boundaries: Annotated[
        Tensor, Rank(1, "boundaries tensor must be 1 dimension, but got dim({ndim})")
    ],
    *,
    out_int32: bool = False,
    right: bool = False,
) -> Tensor:
    """`searchsorted(boundaries, input)`."""
    check_number("bucketize", "input", input)
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@public(method=True)
@takes_tensors
@of_examples
def bincount(
    input: Annotated[Tensor, INTEGRAL],
    weights: Tensor | None = None,
    minlength: Annotated[int, AtLeast(0, "minlength should be >= 0, got {value}")] = 0,
) -> Tensor:
    """How often (or with which total weight) each number 0, 1, ... occurs."""
    if input._array.ndim != 1 or (input._array.size and input._array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._array.shape != input._array.shape:
        raise RuntimeError(
            "weights should be 1-d and have the same length as input, but got shapes "
            f"{list(weights._array.shape)} and {list(input._array.shape)}"
        )
    if not input._array.size:
        return new_tensor(xp.zeros_like(input._array, shape=(minlength,), dtype=xp.int64))
    most = int(input._array.max())
    if most >= 2**40:
        raise RuntimeError(f"bincount: no memory holds a count for each number up to {most}")
    by = None if weights is None else weights._array
    if by is not None and by.dtype.kind == "c":
        by = by.real
    made = xp.bincount(input._array, by, minlength)
    if weights is not None and weights._array.dtype == dtypes.float32.np:
        made = made.astype(weights._array.dtype)
    return new_tensor(made)


# Distinct values and membership.


@public(method=True)
@takes_tensors
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct values in rising order (slices along `dim`), and where and how often they occur.

    Unlike PyTorch's, the values are differentiable: the gradient goes to the first occurrence.
    """
    check_kind("unique", input, "biufV")
    axis = None if dim is None else _slices("unique", input, dim)
    array = _widened(input._array)
    _, first, inverse, counts = xp.unique(
        array,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=axis,
        equal_nan=False,
    )
    source = reshape.reshape(input, -1) if axis is None else input
    values = gather_scatter.index_select(source, axis or 0, new_tensor(first.astype(xp.int64)))
    shape = input._array.shape if axis is None else (input._array.shape[axis],)
    return _with(
        values,
        inverse.reshape(shape) if return_inverse else None,
        counts if return_counts else None,
    )


def _widened(array: Any) -> Any:
    """Narrow numbers in single precision, which has an order with NaN and meets every other type."""
    narrow = isinstance(array, xp.ndarray) and array.dtype in dtypes.NARROW
    return array.astype(xp.float32) if narrow else array


def _slices(name: str, input: Tensor, dim: int) -> int:
    """The dimension whose slices are compared; RuntimeError for slices without elements."""
    at, shape = wrap_dim(dim, input._array.ndim), input._array.shape
    if 0 in shape[:at] + shape[at + 1 :]:
        raise RuntimeError(
            f"{name}(): There are 0 sized dimensions, and they aren't selected, so unique cannot be "
            f"applied: the shape is {list(shape)}, the selected dimension {at}"
        )
    return at


def _with(values: Tensor, inverse: Any, counts: Any) -> Any:
    extra = tuple(new_tensor(a.astype(xp.int64)) for a in (inverse, counts) if a is not None)
    return (values, *extra) if extra else values


@public(method=True)
@takes_tensors
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The values with runs of equal ones shortened to one."""
    check_kind("unique_consecutive", input, "biufV")
    axis = 0 if dim is None else _slices("unique_consecutive", input, dim)
    source = reshape.reshape(input, -1) if dim is None else input
    lines = xp.moveaxis(source._array, axis, 0)
    rows = lines.reshape(len(lines), prod(lines.shape[1:]))
    new = xp.ones_like(rows, dtype=bool, shape=(len(rows),))
    if len(rows) > 1:
        new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    first = xp.nonzero(new)[0]
    values = gather_scatter.index_select(source, axis, new_tensor(first.astype(xp.int64)))
    groups = xp.cumsum(new) - 1
    shape = input._array.shape if dim is None else groups.shape
    counts = xp.bincount(groups, minlength=len(first)) if len(rows) else groups
    return _with(
        values, groups.reshape(shape) if return_inverse else None, counts if return_counts else None
    )


@public(method=True)
@of_examples
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Is each element one of `test_elements`? `assume_unique` changes no answer, as in PyTorch."""
    for each in (elements, test_elements):
        found = each.dtype if isinstance(each, Tensor) else dtypes.of_scalar(each)
        if found is not None and found.category in (0, 3):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {found.name}")
    # A number is compared as `==` does it: of bytes, -1 is 255. The answer is contiguous all the same.
    if isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        same = elements != test_elements if invert else elements == test_elements
        return same.contiguous()
    if isinstance(test_elements, Tensor) and not isinstance(elements, Tensor):
        found = (test_elements == elements).any()
        return ~found if invert else found
    a, b = (t._array if isinstance(t, Tensor) else t for t in (elements, test_elements))
    a, b = (_widened(each) for each in (a, b))
    return new_tensor(xp.isin(a, b, invert=invert))
