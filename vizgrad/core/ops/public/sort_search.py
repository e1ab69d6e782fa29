"""Finding, sorting and counting elements with PyTorch's signatures (spec T-38)."""

from __future__ import annotations

from typing import Any

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
from vizgrad.core.ops.public import broadcasting
from vizgrad.core.ops.public.arguments import (
    ValuesIndices,
    check_kind,
    check_number,
    takes_axis,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public(method=True)
@takes_out
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, as a vector; both are broadcast."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, got {mask.dtype.name}")
    if input._array.shape != mask._array.shape:
        shape = broadcasting.broadcast_shapes(input._array.shape, mask._array.shape)
        input, mask = (
            x if x._array.shape == shape else broadcasting.expand(x, shape) for x in (input, mask)
        )
    return indexing.masked_select.record(input, mask)


@public(method=True)
@takes_tensors
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the elements of `source`, in order, where the mask holds."""
    _check_masked_scatter(input, mask, source)
    return indexing.masked_scatter.record(input, mask, source)


@method
@takes_tensors
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter`, in place."""
    _check_masked_scatter(self, mask, source)
    return write(indexing.masked_scatter, self, mask, source, name="masked_scatter_")


def _check_masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> None:
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            f"masked_scatter only supports boolean masks, but got mask with dtype {mask.dtype.name}"
        )
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{input.dtype.name} and {source.dtype.name}"
        )


@public(method=True)
@takes_out
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements by their number in C order."""
    if index._array.dtype != xp.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.name}")
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
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> ValuesIndices:
    """The k largest (or smallest) elements along `dim`, in order, and where they were."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes: convert with .to(vizgrad.uint8)")
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
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension with 1 at the class and 0 elsewhere, int64."""
    array = input._array
    if array.dtype != xp.int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type LongTensor, got {input.dtype.name}"
        )
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
    side: str | None = None,
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
    if side not in (None, "left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
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
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """`searchsorted(boundaries, input)`."""
    check_number("bucketize", "input", input)
    if boundaries._array.ndim != 1:
        raise RuntimeError(
            f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})"
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@public(method=True)
@takes_tensors
@of_examples
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often (or with which total weight) each number 0, 1, ... occurs."""
    if input._array.dtype.kind not in "iu":
        raise NotImplementedError(f'"bincount" not implemented for {input.dtype.name}')
    if minlength < 0:
        raise RuntimeError(f"minlength should be >= 0, got {minlength}")
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
