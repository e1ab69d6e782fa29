"""Linear algebra: solving, factors, functions of matrices."""

from __future__ import annotations

from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import Kind, SoFar, first, shaped
from tests.fuzz.values import COMPLEX, Given


def regular(types: str = "wide", symmetric: bool = False, triangular: bool = False) -> Kind:
    """Square matrices far from singular: a strong diagonal; some of them none at all."""

    def kind(d: Draw, so_far: SoFar) -> Given:
        n = d.pick((0, 1, 2, 2, 3, 3, 4))
        batch = d.pick(((), (), (), (1,), (2,), (0,), (2, 1)))
        dtype = d.dtype(types)
        one: list[Any] = []
        for row in range(n):
            for column in range(n):
                value: Any = d.element(dtype, -1, 1, "plain")
                if row == column:
                    # apart from each other, so that eigenvalues are
                    value = (2.5 + 1.5 * row) * (1 if symmetric or d.chance(0.6) else -1)
                elif symmetric and column < row:
                    value = one[column * n + row]
                    value = value.conjugate() if dtype in COMPLEX else value
                elif triangular and column < row:
                    value = 0.0
                one.append(complex(value) if dtype in COMPLEX else value)
        if d.strange(0.3) and n:
            return d.tensor((*batch, n, n + 1), dtype)
        memory = d.pick(("plain", "plain", "plain", "shifted", "expanded"))
        if d.strange(0.3) and n:
            one[:n] = [0.0 * one[0]] * n  # singular
        return Given(
            (*batch, n, n), dtype, tuple(one), memory, d.chance(0.65) and dtype != "float16"
        )

    return kind


def iterable(d: Draw, so_far: SoFar) -> Given:
    """A symmetric matrix that is large enough for `lobpcg`, of eigenvalues apart from each other."""
    n, dtype = d.whole(3, 7), "float64"
    rows: list[list[float]] = []
    for row in range(n):
        beside = [d.element(dtype, -0.5, 0.5, "plain") for _ in range(row + 1, n)]
        rows.append([*(rows[k][row] for k in range(row)), 2.5 + 2.5 * row, *beside])
    batch = d.pick(((), (), (), (1,), (2,)))
    values = tuple(v for row in rows for v in row)
    if d.strange(0.3):
        return d.tensor((*batch, n, n + 1), dtype)
    return Given((*batch, n, n), dtype, values, "plain", d.chance(0.65))


def _beside(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """A right side for the first matrix."""
    x = first(so_far).shape
    return (*x[:-2], x[-2] if len(x) > 1 else 1, d.size())


def _before(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    x = first(so_far).shape
    return (*x[:-2], d.size(), x[-1] if x else 1)


def _vector(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    x = first(so_far).shape
    return (*x[:-2], x[-2] if len(x) > 1 else 1) if d.chance(0.5) else x[-2:-1]


def pivots(d: Draw, so_far: SoFar) -> Given:
    """Of a factorization that swapped nothing."""
    shape = so_far["#matrix"].shape
    n = shape[-1]
    return Given((*shape[:-2], n), "int32", tuple(range(1, n + 1)) or (1,))


def factored(d: Draw, so_far: SoFar) -> Given:
    so_far["#matrix"] = made = regular()(d, so_far)
    if made.shape[-1:] != made.shape[-2:-1]:
        made = so_far["#matrix"] = Given((*made.shape[:-2], 1, 1), made.dtype, (2.0,))
    return made


def right_of_factored(d: Draw, so_far: SoFar) -> Given:
    n, batch = so_far["#matrix"].shape[-1], so_far["#matrix"].shape[:-2]
    return d.tensor((*batch, n, d.size()), so_far["#matrix"].dtype)


def tall(types: str = "wide") -> Kind:
    """Matrices of any form, full rank, with singular values apart."""

    def kind(d: Draw, so_far: SoFar) -> Given:
        rows, columns = d.pick((0, 1, 2, 3, 4)), d.pick((0, 1, 2, 3))
        batch = d.pick(((), (), (2,), (0,), (1,)))
        dtype = d.dtype(types)
        values: list[Any] = []
        for row in range(rows):
            for column in range(columns):
                value = d.element(dtype, -1, 1, "plain")
                values.append(value + (2.5 + 1.5 * row if row == column else 0))
        return Given(
            (*batch, rows, columns),
            dtype,
            tuple(values),
            d.pick(("plain", "shifted")),
            d.chance(0.6),
        )

    return kind


def cube(d: Draw, so_far: SoFar) -> Given:
    """For tensorinv: as many elements before `ind` as behind."""
    shape = d.pick(((2, 3, 6), (4, 2, 2), (6, 3, 2), (2, 2, 4)))
    so_far["#ind"] = 2 if shape[0] * shape[1] == shape[2] else 1
    return d.tensor(shape, d.dtype("wide"))


def cube_place(d: Draw, so_far: SoFar) -> int:
    return so_far["#ind"]


def solvable(d: Draw, so_far: SoFar) -> Given:
    return d.tensor(d.pick(((2, 2, 4), (2, 3, 6), (4, 2, 2), (3, 3))), d.dtype("wide"))


def _solved(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return {(2, 2, 4): (2, 2), (2, 3, 6): (2, 3), (4, 2, 2): (4,), (3, 3): (3,)}.get(
        first(so_far).shape, (3,)
    )


beside = shaped(_beside)
some_beside = shaped(lambda d, so_far: tuple(max(1, n) for n in _beside(d, so_far)))
before = shaped(_before)
vector = shaped(_vector)
solved = shaped(_solved)

TABLE = """
det L.det slogdet L.slogdet logdet inverse L.inv : input=regular()
L.inv_ex L.cholesky_ex : A=regular() *check_errors=flag?
L.cholesky : A=regular(symmetric=True) *upper=flag?
cholesky : input=regular(symmetric=True) upper=flag?
cholesky_inverse : input=regular(triangular=True) upper=flag?
cholesky_solve : B=beside_later input2=regular_drawn upper=flag?
L.solve L.solve_ex : A=regular() B=beside *left=pick(True)?
L.solve : A=regular() B=before *left=pick(False)
L.solve : A=regular() B=vector
L.solve_triangular : A=regular(triangular=True) B=beside *upper=flag *left=pick(True)? *unitriangular=flag?
L.solve_triangular : A=regular(triangular=True) B=before *upper=flag *left=pick(False) *unitriangular=flag?
triangular_solve : b=beside_later A=regular_drawn upper=flag? transpose=flag? unitriangular=flag?
# of no right side, LAPACK under PyTorch ends the process
L.lstsq : A=tall() B=some_beside *driver=pick('gelsd','gelsy','gelss','gels',None)?
L.qr : A=tall() mode=pick('reduced','complete','r')?
qr : input=tall() some=flag?
L.svd : A=tall() full_matrices=flag?
svd : input=tall() some=flag? compute_uv=flag?
L.svdvals : A=tall()
L.eigh : A=regular(symmetric=True) UPLO=pick('L','U')?
L.eigvalsh : A=regular(symmetric=True) UPLO=pick('L','U')?
L.eig L.eigvals : A=regular()
L.lu : A=tall() *pivot=pick(True)?
L.lu_factor L.lu_factor_ex : A=tall() *pivot=pick(True)?
lu : input=tall() pivot=pick(True)?
L.lu_solve : LU=factored pivots=pivots B=right_of_factored *left=pick(True)? *adjoint=flag?
lu_solve : b=lu_right LU_data=drawn_matrix LU_pivots=pivots
lu_unpack : LU_data=factored LU_pivots=pivots unpack_data=flag? unpack_pivots=flag?
pinverse : input=tall() rcond=pick(1e-15,1e-3)?
L.pinv : A=tall() *atol=pick(0.0,0.1)? *rtol=pick(0.0,0.1)? *hermitian=pick(False)?
L.pinv : A=regular(symmetric=True) *hermitian=pick(True)
L.matrix_rank : A=tall() *atol=pick(0.0,0.1)? *rtol=pick(0.0,0.1)? *hermitian=pick(False)?
L.cond : A=regular() p=pick(None,2,-2,1,-1,'fro','nuc',float('inf'),-float('inf'))?
L.matrix_norm : A=tall() ord=pick('fro','nuc',1,-1,2,-2,float('inf'),-float('inf'))? dim=plane2?
    keepdim=flag?
matrix_exp L.matrix_exp : input=regular()
matrix_power L.matrix_power : input=regular() n=integer(-2,4)
L.householder_product : A=tall() tau=reflections
geqrf : input=tall()
orgqr : input=tall() input2=reflections
ormqr : input=tall() input2=reflections input3=reflected left=pick(True)? transpose=flag?
ormqr : input=tall() input2=reflections input3=reflected_right left=pick(False) transpose=flag?
L.tensorinv : A=cube ind=cube_place
L.tensorsolve : A=solvable B=solved
"""


def regular_drawn(d: Draw, so_far: SoFar) -> Given:
    return so_far["#matrix"]


def beside_later(d: Draw, so_far: SoFar) -> Given:
    """The right side, drawn before its matrix is given."""
    so_far["#matrix"] = made = regular(triangular=True)(d, so_far)
    shape = made.shape
    return d.tensor((*shape[:-2], shape[-2], d.size()), made.dtype)


def lu_right(d: Draw, so_far: SoFar) -> Given:
    factored(d, so_far)
    return right_of_factored(d, so_far)


drawn_matrix = regular_drawn


def plane2(d: Draw, so_far: SoFar) -> tuple[int, int]:
    return d.pick(((-2, -1), (-1, -2), (0, 1)))


def reflections(d: Draw, so_far: SoFar) -> Given:
    x = first(so_far).shape
    return d.tensor((*x[:-2], min(x[-2:]) if len(x) > 1 else 1), first(so_far).dtype)


def _left_of(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return (*first(so_far).shape[:-1], d.size())


def _right_of(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    x = first(so_far).shape
    return (*x[:-2], d.size(), *x[-2:-1])


reflected = shaped(_left_of)
reflected_right = shaped(_right_of)


_ITERATED = (
    "A=iterable k=pick(1,2,None) largest=pick(True,False,None) method=pick('ortho','basic',None)"
)
_LOBPCG = "torch.lobpcg({}, k={}, largest={}, method={})"
#: Of vectors the squares: their signs are not said.
TEMPLATES = (
    ("lobpcg", "operator", _LOBPCG + "[0]", _ITERATED),
    ("lobpcg", "operator", _LOBPCG + "[1].square()", _ITERATED),
)
