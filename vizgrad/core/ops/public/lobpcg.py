"""Some of the largest or smallest eigenvalues of a symmetric matrix, by iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.function.custom.function import Function
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import joining, linalg_eigenvalues, linalg_functions, ranges
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.tensor.tensor import Tensor


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
            values, turns = linalg_eigenvalues.eigh(columns.mT @ self._times_b(columns))
            enough = values > values[-1] * xp.finfo(values._array.dtype).eps * columns.shape[-1]
            columns = columns @ (turns[:, enough] / values[enough].sqrt())
        self.S = columns
        values, turns = linalg_eigenvalues.eigh(columns.mT @ (self.A @ columns))
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
    other = ranges.eye(m, dtype=A.dtype, device=A.device) if B is None else B
    border = other[..., None, :, :] @ v
    top = joining.cat([A[..., None, :, :] - w * other[..., None, :, :], border], -1)
    bottom = joining.cat([border.mT, border.mT[..., :1] * 0], -1)
    both = linalg_functions.solve(joining.cat([top, bottom], -2), right)
    return both[..., :m, :], both[..., m:, :]


def _symmetric(x: Any) -> Any:
    return (x + x.mT) / 2


@public
@takes_tensors
def lobpcg(
    A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None,
    n: int | None = None, iK: Tensor | None = None, niter: int | None = None,
    tol: float | None = None, largest: bool | None = None, method: str | None = None,
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
    if A.ndim < 2:
        raise RuntimeError(
            f"lobpcg: A must be a matrix or a batch of matrices, got {A.ndim} dimensions"
        )
    if A.shape[-1] != A.shape[-2]:
        kind = RuntimeError if A.requires_grad else AssertionError
        raise kind(f"lobpcg: A must be square, got shape {list(A.shape)}")
    if method not in (None, "ortho", "basic"):
        raise ValueError(f"lobpcg: method must be 'ortho' or 'basic', got {method!r}")
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
    floating = A.dtype if A.dtype.is_floating_point else ranges.eye(1).dtype
    start: Any = randn(*A.shape[:-2], m, n, dtype=floating, device=A.device) if X is None else X
    settings: dict[str, Any] = {
        "k": k, "niter": 1000 if niter is None else niter, "largest": largest is None or largest,
        "tol": float(xp.finfo(start._array.dtype).eps) ** 0.5 if tol is None else tol,
        "method": "ortho" if method is None else method,
    }  # fmt: skip
    return LOBPCGAutogradFunction.apply(
        given, B, start, lambda a, b, x: LOBPCG(a, b, x, iK, **settings).run(tracker)
    )
