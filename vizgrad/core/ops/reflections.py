"""Products of Householder reflections I - tau_i v_i v_i^H, as `geqrf` gives them.

All are multiplied at once: with the vectors as columns of V, D = diag(tau) and S the part of V^H V above its
diagonal, H_1 ... H_k = I - V (I + D S)^-1 D V^H; the adjoint has the conjugate of D and the part below the
diagonal. Sources: R. Schreiber and C. Van Loan, "A storage-efficient WY representation for products of
Householder transformations" (1989); C. Puglisi, "Modification of the Householder method based on the compact
WY representation" (1992). The formulas are the derivatives of this expression. They keep no product of some
of the reflections, and divide by nothing: `tau` may be any numbers.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import linalg
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.complexes import conj
from vizgrad.core.ops.constants import constant, raw, zeros_beside
from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.linalg import COMPLEX, matmul, mH, solve_triangular
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.shape import crop_to, tril, triu, unsqueeze


@primitive(typing="same", node="LinalgHouseholderProductBackward0", holomorphic=False)
class householder_product:
    """The first columns of the product: as many as `input` has."""

    def forward(input, tau):
        return linalg.reflected(input, tau, linalg.first_columns(input), False)

    def grad_input(grad, input, tau):
        return whole_product(input, tau).by_vectors(grad)

    def grad_tau(grad, input, tau):
        return whole_product(input, tau).by_tau(grad)

    def together(grad, input, tau, wanted):
        made = whole_product(input, tau)
        return made.by_vectors(grad), made.by_tau(grad)


@primitive(typing="same", holomorphic=False)
class ormqr:
    """The whole product Q times input3 (input3 times Q unless `left`); `transpose`: Q^H in its place."""

    def forward(self, input2, input3, *, left, transpose):
        if left:
            return linalg.reflected(self, input2, input3, transpose)
        turned = linalg.reflected(self, input2, linalg.adjoint(input3), not transpose)
        return linalg.adjoint(turned)

    def grad_self(grad, self, input2, input3, left, transpose):
        made = times_other(self, input2, input3, left, transpose)
        return made.by_vectors(grad if left else mH(grad))

    def grad_input2(grad, self, input2, input3, left, transpose):
        made = times_other(self, input2, input3, left, transpose)
        return made.by_tau(grad if left else mH(grad))

    def grad_input3(grad, self, input2, left, transpose):
        return ormqr(self, input2, grad, left=left, transpose=not transpose)

    def together(grad, self, input2, input3, left, transpose, wanted):
        by_other = (
            ormqr(self, input2, grad, left=left, transpose=not transpose) if wanted[2] else None
        )
        made = times_other(self, input2, input3, left, transpose)
        grad = grad if left else mH(grad)
        return made.by_vectors(grad), made.by_tau(grad), by_other


def whole_product(input: Any, tau: Any) -> Reflections:
    """The reflections times the first columns of a unit matrix."""
    columns = xp.eye(*raw(input).shape[-2:]).astype(raw(input).dtype)
    shape = (*raw(input).shape[:-2], *columns.shape)
    return Reflections(input, tau, constant(xp.broadcast_to(columns, shape), input), False)


def times_other(vectors: Any, tau: Any, other: Any, left: bool, transpose: bool) -> Reflections:
    """The reflections times `other`, or times its adjoint: other @ Q is (Q^H @ other^H)^H."""
    return Reflections(
        vectors, tau, other if left else mH(other), transpose if left else not transpose
    )


class Reflections:
    """The product R = C - V Y of reflections and C, with (I + D S) Y = D V^H C, and its derivatives."""

    def __init__(self, vectors: Any, tau: Any, other: Any, transpose: bool) -> None:
        self.transpose = transpose
        self.width = raw(vectors).shape[-1]
        self.other = other
        rows, count = raw(vectors).shape[-2], raw(tau).shape[-1]
        ones = constant(xp.eye(rows, count).astype(raw(vectors).dtype), vectors)
        self.v = self.below(crop_to(vectors, (0, 0), (rows, count))) + ones
        self.s = self.between(matmul(mH(self.v), self.v))
        self.d = unsqueeze(self.turned(tau), dim=tau.ndim)
        self.along = matmul(mH(self.v), other)
        self.y = self.solved(self.d * self.along)
        #: The rows that the reflections multiply by `tau`: V^H C less what those before have taken off.
        self.met = self.along - matmul(self.s, self.y)

    @staticmethod
    def below(value: Any) -> Any:
        return tril(value, diagonal=-1)

    def between(self, products: Any) -> Any:
        return tril(products, diagonal=-1) if self.transpose else triu(products, diagonal=1)

    def turned(self, tau: Any) -> Any:
        return conj(tau) if self.transpose and tau.dtype in COMPLEX else tau

    def solved(self, value: Any) -> Any:
        """(I + D S)^-1 @ value."""
        return solve_triangular(
            self.d * self.s, value, upper=not self.transpose, unitriangular=True
        )

    def arriving(self, grad: Any) -> Any:
        """The gradient by the right side of the system for Y."""
        return -solve_triangular(
            mH(self.d * self.s), matmul(mH(self.v), grad), upper=self.transpose, unitriangular=True
        )

    def by_tau(self, grad: Any) -> Any:
        met = conj(self.met) if self.met.dtype in COMPLEX else self.met
        slope = sum_dims(self.arriving(grad) * met, dims=(grad.ndim - 1,), keepdim=False)
        return self.turned(slope)

    def by_vectors(self, grad: Any) -> Any:
        d = conj(self.d) if self.d.dtype in COMPLEX else self.d
        by_along = d * self.arriving(grad)
        by_s = self.between(matmul(by_along, mH(self.y)))
        slope = matmul(self.other, mH(by_along)) - matmul(grad, mH(self.y))
        slope = self.below(slope - matmul(self.v, by_s + mH(by_s)))
        missing = self.width - raw(slope).shape[-1]
        if not missing:
            return slope
        nothing = zeros_beside(slope, (*raw(slope).shape[:-1], missing))
        return cat_any([slope, nothing], slope.ndim - 1)

    # Changes of R, for forward mode.

    def along_tau(self, t: Any) -> Any:
        changed = unsqueeze(self.turned(t), dim=t.ndim) * self.met
        return -matmul(self.v, self.solved(changed))

    def along_vectors(self, t: Any) -> Any:
        rows, count = raw(self.v).shape[-2:]
        t = self.below(crop_to(t, (0, 0), (rows, count)))
        half = matmul(mH(t), self.v)
        changed = matmul(mH(t), self.other) - matmul(self.between(half + mH(half)), self.y)
        return -matmul(t, self.y) - matmul(self.v, self.solved(self.d * changed))
