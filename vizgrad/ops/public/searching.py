"""Indexing, gathering, sorting with PyTorch's signatures and errors (spec 06 C, T-38)."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays import xp
from vizgrad.errors import wrap_dim
from vizgrad.function.inplace import write
from vizgrad.function.typing import WrappedNumber
from vizgrad.ops import copying, extremes, indexing, scattering
from vizgrad.ops.indices import Indices, parse
from vizgrad.ops.public import conversion, shaping
from vizgrad.ops.public.arguments import is_number
from vizgrad.ops.public.results import ValuesIndices
from vizgrad.tensor.tensor import Tensor, new_tensor


def getitem(self: Tensor, key: Any) -> Tensor:
    """`self[key]`: a view for ints, slices, None and `...`; a copy for index tensors, lists and masks."""
    found, indices = parse(self, key)
    return found if indices is None else indexing.index.record(found, indices=indices)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`, in place; the value is broadcast (T-24)."""
    if not isinstance(value, Tensor):
        value = _constant(self, value)
    if key is Ellipsis or (key.__class__ is slice and key == slice(None) and self._array.ndim):
        _assign(self, value)
        return
    if isinstance(key, bool):
        if key:
            _assign(shaping.unsqueeze(self, 0), value)
        return
    target, indices = parse(self, key, alias=False)
    if indices is None:
        _assign(target, value)
        return
    if value._array.dtype != self._array.dtype and indices.unique and not value._array.ndim:
        value = copying.converted(value, self._array.dtype)  # a number where a mask holds
    _check_put(self, value)
    write(indexing.index_put, target, value, name="__setitem__", indices=indices, accumulate=False)


def _check_put(self: Tensor, value: Tensor) -> None:
    if value._array.dtype != self._array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{self.dtype.name} for the destination and {value.dtype.name} for the source."
        )


def _constant(self: Tensor, value: Any) -> Tensor:
    if not is_number(value):
        raise TypeError(f"can't assign a {type(value).__name__} to a {conversion.type(self)}")
    return new_tensor(xp.asarray(value).astype(self._array.dtype), WrappedNumber)


def _assign(target: Tensor, value: Tensor) -> None:
    """PyTorch's steps: the same shape is copied, a number filled, the rest expanded first."""
    have, want = value._array.shape, target._array.shape
    if have == want:
        write(copying.copy, target, value, name="__setitem__")
    elif not have:
        write(copying.fill, target, value, name="__setitem__")
    else:
        # leading dimensions of size 1 do not count
        first = next((d for d, n in enumerate(have) if n != 1), len(have))
        view = shaping.view if value._array.flags.c_contiguous else shaping.reshape
        value = shaping.expand(view(value, have[first:]), want)
        write(copying.copy, target, value, name="__setitem__")


def index_put(
    self: Tensor, indices: Any, values: Tensor, accumulate: bool = False
) -> Tensor:
    """A copy of `self` with `values` written (or added) at the index tensors."""
    _check_put(self, values)
    return indexing.index_put.record(
        self, values, indices=_put_indices(self, indices), accumulate=accumulate
    )


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put`, in place."""
    _check_put(self, values)
    return write(
        indexing.index_put, self, values, name="index_put_",
        indices=_put_indices(self, indices), accumulate=accumulate,
    )  # fmt: skip


def _put_indices(self: Tensor, indices: Any) -> Indices:
    key = tuple(slice(None) if i is None else i._array for i in indices)
    return Indices(key, [i for i in indices if i is not None])


# --- along a dimension ------------------------------------------------------------------------------------


def _check_index(name: str, input: Tensor, index: Tensor, dim: int) -> int:
    if index._array.dtype != xp.int64:
        raise RuntimeError(f"{name}(): Expected dtype int64 for index, got {index.dtype.name}")
    a, b = input._array, index._array
    if max(a.ndim, 1) != max(b.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as input tensor: {b.ndim} and {a.ndim} in {name}()"
        )
    return wrap_dim(dim, a.ndim)


def _check_sizes(name: str, index: Tensor, other: Tensor, dim: int, what: str) -> None:
    for d, (n, m) in enumerate(zip(index._array.shape, other._array.shape, strict=False)):
        if n > m and d != dim:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._array.shape)} to be no larger than "
                f"{what} {list(other._array.shape)} apart from dimension {dim} in {name}()"
            )


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """result[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    at = _check_index("gather", input, index, dim)
    _check_sizes("gather", index, input, at, "self")
    return indexing.gather.record(input, index, dim=at)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather`, with input and indices broadcast against each other outside `dim`."""
    if dim is None:
        return gather(shaping.flatten(input), 0, shaping.flatten(indices))
    at = wrap_dim(dim, input._array.ndim)
    a, b = list(input._array.shape), list(indices._array.shape)
    both = shaping.broadcast_shapes([1 if d == at else n for d, n in enumerate(a)], [1 if d == at else n for d, n in enumerate(b)])
    wide = shaping.expand(input, [a[at] if d == at else n for d, n in enumerate(both)])
    index = shaping.expand(indices, [b[at] if d == at else n for d, n in enumerate(both)])
    return gather(wide, at, index)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """A copy of `input` with src[i][j] written at [index[i][j]][j] for dim 0, and so on."""
    op, operands, attributes = _scatter(input, dim, index, src, value, reduce)
    return op.record(input, *operands, **attributes)


def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """`scatter`, in place."""
    op, operands, attributes = _scatter(self, dim, index, src, value, reduce)
    return write(op, self, *operands, name="scatter_", **attributes)


def _scatter(input: Tensor, dim: int, index: Tensor, src: Any, value: Any, reduce: str | None) -> Any:
    at = _check_index("scatter", input, index, dim)
    src = value if src is None else src
    if reduce is not None:
        raise NotImplementedError("scatter(reduce=) is not supported; use scatter_add or scatter_reduce")
    if not isinstance(src, Tensor):
        return indexing.scatter_number, (index,), {"dim": at, "value": src}
    _check_sizes("scatter", index, src, -1, "src")
    _check_same("scatter", input, src)
    return indexing.scatter, (index, src), {"dim": at}


def _check_same(name: str, input: Tensor, src: Tensor) -> None:
    if input._array.dtype != src._array.dtype:
        raise RuntimeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {input.dtype.name} and {src.dtype.name}"
        )


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of `input` with src[i][j] added at [index[i][j]][j] for dim 0, and so on."""
    at = _check_index("scatter_add", input, index, dim)
    _check_sizes("scatter_add", index, src, -1, "src")
    _check_same("scatter_add", input, src)
    return indexing.scatter_add.record(input, index, src, dim=at)


def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`scatter_add`, in place."""
    at = _check_index("scatter_add", self, index, dim)
    _check_same("scatter_add", self, src)
    return write(indexing.scatter_add, self, index, src, name="scatter_add_", dim=at)


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A copy of `input` with the groups of `src` that `index` names reduced into it.

    `reduce`: "sum", "prod", "mean", "amax", "amin"; with `include_self` what is there takes part.
    """
    at = _check_reduce(input, dim, index, src, reduce)
    return scattering.scatter_reduce.record(
        input, index, src, dim=at, reduce=reduce, include_self=include_self
    )


def scatter_reduce_(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`scatter_reduce`, in place."""
    at = _check_reduce(self, dim, index, src, reduce)
    return write(
        scattering.scatter_reduce, self, index, src, name="scatter_reduce_", dim=at, reduce=reduce,
        include_self=include_self,
    )  # fmt: skip


def _check_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> int:
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    at = _check_index("scatter_reduce", input, index, dim)
    _check_same("scatter_reduce", input, src)
    return at


def _vector_index(name: str, index: Tensor) -> Tensor:
    if index._array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, but got a tensor of shape {list(index._array.shape)}")
    if index._array.dtype.kind != "i":
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index, got {index.dtype.name}")
    return index


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of `dim` at the entries of a vector of indices."""
    if not input._array.ndim and index._array.size != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {index._array.size} value(s)"
        )
    at = wrap_dim(dim, input._array.ndim)
    return indexing.index_select.record(input, _vector_index("index_select", index), dim=at)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """A copy of `input` with alpha times the slices of `source` added at the entries of `index`."""
    at = _index_write("index_add", input, dim, index, source)
    return indexing.index_add.record(input, index, source, dim=at, alpha=alpha)


def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """`index_add`, in place."""
    at = _index_write("index_add", self, dim, index, source)
    return write(indexing.index_add, self, index, source, name="index_add_", dim=at, alpha=alpha)


def _index_write(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    at = wrap_dim(dim, input._array.ndim)
    _vector_index(name, index)
    _check_same(name, input, source)
    if source._array.ndim and index._array.size != source._array.shape[at]:
        raise RuntimeError(
            f"{name}(): Number of indices ({index._array.size}) should be equal to source.size(dim) "
            f"({source._array.shape[at]}), for dim: {at}"
        )
    return at


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the slices of `source` written at the entries of `index`."""
    at = _index_write("index_copy", input, dim, index, source)
    return indexing.index_copy.record(input, index, source, dim=at)


def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy`, in place."""
    at = _index_write("index_copy", self, dim, index, source)
    return write(indexing.index_copy, self, index, source, name="index_copy_", dim=at)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of `input` with a number in the slices at the entries of `index`."""
    at = wrap_dim(dim, input._array.ndim)
    value = value.item() if isinstance(value, Tensor) else value
    return indexing.index_fill.record(input, _vector_index("index_fill", index), dim=at, value=value)


def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """`index_fill`, in place."""
    at = wrap_dim(dim, self._array.ndim)
    value = value.item() if isinstance(value, Tensor) else value
    return write(indexing.index_fill, self, _vector_index("index_fill", index), name="index_fill_", dim=at, value=value)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, as a vector; both are broadcast."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, got {mask.dtype.name}")
    if input._array.shape != mask._array.shape:
        shape = shaping.broadcast_shapes(input._array.shape, mask._array.shape)
        input, mask = (x if x._array.shape == shape else shaping.expand(x, shape) for x in (input, mask))
    return indexing.masked_select.record(input, mask)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the elements of `source`, in order, where the mask holds."""
    _check_masked_scatter(input, mask, source)
    return indexing.masked_scatter.record(input, mask, source)


def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter`, in place."""
    _check_masked_scatter(self, mask, source)
    return write(indexing.masked_scatter, self, mask, source, name="masked_scatter_")


def _check_masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> None:
    if mask._array.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter only supports boolean masks, but got mask with dtype {mask.dtype.name}")
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{input.dtype.name} and {source.dtype.name}"
        )


def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements by their number in C order."""
    if index._array.dtype != xp.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {index.dtype.name}")
    return indexing.take_flat.record(input, index)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Where elements are not 0: one row per place, or with `as_tuple` one vector per dimension."""
    found = xp.nonzero(xp.atleast_1d(input._array))
    if as_tuple:
        return tuple(new_tensor(f) for f in found)
    if input._array.ndim == 0:
        return new_tensor(xp.zeros_like(input._array, shape=(len(found[0]), 0), dtype=xp.int64))
    return new_tensor(xp.stack(found, 1))


def argwhere(input: Tensor) -> Tensor:
    """`nonzero` as rows."""
    return nonzero(input)


# --- order ----------------------------------------------------------------------------------------------------


def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False
) -> ValuesIndices:
    """The elements along `dim` in order, and where they were. Always stable."""
    at = wrap_dim(dim, input._array.ndim)
    return ValuesIndices(*extremes.sort.record(input, dim=at, descending=descending))


def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """Where the elements of the sorted tensor were."""
    return sort(input.detach(), dim, descending).indices  # pyright: ignore[reportAttributeAccessIssue]


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> ValuesIndices:
    """The k largest (or smallest) elements along `dim`, in order, and where they were."""
    at = wrap_dim(dim, input._array.ndim)
    length = input._array.shape[at] if input._array.ndim else 1
    if not 0 <= k <= length:
        raise RuntimeError(f"selected index k out of range: {k} of {length} along dimension {at}")
    return ValuesIndices(*extremes.topk.record(input, k=k, dim=at, largest=largest))


def msort(input: Tensor) -> Tensor:
    """Sorted along the first dimension."""
    return sort(input, 0).values


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension with 1 at the class and 0 elsewhere, int64."""
    array = tensor._array
    if array.dtype != xp.int64:
        raise RuntimeError(f"one_hot is only applicable to index tensor of type LongTensor, got {tensor.dtype.name}")
    if array.size and int(array.min()) < 0:
        raise RuntimeError(f"Class values must be non-negative, got {int(array.min())}.")
    if num_classes == -1:
        if not array.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(array.max()) + 1
    elif array.size and int(array.max()) >= num_classes:
        raise RuntimeError(f"Class values must be smaller than num_classes ({num_classes}), got {int(array.max())}.")
    return new_tensor((array[..., None] == xp.arange(num_classes)).astype(xp.int64))


def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None
) -> Tensor:
    """Where the values would be put into a sorted vector (or the rows of a sorted tensor)."""
    values = input._array if isinstance(input, Tensor) else xp.asarray(input)
    rows = sorted_sequence._array
    side = "right" if right or side == "right" else "left"
    if rows.ndim == 1:
        found = xp.searchsorted(rows, values, side)
    else:
        compare = xp.less_equal if side == "right" else xp.less
        found = compare(rows[..., None, :], values[..., :, None]).sum(-1)
    return new_tensor(xp.asarray(found).astype(xp.int32 if out_int32 else xp.int64))


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """`searchsorted(boundaries, input)`."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often (or with which total weight) each number 0, 1, ... occurs."""
    if input._array.dtype.kind not in "iu":
        raise NotImplementedError(f'"bincount" not implemented for {input.dtype.name}')
    made = xp.bincount(input._array, None if weights is None else weights._array, minlength)
    return new_tensor(made)
