"""Matrix decompositions of stacks of matrices (the last two dimensions)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from vizgrad.arrays.backend import Array, as_array
from vizgrad.arrays.kernels.memory import numbers
from vizgrad.arrays.quiet import quiet


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
    lower = _guarded("cholesky", why, np.linalg.cholesky, a)
    return lower.swapaxes(-1, -2).conj() if upper else lower


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
def svd(a: Array) -> tuple[Array, Array, Array]:
    """The reduced decomposition."""
    why = "the algorithm failed to converge"
    return tuple(_guarded("svd", why, lambda x: np.linalg.svd(x, full_matrices=False), a))


@quiet
def qr(a: Array, mode: Literal["reduced", "complete"]) -> tuple[Array, Array]:
    found: Any = np.linalg.qr(a, mode)
    return found.Q, found.R


@quiet
def pinv(a: Array, rcond: float | None) -> Array:
    if rcond is None:
        rcond = max(a.shape[-2:], default=0) * float(np.finfo(a.dtype).eps)
    return np.linalg.pinv(a, rcond=rcond)


@quiet
def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        n = a.shape[-1]
        places = numbers(a, n)
        part = np.where(places == places[:, None], a.dtype.type(1), part)
    if left:
        return solve(part, b)
    return solve(part.swapaxes(-1, -2), b.swapaxes(-1, -2)).swapaxes(-1, -2)


def _identities(a: Array) -> Array:
    """Identity matrices in the shape of `a`."""
    places = numbers(a, a.shape[-1])
    return np.broadcast_to((places == places[:, None]).astype(a.dtype), a.shape).copy()


@quiet
def matrix_exp(a: Array) -> Array:
    """Scaling and squaring with a Taylor polynomial (Higham 2008, 10.3): to norm 1/2, then 18 terms."""
    size = float(np.abs(a).sum(axis=-2).max()) if a.size else 0.0
    squarings = max(0, math.ceil(math.log2(size)) + 1) if 0 < size < math.inf else 0
    scaled = a / a.dtype.type(2.0**squarings)
    result = _identities(a)
    term = result.copy()
    for k in range(1, 19):
        term = np.matmul(term, scaled) / a.dtype.type(k)
        result += term
    for _ in range(squarings):
        result = np.matmul(result, result)
    return result


def matrix_rank(a: Array, rtol: float | None, atol: float | None = None) -> Array:
    s = np.linalg.svd(a, compute_uv=False)
    if not s.shape[-1]:
        return s.sum(axis=-1).astype(np.int64)
    if rtol is None:
        rtol = 0.0 if atol else max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    least = np.maximum(rtol * s.max(axis=-1, keepdims=True), atol or 0.0)
    return (s > least).sum(axis=-1).astype(np.int64)
