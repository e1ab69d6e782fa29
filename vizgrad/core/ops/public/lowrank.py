"""Approximate factors of low rank, by products with random matrices (spec T-39)."""

from __future__ import annotations

from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import linalg_functions, random_sampling
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.complexes import adjoint
from vizgrad.core.tensor.tensor import Tensor


def _basis(A: Tensor, q: int, niter: int) -> Tensor:
    """Columns at right angles that span nearly what the `q` largest singular vectors of A do."""
    start = random_sampling.randn(A.shape[-1], q, dtype=A.dtype, device=A.device)
    found = linalg_functions.qr(A @ start).Q
    back = adjoint(A)
    for _ in range(niter):
        found = linalg_functions.qr(back @ found).Q
        found = linalg_functions.qr(A @ found).Q
    return found


@public
@takes_tensors
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S, V of the `q` largest singular values, with A (or A - M) nearly U @ diag(S) @ V.mH.

    `niter` rounds of subspace iteration make it more exact. `linalg.svd` is faster for small and full ones.
    """
    rows, columns = A.shape[-2:]
    whole = A if M is None else A - M
    wide = rows < columns
    if wide:  # the shorter side is that of the factors
        whole = adjoint(whole)
    basis = _basis(whole, 6 if q is None else q, 2 if niter is None else niter)
    U, S, Vh = linalg_functions.svd(adjoint(basis) @ whole, full_matrices=False)
    left, right = basis @ U, adjoint(Vh)
    return (right, S, left) if wide else (left, S, right)


@public
@takes_tensors
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """`svd_lowrank` of A, with the mean of its columns taken off first if `center`.

    `q` is min(6, rows, columns) by default. ValueError for one that is larger than either.
    """
    rows, columns = A.shape[-2:]
    least = min(rows, columns)
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A, q, niter, A.mean(dim=-2, keepdim=True) if center else None)
