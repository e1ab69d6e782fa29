"""Failures that are known and not mended yet: (operation, kind of difference). It should be empty."""

from __future__ import annotations

_WRITE = "refused after a write to"

#: What calls keep for their backward: kinds of difference by operations.
_SAVED = {
    # Rule Y-10: what is linear frees nothing.
    "trapezoid trapz cumulative_trapezoid gradient as_strided_scatter addr":
        ("again refused", "held"),
    # Rule Y-11.
    "erfinv S.erfinv": ("held", f"{_WRITE} result"),
    # Solvers.
    "L.lu_solve lu_solve cholesky_solve cholesky_inverse L.lstsq": ("held",),
    # Composed of several functions, each of which keeps what it needs: more memory, and nothing else.
    "mvlgamma S.multigammaln renorm combinations cdist pdist F.pdist bilinear F.bilinear L.householder_product orgqr ormqr "
    "F.multi_head_attention_forward F.scaled_dot_product_attention F.linear_cross_entropy F.multi_margin_loss "
    "F.multilabel_margin_loss F.ctc_loss F.cross_entropy F.embedding_bag nanmean repeat_interleave put cov "
    "corrcoef prod": ("held",),
    "clamp clip F.scaled_dot_product_attention F.linear_cross_entropy": (f"{_WRITE} operand",),
    "lobpcg": ("kept",),
}  # fmt: skip

OPEN: frozenset[tuple[str, str]] = frozenset(
    (name, kind) for names, kinds in _SAVED.items() for name in names.split() for kind in kinds
)

#: Of networks: what the text of the network has, and where vizgrad's part of the difference has what.
OPEN_NETWORKS: tuple[tuple[str, str], ...] = ()
