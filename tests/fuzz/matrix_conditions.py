"""When a difference of matrices is none: rank, signs of vectors, triangles that are read."""

from __future__ import annotations

import numpy as np

from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference, agree
from tests.fuzz.conditions import none_for_zeros
from tests.fuzz.observe import observed


def singular(call: Call, found: Difference) -> bool:
    """Less than full rank, as rounding goes, or two eigenvalues that are one."""
    import torch

    from tests.fuzz.observe import array, run

    matrix = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"]).astype("D")
    if matrix.ndim < 2 or not matrix.size or not np.isfinite(matrix).all():
        return True
    kept = np.linalg.svd(matrix, compute_uv=False)
    close = np.sort(kept, -1)
    apart = np.min(np.diff(close, axis=-1), initial=np.inf)
    if matrix.shape[-1] == matrix.shape[-2]:
        values = np.linalg.eigvals(matrix)
        differences = np.abs(values[..., :, None] - values[..., None, :])
        apart = min(apart, np.min(differences + 9 * np.eye(matrix.shape[-1])))
    return bool(kept.min() <= 1e-3 * kept.max() or apart < 1e-3)


def flat_singular(call: Call, found: Difference) -> bool:
    """As `singular`, of the matrix that `tensorinv` makes of its operand."""
    import torch

    from tests.fuzz.observe import array, run

    whole = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"]).astype("D")
    ind = next((a for a in (*call.args[1:], *(v for _, v in call.words)) if isinstance(a, int)), 2)
    matrix = whole.reshape(int(np.prod(whole.shape[:ind])), -1)
    if not matrix.size or not np.isfinite(matrix).all():
        return True
    kept = np.linalg.svd(matrix, compute_uv=False)
    return bool(kept.min() <= 1e-3 * kept.max())


def lengthened(call: Call, found: Difference) -> bool:
    """Reflections with factors beyond those of `geqrf`, which are at most 2."""
    factors = call.operands()[1].values
    return any(abs(v) > 2 for v in factors)


def not_positive(call: Call, found: Difference) -> bool:
    """A matrix that has no Cholesky factor."""
    import torch

    from tests.fuzz.observe import run

    matrix = run(torch, [f"a = {call.operands()[0].source()}"])["a"].detach()
    return bool((torch.linalg.cholesky_ex(matrix)[1] != 0).any())


def but_for_signs(call: Call, found: Difference) -> bool:
    """Columns, or rows, are apart by a factor of length 1 alone."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    if there.shape != here.shape or there.ndim < 2:
        return False
    return any(_turned(there, here, axis) for axis in (-2, -1))


def _turned(there: np.ndarray, here: np.ndarray, axis: int) -> bool:
    with np.errstate(all="ignore"):
        inner = (there.conj() * here).sum(axis, keepdims=True)
        return bool(np.allclose(there * (inner / np.abs(inner)), here, atol=1e-4))


def other_signs(call: Call, found: Difference) -> bool:
    """The vectors, of which it is a derivative, have other signs, or belong to one value."""
    import torch

    import vizgrad

    there, here = (observed(m, call, derivatives=False) for m in (torch, vizgrad))
    parts = [w for w in there if w.startswith("value") and w in here]
    alike = all(agree(there[w], here[w], 1e-4) for w in parts)
    return not alike or singular(call, found)


def one_by_one(call: Call, found: Difference) -> bool:
    """The matrix has one element; vizgrad has no derivative that is not 0."""
    zeros = isinstance(found.ours, bool) or none_for_zeros(call, found)
    return call.operands()[0].shape[-2:] == (1, 1) and zeros


def one_reflection(call: Call, found: Difference) -> bool:
    """A matrix of one column, of one row, or of none."""
    given = call.operands()
    return min(given[0].shape[-2:]) <= 1 or not all(g.count for g in given)


def other_gradient(call: Call, found: Difference) -> bool:
    """The first derivatives differ already: a second one is that of another function."""
    import torch

    import vizgrad

    there, here = (observed(m, call) for m in (torch, vizgrad))
    firsts = [w for w in there if w.startswith("gradient ") and w in here]
    return not all(agree(there[w], here[w], 1e-5, 1.0) for w in firsts)


def read_triangle_agrees(call: Call, found: Difference) -> bool:
    """They are equal in one of the two triangles."""
    there, here = np.asarray(found.theirs), np.asarray(found.ours)
    if there.shape != here.shape or there.ndim < 2:
        return False
    return any(
        np.allclose(part(there), part(here), rtol=1e-4, atol=1e-5) for part in (np.triu, np.tril)
    )


def hermitian_parts_agree(call: Call, found: Difference) -> bool:
    there, here = found.theirs, found.ours
    if np.shape(there) != np.shape(here) or there.dtype.kind != "c":
        return False
    parts = [(g + np.conj(np.swapaxes(g, -1, -2))) / 2 for g in (there, here)]
    return bool(np.allclose(*parts, rtol=1e-3, atol=1e-4))


def complex_diagonal(call: Call, found: Difference) -> bool:
    import torch

    from tests.fuzz.observe import array, run

    matrix = array(run(torch, [f"a = {call.operands()[0].source()}"])["a"])
    return bool(np.diagonal(matrix, axis1=-2, axis2=-1).imag.any())


def symmetric(call: Call) -> bool:
    import torch

    from tests.fuzz.observe import run

    matrix = run(torch, [f"a = {call.operands()[0].source()}"])["a"].detach()
    return (
        matrix.dim() > 1
        and matrix.shape[-1] == matrix.shape[-2]
        and bool((matrix == matrix.mT).all())
    )
