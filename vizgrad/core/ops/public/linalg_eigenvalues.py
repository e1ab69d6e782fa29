"""Eigenvalues and singular values of matrices (spec T-83)."""

from __future__ import annotations

from typing import NamedTuple

from vizgrad.core.arrays.kernels import linalg as kernels
from vizgrad.core.function.transform_tensor import of_stacks
from vizgrad.core.ops import decompositions
from vizgrad.core.ops.public.keywords import takes_out
from vizgrad.core.ops.public.linalg_checks import check
from vizgrad.core.tensor.tensor import Tensor


class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


class EigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


@takes_out
@of_stacks
def eigh(input: Tensor, UPLO: str = "L") -> EighResult:
    """Eigenvalues in rising order and eigenvectors (columns) of symmetric matrices."""
    check("eigh", input)
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO!r}")
    return EighResult(
        *decompositions.record(
            decompositions.LinalgEighBackward0, input, kernels.eigh(input._array, UPLO)
        )
    )


@takes_out
@of_stacks
def eig(input: Tensor) -> EigResult:
    """Complex eigenvalues and eigenvectors (columns) of square matrices, in no particular order."""
    check("eig", input)
    return EigResult(
        *decompositions.record(decompositions.LinalgEigBackward0, input, kernels.eig(input._array))
    )


@takes_out
def eigvals(input: Tensor) -> Tensor:
    """Complex eigenvalues of square matrices."""
    return eig(input).eigenvalues


@takes_out
def eigvalsh(input: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric matrices, in rising order."""
    return eigh(input, UPLO).eigenvalues


@takes_out
@of_stacks
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> SVDResult:
    """U, S, Vh with A = U @ diag(S) @ Vh.

    With full_matrices=True the columns of U and rows of Vh beyond the singular values have no derivative:
    what arrives at them is left out.
    """
    check("svd", A, square=False)
    m, n = A._array.shape[-2:]
    parts = kernels.svd(A._array, full_matrices and m != n)
    return SVDResult(*decompositions.record(decompositions.LinalgSvdBackward0, A, parts))


@takes_out
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Singular values in falling order."""
    return svd(A, full_matrices=False).S
