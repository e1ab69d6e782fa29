"""Lower triangles of matrices as vectors, row by row, and back."""

from __future__ import annotations

from vizgrad.core.ops.public.creation import arange, tril_indices
from vizgrad.core.ops.public.from_values import zeros_like
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor


def _entries(size: int, diag: int) -> int:
    """How many entries a square matrix has up to diagonal `diag`."""
    return sum(min(max(row + 1 + diag, 0), size) for row in range(size))


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The entries up to diagonal `diag` of square matrices: `(*, D, D)` to `(*, N)`.

    Raises ValueError for a diagonal that is outside the matrix.
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = tril_indices(size, size, diag, device=mat.device).unbind()
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Square matrices with these entries up to diagonal `diag`, zero above: `(*, N)` to `(*, D, D)`.

    Raises ValueError for a number of entries that no matrix has.
    """
    size = max(1, -diag)
    while _entries(size, diag) < vec.shape[-1]:
        size += 1
    if _entries(size, diag) != vec.shape[-1]:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower "
            "triangular part of a square D x D matrix."
        )
    rows = arange(size, device=vec.device).unsqueeze(-1)
    columns = arange(size, device=vec.device)
    inside = columns <= rows + diag
    number = inside.flatten().cumsum(0).reshape(size, size) - 1
    number = where(inside, number, vec.shape[-1])  # of the zero after the last entry
    return cat([vec, zeros_like(vec[..., :1])], -1)[..., number]
