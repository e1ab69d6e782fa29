"""numpy's functions (those that are no ufuncs) over sparse arrays: the few that kernels need."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.sparse.base import HANDLERS, Array, SparseArray, SparseUnsupported
from vizgrad.core.arrays.sparse.compressed import Compressed, as_coo, compress
from vizgrad.core.arrays.sparse.coo import COO, empty, unsqueeze
from vizgrad.core.arrays.sparse.elementwise import reduce_sum
from vizgrad.core.arrays.sparse.products import matmul


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
