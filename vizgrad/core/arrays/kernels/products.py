"""Matrix products."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import nameless, quiet
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.threads import FEW, FEW_OF_VECTOR, dot, matmul


def _mismatch(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    if len(a) == len(b) == 1:
        return (
            f"inconsistent tensor size, expected tensor {list(a)} and src {list(b)} to have the "
            f"same number of elements, but got {a[0]} and {b[0]} elements respectively"
        )
    if len(b) == 1:
        return f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
    return f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"


@quiet
def _in_singles(self: Array, mat2: Array) -> Array:
    return mm(self.astype(np.float32), mat2.astype(np.float32)).astype(np.float16)


@nameless
def mm(self: Array, mat2: Array) -> Array:
    """Matrix times matrix or vector, vector times vector. `dot` is less work to call than `matmul`."""
    if self.dtype.char in "e?":
        if self.dtype.kind == "b":
            raise NotImplementedError('"matmul" not implemented for bool; convert with .to(dtype)')
        return _in_singles(self, mat2)
    try:
        inner, size, other = len(mat2), self.size, mat2.size
        # rows * inner * columns is size * other / inner
        if size > inner and other > inner:
            few = FEW
        elif size == 1 or other == 1:  # `dot` takes it for a number, and 0 * NaN for 0
            if self.ndim == mat2.ndim == 1:  # but not of two; and 0 + (-0) is 0, as in all sums
                return self.dot(mat2) + 0
            return np.matmul(self, mat2)
        else:
            few = FEW_OF_VECTOR
        return self.dot(mat2) if size * other <= few * inner else dot(self, mat2)
    except ValueError:
        raise RuntimeError(_mismatch(self.shape, mat2.shape)) from None
    except TypeError:
        if not is_sparse(mat2):
            raise
        return np.matmul(self, mat2)  # which asks a sparse operand, as `dot` does not


@quiet
def bmm(self: Array, mat2: Array) -> Array:
    """The products of two stacks of matrices."""
    if self.dtype.kind == "b":
        raise NotImplementedError('"bmm" not implemented for bool; convert with .to(dtype)')
    _, inner, columns = mat2.shape
    count, rows, _ = self.shape
    if count > _SEVERAL and (inner == 1 or 0 in (self.strides[0], mat2.strides[0])):
        found = _of_one(self, mat2)
        if found is not None:
            return found
    work = rows * inner * columns
    if work <= FEW_OF_VECTOR or (work <= FEW and rows > 1 and columns > 1):
        return np.matmul(self, mat2)
    return matmul(self, mat2)


#: Fewer matrices are multiplied as quickly one by one.
_SEVERAL = 4


def _of_one(self: Array, mat2: Array) -> Array | None:
    """The products as one of larger matrices, or of elements, where a side is one matrix for all (stride 0)
    or has one row; None where that cannot be.
    """
    count, rows, inner = self.shape
    if mat2.shape[:2] != (count, inner):
        return None
    if inner == 1:
        if self.__class__ is np.ndarray:  # a third faster than multiplying: its loops are longer
            return np.einsum("nik,nkj->nij", self, mat2)
        return self * mat2
    if mat2.strides[0] == 0:
        product = dot(self.reshape(count * rows, inner), mat2[0])
        return product.reshape(count, rows, mat2.shape[2])
    if mat2.shape[2] == 1:
        return dot(mat2[:, :, 0], self[0].T)[:, :, None]
    return None


@nameless
def add_product(
    bias: Array, product: Array, beta: float, alpha: float, times_zero: bool = False
) -> Array:
    """beta * bias + alpha * product; `product` is fresh memory and is written to.

    A product that has the factor 0 does not count, whatever it is; it is multiplied if `times_zero` says so.
    """
    if alpha != 1:
        if alpha == 0 and not times_zero:
            product[...] = 0
        else:
            product *= product.dtype.type(alpha)
    if beta == 0:  # NaN in `bias` must not pass
        return product
    if beta != 1:
        bias = bias * product.dtype.type(beta)
    product += bias
    return product


@quiet
def summed_products(batch1: Array, batch2: Array) -> Array:
    """The sum of the products of two stacks of matrices: one product of wider ones."""
    count, rows, inner = batch1.shape
    wide = batch1.transpose(1, 0, 2).reshape(rows, count * inner)
    return mm(wide, batch2.reshape(count * inner, batch2.shape[2]))


@quiet
def outer(vec1: Array, vec2: Array) -> Array:
    """All products of the elements of two vectors."""
    return vec1[:, None] * vec2


@quiet
def cross(a: Array, b: Array, dim: int) -> Array:
    a, b = np.moveaxis(a, dim, -1), np.moveaxis(b, dim, -1)
    parts = [
        a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
        a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
        a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
    ]
    return contiguous(np.stack(parts, axis=dim))
