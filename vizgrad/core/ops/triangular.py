"""The node of `triangular_solve`, with two outputs: the solution and a copy of the matrix."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.arrange import tril, triu
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.ops.decompositions import Decomposition
from vizgrad.core.ops.linalg import matmul, mH, mT, solve_triangular


class TriangularSolveBackward0(Decomposition):
    """Of X in A @ X = B (A.mT @ X if `transpose`): saves X and A, of which the second output is a copy."""

    __slots__ = ("_A", "_solution", "transpose", "unitriangular", "upper")
    input_names = ("self", "A")
    saved_names = ("solution", "A")
    saved_outputs = (0,)

    upper: bool
    transpose: bool
    unitriangular: bool

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return super().run_all(grads)[0]

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return super().run_tensors(grads)[0]

    def formula(self, grads: Any, solution: Any, matrix: Any) -> tuple[Any, Any]:
        g_solution, g_copy = grads
        if g_solution is None:
            return zeros_beside(g_copy, solution.shape), g_copy
        upper = self.upper != self.transpose
        turned = mT(matrix) if self.transpose else matrix
        back = solve_triangular(
            mH(turned), g_solution, upper=not upper, unitriangular=self.unitriangular
        )
        if self.edges[1] is None:
            return back, None
        slope = -matmul(back, mH(solution))
        skip = 1 if self.unitriangular else 0
        slope = triu(slope, diagonal=skip) if upper else tril(slope, diagonal=-skip)
        slope = mT(slope) if self.transpose else slope
        return back, slope if g_copy is None else slope + g_copy
