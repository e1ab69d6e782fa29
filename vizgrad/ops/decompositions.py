"""Linear algebra: inverses, determinants, decompositions (spec T-83). For real matrices.

Sources of the formulas: M. Giles, "Collected matrix derivative results" (2008), for inverses and
determinants; I. Murray, "Differentiation of the Cholesky decomposition" (2016); S. Walter and
L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2010), for QR; the rest follows
from the definitions.
"""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.arrays import xp
from vizgrad.arrays.kernels import linalg
from vizgrad.function.primitive import primitive
from vizgrad.function.saving import save_result
from vizgrad.graph.node import Meta
from vizgrad.graph.saved import unpack_array, unpack_tensor
from vizgrad.ops.arrange import crop_to, diag_embed, diagonal, tril, triu
from vizgrad.ops.constants import constant, raw, zeros_beside
from vizgrad.ops.joining import cat_any
from vizgrad.ops.recording import ManyOutputs, edges_of, produced_by, start
from vizgrad.ops.select import drop
from vizgrad.ops.shape import transpose, unsqueeze
from vizgrad.tensor.tensor import Tensor, new_tensor


def mT(value):
    """The last two dimensions exchanged."""
    n = value.ndim
    return transpose(value, dim0=n - 2, dim1=n - 1)


@primitive(typing="same", node="BmmBackward0")
class matmul:
    """The products of stacks of matrices with the same leading dimensions."""

    def forward(self, mat2):
        return xp.matmul(self, mat2)

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
    """X in self @ X = other, for stacks of matrices."""

    def forward(self, other):
        return linalg.solve(self, other)

    def grad_self(grad, self, result):
        return -matmul(solve(mT(self), grad), mT(result))

    def grad_other(grad, self):
        return solve(mT(self), grad)


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

    def grad_self(grad, self):
        return unsqueeze(unsqueeze(grad, dim=grad.ndim), dim=grad.ndim + 1) * cofactors(self)


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
    from vizgrad.ops.reduce import sum_dims

    return unsqueeze(sum_dims(last, dims=(n - 2,), keepdim=True), dim=n - 1)


@primitive(node="LinalgSlogdetBackward0", outputs=("logabsdet", "sign"))
class slogdet:
    """log |det| and the sign of det."""

    def forward(self):
        sign, size = linalg.slogdet(self)
        return size, sign

    def grad_self(grad, self):
        return unsqueeze(unsqueeze(grad, dim=grad.ndim), dim=grad.ndim + 1) * inverse_transposed(
            self
        )


@primitive(node="LinalgInvExBackward0")
class inverse_transposed:
    """The inverse, transposed; infinite for singular matrices."""

    def forward(self):
        return linalg.inverse_transposed(self)

    def grad_self(grad, result):
        return -matmul(matmul(result, mT(grad)), result)


@primitive(node="LinalgCholeskyExBackward0")
class cholesky:
    """The lower triangle L with L @ L.mT = self; the gradient is symmetric."""

    def forward(self):
        return linalg.cholesky(self, upper=False)

    def grad_self(grad, result):
        inverse = inv(result)
        middle = tril(matmul(mT(result), grad), diagonal=0)
        n = raw(middle).shape[-1]
        halved = middle * constant(_halves(raw(middle), n), middle)
        slope = matmul(matmul(mT(inverse), halved), inverse)
        return (slope + mT(slope)) * 0.5


def _halves(like: Any, n: int) -> Any:
    """1 everywhere, 1/2 on the diagonal."""
    return (xp.ones((n, n)) - xp.eye(n) * 0.5).astype(like.dtype)


@primitive(node="LinalgPinvBackward0")
class pinv:
    """The Moore-Penrose inverse."""

    def forward(self, *, rcond):
        return linalg.pinv(self, rcond)

    def grad_self(grad, self, result):
        p, pt, gt = result, mT(result), mT(grad)
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


# --- several differentiable outputs ------------------------------------------------------------------------


class Decomposition(ManyOutputs):
    """A node that saves its own outputs. Its formula gets None for what nothing arrived at."""

    __slots__ = ()

    input_names = ("self",)
    saved_names: ClassVar[tuple[str, ...]] = ()

    #: `formula(grads, *outputs)`.
    formula: Any

    def run_all(self, grads: list[Any]) -> tuple[Any, ...]:
        return (self.formula(grads, *[unpack_array(self, n) for n in self.saved_names]),)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.formula(grads, *[unpack_tensor(self, n) for n in self.saved_names]),)

    def release(self, token: object) -> None:
        for name in self.saved_names:
            setattr(self, "_" + name, token)


class LinalgEighBackward0(Decomposition):
    """Vectors of equal eigenvalues have no derivative: NaN. Values do."""

    __slots__ = ("_eigenvalues", "_eigenvectors")
    saved_names = ("eigenvalues", "eigenvectors")

    def formula(self, grads: Any, values: Any, vectors: Any) -> Any:
        g_values, g_vectors = grads
        n = vectors.ndim
        middle = 0
        if g_vectors is not None:
            gaps, diagonals = _gaps(unsqueeze(values, dim=n - 2), unsqueeze(values, dim=n - 1))
            middle = drop(matmul(mT(vectors), g_vectors) / gaps, mask=diagonals)
        if g_values is not None:
            middle = diag_embed(g_values, offset=0, dim1=n - 2, dim2=n - 1) + middle
        return matmul(matmul(vectors, middle), mT(vectors))


def _gaps(row, column):
    """Differences of all pairs, 1 on the diagonal (whose quotients are dropped), and where that is."""
    gaps = row - column
    shape = raw(gaps).shape
    diagonals = xp.broadcast_to(xp.eye(shape[-1], dtype=bool), shape)
    return gaps + constant(diagonals.astype(raw(gaps).dtype), gaps), diagonals


class LinalgSvdBackward0(Decomposition):
    """For the reduced decomposition. Vectors of equal singular values have no derivative."""

    __slots__ = ("_S", "_U", "_Vh")
    saved_names = ("U", "S", "Vh")

    def formula(self, grads: Any, u: Any, s: Any, vh: Any) -> Any:
        g_u, g_s, g_vh = grads
        n = u.ndim
        row, column = unsqueeze(s, dim=n - 2), unsqueeze(s, dim=n - 1)
        middle = 0
        extra = None
        if g_u is not None or g_vh is not None:
            k = raw(s).shape[-1]
            gaps, diagonals = _gaps(row * row, column * column)
            if g_u is not None:
                turn = matmul(mT(u), g_u)
                middle = drop((turn - mT(turn)) / gaps, mask=diagonals) * row
                if raw(u).shape[-2] > k:
                    extra = matmul((g_u - matmul(u, turn)) / row, vh)
            if g_vh is not None:
                turn = matmul(vh, mT(g_vh))
                middle = column * drop((turn - mT(turn)) / gaps, mask=diagonals) + middle
                if raw(vh).shape[-1] > k:
                    more = matmul(u, (g_vh - matmul(mT(turn), vh)) / column)
                    extra = more if extra is None else extra + more
        if g_s is not None:
            middle = diag_embed(g_s, offset=0, dim1=n - 2, dim2=n - 1) + middle
        slope = matmul(matmul(u, middle), vh)
        return slope if extra is None else slope + extra


class LinalgQrBackward0(Decomposition):
    """For the reduced decomposition; of a wide matrix the first square decides Q."""

    __slots__ = ("_Q", "_R")
    saved_names = ("Q", "R")

    def formula(self, grads: Any, q: Any, r: Any) -> Any:
        g_q, g_r = grads
        g_q = zeros_beside(g_r, raw(q).shape) if g_q is None else g_q
        g_r = zeros_beside(g_q, raw(r).shape) if g_r is None else g_r
        k, wide = raw(r).shape[-2], raw(r).shape[-1]
        if wide == k:
            return _qr_slope(g_q, g_r, q, r)
        start_at, size = (0, k), (k, wide - k)
        g_rest = crop_to(g_r, start_at, size)
        rest = crop_to(r, start_at, size)
        g_q = g_q + matmul(matmul(q, rest), mT(g_rest))
        square = _qr_slope(g_q, crop_to(g_r, (0, 0), (k, k)), q, crop_to(r, (0, 0), (k, k)))
        return cat_any([square, matmul(q, g_rest)], q.ndim - 1)


def _qr_slope(g_q, g_r, q, r):
    """[gQ + Q sym(triu(gR R^T - Q^T gQ))] R^-T, with sym(M) = M + M^T - diag(M)."""
    m = triu(matmul(g_r, mT(r)) - matmul(mT(q), g_q), diagonal=0)
    symmetric = m + mT(triu(m, diagonal=1))
    inner = g_q + matmul(q, symmetric)
    return mT(solve_triangular(r, mT(inner), upper=True, unitriangular=False))


def record(
    node_class: type[Decomposition], source: Tensor, arrays: tuple[Any, ...]
) -> tuple[Tensor, ...]:
    """The outputs of a decomposition of `source`, recorded as one node."""
    outputs = tuple(new_tensor(a) for a in arrays)
    edges = edges_of((source,))
    if edges is not None:
        node: Any = object.__new__(node_class)
        node.outputs = len(arrays)
        node.metas = tuple(Meta(a.shape, a.dtype) for a in arrays)
        start(node, edges, arrays[0])
        for nr, (name, out) in enumerate(zip(node_class.saved_names, outputs, strict=True)):
            saved = save_result(out)
            saved.output_nr = nr
            setattr(node, "_" + name, saved)
        produced_by(node, outputs)
    return outputs
