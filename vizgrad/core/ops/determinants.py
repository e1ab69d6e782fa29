"""Sign and logarithm of determinants: one node with both outputs (spec T-83)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.kernels import linalg
from vizgrad.core.function.transform_tensor import of_stacks
from vizgrad.core.ops.complexes import conj, imag_part
from vizgrad.core.ops.decompositions import Decomposition, record
from vizgrad.core.ops.linalg import COMPLEX, matmul, mT
from vizgrad.core.ops.shape import unsqueeze
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor


class LinalgSlogdetBackward0(Decomposition):
    """Outputs sign, log |det| and, for the formula alone, the inverse transposed (there: the LU factors).

    The sign of a real determinant is constant: what arrives at it goes nowhere.
    """

    __slots__ = ("_inverse_transposed", "_sign")
    saved_names = ("sign", "inverse_transposed")
    saved_outputs = (0, 2)

    def formula(self, grads: Any, sign: Any, turned: Any) -> Any:
        g_sign, g_size, g_turned = grads
        slope = None if g_size is None else _per_matrix(g_size) * _conjugate(turned)
        if g_sign is not None and sign.dtype in COMPLEX:
            turn = imag_part(conj(sign) * g_sign) * 1j
            slope = _plus(slope, _per_matrix(turn) * _conjugate(turned))
        if g_turned is not None:
            own = -matmul(matmul(_conjugate(turned), mT(g_turned)), _conjugate(turned))
            slope = _plus(slope, own)
        return slope


def _plus(first: Any, second: Any) -> Any:
    return second if first is None else first + second


def _conjugate(value: Any) -> Any:
    return conj(value) if value.dtype in COMPLEX else value


def _per_matrix(numbers: Any) -> Any:
    n = numbers.ndim
    return unsqueeze(unsqueeze(numbers, dim=n), dim=n + 1)


@of_stacks
def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """The sign (of complex matrices: det / |det|) and log |det|."""
    sign, size = linalg.slogdet(A._array)
    turned = (linalg.inverse_transposed(A._array),) if A._tracked or DUALS.on else ()
    return record(LinalgSlogdetBackward0, A, (sign, size, *turned))[:2]
