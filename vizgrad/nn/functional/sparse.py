"""Looking up rows of a table."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.indexing import count_places
from vizgrad.core.errors import warn_outside
from vizgrad.core.function.transform_tensor import innermost, of_examples
from vizgrad.core.ops import indexing as op
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.tensor.modes import about_to_write, set_grad_mode
from vizgrad.core.tensor.requirements import Rank, Requirement, checked
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of


@takes_tensors
def embedding(
    input: Tensor, weight: Annotated[Tensor, Rank(2, "'weight' must be 2-D, but has shape {shape}")],
    padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """weight[input]: shapes input (*) of int64, weight (rows, width) -> (*, width).

    The row `padding_idx` gets no gradient. With `sparse` the gradient of `weight` is a sparse tensor of
    the rows that were used. With `max_norm` the rows used are first scaled down, in
    place, to that norm. IndexError for an index that is not there.
    """
    _check_indices("embedding", "input", input)
    rows = weight._array.shape[0]
    skipped = -1
    if padding_idx is not None:
        skipped = _row("embedding", padding_idx, rows)
    if max_norm is not None:
        if innermost((weight,)) is not innermost((weight, input)):
            raise wrong_call(
                RuntimeError(
                    "vmap: embedding_renorm_ is not possible: the weight, which is written to, is the same "
                    "for all examples, and the indices are not"
                ),
                "leave max_norm out, and scale the rows outside of vmap",
                "forbidden-write",
            )
        _limit_norms(weight, input, max_norm, norm_type)
    if sparse:
        if scale_grad_by_freq and weight.requires_grad:
            raise RuntimeError(
                "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
            )
        from vizgrad.core.ops.sparse import embedding_sparse

        return embedding_sparse.record(weight, input, padding_idx=skipped)
    return op.embedding.record(
        weight, input, padding_idx=skipped, scale_grad_by_freq=scale_grad_by_freq
    )


def _check_indices(name: str, argument: str, given: Tensor) -> None:
    if given.dtype.name not in ("int64", "int32"):
        raise wrong_call(
            RuntimeError(
                "Expected tensor for argument #1 'indices' to have one of the following scalar "
                f"types: Long, Int; but got {given.dtype.name} instead (while checking arguments "
                f"for {name})"
            ),
            f"convert the indices: {argument}.long()",
            "cut-dtype",
        )


@of_examples
def _limit_norms(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the rows that are used, where their norm is above `max_norm`; one write."""
    if weight._array.dtype.kind not in "fcV":
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{weight.dtype.name} instead."
        )
    before = set_grad_mode(False)
    try:
        used = xp.unique(input._array)
        rows = weight._array[used]
        about_to_write(weight)
        weight._array[used] = _limited(rows, max_norm, norm_type)
        storage_of(weight).wrote("embedding_renorm_", caller())
    finally:
        set_grad_mode(before)


@quiet
def _limited(rows: Any, max_norm: float, norm_type: float) -> Any:
    sizes = xp.abs(rows)
    if rows.shape[1] == 1:  # whose power may be more than the largest number
        norms = sizes
    else:
        norms = (sizes**norm_type).sum(axis=1, keepdims=True) ** (1 / norm_type)
    return rows * xp.minimum(1, max_norm / (norms + 1e-7)).astype(rows.dtype)


@takes_tensors
@of_examples
def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
    sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """Sums, means or maxima of bags of rows: embedding and a reduction in one.

    `input` is (bags, size), or one dimension with `offsets`, where each bag begins. Rows of
    `padding_idx` do not count.
    """
    if weight.dtype.name == "int64" and input.is_floating_point():
        warn_outside(
            "Argument order of nn.functional.embedding_bag was changed: give the indices first, then the "
            "weight",
        )
        input, weight = weight, input
    if input._array.dtype.kind in "bc" and input.ndim == 2:
        raise NotImplementedError(
            f"embedding_bag is not implemented for {input.dtype.name} indices: use input.long()"
        )
    _check_settings(input, per_sample_weights, mode, sparse, scale_grad_by_freq)
    _check_ranks(input, offsets)
    _check_indices("embedding_bag", "input", input)
    if not weight.is_floating_point():
        raise RuntimeError(
            f"embedding_bag: expected a weight of floating point numbers, but got {weight.dtype.name}"
        )
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError(
            "embedding_bag: Expected tensor for argument #1 'weight' to have the same type as tensor for "
            f"argument #1 'per_sample_weights'; but type {weight.dtype.name} does not equal "
            f"{per_sample_weights.dtype.name}"
        )
    skipped = None if padding_idx is None else _row("embedding_bag", padding_idx, weight.shape[0])
    starts, ends = _bags(input, offsets, include_last_offset)
    input = input.reshape(-1)
    _check_rows(input._array, weight.shape[0])
    bag = xp.repeat(xp.arange(len(starts), like=starts), ends - starts)
    if len(bag) < input._array.size:  # the last offset is before the end
        input = input[: len(bag)]
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)[: len(bag)]
    if max_norm is not None:
        _limit_norms(weight, input, max_norm, norm_type)
    if skipped is not None:  # those rows are as if they were not there
        counted = input._array != skipped
        bag, kept = bag[counted], new_tensor(xp.nonzero(counted)[0])
        input = input[kept]
        per_sample_weights = (
            None if per_sample_weights is None else per_sample_weights.reshape(-1)[kept]
        )
    rows: Any = embedding(input, weight, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    out = new_tensor(xp.zeros_like(weight._array, shape=(len(starts), weight.shape[1])))
    if mode == "max":
        return _largest(rows, new_tensor(bag.astype("int64")), out, input._array.dtype)
    index = new_tensor(bag.astype(input._array.dtype))  # kept: as narrow as in PyTorch
    out = out.index_add(0, index, rows)
    if mode == "mean":
        sizes = xp.maximum(count_places(bag, len(starts)), 1)
        out = out / new_tensor(sizes[:, None].astype(weight._array.dtype))
    return out


def _largest(rows: Any, index: Any, out: Any, kept_as: Any) -> Any:
    """The largest of each bag in each column, 0 for an empty one; the first of equal ones has the
    gradient. `kept_as` is the type of the places that the node keeps.
    """
    count, width = rows.shape
    wide = index.unsqueeze(1).expand(count, width)
    values = rows.detach()
    best = out.scatter_reduce(0, wide, values, "amax", include_self=False)[index]
    # of a bag with NaN that is the first one: nothing is larger, and it is larger than nothing
    first = (values._array == best._array) | (values._array != values._array)
    places = xp.where(first, xp.arange(count, like=index._array)[:, None], count)
    where = new_tensor(xp.full(out.shape, count, "int64", like=places))
    where = where.scatter_reduce(0, wide, new_tensor(places), "amin", include_self=False)
    # behind the last row: zeros for bags of nothing
    found = new_tensor(where._array.astype(kept_as))
    return op.gather.record(cat([rows, rows.new_zeros((1, width))]), found, dim=0)


def _check_settings(
    input: Any, per_sample_weights: Any, mode: str, sparse: bool, scale_grad_by_freq: bool
) -> None:
    """ValueError or NotImplementedError for settings of `embedding_bag` that do not go together."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"mode has to be one of sum, mean or max, got {mode!r}")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it "
            f"must have the same shape as the input ({list(input.shape)})"
        )
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            f"per_sample_weights was not None, and is only supported for mode='sum' (got {mode!r})"
        )


def _row(name: str, padding_idx: int, rows: int) -> int:
    """`padding_idx` counted from the start."""
    if not -rows <= padding_idx < rows:
        raise (AssertionError if name == "embedding" else RuntimeError)(
            f"{name}: padding_idx must be within the number of embeddings: got {padding_idx} for {rows} rows"
        )
    return padding_idx % rows


def _check_rows(index: Any, rows: int) -> None:
    if is_on_host(index) and index.size and not 0 <= int(index.min()) <= int(index.max()) < rows:
        wrong = int(index.min()) if index.min() < 0 else int(index.max())
        raise RuntimeError(
            "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
            f"{wrong}, which is not in the valid range [0, {rows})"
        )


@checked
def _check_ranks(
    input: Annotated[
        Any,
        Rank(
            (1, 2),
            "input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}",
            ValueError,
        ),
    ],
    offsets: Annotated[
        Any,
        Requirement(
            "{1}._array.ndim == 1 and {0}._array.ndim != 1",
            "offsets has to be a 1D Tensor, but it has {ndim} dimensions",
            ValueError,
            other="",
        ),
    ]
    | None,
) -> None:
    """ValueError unless each row of a 2-D input is a bag, or `offsets` says where 1-D ones begin."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None: each row of the input is a bag"
            )
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")


def _bags(input: Any, offsets: Any, include_last_offset: bool) -> tuple[Any, Any]:
    """Where each bag begins in the flattened indices, and where it ends."""
    if input.ndim == 2:
        bags, size = input.shape
        starts = xp.arange(bags, like=input._array) * size
        return starts, starts + size
    _check_indices("embedding_bag", "offsets", offsets)
    if is_on_host(offsets._array):
        _check_offsets(offsets._array, input.shape[0])
    if include_last_offset:
        return offsets._array[:-1], offsets._array[1:]
    return offsets._array, xp.append(offsets._array[1:], input.shape[0])


def _check_offsets(offsets: Any, total: int) -> None:
    """RuntimeError or IndexError for offsets between which there are no bags."""
    if not offsets.size:
        return
    if offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
            f"0. However, got {offsets[0]}"
        )
    if offsets[-1] > total:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {total} but got offsets[-1] of {offsets[-1]}"
        )
    if (offsets[1:] < offsets[:-1]).any():
        raise IndexError(
            "index out of range in self: a bag cannot end before it begins, but offsets are "
            f"{offsets.tolist()}"
        )
