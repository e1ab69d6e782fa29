"""Some of the largest or smallest eigenvalues of a symmetric matrix."""

from __future__ import annotations

from typing import Any

from vizgrad.ops.forms import public
from vizgrad.ops.public import linalg_eigenvalues, linalg_functions
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor


@public
@takes_tensors
def lobpcg(
    A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None,
    n: int | None = None, iK: Tensor | None = None, niter: int | None = None,
    tol: float | None = None, largest: bool | None = None, method: str | None = None,
    tracker: Any = None, ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The `k` largest eigenvalues (smallest, with `largest=False`) of A v = w B v, and vectors (*, m, k).

    A (*, m, m) is symmetric, dense or sparse, B positive definite (left out: the unit matrix). The matrices
    are decomposed wholly, so the result is exact and what steers an iteration (`X`, but for its number of
    columns, `iK`, `niter`, `tol`, `method`, `tracker`, `ortho_...`) changes nothing. Vectors have any sign.
    Raises ValueError unless m is at least 3 k, as the iteration needs.
    """
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError(f"lobpcg: A must be square, got shape {list(A.shape)}")
    if method not in (None, "ortho", "basic"):
        raise ValueError(f"lobpcg: method must be 'ortho' or 'basic', got {method!r}")
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    if k < 1 or m < 3 * k:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the "
            f"number of requested eigenpairs (={k}); linalg.eigh gives all of them"
        )
    wide: Any = A.to_dense()
    if B is None:
        values, vectors = linalg_eigenvalues.eigh(wide)
    else:  # with B = L L^H: L^-1 A L^-H y = w y, and v = L^-H y
        lower: Any = linalg_functions.cholesky(B.to_dense())
        left = linalg_functions.solve_triangular(lower, wide, upper=False)
        both = linalg_functions.solve_triangular(lower.mH, left, upper=True, left=False)
        values, turned = linalg_eigenvalues.eigh(both)
        vectors = linalg_functions.solve_triangular(lower.mH, turned, upper=True)
    found: Any = values
    among: Any = vectors
    if largest is None or largest:
        return found.flip(-1)[..., :k], among.flip(-1)[..., :k]
    return found[..., :k], among[..., :k]
