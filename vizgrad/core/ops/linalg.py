"""Linear algebra of whole matrices: products, inverses, determinants, exponentials (spec T-83).

Sources of the formulas: M. Giles, "Collected matrix derivative results" (2008), for inverses and
determinants; I. Murray, "Differentiation of the Cholesky decomposition" (2016); the rest follows from the
definitions.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dtypes, threads, xp
from vizgrad.core.arrays.kernels import linalg
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.complexes import conj
from vizgrad.core.ops.constants import constant, raw, zeros_beside
from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.shape import crop_to, diagonal, transpose, tril, triu, unsqueeze
from vizgrad.core.tensor.tensor import Tensor

#: Types with conjugates; as a formula sees them: of arrays, and of Tensors.
COMPLEX = (xp.dtype("c8"), xp.dtype("c16"), dtypes.complex64, dtypes.complex128)


def mT(value):
    """The last two dimensions exchanged."""
    n = value.ndim
    return transpose(value, dim0=n - 2, dim1=n - 1)


def mH(value):
    """The conjugate transpose of matrices."""
    turned = mT(value)
    return conj(turned) if value.dtype in COMPLEX else turned


@primitive(typing="same", node="BmmBackward0")
class matmul:
    """The products of stacks of matrices, whose leading dimensions are broadcast."""

    def forward(self, mat2):
        return threads.matmul(self, mat2)

    def grad_self(grad, mat2):
        return matmul(grad, mT(mat2))

    def grad_mat2(grad, self):
        return matmul(mT(self), grad)


@primitive(node="LinalgInvExBackward0")
class inv:
    """The inverse of square matrices."""

    def forward(self):
        return linalg.inv(self)

    def grad_self(grad, result):
        return -matmul(matmul(mT(result), grad), mT(result))


@primitive(typing="same", node="LinalgSolveExBackward0")
class solve:
    """X in self @ X = other, for stacks of matrices; `vector`: other is a stack of vectors."""

    def forward(self, other, *, vector):
        return linalg.solve_vectors(self, other) if vector else linalg.solve(self, other)

    def grad_self(grad, self, result, vector):
        back = solve(mT(self), grad, vector=vector)
        if vector:
            return -matmul(unsqueeze(back, dim=back.ndim), unsqueeze(result, dim=result.ndim - 1))
        return -matmul(back, mT(result))

    def grad_other(grad, self, vector):
        return solve(mT(self), grad, vector=vector)


@primitive(typing="same", node="LinalgSolveTriangularBackward0")
class solve_triangular:
    """X in self @ X = other, self being read as a triangle."""

    def forward(self, other, *, upper, unitriangular):
        return linalg.solve_triangular(self, other, upper, True, unitriangular)

    def grad_self(grad, self, result, upper, unitriangular):
        back = solve_triangular(mT(self), grad, upper=not upper, unitriangular=unitriangular)
        slope = -matmul(back, mT(result))
        skip = 1 if unitriangular else 0
        return triu(slope, diagonal=skip) if upper else tril(slope, diagonal=-skip)

    def grad_other(grad, self, upper, unitriangular):
        return solve_triangular(mT(self), grad, upper=not upper, unitriangular=unitriangular)


@primitive(node="LinalgDetBackward0")
class det:
    """The determinant; its derivative is the cofactor matrix, also of singular matrices."""

    def forward(self):
        return linalg.det(self)

    def grad_self(grad, self, result):
        if isinstance(grad, Tensor) and bool(raw(result).all()):
            slope = inverse_transposed(self)  # a function of the result, as in PyTorch
            grad = grad * result
        else:
            slope = cofactors(self)
        return unsqueeze(unsqueeze(grad, dim=grad.ndim), dim=grad.ndim + 1) * slope


@primitive(node="LinalgDetBackwardBackward0")
class cofactors:
    """The cofactor matrix. Its own derivative needs the inverse."""

    def forward(self):
        return linalg.cofactors(self)

    def grad_self(grad, self, result):
        inverse = mT(inv(self))
        total = _trace(matmul(mT(grad), result))
        return total * inverse - matmul(matmul(inverse, mT(grad)), result)


def _trace(value):
    """The trace of matrices, kept as two dimensions of size 1."""
    n = value.ndim
    last = diagonal(value, offset=0, dim1=n - 2, dim2=n - 1)
    return unsqueeze(sum_dims(last, dims=(n - 2,), keepdim=True), dim=n - 1)


@primitive(node="LinalgInvExBackward0")
class inverse_transposed:
    """The inverse, transposed; infinite for singular matrices."""

    def forward(self):
        return linalg.inverse_transposed(self)

    def grad_self(grad, result):
        return -matmul(matmul(result, mT(grad)), result)


@primitive(node="LinalgCholeskyExBackward0", holomorphic=False)
class cholesky:
    """The lower triangle L with L @ L.mH = self, or with `upper` L.mH; the gradient is Hermitian."""

    def forward(self, *, upper):
        return linalg.cholesky(self, upper)

    def grad_self(grad, result, upper):
        if upper:
            grad, result = mH(grad), mH(result)
        inverse = inv(result)
        middle = tril(matmul(mH(result), grad), diagonal=0)
        n = raw(middle).shape[-1]
        halved = middle * constant(halves(raw(middle), n), middle)
        slope = matmul(matmul(mH(inverse), halved), inverse)
        return (slope + mH(slope)) * 0.5


def halves(like: Any, n: int) -> Any:
    """1 everywhere, 1/2 on the diagonal."""
    return (xp.ones((n, n)) - xp.eye(n) * 0.5).astype(like.dtype)


@primitive(node="LinalgPinvBackward0", holomorphic=False)
class pinv:
    """The Moore-Penrose inverse."""

    def forward(self, *, rtol, atol, hermitian):
        return linalg.pinv(self, rtol, atol, hermitian)

    def grad_self(grad, self, result):
        p, pt, gt = result, mH(result), mH(grad)
        outside = gt - matmul(self, matmul(p, gt))
        across = gt - matmul(matmul(gt, p), self)
        own = matmul(matmul(pt, grad), pt)
        return matmul(matmul(outside, p), pt) + matmul(matmul(pt, p), across) - own


@primitive(node="LinalgMatrixExpBackward0")
class matrix_exp:
    """e to the power of a square matrix."""

    def forward(self):
        return linalg.matrix_exp(self)

    def grad_self(grad, self):
        # the upper right quarter of exp([[A, E], [0, A]]) is the derivative in direction E (Higham 10.14)
        n = raw(self).shape[-1]
        last = self.ndim - 1
        a = mT(self)
        top = cat_any([a, grad], last)
        bottom = cat_any([zeros_beside(grad, raw(grad).shape), a], last)
        whole = matrix_exp(cat_any([top, bottom], last - 1))
        return crop_to(whole, (0, n), (n, n))


@primitive(node="CopyBackwards")
class identity_like:
    """Unit matrices in the shape of `self`: its power 0, which does not depend on it."""

    forward = linalg.identities

    def grad_self(grad):
        return zeros_beside(grad, raw(grad).shape)
