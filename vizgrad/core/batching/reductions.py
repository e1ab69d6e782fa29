"""Reductions, scans and orders: over dimensions of one example, or over all of them."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.sparse import SparseUnsupported
from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import example_ndim, filled, merged, reshaped, with_ndim
from vizgrad.core.function.typing import WrappedNumber
from vizgrad.core.ops import (
    arithmetic,
    copying,
    distances,
    extremes,
    indexing,
    products,
    reduce,
    select,
    statistics,
)
from vizgrad.core.ops.constants import ABSENT, constant
from vizgrad.core.ops.copying import converted
from vizgrad.core.ops.joining import record_stack
from vizgrad.core.ops.shape import diagonal, squeeze_dim, unsqueeze
from vizgrad.core.tensor.tensor import Tensor

# Operations on single elements: dimensions are laid beside each other, and numpy broadcasts the rest.


@rule("pointwise")
def pointwise(call: Call, **attributes: Any) -> Any:
    try:
        if not attributes and alike(call):
            return call.op.record(*call.values)
        values = beside(call, attributes)
        if call.op.typing in ("promote", "float"):
            values = one_type(call, values)
        return call.op.record(*values, **attributes)
    except SparseUnsupported:
        copies = _sparse_for_each(call)
        if copies is None:
            raise
        return pointwise(copies, **attributes)


def _sparse_for_each(call: Call) -> Call | None:
    """With a copy, for each example, of sparse operands: which do not broadcast; None if there are none."""
    pairs = list(zip(call.values, call.batched, strict=True))
    found = [isinstance(v, Tensor) and not on and v.is_sparse for v, on in pairs]
    if True not in found:
        return None
    values = [
        record_stack([v] * call.size, 0) if each else v
        for v, each in zip(call.values, found, strict=True)
    ]
    return call.of(call.op, values, [a or b for a, b in zip(call.batched, found, strict=True)])


@rule("masked_fill_tensor")
def masked_fill_tensor(call: Call) -> Any:
    """The value is one number of each example, and in a batch of such it has dimensions."""
    target, mask, value = beside(call)
    if not call.batched[2]:
        return call.op.record(target, mask, value)
    return select.where.record(copying.converted(value, target._array.dtype), target, mask)


def alike(call: Call) -> bool:
    """Are all operands of one type, and lie beside each other as they are?"""
    dtype: Any = None
    ndim = narrow = 0
    for value, batched in zip(call.values, call.batched, strict=True):
        if not isinstance(value, Tensor):
            return False
        array = value._array
        if array.dtype is not dtype:
            if dtype is not None:
                return False
            dtype = array.dtype
        if not batched:
            narrow = max(narrow, array.ndim + 1)
        elif ndim not in (0, array.ndim):
            return False
        else:
            ndim = array.ndim
    return narrow <= ndim


def beside(call: Call, attributes: Any = ()) -> list[Any]:
    """The operands with as many dimensions behind that of the batch as the widest example has."""
    masks = [getattr(attributes[name], "ndim", 0) for name in attributes]  # plain arrays
    pairs = list(zip(call.values, call.batched, strict=True))
    ndim = max([example_ndim(v, b) for v, b in pairs if v is not ABSENT] + masks)
    return [with_ndim(value, ndim) if batched else value for value, batched in pairs]


def one_type(call: Call, values: list[Any]) -> list[Any]:
    """The operands in the type that those of one example would have.

    A 0-dim tensor gives way to others (T-3); a batch of such has a dimension.
    """
    tensors = [v for v in call.values if isinstance(v, Tensor)]
    if len({t.dtype for t in tensors}) < 2 and len(tensors) == len(values):
        return values
    groups: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for value, batched in zip(call.values, call.batched, strict=True):
        if isinstance(value, WrappedNumber) or not isinstance(value, Tensor):
            dtype = value.dtype if isinstance(value, Tensor) else dtypes.of_scalar(value)
            groups[2].append(dtype)
        else:
            groups[1 if example_ndim(value, batched) == 0 else 0].append(value.dtype)
    wanted = dtypes.result_type(*groups)
    return [
        converted(value, wanted.np)
        if isinstance(value, Tensor) and not isinstance(value, WrappedNumber)
        else value
        for value in values
    ]


def all_of(value: Tensor) -> tuple[int, ...]:
    """All dimensions of one example."""
    return tuple(range(1, value.ndim))


@rule("sum_all", "sum_wide")
def sum_all(call: Call) -> Any:
    value = call.values[0]
    return reduce.sum_dims.record(value, dims=all_of(value), keepdim=False)


@rule("sum_as")
def sum_as(call: Call, *, dtype: Any) -> Any:
    value = copying.converted(call.values[0], dtype)
    return reduce.sum_dims.record(value, dims=all_of(value), keepdim=False)


@rule("mean_all")
def mean_all(call: Call) -> Any:
    value = call.values[0]
    return reduce.mean_dims.record(value, dims=all_of(value), keepdim=False)


@rule(
    "sum_dims", "mean_dims", "nansum_dims", "any_dims", "all_dims", "count_nonzero_dims", "var", "std",
    "logsumexp", "vector_norm", "amax", "amin", "complex_to_complex", "real_to_complex", "complex_to_real",
)  # fmt: skip
def over_dims(call: Call, *, dims: Any, **attributes: Any) -> Any:
    value = call.values[0]
    if value.ndim == 1:  # examples without dimensions: each is one row of one element
        one = call.op.record(unsqueeze.record(value, dim=1), dims=(1,), **attributes)
        return reshaped(one, call.size)
    own = all_of(value) if dims is None else tuple(d % (value.ndim - 1) + 1 for d in dims)
    return call.op.record(value, dims=own, **attributes)


@rule(
    "prod_dim", "max_dim", "min_dim", "kthvalue", "median_dim", "nanmedian_dim", "mode", "argmax", "argmin",
)  # fmt: skip
def over_one(call: Call, *, dim: int | None, keepdim: bool, **attributes: Any) -> Any:
    value = call.values[0]
    sizes = value.shape
    if dim is None:
        flat = reshaped(value, call.size, _count(sizes[1:]))
        found = call.op.record(flat, dim=1, keepdim=False, **attributes)
        return reshaped(found, call.size, *(1,) * (len(sizes) - 1)) if keepdim else found
    if value.ndim == 1:
        return call.op.record(unsqueeze.record(value, dim=1), dim=1, keepdim=False, **attributes)
    return call.op.record(value, dim=dim % (value.ndim - 1) + 1, keepdim=keepdim, **attributes)


@rule(
    "other_factors", "cumsum", "cumsum_back", "cumprod", "logcumsumexp", "cummax", "cummin", "sort", "topk",
    "softmax", "safe_softmax", "log_softmax", "glu",
)  # fmt: skip
def along(call: Call, *, dim: int, **attributes: Any) -> Any:
    value = call.values[0]
    if value.ndim == 1:
        if (
            "k" in attributes
        ):  # an example without dimensions has its one element, however many are asked for
            attributes["k"] = 1
        results = call.op.record(unsqueeze.record(value, dim=1), dim=1, **attributes)
        if isinstance(results, tuple):
            return tuple(squeeze_dim.record(result, dim=1) for result in results)
        return squeeze_dim.record(results, dim=1)
    return call.op.record(value, dim=dim % (value.ndim - 1) + 1, **attributes)


@rule("linear_scan", "softmax_backward", "log_softmax_backward", "glu_backward", "cross")
def several_along(call: Call, *, dim: int) -> Any:
    values = [filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)]
    if all(value.ndim == 1 for value in values):
        rows = [unsqueeze.record(value, dim=1) for value in values]
        return squeeze_dim.record(call.op.record(*rows, dim=1), dim=1)
    ndim = max(value.ndim for value in values) - 1
    return call.op.record(*[with_ndim(value, ndim) for value in values], dim=dim % ndim + 1)


def _rows(call: Call) -> Tensor:
    value = call.values[0]
    return reshaped(value, call.size, _count(value.shape[1:]))


def _count(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


@rule("prod_all")
def prod_all(call: Call, *, dtype: Any) -> Any:
    return products.prod_dim.record(_rows(call), dim=1, keepdim=False, dtype=dtype)


@rule("max_all")
def max_all(call: Call) -> Any:
    return extremes.amax.record(_rows(call), dims=(1,), keepdim=False)


@rule("min_all")
def min_all(call: Call) -> Any:
    return extremes.amin.record(_rows(call), dims=(1,), keepdim=False)


@rule("median_all", "nanmedian_all")
def median_all(call: Call) -> Any:
    ignore_nan = call.op.name == "nanmedian_all"
    return extremes.median_rows.record(_rows(call), ignore_nan=ignore_nan)


@rule("median_rows")
def median_rows(call: Call, *, ignore_nan: bool) -> Any:
    found = extremes.median_rows.record(merged(call.values[0]), ignore_nan=ignore_nan)
    return reshaped(found, call.size, call.values[0].shape[1])


@rule("trace")
def trace(call: Call) -> Any:
    found = diagonal.record(call.values[0], offset=0, dim1=1, dim2=2)
    return reduce.sum_dims.record(found, dims=(1,), keepdim=False)


@rule("dist")
def dist(call: Call, *, p: float) -> Any:
    apart = arithmetic.sub.record(*one_type(call, _beside(call)))
    return statistics.vector_norm.record(
        apart, ord=p, dims=all_of(apart), keepdim=False, dtype=None
    )


@rule("renorm")
def renorm(call: Call, *, p: float, dims: tuple[int, ...], maxnorm: float) -> Any:
    inner = tuple(d + 1 for d in dims)
    return call.op.record(call.values[0], p=p, dims=inner, maxnorm=maxnorm)


@rule("cdist")
def cdist(call: Call, *, p: float) -> Any:
    return call.op.record(*_beside(call), p=p)


@rule("pdist")
def pdist(call: Call, *, p: float) -> Any:
    """The entries above the diagonal of all distances."""
    rows = call.values[0]
    count = rows.shape[1]
    places = constant(xp.ravel_multi_index(xp.triu_indices(count, 1), (count, count)), rows)
    every = reshaped(distances.cdist.record(rows, rows, p=p), call.size, count * count)
    return indexing.index_select.record(every, places, dim=1)


def _beside(call: Call) -> list[Tensor]:
    values = [filled(v, b, call.size) for v, b in zip(call.values, call.batched, strict=True)]
    ndim = max(value.ndim for value in values) - 1
    return [with_ndim(value, ndim) for value in values]
