"""Matrix decompositions of stacks of matrices (the last two dimensions)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from vizgrad.core.arrays.backend import Array, as_array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.memory import contiguous, numbers


class _LinAlgError(RuntimeError):
    """A matrix is singular, or not positive definite."""


#: PyTorch calls the class by the first name where it prints it, and exports the second.
LinAlgError = _LinAlgError


def _guarded(name: str, why: str, compute: Callable[..., Any], *arrays: Array) -> Any:
    """float16 is computed in float32; numpy's LinAlgError becomes ours."""
    try:
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
    return _guarded("solve", why, np.linalg.solve, a, b)


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
    return a.swapaxes(-1, -2).conj()


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
    result = np.matmul(u.conj() * others, vh.conj())
    return result.astype(a.dtype, copy=False)


@quiet
def inverse_transposed(a: Array) -> Array:
    """The inverse, transposed; of a singular matrix infinities instead of an error."""
    try:
        return np.linalg.inv(a).swapaxes(-1, -2)
    except np.linalg.LinAlgError:
        u, s, vh = np.linalg.svd(a)
        return np.matmul(u.conj() / s[..., None, :], vh.conj())


@quiet
def eigh(a: Array, uplo: Literal["L", "U"]) -> tuple[Array, Array]:
    found: Any = np.linalg.eigh(a, uplo)
    return found.eigenvalues, found.eigenvectors


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
    found: Any = np.linalg.qr(a, mode)
    return found.Q, found.R


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
    return np.matmul(left * inverse[..., None, :], right)


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
    if (
        isinstance(part, np.ndarray) and not np.diagonal(part, 0, -2, -1).all()
    ):  # nobody waits for a device
        return _substituted(part, b, upper)
    return solve(part, b)


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
        term = np.matmul(term, scaled) / a.dtype.type(k)
        result += term
    for _ in range(squarings):
        result = np.matmul(result, result)
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
