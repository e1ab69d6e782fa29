"""Matrix products."""

from __future__ import annotations

import numpy as np

import vizgrad as vg

from .row import Row, some

_EINSUM = {
    "ij,jk->ik": [(2, 3), (3, 4)], "ij->ji": [(2, 3)], "ij->i": [(2, 3)], "ij->": [(2, 3)], "ii->i": [(3, 3)],
    "ii": [(3, 3)], "i,j->ij": [(2,), (3,)], "bij,bjk->bik": [(2, 3, 2), (2, 2, 3)], "i,i->": [(3,), (3,)],
    "ij,ij->ij": [(2, 3), (2, 3)], "ij,j->i": [(2, 3), (3,)], "...ij,...jk->...ik": [(2, 2, 3), (3, 2)],
    "bhid,bhjd->bhij": [(2, 2, 3, 2), (2, 2, 3, 2)], "ij,jk,kl->il": [(2, 3), (3, 2), (2, 4)],
    "ab,cd->abcd": [(2, 2), (1, 3)], "ij,jk": [(2, 3), (3, 4)], "ijk,jil->kl": [(2, 3, 2), (3, 2, 2)],
}  # fmt: skip

ROWS = [
    Row("mm", vg.mm, some(plain=[(2, 3), (3, 4)], empty=[(2, 0), (0, 4)]), np.matmul),
    Row(
        "mm of transposes",
        lambda a, b: a.t() @ b.t(),
        some(plain=[(3, 2), (4, 3)]),
        lambda a, b: a.T @ b.T,
    ),
    Row("bmm", vg.bmm, some(plain=[(2, 2, 3), (2, 3, 2)]), np.matmul),
    Row("mv", vg.mv, some(plain=[(2, 3), (3,)]), np.matmul),
    Row("dot", vg.dot, some(plain=[(3,), (3,)]), np.dot),
    Row(
        "matmul",
        vg.matmul,
        some(
            mm=[(2, 3), (3, 4)],
            vv=[(3,), (3,)],
            mv=[(2, 3), (3,)],
            vm=[(3,), (3, 2)],
            stacks=[(2, 2, 3), (2, 3, 2)],
            stack_matrix=[(2, 2, 3), (3, 2)],
            stack_vector=[(2, 2, 3), (3,)],
            matrix_stack=[(2, 3), (2, 3, 2)],
            vector_stack=[(3,), (2, 3, 2)],
            broadcast=[(2, 1, 2, 3), (3, 3, 2)],
            empty=[(0, 2, 3), (3, 2)],
        ),
        np.matmul,
    ),
    Row("outer", vg.outer, some(plain=[(2,), (3,)]), np.outer),
    Row("inner", vg.inner, some(plain=[(2, 3), (4, 3)]), np.inner),
    Row(
        "tensordot",
        lambda a, b: vg.tensordot(a, b, ([1, 0], [0, 1])),
        some(plain=[(2, 3, 2), (3, 2, 4)]),
        lambda a, b: np.tensordot(a, b, ([1, 0], [0, 1])),
    ),
    Row("kron", vg.kron, some(plain=[(2, 2), (1, 3)], ranks=[(2,), (2, 2)]), np.kron),
    Row("cross", vg.cross, some(plain=[(2, 3), (2, 3)], broadcast=[(1, 3), (2, 3)]), np.cross),
    Row(
        "bilinear",
        vg.bilinear,
        some(plain=[(2, 3), (2, 2), (4, 3, 2), (4,)]),
        lambda x, y, w, b: np.einsum("ni,oij,nj->no", x, w, y) + b,
    ),
    Row("cdist", vg.cdist, some(plain=[(3, 2), (2, 2)], stacks=[(2, 3, 2), (2, 2)])),
    Row("cdist, 1-norm", lambda a, b: vg.cdist(a, b, 1.0), some(plain=[(3, 2), (2, 2)])),
    Row("pdist", vg.pdist, some(plain=(4, 3))),
    Row(
        "chain_matmul",
        vg.chain_matmul,
        some(plain=[(2, 3), (3, 2), (2, 2)]),
        lambda a, b, c: a @ b @ c,
    ),
    Row(
        "addmm",
        lambda c, a, b: vg.addmm(c, a, b, beta=0.5, alpha=2),
        some(plain=[(2, 4), (2, 3), (3, 4)], row=[(4,), (2, 3), (3, 4)]),
        lambda c, a, b: 0.5 * c + 2 * a @ b,
    ),
    Row("addmm plain", vg.addmm, some(plain=[(4,), (2, 3), (3, 4)]), lambda c, a, b: c + a @ b),
    Row(
        "addmv",
        lambda c, a, v: vg.addmv(c, a, v, alpha=2),
        some(plain=[(2,), (2, 3), (3,)]),
        lambda c, a, v: c + 2 * a @ v,
    ),
    Row(
        "baddbmm",
        lambda c, a, b: vg.baddbmm(c, a, b, beta=0.5, alpha=2),
        some(plain=[(2, 2, 2), (2, 2, 3), (2, 3, 2)]),
        lambda c, a, b: 0.5 * c + 2 * a @ b,
    ),
    Row(
        "addbmm",
        lambda c, a, b: vg.addbmm(c, a, b, beta=0.5, alpha=2),
        some(plain=[(2, 2), (2, 2, 3), (2, 3, 2)], row=[(2,), (2, 2, 3), (2, 3, 2)]),
        lambda c, a, b: 0.5 * c + 2 * (a @ b).sum(0),
    ),
    Row(
        "addr",
        lambda c, u, v: vg.addr(c, u, v, beta=0.5, alpha=2),
        some(plain=[(2, 3), (2,), (3,)], row=[(3,), (2,), (3,)]),
        lambda c, u, v: 0.5 * c + 2 * np.outer(u, v),
    ),
    *[
        Row(
            f"einsum {equation}",
            lambda *x, e=equation: vg.einsum(e, *x),
            some(plain=shapes),
            lambda *x, e=equation: np.einsum(e, *x),
        )
        for equation, shapes in _EINSUM.items()
    ],
]
