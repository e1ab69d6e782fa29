"""linalg: decompositions, solvers, and their singular points."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_SQUARE = [[2.0, 0.3, -0.5], [0.1, 1.5, 0.7], [-0.2, 0.4, 3.0]]
_CASES = {
    "inv": lambda t, a: t.linalg.inv(a),
    "det": lambda t, a: t.linalg.det(a),
    "slogdet": lambda t, a: t.linalg.slogdet(a)[1],
    "cholesky": lambda t, a: t.linalg.cholesky(a @ a.mT),
    "solve": lambda t, a: t.linalg.solve(a, a[:, :1]),
    "eigvalsh": lambda t, a: t.linalg.eigvalsh(a + a.mT),
    "svdvals": lambda t, a: t.linalg.svdvals(a),
    "matrix_power": lambda t, a: t.linalg.matrix_power(a, 3),
    "matrix_exp": lambda t, a: t.linalg.matrix_exp(a),
    "pinv": lambda t, a: t.linalg.pinv(a[:, :2]),
    "qr": lambda t, a: t.linalg.qr(a)[1].abs(),
    "matrix_norm": lambda t, a: t.linalg.matrix_norm(a),
    "solve_triangular": lambda t, a: t.linalg.solve_triangular(a.triu(), a[:, :1], upper=True),
}


@program(rules="T-39 T-83", each=_CASES.items())
def decompositions_and_solvers(torch, see, case):
    name, fn = case
    see.derivatives(name, lambda a: fn(torch, a), _SQUARE, twice=name not in ("qr", "pinv"))


@program(rules="T-83")
def singular_points(torch, see):
    a = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
    see.differs(
        "det of a singular matrix",
        torch.autograd.grad(torch.linalg.det(a), a)[0],
        torch=[[0, 0], [0, 0]],
        vizgrad=[[4, -2], [-2, 1]],
        because="T-83: the cofactor matrix is the derivative",
    )
    see.raises("inverse", lambda: torch.linalg.inv(a), phrase="singular")
    see.raises("cholesky", lambda: torch.linalg.cholesky(-torch.eye(2)), phrase="positive-definite")
    eye = torch.eye(2, dtype=torch.float64, requires_grad=True)
    values = torch.linalg.eigvalsh(eye)
    see("equal eigenvalues", torch.autograd.grad(values.sum(), eye)[0], expect=[[1, 0], [0, 1]])


@program(rules="T-39")
def further_products(torch, see):
    a, b = wave(2, 3), wave(2, 3, seed=1)
    see.derivatives("kron", torch.kron, wave(2, 2), wave(1, 2, seed=1))
    see.derivatives("tensordot", lambda x, y: torch.tensordot(x, y, dims=([0], [0])), a, b)
    see.derivatives("cross", torch.linalg.cross, a, b)
    see.derivatives("cdist", torch.cdist, a, b, twice=False)
    see.derivatives("inner", torch.inner, a, b)
