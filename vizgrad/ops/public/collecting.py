"""Differences, quantiles, distinct values, histograms, statistics of rows and products of sets."""

from __future__ import annotations

import itertools
from typing import Any

from vizgrad.arrays import xp
from vizgrad.errors import wrap_dim
from vizgrad.ops.public import multiplying, parting, reducing, searching, shaping
from vizgrad.ops.public.arguments import dims_of
from vizgrad.ops.public.arithmetic import lerp
from vizgrad.ops.public.creation import tensor
from vizgrad.tensor.tensor import Tensor, new_tensor


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours along `dim`, n times."""
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    pieces = [p for p in (prepend, input, append) if p is not None]
    result: Any = parting.cat(pieces, dim) if len(pieces) > 1 else input
    for _ in range(n):
        length = result.shape[dim]
        if length < 2:
            return shaping.narrow(result, dim, 0, 0)
        later, earlier = shaping.narrow(result, dim, 1, length - 1), shaping.narrow(result, dim, 0, length - 1)
        if result._array.dtype.kind == "b":
            result = later ^ earlier  # pyright: ignore[reportOperatorIssue]
        else:
            result = later - earlier  # pyright: ignore[reportOperatorIssue]
    return result


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The q-th quantiles along `dim`, interpolated between neighbours; NaN where there is a NaN."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation, ignore_nan=False)


def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The q-th quantiles of the numbers along `dim`, without NaNs."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, ignore_nan=True)


def _quantile(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, *, ignore_nan: bool
) -> Tensor:
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if input._array.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype, got {input.dtype.name}")
    if not input._array.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    points = q._array if isinstance(q, Tensor) else xp.asarray(q, input._array.dtype)
    if points.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor, got {points.ndim} dimensions")
    if points.size and not (0 <= points.min() and points.max() <= 1):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    ndim = input._array.ndim
    if dim is None:
        rows, at = shaping.reshape(input, -1), None
    else:
        at = wrap_dim(dim, ndim)
        rows = shaping.movedim(input, at, -1) if ndim else shaping.reshape(input, 1)
    ordered = searching.sort(rows, -1).values
    array = ordered._array
    unknown = (array != array).sum(-1, keepdims=True)
    last = array.shape[-1] - 1
    if ignore_nan:
        ranks = points.reshape(-1) * xp.maximum(last - unknown, 0)
    else:
        ranks = xp.where(unknown > 0, last, points.reshape(-1) * last + 0 * unknown)
    found = _between(ordered, ranks.astype(array.dtype), interpolation)
    if points.ndim:
        found = shaping.movedim(found, -1, 0)
    else:
        found = shaping.squeeze(found, -1)
    if keepdim:
        lead = points.ndim
        if at is None or not ndim:
            found = shaping.reshape(found, (*points.shape, *(1,) * ndim))
        else:
            found = shaping.unsqueeze(found, at + lead)
    return found


def _between(ordered: Tensor, ranks: Any, interpolation: str) -> Tensor:
    if interpolation == "lower":
        ranks = xp.floor(ranks)
    elif interpolation == "higher":
        ranks = xp.ceil(ranks)
    elif interpolation == "nearest":
        ranks = xp.round(ranks)
    below = xp.floor(ranks)
    low = searching.gather(ordered, -1, new_tensor(below.astype(xp.int64)))
    if interpolation in ("lower", "higher", "nearest"):
        return low
    high = searching.gather(ordered, -1, new_tensor(xp.ceil(ranks).astype(xp.int64)))
    weight = xp.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
    return lerp(low, high, new_tensor(weight))


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The distinct values in rising order (slices along `dim`), and where and how often they occur.

    Unlike PyTorch's, the values are differentiable: the gradient goes to the first occurrence.
    """
    axis = None if dim is None else wrap_dim(dim, input._array.ndim)
    _, first, inverse, counts = xp.unique(
        input._array, return_index=True, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    source = shaping.reshape(input, -1) if axis is None else input
    values = searching.index_select(source, axis or 0, new_tensor(first.astype(xp.int64)))
    shape = input._array.shape if axis is None else (input._array.shape[axis],)
    return _with(values, inverse.reshape(shape) if return_inverse else None, counts if return_counts else None)


def _with(values: Tensor, inverse: Any, counts: Any) -> Any:
    extra = tuple(new_tensor(a.astype(xp.int64)) for a in (inverse, counts) if a is not None)
    return (values, *extra) if extra else values


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The values with runs of equal ones shortened to one."""
    axis = 0 if dim is None else wrap_dim(dim, input._array.ndim)
    source = shaping.reshape(input, -1) if dim is None else input
    rows = xp.moveaxis(source._array, axis, 0).reshape(source._array.shape[axis], -1)
    new = xp.ones(len(rows), bool)
    if len(rows) > 1:
        new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    first = xp.nonzero(new)[0]
    values = searching.index_select(source, axis, new_tensor(first.astype(xp.int64)))
    groups = xp.cumsum(new) - 1
    shape = input._array.shape if dim is None else groups.shape
    counts = xp.bincount(groups, minlength=len(first)) if len(rows) else groups
    return _with(values, groups.reshape(shape) if return_inverse else None, counts if return_counts else None)


def isin(elements: Any, test_elements: Any, *, invert: bool = False) -> Tensor:
    """Is each element one of `test_elements`?"""
    a, b = (t._array if isinstance(t, Tensor) else t for t in (elements, test_elements))
    return new_tensor(xp.isin(a, b, invert=invert))


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal bins between min and max (or the extremes)."""
    array = input._array
    if array.dtype.kind != "f":
        raise NotImplementedError(f'"histogram" not implemented for {input.dtype.name}')
    low, high = min, max
    if low == high and array.size:
        low, high = float(array.min()), float(array.max())
    if low == high:
        low, high = low - 1, high + 1
    counts, _ = xp.histogram(array, bins=bins, range=(low, high))
    return new_tensor(counts.astype(array.dtype))


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Covariances of the rows (variables) of a matrix of observations (columns)."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("cov: weights are not supported")
    rows: Any = shaping.atleast_2d(input)
    centred = rows - reducing.mean(rows, 1, keepdim=True)
    freedom = rows.shape[1] - correction
    product: Any = multiplying.mm(centred, shaping.t(centred))
    return shaping.squeeze(product / max(freedom, 0) if freedom > 0 else product / 0.0)


def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows of a matrix."""
    c: Any = cov(input)
    if c.ndim == 0:
        return c / c
    scale: Any = shaping.diagonal(c) ** 0.5  # pyright: ignore[reportOperatorIssue]
    return c / shaping.unsqueeze(scale, 1) / shaping.unsqueeze(scale, 0)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Slices along `dim` scaled down to a p-norm of at most `maxnorm`."""
    ndim = input._array.ndim
    at = wrap_dim(dim, ndim)
    others = [d for d in range(ndim) if d != at]
    norms: Any = reducing.vector_norm(input, p, others, keepdim=True)
    from vizgrad.ops.public.selecting import where

    factor = where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return input * factor  # pyright: ignore[reportOperatorIssue]


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, one per row."""
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input._array.size), r))
    if not rows:
        return new_tensor(xp.zeros_like(input._array, shape=(0, r)))
    return searching.getitem(input, tensor(rows))


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All tuples with one element of each vector, one per row."""
    if len(tensors) == 1:
        return tensors[0]
    grids = shaping.meshgrid(*tensors, indexing="ij")
    return parting.stack([shaping.reshape(g, -1) for g in grids], 1)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Columns of powers of a vector."""
    n = x._array.size if N is None else N
    powers = range(n) if increasing else range(n - 1, -1, -1)
    return parting.stack([x**k for k in powers], -1)  # pyright: ignore[reportOperatorIssue]


def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one, zeros elsewhere."""
    blocks = [shaping.atleast_2d(t) for t in tensors]
    width = sum(b._array.shape[1] for b in blocks)
    rows, column = [], 0
    for block in blocks:
        height, own = block._array.shape
        before, after = (
            new_tensor(xp.zeros_like(block._array, shape=(height, n))) for n in (column, width - column - own)
        )
        rows.append(parting.cat([before, block, after], 1))
        column += own
    return parting.cat(rows, 0)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule."""
    (at,) = dims_of(dim, y._array.ndim) or (0,)
    n = y._array.shape[at]
    both: Any = shaping.narrow(y, at, 1, n - 1) + shaping.narrow(y, at, 0, n - 1)  # pyright: ignore[reportOperatorIssue]
    if x is None:
        return reducing.sum(both, at) * (dx / 2)  # pyright: ignore[reportOperatorIssue]
    step: Any = diff(x, dim=-1 if x._array.ndim == 1 else at)
    if x._array.ndim == 1:
        step = shaping.view(step, (-1,) + (1,) * (y._array.ndim - 1 - at))
    return reducing.sum(both * step, at) / 2  # pyright: ignore[reportOperatorIssue]


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """Running integrals along `dim` by the trapezoidal rule."""
    (at,) = dims_of(dim, y._array.ndim) or (0,)
    n = y._array.shape[at]
    both: Any = shaping.narrow(y, at, 1, n - 1) + shaping.narrow(y, at, 0, n - 1)  # pyright: ignore[reportOperatorIssue]
    step: Any = dx if x is None else diff(x, dim=-1 if x._array.ndim == 1 else at)
    if x is not None and x._array.ndim == 1:
        step = shaping.view(step, (-1,) + (1,) * (y._array.ndim - 1 - at))
    return reducing.cumsum(both * step / 2, at)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` in the slice at `index` of `dim`."""
    out: Any = input.clone()  # pyright: ignore[reportAttributeAccessIssue]
    shaping.select(out, dim, index).copy_(src)  # pyright: ignore[reportAttributeAccessIssue]
    return out


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of `input` with `src` in the elements start, start + step, ... of `dim`."""
    out: Any = input.clone()  # pyright: ignore[reportAttributeAccessIssue]
    key = (slice(None),) * wrap_dim(dim, input._array.ndim) + (slice(start, end, step),)
    out[key] = src
    return out


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of `input` with `src` on a diagonal."""
    out: Any = input.clone()  # pyright: ignore[reportAttributeAccessIssue]
    shaping.diagonal(out, offset, dim1, dim2).copy_(src)  # pyright: ignore[reportAttributeAccessIssue]
    return out
