"""numpy's ufuncs and other functions over sparse arrays: the few that kernels need."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.kernels.places import write_at
from vizgrad.core.arrays.sparse.base import (
    HANDLERS,
    Array,
    SparseArray,
    SparseUnsupported,
    sum_rows,
)
from vizgrad.core.arrays.sparse.compressed import (
    Compressed,
    as_coo,
    compress,
    in_layout,
    once,
    places,
)
from vizgrad.core.arrays.sparse.coo import COO, empty, joined, keys_of, unsqueeze
from vizgrad.core.arrays.sparse.coo import take as entries_at
from vizgrad.core.arrays.sparse.products import matmul

# --- ufuncs: those that leave zeros zero, products, and sums ------------------------------------------


# Sums over dimensions of sparse arrays, and over the entries that share all other coordinates.

Dims = tuple[int, ...] | int | None
exp = np.exp


def reduce_sum(array: SparseArray, dims: Dims, keepdim: bool = False) -> Array:
    """The sum over `dims`: dense when no sparse dimension is left, else COO."""
    if keepdim:
        raise SparseUnsupported("sum with keepdim=True", array.layout)
    if dims is None:
        return np.add.reduce(array.values, axis=None)
    entries = as_coo(array)
    sparse = entries.sparse_dim
    gone = {dims} if isinstance(dims, INTS) else set(dims)
    gone = {d % entries.ndim for d in gone}
    kept = [d for d in range(sparse) if d not in gone]
    inner = tuple(d - sparse + 1 for d in gone if d >= sparse)
    values = np.add.reduce(entries.values, axis=inner) if inner else entries.values
    if not kept:
        return np.add.reduce(values, axis=0)
    shape = tuple(n for d, n in enumerate(entries.shape) if d not in gone)
    return COO(entries.indices[kept], values, shape).coalesce()


def spread_sum(grad: Array, pattern: SparseArray, dims: tuple[int, ...]) -> SparseArray:
    """The transpose of `reduce_sum`: each entry of `pattern` gets the gradient of its sum."""
    pattern = once(pattern)
    entries = as_coo(pattern)
    sparse = entries.sparse_dim
    kept = [d for d in range(sparse) if d not in dims]
    if kept:
        values = entries_at(grad, entries.indices[kept])
    else:
        values = np.broadcast_to(
            grad.dense() if isinstance(grad, SparseArray) else grad,
            (entries.nnz, *grad.shape),
        )
    for d in sorted(d for d in dims if d >= sparse):
        values = np.expand_dims(values, d - sparse + 1)
    values = np.broadcast_to(values, entries.values.shape)
    return pattern.with_values(values.copy())


def groups_along(entries: COO, dim: int) -> tuple[Array, int]:
    """A number for each entry, the same for those that differ in coordinate `dim` only; how many."""
    others = [d for d in range(entries.sparse_dim) if d != dim]
    rows = np.concatenate([entries.indices[:dim], entries.indices[dim + 1 :]])
    keys = keys_of(rows, tuple(entries.shape[d] for d in others))
    found, place = np.unique(keys, return_inverse=True)
    return place.reshape(-1), found.shape[0]


def sum_along(array: COO, dim: int) -> COO:
    """For each entry the sum of all that differ in coordinate `dim` only."""
    if dim >= array.sparse_dim:
        axis = dim - array.sparse_dim + 1
        total = np.add.reduce(array.values, axis=axis, keepdims=True)
        return array.with_values(np.broadcast_to(total, array.values.shape).copy())
    place, count = groups_along(array, dim)
    return array.with_values(sum_rows(array.values, place, count)[place])


def shifted(array: COO, dim: int) -> COO:
    """Each entry less the largest of those that differ in coordinate `dim` only."""
    values = array.values
    if dim >= array.sparse_dim:
        axis = dim - array.sparse_dim + 1
        return array.with_values(values - np.max(values, axis=axis, keepdims=True))
    if not array.nnz:
        return array
    place, count = groups_along(array, dim)
    # cupy has no maximum.reduceat
    width = values[0].size
    largest = np.full_like(values, -np.inf, shape=(count * width,))
    at = (place[:, None] * width + numbers(place, width)).reshape(-1)
    write_at(np.maximum, largest, at, values.reshape(-1))
    return array.with_values(values - largest[at].reshape(values.shape))


def softmax(array: SparseArray, dim: int, log: bool) -> COO:
    """Over the stored entries only, as if all others were minus infinity."""
    entries = shifted(as_coo(array).coalesce(), dim)
    powers = entries.with_values(np.exp(entries.values))
    total = sum_along(powers, dim).values
    if log:
        return entries.with_values(entries.values - np.log(total))
    return entries.with_values(powers.values / total)


#: f(0) = 0 and f(a + b) = f(a) + f(b): entries at one place may stay apart.
LINEAR = {np.negative, np.positive, np.conjugate, np.deg2rad, np.rad2deg}
#: f(0) = 0.
ZERO_TO_ZERO = LINEAR | {
    np.absolute, np.sqrt, np.square, np.sin, np.tan, np.arcsin, np.arctan, np.sinh, np.tanh, np.arcsinh,
    np.arctanh, np.log1p, np.expm1, np.sign, np.floor, np.ceil, np.trunc, np.rint, np.isnan, np.isinf,
}  # fmt: skip


def apply(layout: str, ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
    """The result of `ufunc.method(*inputs)`, of which one or more are sparse; SparseUnsupported."""
    out = options.pop("out", (None,))[0]
    if method == "reduce" and ufunc is np.add and out is None:
        return reduce_sum(inputs[0], options.get("axis", 0), options.get("keepdims", False))
    if method != "__call__" or options:
        raise SparseUnsupported(ufunc.__name__, layout)
    if out is inputs[0] and ufunc in (np.add, np.subtract) and not isinstance(out, SparseArray):
        return _into(out, inputs[1] if ufunc is np.add else -inputs[1])
    result = _compute(layout, ufunc, inputs)
    if out is None:
        return result
    out[...] = result  # a dense or sparse array of the result's layout, or it says so
    return out


def _compute(layout: str, ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    if ufunc in ZERO_TO_ZERO:
        (array,) = inputs
        if isinstance(array, COO) and ufunc not in LINEAR:
            array = array.coalesce()
        return array.with_values(ufunc(array.values))
    if ufunc is np.matmul:
        return matmul(*inputs)
    rule = _BINARY.get(ufunc)
    if rule is None:
        raise SparseUnsupported(ufunc.__name__, layout)
    return rule(*inputs)


def _is_number(value: Any) -> bool:
    return not isinstance(value, SparseArray) and not np.ndim(value)


def _multiply(a: Any, b: Any) -> Any:
    if not isinstance(a, SparseArray):
        a, b = b, a
    if _is_number(b):
        return a.with_values(a.values * b)
    if isinstance(b, SparseArray):
        if a.shape != b.shape:
            raise SparseUnsupported("mul with broadcasting", a.layout)
        return in_layout(_common(as_coo(a).coalesce(), as_coo(b).coalesce()), a.layout)
    if np.broadcast_shapes(a.shape, b.shape) != a.shape:
        raise SparseUnsupported("mul with broadcasting", a.layout)
    return a.with_values(a.values * entries_at(np.broadcast_to(b, a.shape), places(a)))


def _common(a: COO, b: COO) -> COO:
    """Products where both store a value."""
    if a.sparse_dim != b.sparse_dim:
        raise SparseUnsupported("mul of different sparse dimensions", a.layout)
    if a.indices is b.indices:  # the same columns, each there once
        return a.with_values(a.values * b.values)
    shape = a.sparse_shape
    _, mine, theirs = np.intersect1d(
        keys_of(a.indices, shape),
        keys_of(b.indices, shape),
        assume_unique=True,
        return_indices=True,
    )
    return COO(a.indices[:, mine], a.values[mine] * b.values[theirs], a.shape, True)


def _divide(a: Any, b: Any) -> Any:
    if not isinstance(a, SparseArray) or isinstance(b, SparseArray) or not _is_number(b):
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(np.shape(b)) if not isinstance(b, SparseArray) else list(b.shape)} for divisor)"
        )
    return a.with_values(a.values / b)


def _power(a: Any, b: Any) -> Any:
    if not isinstance(a, SparseArray) or not _is_number(b):
        raise SparseUnsupported("pow with a tensor exponent", getattr(a, "layout", "strided"))
    if not bool(b > 0):
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense "
            f"(the exponent is {b})"
        )
    a = a.coalesce() if isinstance(a, COO) else a
    return a.with_values(np.power(a.values, b))


def _add(a: Any, b: Any) -> Any:
    return _sum(a, b, b)


def _subtract(a: Any, b: Any) -> Any:
    return _sum(a, b, -b)


def _sum(a: Any, b: Any, signed: Any) -> Any:
    if isinstance(a, SparseArray) and isinstance(b, SparseArray):
        if a.shape != b.shape:
            raise RuntimeError(
                "add: expected sizes of 'self' and 'other' to match, but "
                f"{list(a.shape)} != {list(b.shape)}"
            )
        return in_layout(joined([as_coo(a), as_coo(signed)]), a.layout)
    if isinstance(b, SparseArray) and not _is_number(a):
        return _onto(a, signed)
    if isinstance(a, Compressed) and not _is_number(b):
        return _onto(signed, a)
    raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")


def _onto(dense: Array, sparse: SparseArray) -> Array:
    """A copy of a dense array with a sparse one added."""
    if np.broadcast_shapes(dense.shape, sparse.shape) != dense.shape:
        raise RuntimeError(
            "add: Expected other tensor to have same shape as self, but they are "
            f"{list(sparse.shape)} and {list(dense.shape)}"
        )
    if dense.shape != sparse.shape:
        return dense + sparse.dense()
    return _into(dense.astype(np.promote_types(dense.dtype, sparse.dtype)), sparse)  # a copy


def _into(dense: Array, sparse: SparseArray) -> Array:
    """`dense += sparse`: only what is stored is touched."""
    if dense.shape != sparse.shape:
        raise SparseUnsupported("add_ with broadcasting", sparse.layout)
    entries = as_coo(sparse).coalesce()
    dense[tuple(entries.indices)] += entries.values
    return dense


def _maximum(a: Any, b: Any) -> Any:
    if not isinstance(a, SparseArray) or not _is_number(b) or b != 0:
        raise SparseUnsupported("maximum", getattr(a, "layout", "strided"))
    a = a.coalesce() if isinstance(a, COO) else a
    return a.with_values(np.maximum(a.values, b))


_BINARY: dict[Any, Any] = {
    np.multiply: _multiply, np.true_divide: _divide, np.power: _power, np.add: _add,
    np.subtract: _subtract, np.maximum: _maximum,
}  # fmt: skip

HANDLERS["ufunc"] = apply


# --- functions that are no ufuncs ---------------------------------------------------------------------


def take(a: COO, index: Array, dim: int) -> COO:
    """The slices of `dim` at the entries of a vector, in their order, with repetitions."""
    shape = (*a.shape[:dim], index.shape[0], *a.shape[dim + 1 :])
    if dim >= a.sparse_dim:
        values = np.take(a.values, index, axis=1 + dim - a.sparse_dim)
        return COO(a.indices, values, shape, a.coalesced)
    order = np.argsort(a.indices[dim], kind="stable")
    known = a.indices[dim][order]
    first = np.searchsorted(known, index, side="left")
    count = np.searchsorted(known, index, side="right") - first
    place = np.repeat(numbers(index, index.shape[0]), count)
    within = numbers(index, place.shape[0]) - np.repeat(np.cumsum(count) - count, count)
    taken = order[np.repeat(first, count) + within]
    indices = a.indices[:, taken]
    indices[dim] = place
    return COO(indices, a.values[taken], shape)


def call(layout: str, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of `function(*args)`, of which one or more are sparse; SparseUnsupported."""
    rule = _RULES.get(function)
    if rule is None:
        raise SparseUnsupported(function.__name__, layout)
    return rule(*args, **options)


def _zeros_like(
    a: SparseArray, dtype: Any = None, order: str = "K", shape: Any = None, **_: Any
) -> Any:
    like = a.values if dtype is None else a.values.astype(dtype)
    wanted = a.shape if shape is None else tuple(shape)
    made = empty(like, wanted, min(a.sparse_dim, len(wanted)))
    return compress(made, a.layout) if isinstance(a, Compressed) else made


def _concatenate(arrays: Any, axis: int = 0, **_: Any) -> COO:
    parts = [as_coo(a) for a in arrays if isinstance(a, SparseArray)]
    if len(parts) < len(arrays):
        raise RuntimeError(
            "Concatenating sparse tensors, but a dense tensor was found: convert it first"
        )
    axis %= parts[0].ndim
    if axis >= parts[0].sparse_dim:
        raise SparseUnsupported("cat along a dense dimension", "sparse_coo")
    indices, before = [], 0
    for part in parts:
        own = part.indices.copy()
        own[axis] += before
        before += part.shape[axis]
        indices.append(own)
    shape = list(parts[0].shape)
    shape[axis] = before
    return COO(
        np.concatenate(indices, axis=1), np.concatenate([p.values for p in parts]), tuple(shape)
    )


def _stack(arrays: Any, axis: int = 0, **_: Any) -> COO:
    if not all(isinstance(a, SparseArray) for a in arrays):
        return _concatenate(arrays)  # which says what is wrong
    return _concatenate([unsqueeze(as_coo(a), axis % (a.ndim + 1)) for a in arrays], axis)


def _take(a: SparseArray, indices: Any, axis: int = 0) -> COO:
    if not isinstance(a, COO):
        raise SparseUnsupported("index_select", a.layout)
    return take(a, indices, axis)


_RULES: dict[Any, Any] = {
    np.zeros_like: _zeros_like,
    np.empty_like: _zeros_like,
    np.dot: matmul,
    np.transpose: lambda a, axes=None: a.transpose(*(() if axes is None else (tuple(axes),))),
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.take: _take,
    np.sum: lambda a, axis=None, keepdims=False: reduce_sum(a, axis, keepdims),
    np.ndim: lambda a: a.ndim,
    np.shape: lambda a: a.shape,
    np.size: lambda a: a.size,
}

HANDLERS["function"] = call
