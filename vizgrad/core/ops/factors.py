"""Solving with factors that are known: LU and Cholesky.

A node keeps the factors and a solution. The formulas follow from the definitions: for A X = B the gradient by
B is A^-H gX, and that by A is -(A^-H gX) X^H, for each triangle. No solution is multiplied by its triangle to
have the right side again, which would lose digits.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.kernels import linalg
from vizgrad.core.function.primitive import primitive
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.graph.saved import unpack_array, unpack_tensor
from vizgrad.core.ops.constants import constant, raw
from vizgrad.core.ops.decompositions import Decomposition, record
from vizgrad.core.ops.linalg import matmul, mH, mT, solve_triangular
from vizgrad.core.ops.shape import tril, triu
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor


class LinalgLuSolveBackward0(Decomposition):
    """Outputs X in A @ X = B and, for the formula alone, what the first triangle gives on the way to X.

    That is I = L^-1 P^T B or, for A^H in place of A, U^-H B. X is computed of it again: I computed of X would
    have lost the digits that a small number on the diagonal of U takes.
    """

    __slots__ = ("_LU", "_inner", "_pivots", "adjoint", "left")
    input_names = ("LU", "B")
    saved_names = ("inner", "LU", "pivots")
    saved_outputs = (1,)

    left: bool
    adjoint: bool
    _inner: Any

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        inner = None if self._inner is None else unpack_array(self, "inner")
        return self.formula(grads, inner, unpack_array(self, "LU"), unpack_array(self, "pivots"))

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.formula(grads, *[unpack_tensor(self, name) for name in self.saved_names])

    def formula(self, grads: Any, inner: Any, lu: Any, pivots: Any) -> tuple[Any, Any]:
        """`inner` is None where nobody asks for the gradient by LU."""
        g_x, g_inner = grads
        if g_x is not None and not self.left:  # X A = B is A^H X^H = B^H
            g_x = mH(g_x)
        exchanged = permutation(pivots, lu)
        formula = _of_adjoint if self.adjoint == self.left else _of_matrix
        slope, by_b = formula(g_x, g_inner, inner, lu, exchanged)
        return slope, by_b if self.left else mH(by_b)


def _of_matrix(g_x, g_inner, inner, lu, exchanged):
    """P L I = B, U X = I."""
    by_lu = None
    if g_x is not None:
        found = solve_triangular(mH(lu), g_x, upper=False, unitriangular=False)
        if inner is not None:
            x = solve_triangular(lu, inner, upper=True, unitriangular=False)
            by_lu = -triu(matmul(found, mH(x)), diagonal=0)
        g_inner = found if g_inner is None else g_inner + found
    rows = solve_triangular(mH(lu), g_inner, upper=True, unitriangular=True)
    if inner is not None:
        by_lower = tril(matmul(rows, mH(inner)), diagonal=-1)
        by_lu = -by_lower if by_lu is None else by_lu - by_lower
    return by_lu, matmul(exchanged, rows)


def _of_adjoint(g_x, g_inner, inner, lu, exchanged):
    """U^H I = B, L^H P^T X = I."""
    by_lu = None
    if g_x is not None:
        found = matmul(mT(exchanged), g_x)
        found = solve_triangular(lu, found, upper=False, unitriangular=True)
        if inner is not None:
            rows = solve_triangular(mH(lu), inner, upper=True, unitriangular=True)
            by_lu = -tril(matmul(rows, mH(found)), diagonal=-1)
        g_inner = found if g_inner is None else g_inner + found
    by_b = solve_triangular(lu, g_inner, upper=True, unitriangular=False)
    if inner is not None:
        by_upper = triu(matmul(inner, mH(by_b)), diagonal=0)
        by_lu = -by_upper if by_lu is None else by_lu - by_upper
    return by_lu, by_b


def permutation(pivots: Any, LU: Any) -> Any:
    """P in A = P L U."""
    return constant(linalg.permutation(raw(pivots), raw(LU).shape[-1], raw(LU)), LU)


@of_examples
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Tensor:
    """X in A @ X = B, or in X @ A = B unless `left`, with the LU factors of A; `adjoint`: A^H for A."""
    found = linalg.lu_solve(LU._array, pivots._array, B._array, left, adjoint)
    kept: dict[str, Any] = {"_LU": LU, "_pivots": pivots, "left": left, "adjoint": adjoint}
    if not (LU._tracked or DUALS.on):
        kept["_inner"] = None
    return record(LinalgLuSolveBackward0, (LU, B), found, **kept)[0]


@primitive(typing="same", holomorphic=False)
class cholesky_solve:
    """X in A @ X = self, with the Cholesky factor input2 of A."""

    def forward(self, input2, *, upper):
        return linalg.cholesky_solve(self, input2, upper)

    def grad_self(grad, input2, upper):
        return _cholesky_system(grad, input2, upper)[1]

    def grad_input2(grad, self, input2, result, upper):
        return _by_cholesky(_cholesky_system(grad, input2, upper), self, input2, result, upper)

    def together(grad, self, input2, result, upper, wanted):
        found = _cholesky_system(grad, input2, upper)
        return found[1], _by_cholesky(found, self, input2, result, upper)


def _cholesky_system(grad, factor, upper):
    """L^-1 gX and L^-H L^-1 gX."""
    middle = behind_first(grad, factor, upper)
    turned = factor if upper else mH(factor)
    return middle, solve_triangular(turned, middle, upper=True, unitriangular=False)


def behind_first(value, factor, upper):
    """L^-1 @ value."""
    lower = mH(factor) if upper else factor
    return solve_triangular(lower, value, upper=False, unitriangular=False)


def _by_cholesky(found, b, factor, result, upper):
    """-(X (L^-1 gX)^H + gB (L^-1 B)^H), the lower triangle."""
    middle, turned = found
    first = behind_first(b, factor, upper)
    if upper:
        return -triu(matmul(middle, mH(result)) + matmul(first, mH(turned)), diagonal=0)
    return -tril(matmul(result, mH(middle)) + matmul(turned, mH(first)), diagonal=0)


@primitive(holomorphic=False)
class cholesky_inverse:
    """The inverse X of A, with its Cholesky factor self."""

    def forward(self, *, upper):
        return linalg.cholesky_solve(linalg.identities(self), self, upper)

    def grad_self(grad, self, result, upper):
        """By A -X g X; by L the lower triangle of -X (g + g^H) L^-H."""
        turned = behind_first(matmul(grad + mH(grad), result), self, upper)
        return -triu(turned, diagonal=0) if upper else -tril(mH(turned), diagonal=0)
