"""LU factors: A = P @ L @ U, with P a permutation, which is constant (spec T-83)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.kernels import lu as kernel
from vizgrad.core.function.transform_tensor import of_stacks
from vizgrad.core.graph.saved import unpack_array, unpack_tensor
from vizgrad.core.ops.arrange import crop_to, tril, triu
from vizgrad.core.ops.constants import constant, raw, zeros_beside
from vizgrad.core.ops.decompositions import Decomposition, record
from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.linalg import matmul, mH, mT, solve_triangular
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class LinalgLuBackward0(Decomposition):
    """Outputs L and U. Only their triangles count: what lies outside is 0 or 1 whatever A is.

    The permutation is the tensor that the user has: a write to it is noticed.
    """

    __slots__ = ("_L", "_U", "_permutation")
    saved_names = ("L", "U", "permutation")
    saved_outputs = (0, 1)

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return (self.slope(grads, unpack_array(self, "L"), unpack_array(self, "U")),)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.slope(grads, unpack_tensor(self, "L"), unpack_tensor(self, "U")),)

    def slope(self, grads: Any, lower: Any, upper: Any) -> Any:
        """With square L and U: P L^-H [tril(L^H gL, -1) + triu(gU U^H)] U^-H."""
        g_lower, g_upper = grads
        g_lower = zeros_beside(g_upper, raw(lower).shape) if g_lower is None else g_lower
        g_upper = zeros_beside(g_lower, raw(upper).shape) if g_upper is None else g_upper
        m, k = raw(lower).shape[-2:]
        n = raw(upper).shape[-1]
        square = (k, k)
        l_top, gl_top = crop_to(lower, (0, 0), square), crop_to(g_lower, (0, 0), square)
        u_left, gu_left = crop_to(upper, (0, 0), square), crop_to(g_upper, (0, 0), square)
        below = matmul(mH(l_top), gl_top)
        above = matmul(gu_left, mH(u_left))
        if n > k:
            rest = crop_to(upper, (0, k), (k, n - k)), crop_to(g_upper, (0, k), (k, n - k))
            below = below - matmul(rest[1], mH(rest[0]))
        if m > k:
            rest = crop_to(lower, (k, 0), (m - k, k)), crop_to(g_lower, (k, 0), (m - k, k))
            above = above - matmul(mH(rest[0]), rest[1])
        middle = tril(below, diagonal=-1) + triu(above, diagonal=0)
        slope = _before(l_top, _behind(middle, u_left))
        last = lower.ndim - 1
        if n > k:
            right = _before(l_top, crop_to(g_upper, (0, k), (k, n - k)))
            slope = cat_any([slope, right], last)
        if m > k:
            bottom = _behind(crop_to(g_lower, (k, 0), (m - k, k)), u_left)
            slope = cat_any([slope, bottom], last - 1)
        return matmul(constant(unpack_array(self, "permutation"), slope), slope)


def _before(lower: Any, value: Any) -> Any:
    """L^-H @ value."""
    return solve_triangular(mH(lower), value, upper=True, unitriangular=True)


def _behind(value: Any, upper: Any) -> Any:
    """value @ U^-H."""
    turned = solve_triangular(_conjugate(upper), mT(value), upper=True, unitriangular=False)
    return mT(turned)


def _conjugate(value: Any) -> Any:
    return mT(mH(value))


@of_stacks
def lu(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """P, L, U, and LAPACK's pivots."""
    compact, pivots = kernel.factor(A._array)
    order, lower, upper = kernel.unpack(compact, pivots)
    permutation = new_tensor(order)
    factors = record(LinalgLuBackward0, A, (lower, upper), _permutation=permutation)
    return permutation, *factors, new_tensor(pivots)
