"""Matrix decompositions of stacks of matrices (the last two dimensions)."""

from __future__ import annotations

import importlib
import math
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import Any, Literal

import numpy as np

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.backend import (
    Array,
    as_array,
    beside,
    device_of,
    namespace_of,
    near,
    to_device,
    to_host,
)
from vizgrad.core.arrays.errstate import nameless, quiet
from vizgrad.core.arrays.kernels.memory import contiguous, numbers
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.threads import FEW, FEW_OF_VECTOR, dot, matmul


class _LinAlgError(RuntimeError):
    """A matrix is singular, or not positive definite."""


#: PyTorch calls the class by the first name where it prints it, and exports the second.
LinAlgError = _LinAlgError


def stopping(array: Array) -> AbstractContextManager[Any]:
    """Inside, a matrix that has no result is a LinAlgError on a device, too: its host waits to hear of it."""
    if isinstance(array, np.ndarray):
        return nullcontext()
    return importlib.import_module("cupyx").errstate(linalg="raise")


def _guarded(name: str, why: str, compute: Callable[..., Any], *arrays: Array) -> Any:
    """float16 is computed in float32; numpy's LinAlgError becomes ours."""
    try:
        with stopping(arrays[0]):
            return compute(*arrays)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            f"linalg.{name}: {why} (shape {list(arrays[0].shape)}): {error}"
        ) from None


@quiet
def inv(a: Array) -> Array:
    why = "the inversion could not be completed because the input matrix is singular"
    return _guarded("inv", why, np.linalg.inv, a)


@quiet
def solve(a: Array, b: Array) -> Array:
    why = "the solver failed because the input matrix is singular"
    return _guarded("solve", why, _solved, a, b)


def _solved(a: Array, b: Array) -> Array:
    if not isinstance(a, np.ndarray):  # which broadcasts nothing
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a = np.broadcast_to(a, stack + a.shape[-2:])
        b = np.broadcast_to(b, stack + b.shape[-2:])
    return np.linalg.solve(a, b)


def solve_vectors(a: Array, b: Array) -> Array:
    return solve(a, b[..., None])[..., 0]


@quiet
def cholesky(a: Array, upper: bool) -> Array:
    why = "the factorization could not be completed because the input is not positive-definite"
    if not upper:
        return _guarded("cholesky", why, np.linalg.cholesky, a)
    # numpy's looks at the lower triangle
    return adjoint(_guarded("cholesky", why, np.linalg.cholesky, adjoint(a)))


def adjoint(a: Array) -> Array:
    return a.conj().swapaxes(-1, -2)  # on a device conjugates lie in rows, whatever they are of


@quiet
def det(a: Array) -> Array:
    return as_array(np.linalg.det(a)).astype(a.dtype, copy=False)


@quiet
def slogdet(a: Array) -> tuple[Array, Array]:
    sign, size = np.linalg.slogdet(a)
    parts = as_array(sign), as_array(size)
    return parts[0].astype(a.dtype, copy=False), parts[1].astype(a.real.dtype, copy=False)


@quiet
def cofactors(a: Array) -> Array:
    """The derivative of the determinant, also of singular matrices.

    From a = U S Vh: det(U) det(Vh) U* diag(products of all other singular values) Vh*, where the star
    conjugates.
    """
    u, s, vh = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    before = np.ones_like(s)
    after = np.ones_like(s)
    before[..., 1:] = np.cumprod(s[..., :-1], axis=-1)
    after[..., :-1] = np.cumprod(s[..., :0:-1], axis=-1)[..., ::-1]
    others = (sign[..., None] * before * after)[..., None, :]
    result = matmul(u.conj() * others, vh.conj())
    return result.astype(a.dtype, copy=False)


@quiet
def inverse_transposed(a: Array) -> Array:
    """The inverse, transposed; of a singular matrix infinities instead of an error."""
    try:
        with stopping(a):
            return np.linalg.inv(a).swapaxes(-1, -2)
    except np.linalg.LinAlgError:
        u, s, vh = np.linalg.svd(a)
        return matmul(u.conj() / s[..., None, :], vh.conj())


@quiet
def eigh(a: Array, uplo: Literal["L", "U"]) -> tuple[Array, Array]:
    values, vectors = np.linalg.eigh(a, uplo)
    return values, vectors


@quiet
def eig(a: Array) -> tuple[Array, Array]:
    """Complex whatever the matrix is."""
    why = "the algorithm failed to converge"
    found: Any = _guarded("eig", why, np.linalg.eig, a)
    dtype = np.result_type(a.dtype, np.complex64)
    return found[0].astype(dtype, copy=False), found[1].astype(dtype, copy=False)


@quiet
def svd(a: Array, full: bool = False) -> tuple[Array, Array, Array]:
    """The reduced decomposition, or the full one."""
    why = "the algorithm failed to converge"
    return tuple(_guarded("svd", why, lambda x: np.linalg.svd(x, full_matrices=full), a))


@quiet
def qr(a: Array, mode: Literal["reduced", "complete"]) -> tuple[Array, Array]:
    q, r = np.linalg.qr(a, mode)
    return q, r


def least_counted(a: Array, sizes: Array, rtol: Any, atol: Any) -> Array:
    """Which of the singular values (or of the sizes of eigenvalues) of `a` count as 0: up to this one."""
    if rtol is None:  # nobody waits for tolerances on a device
        given = atol is not None and (not isinstance(atol, int | float) or atol > 0)
        rtol = 0.0 if given else max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    largest = sizes.max(axis=-1) if sizes.shape[-1] else sizes.sum(axis=-1)
    return np.maximum(largest * rtol, 0.0 if atol is None else atol)[..., None]


@quiet
def pinv(a: Array, rtol: Any, atol: Any, hermitian: bool) -> Array:
    """`hermitian`: by eigenvalues of the lower triangle, the rest of the matrix being what it is."""
    if hermitian:
        values, vectors = eigh(a, "L")
        sizes, left, right = np.abs(values), vectors, vectors.swapaxes(-1, -2).conj()
    else:
        u, values, vh = svd(a)
        sizes, left, right = values, vh.swapaxes(-1, -2).conj(), u.swapaxes(-1, -2).conj()
    counted = sizes > least_counted(a, sizes, rtol, atol)
    inverse = np.where(counted, 1 / np.where(counted, values, 1), 0).astype(
        values.dtype, copy=False
    )
    return matmul(left * inverse[..., None, :], right)


@quiet
def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        n = a.shape[-1]
        places = numbers(a, n)
        part = np.where(places == places[:, None], a.dtype.type(1), part)
    if not left:
        turned = part.swapaxes(-1, -2), b.swapaxes(-1, -2)
        return solve_triangular(*turned, not upper, True, False).swapaxes(-1, -2)
    diagonal = np.diagonal(part, 0, -2, -1)
    if isinstance(part, np.ndarray) and not diagonal.all():  # nobody waits for a device
        return _substituted(part, b, upper)  # a 0 there is a division by it, and no error
    try:
        if upper:
            return _solved(part, b)
        # in reverse order it is upper: of a lower triangle LU would exchange rows, and lose digits
        return contiguous(_solved(part[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :])
    except np.linalg.LinAlgError:  # infinities beside the diagonal make a pivot 0
        return _substituted(part, b, upper)


def _substituted(a: Array, b: Array, upper: bool) -> Array:
    """Row by row, so that a 0 on the diagonal gives the infinities and NaNs of a division by it."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.empty_like(b, shape=(*batch, *b.shape[-2:]))
    x[...] = b
    rows = range(a.shape[-1])
    for k in reversed(rows) if upper else rows:
        x[..., k, :] /= a[..., k, k, None]
        rest = slice(0, k) if upper else slice(k + 1, None)
        x[..., rest, :] -= a[..., rest, k, None] * x[..., k, None, :]
    return x


def identities(a: Array) -> Array:
    """Identity matrices in the shape of `a`."""
    places = numbers(a, a.shape[-1])
    return np.broadcast_to((places == places[:, None]).astype(a.dtype), a.shape).copy()


@quiet
def matrix_exp(a: Array) -> Array:
    """Scaling and squaring with a Taylor polynomial (Higham 2008, 10.3): to norm 1/2, then 18 terms.

    In double precision always: each squaring doubles the error.
    """
    given, a = a.dtype, a.astype(np.result_type(a.dtype, np.float64))
    size = float(np.abs(a).sum(axis=-2).max()) if a.size else 0.0
    squarings = max(0, math.ceil(math.log2(size)) + 1) if 0 < size < math.inf else 0
    scaled = a / a.dtype.type(2.0**squarings)
    result = identities(a)
    term = result.copy()
    for k in range(1, 19):
        term = matmul(term, scaled) / a.dtype.type(k)
        result += term
    for _ in range(squarings):
        result = matmul(result, result)
    return result.astype(given, copy=False)


def matrix_rank(a: Array, rtol: Any, atol: Any = None, hermitian: bool = False) -> Array:
    s = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
    return (s > least_counted(a, s, rtol, atol)).sum(axis=-1).astype(np.int64)


def reflections(a: Array) -> tuple[Array, Array]:
    """R of the QR decomposition, below its diagonal the reflections whose product is Q; their factors."""
    if not a.size:
        return a.copy(), np.zeros_like(a, shape=(*a.shape[:-2], min(a.shape[-2:])))
    turned, factors = np.linalg.qr(a, "raw")
    return contiguous(turned.swapaxes(-1, -2)), factors


def first_columns(a: Array) -> Array:
    """Those of a unit matrix, as many as `a` has."""
    return shaped(np.zeros_like, a, shape=a.shape) + _ones_on_diagonal(a, a.shape[-1])


def _ones_on_diagonal(a: Array, columns: int) -> Array:
    return (numbers(a, a.shape[-2])[:, None] == numbers(a, columns)).astype(a.dtype)


@quiet
def reflected(a: Array, factors: Array, c: Array, turned: bool) -> Array:
    """The product of the reflections of `reflections`, or its adjoint if `turned`, times `c`.

    As one of matrices (`vizgrad.core.ops.reflections`).
    """
    count = factors.shape[-1]
    v = np.tril(a[..., :count], -1) + _ones_on_diagonal(a, count)
    across = adjoint(v)
    products = matmul(across, v)
    between = np.tril(products, -1) if turned else np.triu(products, 1)
    factors = (factors.conj() if turned else factors)[..., None]
    along = solve_triangular(factors * between, factors * matmul(across, c), not turned, True, True)
    return c - matmul(v, along)


# LU factors with partial pivoting, by LAPACK, of stacks of matrices.


def _library(a: Array) -> Any:
    prefix = "" if isinstance(a, np.ndarray) else "cupyx."
    known = sys.modules.get(prefix + "scipy.linalg")
    if known is None:
        known = importlib.import_module(prefix + "scipy.linalg")
        threads.limit()  # scipy has a BLAS library of its own
    return known


@quiet
def factor(a: Array) -> tuple[Array, Array]:
    """L (its unit diagonal left out) and U in one array, and LAPACK's pivots, counted from 1."""
    xp: Any = namespace_of(a)
    m, n = a.shape[-2:]
    stack = a.reshape(prod(a.shape[:-2]), m, n)
    compact = xp.empty_like(stack)
    pivots = xp.empty((len(stack), min(m, n)), xp.int32)
    library = _library(a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of exactly singular matrices: U has a 0 on its diagonal
        for index, matrix in enumerate(stack if compact.size else ()):
            compact[index], found = library.lu_factor(matrix)
            pivots[index] = found + 1
    return compact.reshape(a.shape), pivots.reshape(*a.shape[:-2], min(m, n))


def unpack(compact: Array, pivots: Array) -> tuple[Array, Array, Array]:
    """P, L and U."""
    m, n = compact.shape[-2:]
    k = min(m, n)
    xp: Any = namespace_of(compact)
    lower = xp.tril(compact[..., :, :k], -1) + xp.eye(m, k, dtype=compact.dtype)
    parts = lower, xp.triu(compact[..., :k, :])  # cupy's are float32 of a bfloat16
    return permutation(pivots, m, compact), *(p.astype(compact.dtype, copy=False) for p in parts)


def permutation(pivots: Array, m: int, like: Array) -> Array:
    """The matrix P in A = P @ L @ U; `pivots` says with which row each row was exchanged."""
    order = np.broadcast_to(np.arange(m), (*pivots.shape[:-1], m)).copy()
    swaps = to_host(pivots).reshape(prod(pivots.shape[:-1]), pivots.shape[-1]) - 1
    for rows, exchanged in zip(order.reshape(len(swaps), m), swaps, strict=True):
        for i, j in enumerate(exchanged):
            rows[i], rows[j] = rows[j], rows[i]
    found = np.zeros((*order.shape, m), like.dtype)
    np.put_along_axis(found, order[..., None, :], 1, axis=-2)
    return to_device(found, device_of(like))


def lu_solve(
    compact: Array, pivots: Array, b: Array, left: bool, turned: bool
) -> tuple[Array, Array]:
    """X in A @ X = b (X @ A = b unless `left`), with L and U in one array; `turned`: A^H in place of A.

    The second array is what the first triangle gives: L^-1 P^T b or U^-H b; b^H for b, unless `left`.
    """
    if not left:  # X A = b is A^H X^H = b^H
        found, inner = lu_solve(compact, pivots, adjoint(b), True, not turned)
        return adjoint(found), inner
    exchanged = permutation(pivots, compact.shape[-1], compact)
    if turned:
        compact = adjoint(compact)
        inner = solve_triangular(compact, b, False, True, False)
        return matmul(exchanged, solve_triangular(compact, inner, True, True, True)), inner
    inner = matmul(exchanged.swapaxes(-1, -2), b)
    inner = solve_triangular(compact, inner, False, True, True)
    return solve_triangular(compact, inner, True, True, False), inner


def cholesky_solve(b: Array, factor: Array, upper: bool) -> Array:
    """X in A @ X = b, with A = factor @ factor^H, or factor^H @ factor if `upper`."""
    first, second = (adjoint(factor), factor) if upper else (factor, adjoint(factor))
    return solve_triangular(
        second, solve_triangular(first, b, False, True, False), True, True, False
    )


def first_zero_pivot(a: Array) -> Array:
    """1 + the place of the first 0 on the diagonal of U, for each matrix; 0 if there is none."""
    diagonal = np.diagonal(factor(a)[0], 0, -2, -1)
    zero = diagonal == 0
    if not zero.shape[-1]:
        return shaped(np.zeros_like, zero, np.int32, shape=zero.shape[:-1])
    return np.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(np.int32)


@quiet
def first_bad_minor(a: Array) -> Array:
    """The order of the first leading minor that is not positive, for each matrix; 0 if there is none."""
    n = a.shape[-1]
    stack = to_host(a).reshape(prod(a.shape[:-2]), n, n)
    found = np.zeros(len(stack), np.int32)
    for index, matrix in enumerate(stack):
        for order in range(1, n + 1):
            try:
                np.linalg.cholesky(matrix[:order, :order])
            except np.linalg.LinAlgError:
                found[index] = order
                break
    return beside(a, found.reshape(a.shape[:-2]))


# Orthogonal matrices for starting values.


@near
def orthonormal(x: Array) -> Array:
    """An orthonormal basis from the rows of `x` as a matrix (or of its columns, if there are fewer).

    From the QR decomposition, with signs such that normally distributed `x` gives uniformly
    distributed results.
    """
    matrix = x.reshape(x.shape[0], -1)
    flat = matrix.shape[0] < matrix.shape[1]
    q, r = np.linalg.qr(matrix.T if flat else matrix)
    q = q * np.sign(np.diagonal(r))
    return contiguous(q.T if flat else q).reshape(x.shape)


# Matrix products.


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
                return (self.dot(mat2) if self.__class__ is np.ndarray else dot(self, mat2)) + 0
            return matmul(self, mat2)
        else:
            few = FEW_OF_VECTOR
        small = size * other <= few * inner and self.__class__ is np.ndarray
        return self.dot(mat2) if small else dot(self, mat2)
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
    small = work <= FEW_OF_VECTOR or (work <= FEW and rows > 1 and columns > 1)
    if small and self.__class__ is np.ndarray:
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
