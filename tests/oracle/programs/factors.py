"""LU factors, solving with factors, failures reported in `info`, and other matrix functions."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.registry import program


def _good(torch, a):
    return a + 2 * torch.eye(a.shape[-1], dtype=a.dtype)


def _positive(torch, a):
    return a @ a.mT + torch.eye(a.shape[-1], dtype=a.dtype)


_OF_SQUARE = {
    "lu": lambda torch, a: torch.linalg.lu(a)[1:],
    "lu_factor": lambda torch, a: torch.linalg.lu_factor(a).LU,
    "lu_solve": lambda torch, a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), a[:, :2]),
    "lu_solve, adjoint": lambda torch, a: torch.linalg.lu_solve(
        *torch.linalg.lu_factor(a), a[:, :2], adjoint=True
    ),
    "lu_solve, right": lambda torch, a: torch.linalg.lu_solve(
        *torch.linalg.lu_factor(a), a[:2], left=False
    ),
    "inv_ex": lambda torch, a: torch.linalg.inv_ex(_good(torch, a)).inverse,
    "solve_ex": lambda torch, a: torch.linalg.solve_ex(_good(torch, a), a[:, :1]).result,
    "cholesky_ex": lambda torch, a: torch.linalg.cholesky_ex(_positive(torch, a)).L,
    "cholesky_solve": lambda torch, a: torch.cholesky_solve(
        a[:, :2], torch.linalg.cholesky(_positive(torch, a))
    ),
    "cholesky_inverse": lambda torch, a: torch.cholesky_inverse(
        torch.linalg.cholesky(_positive(torch, a))
    ),
    "householder_product": lambda torch, a: torch.linalg.householder_product(a[:, :2], a[0, :2]),
    "vander": lambda torch, a: torch.linalg.vander(a, N=4),
    "multi_dot": lambda torch, a: torch.linalg.multi_dot([a[0], a, a[:, :2], a[:2, 0]]),
}


@program(rules="T-39 T-83", each=_OF_SQUARE)
def of_a_square_matrix(torch, see, name):
    a = wave(3, 3, low=-1, high=2)
    see.derivatives(name, partial(_OF_SQUARE[name], torch), a, twice=name != "lu_factor")


@program(rules="T-39", each=((3, 5), (5, 3), (2, 3, 3)))
def lu_of_any_shape(torch, see, shape):
    see.derivatives("lu", lambda a: torch.linalg.lu(a)[1:], wave(*shape), twice=False)
    a = torch.tensor(wave(*shape), dtype=torch.float64)
    see("permutation", torch.linalg.lu(a)[0])
    factors = torch.linalg.lu_factor(a)
    see("pivots", factors.pivots)
    see("unpacked", list(torch.lu_unpack(*factors)))


@program(rules="T-39 T-83")
def failures_are_reported(torch, see):
    singular = torch.tensor([[1.0, 2], [2, 4]])
    see("where inv fails", torch.linalg.inv_ex(singular).info)
    see("where solving fails", torch.linalg.solve_ex(singular, torch.ones(2, 1)).info)
    see("where cholesky fails", torch.linalg.cholesky_ex(torch.diag(torch.tensor([1.0, -1]))).info)
    see("where lu fails", torch.linalg.lu_factor_ex(singular).info)
    both = torch.stack([singular, torch.eye(2)])
    see("in a stack", torch.linalg.inv_ex(both).info)
    see.raises("checked", lambda: torch.linalg.inv_ex(both, check_errors=True), phrase="singular")
    see.raises("not square", lambda: torch.linalg.inv_ex(torch.ones(2, 3)), phrase="square")


@program(rules="T-39")
def tensors_as_matrices(torch, see):
    def good(x):
        return x + 3 * torch.eye(6, dtype=x.dtype).reshape(x.shape)

    see.derivatives(
        "tensorsolve", lambda a, b: torch.linalg.tensorsolve(good(a), b), wave(2, 3, 6), wave(2, 3)
    )
    see.derivatives("tensorinv", lambda x: torch.linalg.tensorinv(good(x), ind=1), wave(6, 2, 3))
    see.raises("sizes", lambda: torch.linalg.tensorinv(torch.ones(2, 3), ind=1), phrase="prod")


@program(
    rules="T-39", each=("ij,jk,kl->il", "ij,jk,kl", "i,ij,j->", "bij,bjk,kl->bil", "ii,ij,jk->k")
)
def several_factors(torch, see, equation):
    sizes = {"b": 2, "i": 3, "j": 4, "k": 2, "l": 3}
    shapes = [tuple(sizes[c] for c in term) for term in equation.split("->")[0].split(",")]
    inputs = [wave(*shape, seed=i) for i, shape in enumerate(shapes)]
    see.derivatives(equation, lambda *t: torch.einsum(equation, *t), *inputs)
