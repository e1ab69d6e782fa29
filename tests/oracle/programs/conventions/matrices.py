"""Singular, defective and tied matrices (T-83)."""

from tests.oracle.points import watch
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")
_EYE = [[1.0, 0.0], [0.0, 1.0]]
_NONE = [[0.0, 0.0], [0.0, 0.0]]
_SINGULAR = [[1.0, 2.0], [2.0, 4.0]]


@program(rules="T-83")
def vectors_of_equal_values(torch, see):
    la = torch.linalg
    watch(torch, see, "eigh", lambda a: la.eigh(a)[1].abs(), _EYE, twice=False, types=["float64"])
    watch(torch, see, "values of eigh", lambda a: la.eigh(a)[0], _EYE, slope=[_EYE], twice=False)
    watch(torch, see, "eigvalsh", la.eigvalsh, _EYE, slope=[_EYE], twice=False)
    for position in (0, 2):
        x = torch.tensor(_EYE, dtype=torch.float64, requires_grad=True)
        part = la.svd(x)[position].abs().sum()
        see(f"svd {position}", torch.autograd.grad(part, x)[0].isnan().any().item(), expect=True)
    watch(torch, see, "values of svd", lambda a: la.svd(a)[1], _EYE, slope=[_EYE], twice=False)
    watch(torch, see, "svdvals", la.svdvals, _EYE, slope=[_EYE], twice=False)


@program(rules="T-83")
def norms_of_matrices_at_ties(torch, see):
    la = torch.linalg
    for name, order in (
        ("nuclear", "nuc"),
        ("spectral", 2),
        ("smallest", -2),
        ("Frobenius", "fro"),
    ):
        fn = lambda a, o=order: la.matrix_norm(a, o)  # noqa: E731
        watch(torch, see, f"{name} of the identity", fn, _EYE, twice=False)
        watch(torch, see, f"{name} of 0", fn, _NONE, twice=False)
        watch(torch, see, f"{name} of other", fn, [[2.0, 1.0], [0.5, 3.0]])
    for order in (1, -1, _INF, -_INF):
        fn = lambda a, o=order: la.matrix_norm(a, o)  # noqa: E731
        watch(torch, see, f"{order}", fn, [[2.0, 1.0], [-2.0, 3.0]])
        watch(torch, see, f"{order} at a tie", fn, [[1.0, 1.0], [1.0, -1.0]], twice=False)
    watch(torch, see, "spectral tie", lambda a: la.matrix_norm(a, 2), _EYE,
          slope=[[[0.5, 0], [0, 0.5]]], twice=False)  # fmt: skip
    watch(torch, see, "svdvals of 0", la.svdvals, _NONE, twice=False)
    watch(torch, see, "torch.norm, nuc", lambda a: torch.norm(a, p="nuc"), [[2.0, 1.0], [0.5, 3.0]])


@program(rules="T-83")
def determinants(torch, see):
    la = torch.linalg
    watch(torch, see, "regular", la.det, [[1.0, 2.0], [3.0, 4.0]], slope=[[[4, -3], [-2, 1]]])
    for name, at, cofactors in (
        ("rank 1 of 2", _SINGULAR, [[4, -2], [-2, 1]]),
        ("rank 0 of 2", _NONE, _NONE),
        ("rank 2 of 3", [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]],
         [[0, 0, 0], [0, 0, 0], [0, 0, 2]]),
    ):  # fmt: skip
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        zeros = [[0] * len(at)] * len(at)
        found = torch.autograd.grad(la.det(x), x)[0]
        see.differs(name, found, torch=zeros, vizgrad=cofactors,
                    because="T-83: the cofactor matrix is the derivative")  # fmt: skip
    watch(torch, see, "logdet of negative", torch.logdet, [[0.0, 1.0], [1.0, 0.0]], twice=False)
    see("values", [torch.logdet(torch.tensor(m)) for m in (_SINGULAR, [[0.0, 1.0], [1.0, 0.0]])],
        expect=[-_INF, _NAN])  # fmt: skip
    for name, at in (
        ("singular", _SINGULAR),
        ("zero", _NONE),
        ("negative", [[0.0, 1.0], [1.0, 0.0]]),
    ):
        see(f"slogdet, {name}", list(la.slogdet(torch.tensor(at))))


_REFUSED = {
    "inv": lambda la, torch: la.inv(torch.tensor(_SINGULAR)),
    "solve": lambda la, torch: la.solve(torch.tensor(_NONE), torch.ones(2)),
    "inverse": lambda la, torch: torch.inverse(torch.tensor(_NONE)),
    "cholesky": lambda la, torch: la.cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]])),
    "torch.cholesky": lambda la, torch: torch.linalg.cholesky(-torch.eye(2)),
    "not square": lambda la, torch: la.inv(torch.ones(2, 3)),
    "det, not square": lambda la, torch: la.det(torch.ones(2, 3)),
    "vector": lambda la, torch: la.inv(torch.ones(2)),
    "batch": lambda la, torch: la.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)])),
    "integers": lambda la, torch: la.inv(torch.eye(2).long()),
}


@program(rules="T-83", each=_REFUSED)
def matrices_that_are_refused(torch, see, name):
    see.raises(name, lambda: _REFUSED[name](torch.linalg, torch))
    see("a RuntimeError", issubclass(torch.linalg.LinAlgError, RuntimeError), expect=True)


@program(rules="T-83")
def symmetric_gradients_and_shapes_of_factors(torch, see):
    la = torch.linalg
    x = torch.tensor([[4.0, 1.0], [1.0, 3.0]], dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(la.cholesky(x)[1, 0], x)
    see("cholesky", found)
    see("symmetric", (found - found.T).abs().max().item(), expect=0.0)
    tall = [[1.0, 2.0], [3.0, 5.0], [0.5, 1.0]]
    wide = [[1.0, 3.0, 0.5], [2.0, 5.0, 1.5]]
    square = [[1.0, 2.0], [3.0, 5.0]]
    for name, at in (("tall", tall), ("wide", wide), ("square", square)):
        watch(torch, see, f"reduced, {name}", lambda a: la.qr(a)[1].abs(), at, types=["float64"])
    for name, at in (("wide", wide), ("square", square)):
        watch(torch, see, f"complete, {name}", lambda a: la.qr(a, "complete")[1].abs(), at,
              types=["float64"])  # fmt: skip
    x = torch.tensor(tall, requires_grad=True)
    see.raises("complete, tall", lambda: la.qr(x, "complete")[1].sum().backward())
    see.raises("r alone", lambda: la.qr(x, "r")[1].sum().backward())


@program(rules="T-83")
def a_defective_matrix_has_no_eigenvectors_to_differentiate(torch, see):
    x = torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    values, vectors = torch.linalg.eig(x)
    see("values", values.detach())
    (found,) = torch.autograd.grad(vectors.abs().sum(), x)
    see("no number", found.isfinite().all().item(), expect=False)
