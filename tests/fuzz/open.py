"""Failures that are known and not mended yet: (operation, kind of difference). It should be empty."""

from __future__ import annotations

#: What calls keep for their backward: kinds of difference by operations.
_SAVED = {
    # Solvers.
    "L.lu_solve lu_solve cholesky_solve cholesky_inverse L.lstsq": ("held",),
    # Composed of several functions, each of which keeps what it needs: more memory, and nothing else.
    "L.householder_product orgqr ormqr": ("held",),
}  # fmt: skip

OPEN: frozenset[tuple[str, str]] = frozenset(
    (name, kind) for names, kinds in _SAVED.items() for name in names.split() for kind in kinds
)

#: Of networks: what the text of the network has, and where vizgrad's part of the difference has what.
OPEN_NETWORKS: tuple[tuple[str, str], ...] = ()
