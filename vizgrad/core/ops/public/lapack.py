"""Matrix functions under their older names and signatures; torch.linalg has the ones to use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import linalg as kernels
from vizgrad.core.function.custom.function import Function
from vizgrad.core.function.transform_tensor import of_examples, of_stacks
from vizgrad.core.ops import decompositions, reflections
from vizgrad.core.ops.decompositions import Decomposition, record
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import (
    broadcasting,
    creation,
    dimensions,
    joining,
    linalg_factors,
    linalg_functions,
)
from vizgrad.core.ops.public.arguments import takes_out, takes_tensors
from vizgrad.core.ops.public.complexes import adjoint
from vizgrad.core.ops.public.linalg_factors import householder_product
from vizgrad.core.ops.public.linalg_functions import OF_ONE_TYPE, check_matrix_type
from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.tensor.requirements import DtypeKind, OneOf, RankAtLeast
from vizgrad.core.tensor.tensor import Tensor


class SVD(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor


class QR(NamedTuple):
    Q: Tensor
    R: Tensor


class TriangularSolve(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor


@public(method=True)
@takes_out
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """`linalg.cholesky`; of nothing, whatever its shape, nothing."""
    if not input._array.size:
        return input.clone()
    if input._array.ndim > 1 and input._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"cholesky_cpu" not implemented for {input.dtype.name}')
    return linalg_functions.cholesky(input, upper=upper)


@public(method=True)
@takes_out
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SVD:
    """U, S, V with input = U @ diag(S) @ V.mH; zeros for U and V without `compute_uv`."""
    if not compute_uv:
        m, n = input._array.shape[-2:]
        values = linalg_functions.svdvals(input)
        batch = input.shape[:-2]
        return SVD(input.new_zeros((*batch, m, m)), values, input.new_zeros((*batch, n, n)))
    u, s, vh = linalg_functions.svd(input, full_matrices=not some)
    return SVD(u, s, adjoint(vh))


@public(method=True)
@takes_out
def qr(input: Tensor, some: bool = True) -> QR:
    """Q, R with input = Q @ R; a square Q unless `some`."""
    return QR(*linalg_functions.qr(input, "reduced" if some else "complete"))


_MATRICES = RankAtLeast(
    2, "torch.triangular_solve: Expected tensors of at least 2 dimensions, but got {ndim}"
)


@public(method=True)
@takes_out
@of_examples
def triangular_solve(
    input: Annotated[Tensor, _MATRICES],
    A: Annotated[
        Tensor, _MATRICES, OF_ONE_TYPE, DtypeKind("fcV", '"{function}" not implemented for {dtype}')
    ],
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> TriangularSolve:
    """X in A @ X = input (A.mT @ X with `transpose`), reading a triangle of A; and a copy of A."""
    shape = broadcasting.broadcast_shapes(input._array.shape[:-2], A._array.shape[:-2])
    b, matrix = (broadcasting.expand(t, (*shape, *t._array.shape[-2:])) for t in (input, A))
    plain = matrix.detach()
    found = linalg_functions.solve_triangular(
        dimensions.mT(plain) if transpose else plain,
        b.detach(),
        upper=upper != transpose,
        unitriangular=unitriangular,
    )
    return TriangularSolve(
        *decompositions.record(
            decompositions.TriangularSolveBackward0,
            (b, matrix),
            (found._array, plain.clone()._array),
            _A=matrix,
            upper=upper,
            transpose=transpose,
            unitriangular=unitriangular,
        )
    )


@public(method=True)
@takes_tensors
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """(LU, pivots), and with `get_infos` where a pivot is 0: for `lu_solve` and `lu_unpack`."""
    if A._array.ndim > 1 and A._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"lu_cpu" not implemented for {A.dtype.name}')
    found = linalg_factors.lu_factor_ex(A, pivot=pivot)
    return tuple(found) if get_infos else (found.LU, found.pivots)


_OF_LU_SOLVE = RankAtLeast(
    2,
    "torch.lu_solve: input and factors must have at least 2 dimensions, but got a tensor of shape {shape}",
)


@public(method=True)
@takes_out
def lu_solve(
    input: Annotated[Tensor, _OF_LU_SOLVE],
    LU_data: Annotated[Tensor, _OF_LU_SOLVE],
    LU_pivots: Tensor,
) -> Tensor:
    """X in A @ X = input with the factors of A."""
    return linalg_factors.lu_solve(LU_data, LU_pivots, input)


@public(method=True)
def det(input: Tensor) -> Tensor:
    """The determinant."""
    return linalg_functions.det(input)


@public(method=True)
def slogdet(input: Tensor) -> linalg_functions.SlogdetResult:
    """Sign and logarithm of the absolute value of the determinant."""
    return linalg_functions.slogdet(input)


@public(method=True)
@takes_out
def inverse(input: Tensor) -> Tensor:
    """The inverse of square matrices."""
    return linalg_functions.inv(input)


@public(method=True)
@takes_out
def matrix_power(input: Tensor, n: int) -> Tensor:
    """A matrix multiplied by itself n times; of its inverse for negative n."""
    return linalg_functions.matrix_power(input, n)


@public(method=True)
@takes_tensors
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore-Penrose inverse; singular values below rcond times the largest count as 0."""
    return linalg_functions.pinv(input, rtol=rcond)


# Products of Householder reflections: how LAPACK keeps the Q of a QR decomposition.


class GEQRF(NamedTuple):
    a: Tensor
    tau: Tensor


class GeqrfBackward0(Decomposition):
    """`geqrf` has no derivative."""

    __slots__ = ()
    saved_outputs = ()

    def formula(self, grads: Any) -> Any:
        raise NotImplementedError(
            "the derivative for 'geqrf' is not implemented: linalg.qr gives Q and R with derivatives"
        )


@public(method=True)
@takes_out
@of_stacks
def geqrf(
    input: Annotated[Tensor, RankAtLeast(2, "torch.geqrf: input must have at least 2 dimensions.")],
) -> GEQRF:
    """The QR decomposition as LAPACK keeps it: R on and above the diagonal of `a`, reflections below, `tau`.

    `orgqr` makes Q of them, `ormqr` multiplies by Q. Backward through it raises NotImplementedError.
    """
    check_matrix_type("geqrf", input)
    return GEQRF(*record(GeqrfBackward0, input, kernels.reflections(input._array)))


@public(method=True)
@takes_out
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """`linalg.householder_product`: Q from what `geqrf` gives."""
    return householder_product(input, input2)


@public(method=True)
@takes_out
@takes_tensors
def ormqr(
    input: Annotated[Tensor, RankAtLeast(2, "torch.ormqr: input must have at least 2 dimensions.")],
    input2: Tensor,
    input3: Annotated[
        Tensor, RankAtLeast(2, "torch.ormqr: other must have at least 2 dimensions.")
    ],
    left: bool = True,
    transpose: bool = False,
) -> Tensor:
    """Q @ input3 (input3 @ Q unless `left`), Q the whole product of reflections I - tau_i v_i v_i^H.

    v_i is in column i of `input` (*, m, k) below the diagonal, as `geqrf` gives it, tau_i in `input2`; with
    `transpose` Q^H stands for Q. Raises RuntimeError for shapes and types that do not fit.
    """
    tau, other = input2, input3
    _check_ormqr(input, tau, other, left)
    check_matrix_type("ormqr", input)
    return reflections.ormqr.record(input, tau, other, left=left, transpose=transpose)


def _check_ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool) -> None:
    a, t, c = input._array, tau._array, other._array
    side = -2 if left else -1
    if c.shape[side] != a.shape[-2]:
        raise RuntimeError(
            f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2], got {c.shape[side]} and "
            f"{a.shape[-2]}"
        )
    most = min(c.shape[side], a.shape[-1])
    if t.shape[-1:] != (most,):
        raise RuntimeError(
            f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1]), "
            f"which is {most}; tau has shape {list(t.shape)}"
        )
    for name, array, dims in (("tau", t, 1), ("other", c, 0)):
        if array.ndim != a.ndim - dims or array.shape[: a.ndim - 2] != a.shape[:-2]:
            raise RuntimeError(
                f"torch.ormqr: Expected {name} to have the batch dimensions of input, but got shapes "
                f"{list(array.shape)} and {list(a.shape)}"
            )
    for name, tensor in (("tau", tau), ("other", other)):
        if tensor.dtype is not input.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {name} to have the same dtype, but input has dtype "
                f"{input.dtype.name} and {name} has dtype {tensor.dtype.name}"
            )


# Some of the largest or smallest eigenvalues of a symmetric matrix, by iteration.


class LOBPCG:
    """Where an iteration is, as its `tracker` sees it; `bvars["force_stop"] = True` ends it.

    A. Knyazev, Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned Conjugate
    Gradient Method (2001): the best vectors among those so far X, their (preconditioned) residuals R and
    their last change. The basis S is made orthonormal before each choice, so that it may have any rank.
    """

    def __init__(
        self, A: Any, B: Any, X: Any, iK: Any, *, k: int, niter: int, tol: float, largest: bool,
        method: str,
    ) -> None:  # fmt: skip
        self.A, self.B, self.iK, self.X = A, B, iK, X
        self.iparams = {"m": A.shape[-1], "n": X.shape[-1], "k": k, "niter": niter}
        self.fparams = {"tol": tol}
        self.bparams = {"largest": largest}
        self.method = method
        self.ivars = {"istep": 1, "converged_count": 0}
        self.fvars: dict[str, float] = {}
        self.bvars = {"force_stop": False}
        self.tvars: dict[str, Any] = {}
        self.S = X
        self.E: Any = None
        self.R: Any = None

    def run(self, tracker: Callable[[LOBPCG], Any] | None) -> tuple[Tensor, Tensor]:
        n, k = self.iparams["n"], self.iparams["k"]
        self._choose(self.X)
        scale = self._norm(self.A @ self.X) / self._norm(self.X)
        scale_b = self._norm(self._times_b(self.X)) / self._norm(self.X)
        change = None
        while True:
            self.R = self.A @ self.X - self._times_b(self.X) * self.E
            sizes = self._norm(self.X) * (scale + abs(self.E) * scale_b)
            self.tvars["rerr"] = error = self._norm(self.R) / sizes
            done = (error < self.fparams["tol"]).tolist()
            self.ivars["converged_count"] = next((i for i, d in enumerate(done) if not d), n)
            if tracker is not None:
                tracker(self)
            step, niter = self.ivars["istep"], self.iparams["niter"]
            if self.ivars["converged_count"] >= k or self.bvars["force_stop"] or step == niter:
                return self.E[:k], self.X[:, :k]
            self.ivars["istep"] += 1
            turned = self.R if self.iK is None else self.iK @ self.R
            before = self.X
            self._choose(joining.cat([before, turned, *([] if change is None else [change])], 1))
            change = self.X - before @ (before.mT @ self._times_b(self.X))

    def _choose(self, basis: Any) -> None:
        """The n best vectors of the space of these columns (Rayleigh and Ritz)."""
        columns = basis / self._norm(basis).clamp_min(1e-300 if basis.dtype.itemsize > 4 else 1e-30)
        for _ in range(2):  # the second time takes off what rounding left
            values, turns = linalg_functions.eigh(columns.mT @ self._times_b(columns))
            enough = values > values[-1] * xp.finfo(values._array.dtype).eps * columns.shape[-1]
            columns = columns @ (turns[:, enough] / values[enough].sqrt())
        self.S = columns
        values, turns = linalg_functions.eigh(columns.mT @ (self.A @ columns))
        if self.bparams["largest"]:
            values, turns = values.flip(-1), turns.flip(-1)
        n = self.iparams["n"]
        self.E, self.X = values[:n], columns @ turns[:, :n]

    def _times_b(self, x: Any) -> Any:
        return x if self.B is None else self.B @ x

    @staticmethod
    def _norm(x: Any) -> Any:
        return (x * x).sum(0).sqrt()


class LOBPCGAutogradFunction(Function):
    """Eigenvalues and vectors, with derivatives of A and B, which are taken to be symmetric.

    For one pair, A v = w B v and v^T B v = 1: with the bordered matrix K = [[A - w B, B v], [(B v)^T, 0]]
    the changes are K [dv, -dw] = -[(dA - w dB) v, v^T dB v / 2], so K [p, q] = [gv, -gw] gives the gradients.
    """

    @staticmethod
    def forward(A: Any, B: Any, X: Any, iterate: Any) -> Any:
        batch = A.shape[:-2]
        if not batch:
            E, V = (part.clone() for part in iterate(A, B, X))
        else:
            m = A.shape[-1]
            starts = X.expand(*batch, *X.shape[-2:]).reshape(-1, *X.shape[-2:])
            others = None if B is None else B.expand(*batch, m, m).reshape(-1, m, m)
            found = [
                iterate(a, None if others is None else others[i], starts[i])
                for i, a in enumerate(A.reshape(-1, m, m))
            ]
            E = joining.stack([e for e, _ in found]).reshape(*batch, -1).clone()
            V = joining.stack([v for _, v in found]).reshape(*batch, m, -1).clone()
        return E, V

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        A, B, _, _ = inputs
        ctx.save_for_backward(A, B, *output)
        ctx.save_for_forward(A, B, *output)

    @staticmethod
    def backward(ctx: Any, gE: Any, gV: Any) -> Any:
        A, B, E, V = ctx.saved_tensors
        v, w = _pairs(E, V)
        right = joining.cat([gV.mT[..., None], -gE[..., None, None]], -2)
        p, q = _solved(A, B, v, w, right)
        gA = _symmetric((-p @ v.mT).sum(-3))
        gB = None if B is None else _symmetric((w * p @ v.mT - q * v @ v.mT / 2).sum(-3))
        return gA, gB, None, None

    @staticmethod
    def jvp(ctx: Any, dA: Any, dB: Any, *_: Any) -> Any:
        A, B, E, V = ctx.saved_tensors
        v, w = _pairs(E, V)
        change = w * 0 if dA is None else _symmetric(dA)[..., None, :, :]
        length = w * 0
        if dB is not None:
            of_b = _symmetric(dB)[..., None, :, :]
            change, length = change - w * of_b, v.mT @ (of_b @ v) / 2
        dv, dw = _solved(A, B, v, w, joining.cat([-(change @ v), -length], -2))
        return -dw[..., 0, 0], dv[..., 0].mT


def _pairs(E: Any, V: Any) -> tuple[Any, Any]:
    """A matrix for each vector, (*, k, m, 1), and for each value."""
    return V.mT[..., None], E[..., None, None]


def _solved(A: Any, B: Any, v: Any, w: Any, right: Any) -> tuple[Any, Any]:
    """(p, q) with K [p, q] = right for each pair."""
    m = A.shape[-1]
    other = creation.eye(m, dtype=A.dtype, device=A.device) if B is None else B
    border = other[..., None, :, :] @ v
    top = joining.cat([A[..., None, :, :] - w * other[..., None, :, :], border], -1)
    bottom = joining.cat([border.mT, border.mT[..., :1] * 0], -1)
    both = linalg_functions.solve(joining.cat([top, bottom], -2), right)
    return both[..., :m, :], both[..., m:, :]


def _symmetric(x: Any) -> Any:
    return (x + x.mT) / 2


_METHOD = OneOf(
    ("ortho", "basic"), "lobpcg: method must be 'ortho' or 'basic', got {value!r}", ValueError
)
_SYMMETRIC = RankAtLeast(
    2, "lobpcg: A must be a matrix or a batch of matrices, got {ndim} dimensions"
)


@public
@takes_tensors
def lobpcg(
    A: Annotated[Tensor, _SYMMETRIC], k: int | None = None, B: Tensor | None = None, X: Tensor | None = None,
    n: int | None = None, iK: Tensor | None = None, niter: int | None = None,
    tol: float | None = None, largest: bool | None = None, method: Annotated[str, _METHOD] | None = None,
    tracker: Any = None, ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The `k` largest eigenvalues (smallest, with `largest=False`) of A v = w B v, and vectors (*, m, k).

    A (*, m, m) is symmetric, dense or sparse, B positive definite (left out: the unit matrix). The iteration
    starts from X (*, m, n), or from n random vectors, is preconditioned with iK (*, m, m), and ends when the
    relative residuals of k vectors are below `tol` (root of the type's precision), after `niter` steps (1000;
    -1: never), or when `tracker`, called with a `LOBPCG` at each step, says so. Both methods and the
    `ortho_...` settings do the same here: the basis is made orthonormal whatever its rank. Vectors have any
    sign. Raises ValueError unless m is at least 3 k.
    """
    if A.shape[-1] != A.shape[-2]:
        kind = RuntimeError if A.requires_grad else AssertionError
        raise kind(f"lobpcg: A must be square, got shape {list(A.shape)}")
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if min(n, k) < 0:
        raise RuntimeError(
            f"lobpcg: Trying to create tensor with negative dimension {min(n, k)}: {[m, min(n, k)]}"
        )
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the "
            f"number of requested eigenpairs (={n}); linalg.eigh gives all of them"
        )
    if not 1 <= k <= n:
        raise ValueError(f"lobpcg: {k} eigenpairs are asked of {n} vectors")
    given: Any = A
    if A.requires_grad:
        given = _symmetric(given)
    floating = A.dtype if A.dtype.is_floating_point else creation.eye(1).dtype
    start: Any = randn(*A.shape[:-2], m, n, dtype=floating, device=A.device) if X is None else X
    settings: dict[str, Any] = {
        "k": k, "niter": 1000 if niter is None else niter, "largest": largest is None or largest,
        "tol": float(xp.finfo(start._array.dtype).eps) ** 0.5 if tol is None else tol,
        "method": "ortho" if method is None else method,
    }  # fmt: skip
    return LOBPCGAutogradFunction.apply(
        given, B, start, lambda a, b, x: LOBPCG(a, b, x, iK, **settings).run(tracker)
    )
