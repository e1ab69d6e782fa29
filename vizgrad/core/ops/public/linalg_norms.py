"""Norms of matrices and vectors, and the condition number (spec T-39)."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.linalg import LinAlgError as LinAlgError
from vizgrad.core.errors import wrap_dim
from vizgrad.core.ops.public import dimensions, reduction, slicing
from vizgrad.core.ops.public.arguments import takes_out
from vizgrad.core.ops.public.linalg_factors import inv_ex
from vizgrad.core.ops.public.linalg_functions import check, svdvals
from vizgrad.core.ops.public.statistics import check_norm_dtype
from vizgrad.core.ops.public.statistics import vector_norm as vector_norm
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor


@takes_out
def matrix_norm(
    input: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The norm of matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    if dtype is not None:
        check_norm_dtype("matrix_norm", input, dtype)
    check("matrix_norm", input, square=False)
    if isinstance(dim, INTS) or len(dim) != 2:
        raise RuntimeError(
            f"linalg.matrix_norm: dim must be a 2-tuple, of rows and columns. Got {dim} for a tensor of "
            f"shape {list(input._array.shape)}"
        )
    if ord not in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        raise RuntimeError(
            f"linalg.matrix_norm: Order {ord} not supported; there are 'fro', 'nuc', 1, -1, 2, -2, inf, -inf"
        )
    rows, columns = (wrap_dim(d, input._array.ndim) for d in dim)
    shape = input._array.shape
    last = shape[columns if ord == 1 else rows]
    if (ord in (1, math.inf) and not last) or (ord == 2 and 0 in (shape[rows], shape[columns])):
        # the largest of no numbers, none of which is below 0
        return vector_norm(input.detach(), 1, (rows, columns), keepdim, dtype=dtype)
    if ord == "fro":
        return vector_norm(input, 2, (rows, columns), keepdim, dtype=dtype)
    if ord in (1, -1, math.inf, -math.inf):
        first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = vector_norm(input, 1, first, keepdim, dtype=dtype)
        if not keepdim and second > first:
            second -= 1
        return (reduction.amax if ord > 0 else reduction.amin)(sums, second, keepdim)
    if dtype is not None:
        input = input.to(dtype)
    values = svdvals(dimensions.movedim(input, (rows, columns), (-2, -1)))
    if ord == "nuc":
        result = reduction.sum(values, -1)
    else:
        result = (reduction.amax if ord > 0 else reduction.amin)(values, -1)
    if keepdim:
        for d in sorted((rows, columns)):
            result = dimensions.unsqueeze(result, d)
    return result


@takes_out
def norm(
    input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """A vector norm, or a matrix norm when two dimensions (or a matrix) and an order are given."""
    dims = None if dim is None else (dim,) if isinstance(dim, INTS) else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}"
        )
    if dims is None and ord is not None and input._array.ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{input._array.ndim}D: say along which one or two dimensions, dim="
        )
    pair = dims is not None and len(dims) == 2
    if ord is not None and (
        pair or isinstance(ord, str) or (dims is None and input._array.ndim == 2)
    ):
        return matrix_norm(input, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(input, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@takes_out
def cond(input: Tensor, p: Any = None) -> Tensor:
    """The condition number: norm(input) * norm(inv(input)), by singular values when p is None, 2 or -2."""
    if isinstance(p, xp.generic):
        p = p.item()
    if p is None or (isinstance(p, (int, float)) and abs(p) == 2):
        values = svdvals(input)
        if not values._array.size:
            return reduction.sum(values.detach(), -1)
        first, last = slicing.select(values, -1, 0), slicing.select(values, -1, -1)
        return last / first if p == -2 else first / last
    if not isinstance(p, (bool, int, float, complex, str)):
        raise TypeError(f"linalg_cond(): argument 'p' must be a number or a word, not {p!r}")
    check(f"cond(ord={p})", input)
    if p not in ("fro", "nuc", 1, -1, math.inf, -math.inf):
        raise RuntimeError(
            f"linalg.cond got an invalid norm type: {p}; there are 'fro', 'nuc', 1, -1, 2, -2, inf, -inf"
        )
    if not input._array.size:
        return vector_norm(input.detach(), 1, (-2, -1))
    if p == "nuc":  # an inverse may have infinities, which have no singular values
        values = svdvals(input)
        return reduction.sum(values, -1) * reduction.sum(1 / values, -1)
    inverse, info = inv_ex(input)
    product = matrix_norm(input, p) * matrix_norm(inverse, p)
    return where(info != 0, math.inf, product) if bool(info.any()) else product
