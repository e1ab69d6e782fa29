"""Matrix functions under their older names and signatures; torch.linalg has the ones to use."""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops import decompositions, triangular
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import (
    broadcasting,
    dimensions,
    linalg_eigenvalues,
    linalg_factors,
    linalg_functions,
)
from vizgrad.core.ops.public.complexes import adjoint
from vizgrad.core.ops.public.keywords import takes_out, takes_tensors
from vizgrad.core.ops.public.linalg_checks import check_same_type
from vizgrad.core.tensor.tensor import Tensor


class SVD(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor


class QR(NamedTuple):
    Q: Tensor
    R: Tensor


class TriangularSolve(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor


@public(method=True)
@takes_out
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """`linalg.cholesky`; of nothing, whatever its shape, nothing."""
    if not input._array.size:
        return input.clone()
    if input._array.ndim > 1 and input._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"cholesky_cpu" not implemented for {input.dtype.name}')
    return linalg_functions.cholesky(input, upper=upper)


@public(method=True)
@takes_out
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SVD:
    """U, S, V with input = U @ diag(S) @ V.mH; zeros for U and V without `compute_uv`."""
    if not compute_uv:
        m, n = input._array.shape[-2:]
        values = linalg_eigenvalues.svdvals(input)
        batch = input.shape[:-2]
        return SVD(input.new_zeros((*batch, m, m)), values, input.new_zeros((*batch, n, n)))
    u, s, vh = linalg_eigenvalues.svd(input, full_matrices=not some)
    return SVD(u, s, adjoint(vh))


@public(method=True)
@takes_out
def qr(input: Tensor, some: bool = True) -> QR:
    """Q, R with input = Q @ R; a square Q unless `some`."""
    return QR(*linalg_functions.qr(input, "reduced" if some else "complete"))


@public(method=True)
@takes_out
@of_examples
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> TriangularSolve:
    """X in A @ X = input (A.mT @ X with `transpose`), reading a triangle of A; and a copy of A."""
    for each in (input, A):
        if each._array.ndim < 2:
            raise RuntimeError(
                "torch.triangular_solve: Expected tensors of at least 2 dimensions, but got "
                f"{each._array.ndim}"
            )
    check_same_type("triangular_solve", input, A)
    if A._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"triangular_solve" not implemented for {A.dtype.name}')
    shape = broadcasting.broadcast_shapes(input._array.shape[:-2], A._array.shape[:-2])
    b, matrix = (broadcasting.expand(t, (*shape, *t._array.shape[-2:])) for t in (input, A))
    plain = matrix.detach()
    found = linalg_functions.solve_triangular(
        dimensions.mT(plain) if transpose else plain,
        b.detach(),
        upper=upper != transpose,
        unitriangular=unitriangular,
    )
    return TriangularSolve(
        *decompositions.record(
            triangular.TriangularSolveBackward0,
            (b, matrix),
            (found._array, plain.clone()._array),
            _A=matrix,
            upper=upper,
            transpose=transpose,
            unitriangular=unitriangular,
        )
    )


@public(method=True)
@takes_tensors
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """(LU, pivots), and with `get_infos` where a pivot is 0: for `lu_solve` and `lu_unpack`."""
    if A._array.ndim > 1 and A._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"lu_cpu" not implemented for {A.dtype.name}')
    found = linalg_factors.lu_factor_ex(A, pivot=pivot)
    return tuple(found) if get_infos else (found.LU, found.pivots)


@public(method=True)
@takes_out
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """X in A @ X = input with the factors of A."""
    for each in (input, LU_data):
        if each._array.ndim < 2:
            raise RuntimeError(
                "torch.lu_solve: input and factors must have at least 2 dimensions, but got a tensor of "
                f"shape {list(each.shape)}"
            )
    return linalg_factors.lu_solve(LU_data, LU_pivots, input)


@public(method=True)
def det(input: Tensor) -> Tensor:
    """The determinant."""
    return linalg_functions.det(input)


@public(method=True)
def slogdet(input: Tensor) -> linalg_functions.SlogdetResult:
    """Sign and logarithm of the absolute value of the determinant."""
    return linalg_functions.slogdet(input)


@public(method=True)
@takes_out
def inverse(input: Tensor) -> Tensor:
    """The inverse of square matrices."""
    return linalg_functions.inv(input)


@public(method=True)
@takes_out
def matrix_power(input: Tensor, n: int) -> Tensor:
    """A matrix multiplied by itself n times; of its inverse for negative n."""
    return linalg_functions.matrix_power(input, n)


@public(method=True)
@takes_tensors
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore-Penrose inverse; singular values below rcond times the largest count as 0."""
    return linalg_functions.pinv(input, rtol=rcond)
