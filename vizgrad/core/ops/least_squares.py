"""The node of `linalg.lstsq`: solutions and residuals. It keeps the operands and the solution.

The formulas follow from X = P B with the pseudo-inverse P of A, whose derivative is that of G. Golub and
V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
separate" (1973), for matrices of constant rank. P is computed again.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.decompositions import Decomposition
from vizgrad.core.ops.linalg import matmul, mH, pinv
from vizgrad.core.ops.shape import squeeze_dim, unsqueeze
from vizgrad.core.tensor.tensor import Tensor


class LinalgLstsqBackward0(Decomposition):
    """Outputs the solution X and the sums of squares of A X - B, by column; `vector`: B is one column.

    Without `tall` matrices there are no residuals: that output is empty.
    """

    __slots__ = ("_b", "_self", "_solution", "rcond", "tall", "vector")
    input_names = ("self", "b")
    saved_names = ("solution", "self", "b")
    saved_outputs = (0,)

    rcond: float | None
    vector: bool
    tall: bool

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return super().run_all(grads)[0]

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return super().run_tensors(grads)[0]

    def formula(self, grads: Any, x: Any, a: Any, b: Any) -> tuple[Any, Any]:
        g_x, g_residuals = grads
        if not self.tall:  # an empty output
            g_residuals = None
        # in forward mode the formula is transposed, for an operand that has a tangent and no edge, too
        wanted = [edge is not None or isinstance(x, Tensor) for edge in self.edges]
        if self.vector:
            x, b = (unsqueeze(each, dim=each.ndim) for each in (x, b))
            g_x = None if g_x is None else unsqueeze(g_x, dim=g_x.ndim)
        by_a = by_b = None
        # what the least squares leave, B - A X, is orthogonal to A
        left = b - matmul(a, x) if wanted[0] or g_residuals is not None else None
        if g_x is not None:
            p = pinv(a, rtol=self.rcond, atol=None, hermitian=False)
            by_b = matmul(mH(p), g_x)
            if wanted[0]:
                outside = matmul(left, mH(matmul(p, by_b)))
                across = matmul(matmul(mH(p), x), mH(g_x - matmul(mH(a), by_b)))
                by_a = outside + across - matmul(by_b, mH(x))
        if g_residuals is not None:
            more = left * (unsqueeze(g_residuals, dim=g_residuals.ndim - 1) * 2)
            by_b = more if by_b is None else by_b + more
            if wanted[0]:
                slope = matmul(more, mH(x))
                by_a = -slope if by_a is None else by_a - slope
        if by_b is not None and self.vector:
            by_b = squeeze_dim(by_b, dim=by_b.ndim - 1)
        return by_a, by_b if wanted[1] else None
