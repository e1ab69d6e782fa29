"""Linear algebra. What is not unique (signs of vectors) is made so before it is differentiated."""

from __future__ import annotations

import numpy as np

import vizgrad as vg

from .row import Row, Sample, some, wave

_SQUARE = (
    Sample("2x2", (wave(2, 2) + 3 * np.eye(2),)),
    Sample("stack", (wave(2, 3, 3, seed=2) + 4 * np.eye(3),)),
)
_WIDE = (
    Sample("wide", (wave(2, 3),)),
    Sample("tall", (wave(3, 2, seed=1),)),
    Sample("stack", (wave(2, 2, 2, seed=3) + np.eye(2),)),
)
_FULL_RANK, _STACK = (sample.arrays[0] for sample in _SQUARE)


def _pivots(lu):
    """Those of a factorization that exchanged the first row and the last."""
    shape, n = lu.shape[:-1], lu.shape[-1]
    return vg.tensor([n, *range(2, n + 1)], dtype=vg.int32).expand(shape)


def _positive(x):
    return x @ x.mT + vg.eye(x.shape[-1], dtype=vg.float64)


def _symmetric(x):
    return x + x.mT


def _rebuilt(u, s, vh):
    return (u * s.unsqueeze(-2) ** 2) @ vh


def _without_signs(values, vectors):
    return values, vectors.abs()


ROWS = [
    Row("inv", vg.linalg.inv, _SQUARE, np.linalg.inv),
    Row("det", vg.linalg.det, _SQUARE, np.linalg.det),
    Row(
        "det of a singular matrix",
        vg.linalg.det,
        (Sample("2x2", (np.array([[1.0, 2.0], [2.0, 4.0]]),)),),
        np.linalg.det,
        twice=False,  # the second derivative asks for the inverse
    ),
    Row(
        "slogdet",
        lambda x: vg.linalg.slogdet(x).logabsdet,
        _SQUARE,
        lambda x: np.linalg.slogdet(x)[1],
    ),
    Row("logdet", lambda x: vg.logdet(_positive(x)), _SQUARE),
    Row(
        "solve",
        vg.linalg.solve,
        some(plain=[_FULL_RANK, (2, 3)], vector=[_FULL_RANK, (2,)]),
    ),
    Row(
        "solve from the right",
        lambda a, b: vg.linalg.solve(a, b, left=False),
        some(plain=[_FULL_RANK, (3, 2)]),
    ),
    Row(
        "solve_triangular",
        lambda a, b: vg.linalg.solve_triangular(a, b, upper=True),
        some(plain=[_FULL_RANK, (2, 3)]),
    ),
    Row(
        "solve_triangular unit",
        lambda a, b: vg.linalg.solve_triangular(a, b, upper=False, unitriangular=True),
        some(plain=[_FULL_RANK, (2, 3)]),
    ),
    Row(
        "triangular_solve",
        lambda b, a: vg.triangular_solve(b, a.triu()).solution,
        some(plain=[(2, 3), _FULL_RANK]),
    ),
    *(
        Row(
            f"lu_solve{', adjoint' * adjoint}",
            lambda a, b, adjoint=adjoint: vg.linalg.lu_solve(a, _pivots(a), b, adjoint=adjoint),
            some(plain=[_FULL_RANK, (2, 3)], stack=[_STACK, (3, 2)]),
        )
        for adjoint in (False, True)
    ),
    Row(
        "lu_solve from the right",
        lambda a, b: vg.linalg.lu_solve(a, _pivots(a), b, left=False),
        some(plain=[_FULL_RANK, (3, 2)]),
    ),
    *(
        Row(
            f"{name}{', upper' * upper}",
            lambda *given, name=name, upper=upper: getattr(vg, name)(
                *given[:-1], given[-1].triu() if upper else given[-1].tril(), upper=upper
            ),
            some(plain=[*right, _FULL_RANK], stack=[*right_of_stack, _STACK]),
        )
        for name, right, right_of_stack in (
            ("cholesky_solve", [(2, 3)], [(3, 2)]),
            ("cholesky_inverse", [], []),
        )
        for upper in (False, True)
    ),
    Row(
        "householder_product",
        vg.linalg.householder_product,
        some(plain=[(3, 2), (2,)], few=[(3, 3), (2,)], stack=[(2, 3, 2), (2, 2)]),
    ),
    Row("ormqr", vg.ormqr, some(plain=[(3, 2), (2,), (3, 2)], wide=[(2, 3), (2,), (2, 3)])),
    Row(
        "ormqr from the right, transposed",
        lambda a, tau, b: vg.ormqr(a, tau, b, left=False, transpose=True),
        some(plain=[(3, 2), (2,), (2, 3)], stack=[(2, 3, 2), (2, 2), (2, 1, 3)]),
    ),
    Row("cholesky", lambda x: vg.linalg.cholesky(_positive(x)), _SQUARE),
    Row("eigvalsh", lambda x: vg.linalg.eigvalsh(_symmetric(x)), _SQUARE),
    Row("eigh", lambda x: _without_signs(*vg.linalg.eigh(_symmetric(x))), _SQUARE),
    Row("svdvals", vg.linalg.svdvals, _WIDE, lambda x: np.linalg.svd(x, compute_uv=False)),
    Row("svd", lambda x: _rebuilt(*vg.linalg.svd(x, full_matrices=False)), _WIDE),
    Row(
        "svd vectors",
        lambda x: tuple(p.abs() for p in vg.linalg.svd(x, full_matrices=False)),
        _WIDE,
    ),
    Row("qr", lambda x: tuple(p.abs() for p in vg.linalg.qr(x)), _WIDE),
    Row("pinv", vg.linalg.pinv, _WIDE, np.linalg.pinv),
    Row(
        "lstsq",
        lambda a, b: vg.linalg.lstsq(a, b).solution,
        some(plain=[(3, 2), (3, 1)]),
        lambda a, b: np.linalg.lstsq(a, b)[0],
    ),
    Row(
        "lstsq and residuals",
        lambda a, b: vg.linalg.lstsq(a, b, driver="gels")[:2],
        some(plain=[(3, 2), (3, 1)]),
    ),
    Row(
        "lstsq of a wide matrix",
        lambda a, b: vg.linalg.lstsq(a, b).solution,
        some(vector=[(2, 3), (2,)]),
    ),
    Row("matrix_power, 0", lambda x: vg.linalg.matrix_power(x, 0) * x, some(square=(3, 3))),
    Row(
        "matrix_power",
        lambda x: vg.linalg.matrix_power(x, 3),
        _SQUARE,
        lambda x: np.linalg.matrix_power(x, 3),
    ),
    Row("matrix_exp", lambda x: vg.linalg.matrix_exp(x * 0.3), _SQUARE),
    Row(
        "multi_dot",
        lambda a, b, c: vg.linalg.multi_dot([a, b, c]),
        some(plain=[(2, 3), (3, 2), (2,)]),
        lambda a, b, c: a @ b @ c,
    ),
    Row(
        "matrix_norm nuc",
        lambda x: vg.linalg.matrix_norm(x, "nuc"),
        _WIDE[:2],
        lambda x: np.linalg.norm(x, "nuc"),
    ),
    Row(
        "matrix_norm 2",
        lambda x: vg.linalg.matrix_norm(x, 2),
        _WIDE[:2],
        lambda x: np.linalg.norm(x, 2),
    ),
    Row(
        "matrix_norm 1",
        lambda x: vg.linalg.matrix_norm(x, 1),
        _WIDE[:2],
        lambda x: np.linalg.norm(x, 1),
    ),
    Row(
        "matrix_norm -inf",
        lambda x: vg.linalg.matrix_norm(x, -np.inf, keepdim=True),
        _WIDE[:2],
        lambda x: np.linalg.norm(x, -np.inf, keepdims=True),
    ),
    Row("cond", vg.linalg.cond, _SQUARE[:1], np.linalg.cond),
    Row("vecdot", vg.linalg.vecdot, some(plain=[(2, 3), (2, 3)]), lambda a, b: (a * b).sum(-1)),
    Row(
        "lu",
        lambda a: vg.linalg.lu(a)[1:],
        some(square=(3, 3), wide=(2, 4), tall=(4, 2), stack=(2, 3, 3)),
        rules="T-39",
    ),
]
