"""Decompositions of matrices: several outputs, each differentiable (spec T-83).

Sources of the formulas: M. Giles, "Collected matrix derivative results" (2008), for eigenvectors and
singular vectors; S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2010),
for QR; the rest follows from the definitions.
"""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import linalg
from vizgrad.core.arrays.kernels import linalg as kernel
from vizgrad.core.function.compile_node import save_result
from vizgrad.core.function.transform_tensor import Wrapped, of_stacks
from vizgrad.core.graph.node import Meta
from vizgrad.core.graph.saved import unpack_array, unpack_tensor
from vizgrad.core.ops.complexes import conj, imag_part, real_part
from vizgrad.core.ops.constants import constant, raw, zeros_beside
from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.linalg import COMPLEX, halves, matmul, mH, mT, solve, solve_triangular
from vizgrad.core.ops.recording import ManyOutputs, edges_of, produced_by, start
from vizgrad.core.ops.select import drop
from vizgrad.core.ops.shape import crop_to, diag_embed, diagonal, tril, triu, unsqueeze
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class Decomposition(ManyOutputs):
    """A node that saves outputs of its own. Its formula gets None for what nothing arrived at."""

    __slots__ = ()

    input_names = ("self",)
    saved_names: ClassVar[tuple[str, ...]] = ()
    #: Which outputs the first of those are, where not all are saved; the others are attributes of `record`.
    saved_outputs: ClassVar[tuple[int, ...] | None] = None

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
    """Vectors of equal eigenvalues have no derivative: NaN. Values do.

    Only one triangle is read, and stands for the other too: the gradient is Hermitian.
    """

    __slots__ = ("_eigenvalues", "_eigenvectors")
    saved_names = ("eigenvalues", "eigenvectors")

    def formula(self, grads: Any, values: Any, vectors: Any) -> Any:
        g_values, g_vectors = grads
        n = vectors.ndim
        middle = 0
        if g_vectors is not None:
            turn = matmul(mH(vectors), g_vectors)
            refuse_phases("linalg_eigh_backward", "eigenvectors", turn)
            gaps, diagonals = _gaps(unsqueeze(values, dim=n - 2), unsqueeze(values, dim=n - 1))
            middle = drop(turn / gaps, mask=diagonals)
        if g_values is not None:
            middle = _on_diagonal(g_values, vectors) + middle
        slope = matmul(matmul(vectors, middle), mH(vectors))
        return (slope + mH(slope)) * 0.5


def _on_diagonal(values, like):
    """Diagonal matrices, of the type of the matrices `like`."""
    n = like.ndim
    made = diag_embed(values, offset=0, dim1=n - 2, dim2=n - 1)
    return made + 0j if like.dtype in COMPLEX and made.dtype not in COMPLEX else made


def _gaps(row, column):
    """Differences of all pairs, 1 on the diagonal (whose quotients are dropped), and where that is."""
    gaps = row - column
    shape = raw(gaps).shape
    diagonals = raw(constant(xp.broadcast_to(xp.eye(shape[-1], dtype=bool), shape), gaps))
    return gaps + constant(diagonals.astype(raw(gaps).dtype), gaps), diagonals


def refuse_phases(name: str, vectors: str, turn: Any) -> None:
    """Raises if a loss depends on the phases of complex vectors, which nothing determines (T-83).

    `turn` is V^H gV: the imaginary part of its diagonal is the slope of the loss along the phases.
    """
    array = raw(turn)
    if array.dtype.kind != "c" or not array.size or isinstance(turn, Wrapped):
        return  # of many losses at once nobody can say which is meant
    if float(xp.abs(xp.diagonal(array, 0, -2, -1).imag).max()) > 1e-2:
        raise RuntimeError(
            f"{name}: The {vectors} in the complex case are specified up to multiplication by e^{{i "
            "phi}. The specified loss function depends on this quantity, so it is ill-defined; use "
            "what does not depend on phases, such as .abs() or products v @ v.mH"
        )


class LinalgEigBackward0(Decomposition):
    """For any square matrix; results are complex."""

    __slots__ = ("_eigenvalues", "_eigenvectors")
    saved_names = ("eigenvalues", "eigenvectors")

    def formula(self, grads: Any, values: Any, vectors: Any) -> Any:
        g_values, g_vectors = grads
        n = vectors.ndim
        middle = 0
        if g_vectors is not None:
            turn = matmul(mH(vectors), g_vectors)
            refuse_phases("linalg_eig_backward", "eigenvectors", turn)
            # vectors have length 1: what would change their length is taken off
            lengths = real_part(diagonal(turn, offset=0, dim1=n - 2, dim2=n - 1))
            across = turn - matmul(mH(vectors), vectors) * unsqueeze(lengths, dim=n - 2)
            gaps, diagonals = _gaps(unsqueeze(values, dim=n - 2), unsqueeze(values, dim=n - 1))
            middle = drop(across / conj(gaps), mask=diagonals)
        if g_values is not None:
            middle = diag_embed(g_values, offset=0, dim1=n - 2, dim2=n - 1) + middle
        return solve(mH(vectors), matmul(middle, mH(vectors)), vector=False)


class LinalgSvdBackward0(Decomposition):
    """Vectors of equal singular values have no derivative, nor those of the full decomposition's rest."""

    __slots__ = ("_S", "_U", "_Vh")
    saved_names = ("U", "S", "Vh")

    def formula(self, grads: Any, u: Any, s: Any, vh: Any) -> Any:
        g_u, g_s, g_vh = grads
        n = u.ndim
        least = raw(s).shape[-1]
        u, g_u = _first_columns(u, least), _first_columns(g_u, least)
        vh, g_vh = _first_rows(vh, least), _first_rows(g_vh, least)
        row, column = unsqueeze(s, dim=n - 2), unsqueeze(s, dim=n - 1)
        middle = 0
        extra = None
        if g_u is not None or g_vh is not None:
            k = raw(s).shape[-1]
            gaps, diagonals = _gaps(row * row, column * column)
            _refuse_svd_phases(u, vh, g_u, g_vh)
            if g_u is not None:
                turn = matmul(mH(u), g_u)
                middle = drop((turn - mH(turn)) / gaps, mask=diagonals) * row
                middle = middle + phases(turn, s, n)
                if raw(u).shape[-2] > k:
                    extra = matmul((g_u - matmul(u, turn)) / row, vh)
            if g_vh is not None:
                turn = matmul(vh, mH(g_vh))
                middle = column * drop((turn - mH(turn)) / gaps, mask=diagonals) + middle
                if g_u is None:
                    middle = middle - phases(turn, s, n)
                if raw(vh).shape[-1] > k:
                    more = matmul(u, (g_vh - matmul(mH(turn), vh)) / column)
                    extra = more if extra is None else extra + more
        if g_s is not None:
            middle = _on_diagonal(g_s, u) + middle
        slope = matmul(matmul(u, middle), vh)
        return slope if extra is None else slope + extra


def _first_columns(value: Any, k: int) -> Any:
    if value is None or raw(value).shape[-1] == k:
        return value
    return crop_to(value, (0, 0), (raw(value).shape[-2], k))


def _first_rows(value: Any, k: int) -> Any:
    if value is None or raw(value).shape[-2] == k:
        return value
    return crop_to(value, (0, 0), (k, raw(value).shape[-1]))


def _refuse_svd_phases(u: Any, vh: Any, g_u: Any, g_vh: Any) -> None:
    if raw(u).dtype.kind == "c" and not any(isinstance(g, Wrapped) for g in (g_u, g_vh)):
        turns = [] if g_u is None else [raw(matmul(mH(u), g_u))]
        turns += [] if g_vh is None else [raw(matmul(vh, mH(g_vh)))]
        refuse_phases("svd_backward", "singular vectors", sum(turns))


def phases(turn, s, n):
    """The part that a common phase of a pair of singular vectors adds on the diagonal; 0 for real ones."""
    if turn.dtype not in COMPLEX:
        return 0
    slope = imag_part(diagonal(turn, offset=0, dim1=n - 2, dim2=n - 1)) / s
    return diag_embed(slope * 1j, offset=0, dim1=n - 2, dim2=n - 1)


class LinalgQrBackward0(Decomposition):
    """For the reduced decomposition; of a wide matrix the first square decides Q."""

    __slots__ = ("_Q", "_R")
    saved_names = ("Q", "R")

    def formula(self, grads: Any, q: Any, r: Any) -> Any:
        g_q, g_r = grads
        _refuse_qr(q, r)
        g_q = zeros_beside(g_r, raw(q).shape) if g_q is None else g_q
        g_r = zeros_beside(g_q, raw(r).shape) if g_r is None else g_r
        k, wide = raw(r).shape[-2], raw(r).shape[-1]
        if wide == k:
            return _qr_slope(g_q, g_r, q, r)
        start_at, size = (0, k), (k, wide - k)
        g_rest = crop_to(g_r, start_at, size)
        rest = crop_to(r, start_at, size)
        g_q = g_q + matmul(matmul(q, rest), mH(g_rest))
        square = _qr_slope(g_q, crop_to(g_r, (0, 0), (k, k)), q, crop_to(r, (0, 0), (k, k)))
        return cat_any([square, matmul(q, g_rest)], q.ndim - 1)


def _refuse_qr(q: Any, r: Any) -> None:
    if raw(q).ndim < raw(r).ndim:
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'; use "
            "mode='reduced'"
        )
    rows, columns = raw(r).shape[-2:]
    if rows > columns:  # what completes Q can be any basis
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols "
            f"({rows} > {columns}); use mode='reduced'"
        )


def _qr_slope(g_q, g_r, q, r):
    """[gQ + Q sym(triu(gR R^H - Q^H gQ))] R^-H, with sym(M) = M + M^H - Re diag(M): R's diagonal is real."""
    m = triu(matmul(g_r, mH(r)) - matmul(mH(q), g_q), diagonal=0)
    halved = m * constant(halves(raw(m), raw(m).shape[-1]), m)
    symmetric = halved + mH(halved)
    inner = g_q + matmul(q, symmetric)
    return mH(solve_triangular(r, mH(inner), upper=True, unitriangular=False))


def record(
    node_class: type[Decomposition], source: Tensor | tuple[Tensor, ...], arrays: tuple[Any, ...],
    **attributes: Any,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The outputs of a decomposition of `source` (or of several tensors), recorded as one node."""
    outputs = tuple(new_tensor(a) for a in arrays)
    sources = (source,) if isinstance(source, Tensor) else source
    if any(isinstance(each, Wrapped) for each in sources):  # it would have no history
        raise wrong_call(
            NotImplementedError(f"vmap: {node_class.__name__} has no batching rule"),
            "declare the function with of_stacks or of_examples",
        )
    edges = edges_of(sources)
    if edges is not None:
        node: Any = object.__new__(node_class)
        node.outputs = len(arrays)
        node.metas = tuple(Meta(a.shape, a.dtype) for a in arrays)
        some = node_class.saved_outputs
        numbers = range(len(outputs)) if some is None else some
        for nr, name in zip(numbers, node_class.saved_names, strict=some is None):
            saved = save_result(outputs[nr])
            saved.output_nr = nr
            setattr(node, "_" + name, saved)
        for name, value in attributes.items():
            setattr(node, name, value)
        start(node, edges, arrays[0])
        produced_by(node, outputs)
    if DUALS.on:
        again = lambda given: record(node_class, tuple(given), arrays, **attributes)  # noqa: E731
        DUALS.by_hand.carry_transposed(sources, outputs, again)
    return outputs


# Sign and logarithm of determinants: one node with both outputs (spec T-83).


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


# The node of `triangular_solve`, with two outputs: the solution and a copy of the matrix.


class TriangularSolveBackward0(Decomposition):
    """The node of X in A @ X = B (A.mT @ X if `transpose`): saves X and A, of which the second output
    is a copy.
    """

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
        # in forward mode the formula is transposed, for an operand that has a tangent and no edge, too
        if self.edges[1] is None and not isinstance(solution, Tensor):
            return back, None
        slope = -matmul(back, mH(solution))
        skip = 1 if self.unitriangular else 0
        slope = triu(slope, diagonal=skip) if upper else tril(slope, diagonal=-skip)
        slope = mT(slope) if self.transpose else slope
        return back, slope if g_copy is None else slope + g_copy


# LU factors: A = P @ L @ U, with P a permutation, which is constant (spec T-83).


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
    turned = solve_triangular(
        _conjugate_of_stack(upper), mT(value), upper=True, unitriangular=False
    )
    return mT(turned)


def _conjugate_of_stack(value: Any) -> Any:
    return mT(mH(value))


@of_stacks
def lu(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """P, L, U, and LAPACK's pivots."""
    compact, pivots = kernel.factor(A._array)
    order, lower, upper = kernel.unpack(compact, pivots)
    permutation = new_tensor(order)
    factors = record(LinalgLuBackward0, A, (lower, upper), _permutation=permutation)
    return permutation, *factors, new_tensor(pivots)
