"""`torch.sparse`: products, sums and softmax of sparse tensors, and their constructors of old."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import CONSTRUCTORS, DType
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops.public import conversion, matrix_products, reduction
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.reshape import reshape
from vizgrad.core.ops.public.sparse import (
    coalesce,
    declared,
    expect,
    own,
    sparse_coo_tensor,
    to_sparse,
    values,
)
from vizgrad.core.tensor.in_memory import layout as Layout
from vizgrad.core.tensor.tensor import Size, Tensor, new_tensor


@takes_tensors
def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """A sparse matrix times a dense or sparse one; the gradient for a sparse operand is sparse."""
    if reduce not in (None, "sum"):
        raise NotImplementedError(f"sparse.mm: reduce={reduce!r} is not supported, only 'sum'")
    first, second = is_sparse(mat1._array), is_sparse(mat2._array)
    if first and second:
        return declared().sparse_sparse_mm.record(mat1, mat2)
    if first:
        _check_product(mat1, mat2)
        return declared().sparse_mm.record(mat1, mat2)
    return matrix_products.mm(mat1, mat2)


def _check_product(mat1: Tensor, mat2: Tensor) -> None:
    a, b = mat1._array, mat2._array
    if a.ndim != 2 or b.ndim != 2:
        raise RuntimeError(f"addmm: matrices expected, got {a.ndim}D and {b.ndim}D tensors")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"addmm: Argument #3 (dense): Expected dim 0 size {a.shape[1]}, got {b.shape[0]}"
        )


@takes_tensors
def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2), `mat1` being sparse."""
    if not is_sparse(mat1._array) or is_sparse(mat2._array) or is_sparse(mat._array):
        return matrix_products.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)
    _check_product(mat1, mat2)
    return declared().sparse_addmm.record(mat, mat1, mat2, beta=beta, alpha=alpha)


@takes_tensors
def sum(input: Tensor, dim: Any = None, dtype: DType | None = None) -> Tensor:
    """The sum of what is stored, over all or some dimensions; sparse while a sparse dimension is left."""
    if dtype is not None:
        input = conversion.to(input, dtype)
    if not is_sparse(input._array):
        return reduction.sum(input, dim)
    if dim is None:
        if isinstance(input, Wrapped):  # a batch, whose examples store different numbers of values
            return declared().sparse_sum.record(input, dims=tuple(range(input.ndim)))
        return reduction.sum(values(coalesce(input)))
    expect("sum", "sparse coordinate", input, "sparse_coo")
    ndim = input._array.ndim
    dims = [dim] if isinstance(dim, int) else list(dim)
    return declared().sparse_sum.record(
        input, dims=tuple(sorted({wrap_dim(d, ndim) for d in dims}))
    )


@takes_tensors
def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """Softmax along `dim` of what is stored: what is not counts as minus infinity."""
    return _softmax("softmax", input, dim, dtype)


@takes_tensors
def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of `softmax`."""
    return _softmax("log_softmax", input, dim, dtype)


def _softmax(name: str, input: Tensor, dim: int, dtype: DType | None) -> Tensor:
    own("_sparse_" + name, input, "sparse_coo")
    if dtype is not None:
        input = conversion.to(input, dtype)
    return getattr(declared(), "sparse_" + name).record(input, dim=wrap_dim(dim, input._array.ndim))


class SparseType(type):
    """`torch.sparse.FloatTensor` and its like: constructors by element type, from PyTorch's early days."""

    dtype: DType

    def __call__(cls, *args: Any) -> Tensor:
        """From indices, values and a size (or the first two); from sizes: nothing stored."""
        if args and isinstance(args[0], Tensor):
            if len(args) == 1:
                raise TypeError("sparse tensors are made of indices and values, or of sizes")
            if args[1].dtype is not cls.dtype:
                raise TypeError(
                    f"expected values of {cls.dtype}, got {args[1].dtype}: use .to(dtype)"
                )
            return sparse_coo_tensor(*args)
        size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args
        return sparse_coo_tensor(Size(tuple(size) or (0,)), dtype=cls.dtype)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.is_sparse and instance.dtype is cls.dtype


def _typed(name: str) -> Any:
    dtype = CONSTRUCTORS[name]
    return SparseType(name, (), {"dtype": dtype, "__doc__": f"COO tensors of {dtype}."})


FloatTensor = _typed("FloatTensor")
DoubleTensor = _typed("DoubleTensor")
HalfTensor = _typed("HalfTensor")
BFloat16Tensor = _typed("BFloat16Tensor")
ByteTensor = _typed("ByteTensor")
CharTensor = _typed("CharTensor")
ShortTensor = _typed("ShortTensor")
IntTensor = _typed("IntTensor")
LongTensor = _typed("LongTensor")


def spdiags(
    diagonals: Tensor, offsets: Tensor, shape: Sequence[int], layout: Layout | None = None
) -> Tensor:
    """A sparse matrix with the rows of `diagonals` on its diagonals, as scipy.sparse.spdiags has it."""
    rows, columns = shape
    which = offsets._array.reshape(-1)
    long = diagonals if diagonals._array.ndim == 2 else reshape(diagonals, (1, -1))
    count, width = long._array.shape
    if which.shape[0] != count:
        raise RuntimeError(
            f"Number of diagonals ({count}) does not match the number of offsets ({which.shape[0]})"
        )
    if xp.unique(which).shape[0] != count:
        raise RuntimeError("Offset tensor contains duplicate values")
    column = xp.arange(width, like=which)[None] + 0 * which[:, None]
    row = column - which[:, None]
    kept = (row >= 0) & (row < rows) & (column < columns)
    places = new_tensor(xp.stack([row[kept], column[kept]]))
    out = sparse_coo_tensor(places, long[new_tensor(kept)], shape)
    return out if layout is None else to_sparse(out, layout=layout)
