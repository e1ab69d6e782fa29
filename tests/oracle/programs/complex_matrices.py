"""Linear algebra of complex matrices. Losses do not depend on the phases of vectors."""

from functools import partial

from tests.oracle.data import complex_wave
from tests.oracle.registry import program as plain_program

program = partial(plain_program, milestone="complex")


def _matrix(torch, a):
    """Well conditioned."""
    return a + 3 * torch.eye(3, dtype=a.dtype)


def _hermitian(torch, a):
    return a @ a.mH + torch.diag(torch.tensor([1.0, 2, 3], dtype=a.dtype))


def _products_of_svd(torch, a):
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    return u[:, :1] @ vh[:1] * s[0]


_FUNCTIONS = {
    "inv": lambda torch, a: torch.linalg.inv(_matrix(torch, a)),
    "det": lambda torch, a: torch.linalg.det(_matrix(torch, a)),
    "log of det": lambda torch, a: torch.linalg.slogdet(_matrix(torch, a)).logabsdet,
    "solve": lambda torch, a: torch.linalg.solve(_matrix(torch, a), a[:, :2]),
    "solve_triangular": lambda torch, a: torch.linalg.solve_triangular(
        _matrix(torch, a), a[:, :2], upper=True
    ),
    "matrix_exp": lambda torch, a: torch.linalg.matrix_exp(a),
    "matrix_power": lambda torch, a: torch.linalg.matrix_power(_matrix(torch, a), -2),
    "cholesky": lambda torch, a: torch.linalg.cholesky(_hermitian(torch, a)),
    "pinv": lambda torch, a: torch.linalg.pinv(a[:, :2]),
    "eigvalsh": lambda torch, a: torch.linalg.eigvalsh(_hermitian(torch, a)),
    "eigh": lambda torch, a: torch.linalg.eigh(_hermitian(torch, a)).eigenvectors.abs() ** 2,
    "svdvals": lambda torch, a: torch.linalg.svdvals(a),
    "svd": lambda torch, a: torch.linalg.svd(a[:, :2], full_matrices=False).U.abs() ** 2,
    "svd, both": _products_of_svd,
    "nuclear norm": lambda torch, a: torch.linalg.matrix_norm(a, ord="nuc"),
    "qr": lambda torch, a: torch.linalg.qr(a).Q.abs() ** 2,
    "Q": lambda torch, a: torch.linalg.qr(a).Q,
    "R": lambda torch, a: torch.linalg.qr(a).R,
    "Q of a tall one": lambda torch, a: torch.linalg.qr(a[:, :2]).Q,
    "R of a wide one": lambda torch, a: torch.linalg.qr(a[:2]).R,
    "sign of det": lambda torch, a: torch.linalg.slogdet(_matrix(torch, a)).sign,
    "vecdot": lambda torch, a: torch.linalg.vecdot(a, a * 1j + 1),
    "eigvals": lambda torch, a: torch.linalg.eigvals(_matrix(torch, a)),
    "eig": lambda torch, a: torch.linalg.eig(_matrix(torch, a)).eigenvectors.abs() ** 2,
    "eig of real": lambda torch, a: torch.linalg.eig(a.real + a.imag).eigenvectors.abs() ** 2,
}


@program(rules="T-39 T-83", each=_FUNCTIONS)
def of_a_complex_matrix(torch, see, name):
    a = complex_wave(3, 3)
    see.derivatives(name, partial(_FUNCTIONS[name], torch), a, dtype="complex128", twice=False)


@program(rules="T-83")
def phases_are_not_determined(torch, see):
    a = torch.tensor(complex_wave(3, 3), dtype=torch.complex128, requires_grad=True)
    _, vectors = torch.linalg.eigh(_hermitian(torch, a))
    see.raises("eigh", vectors.sum().real.backward, phrase="ill-defined")
    u = torch.linalg.svd(a).U
    see.raises("svd", u.sum().real.backward, phrase="ill-defined")
