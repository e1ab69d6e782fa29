"""LU factors and what is solved with factors; variants that report failure in place of raising (T-39)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from vizgrad.core.arrays.kernels import linalg as kernel
from vizgrad.core.arrays.kernels.linalg import LinAlgError
from vizgrad.core.function.transform_tensor import of_examples, of_stacks
from vizgrad.core.ops import decompositions as ops
from vizgrad.core.ops import factors, reflections
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import (
    broadcasting,
    creation,
    dimensions,
    from_values,
    joining,
    linalg_functions,
    where_clamp,
)
from vizgrad.core.ops.public.arguments import takes_out, takes_tensors
from vizgrad.core.ops.public.linalg_functions import OF_ONE_TYPE, check, check_matrix_type
from vizgrad.core.tensor.requirements import INEXACT, Above, Dtype, RankAtLeast, SameDtype
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class LUResult(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor


class LUFactorResult(NamedTuple):
    LU: Tensor
    pivots: Tensor


class LUFactorExResult(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor


class InvExResult(NamedTuple):
    """`info` is 0 where it succeeded."""

    inverse: Tensor
    info: Tensor


class CholeskyExResult(NamedTuple):
    """`info` is 0 where it succeeded."""

    L: Tensor
    info: Tensor


class SolveExResult(NamedTuple):
    """`info` is 0 where it succeeded."""

    result: Tensor
    info: Tensor


@takes_out
def lu(A: Tensor, *, pivot: bool = True) -> LUResult:
    """P, L, U with A = P @ L @ U; L has ones on its diagonal."""
    _need_pivot("lu", pivot)
    check("lu", A, square=False)
    return LUResult(*ops.lu(A)[:3])


@takes_out
@of_stacks
def lu_factor(A: Tensor, *, pivot: bool = True) -> LUFactorResult:
    """L (without its diagonal) and U in one tensor, and pivots counted from 1, for `lu_solve`."""
    found = lu_factor_ex(A, pivot=pivot)
    _raise_where("lu_factor", "U[{0},{0}] is zero: the matrix is singular", found.info)
    return LUFactorResult(found.LU, found.pivots)


@takes_out
@of_stacks
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> LUFactorExResult:
    """As `lu_factor`; `info` is the place (from 1) of the first zero on the diagonal of U, else 0."""
    _need_pivot("lu_factor", pivot)
    check("lu_factor", A, square=False)
    _, lower, upper, pivots = ops.lu(A)
    info = new_tensor(kernel.first_zero_pivot(A._array))
    if check_errors:
        _raise_where("lu_factor", "U[{0},{0}] is zero: the matrix is singular", info)
    m, n = A._array.shape[-2:]
    below = dimensions.tril(lower, -1)
    if n > m:
        below = joining.cat([below, from_values.zeros_like(upper[..., :, m:])], -1)
    elif m > n:
        upper = joining.cat([upper, from_values.zeros_like(lower[..., n:, :])], -2)
    return LUFactorExResult(below + upper, pivots, info)


@public
@takes_out
@of_examples
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> LUResult:
    """P, L, U of what `lu_factor` gave; empty where they are not asked for."""
    nothing = LU_data.new_empty((0,))
    k = min(LU_data._array.shape[-2:])
    lower = upper = permutation = nothing
    if unpack_pivots:
        rows = LU_data._array.shape[-2]
        permutation = new_tensor(kernel.permutation(LU_pivots._array, rows, LU_data._array))
    if unpack_data:
        ones = creation.eye(LU_data._array.shape[-2], k, dtype=LU_data.dtype, device=LU_data.device)
        lower = dimensions.tril(LU_data[..., :, :k], -1) + ones
        upper = dimensions.triu(LU_data[..., :k, :])
    return LUResult(permutation, lower, upper)


_OF_RIGHT_SIDE = RankAtLeast(
    2, "linalg.lu_solve: The input tensor B must have at least 2 dimensions, got {ndim}"
)
_LIKE_FACTORS = SameDtype(
    "LU",
    "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {other} and B of type "
    "{dtype} instead: convert one with .to(dtype)",
)
_PIVOTS = Dtype(
    ("int32",),
    "linalg.lu_solve: pivots should be a Tensor of type int32, as lu_factor gives them, got {dtype}",
)


@takes_out
def lu_solve(
    LU: Tensor,
    pivots: Annotated[Tensor, _PIVOTS],
    B: Annotated[Tensor, _OF_RIGHT_SIDE, _LIKE_FACTORS],
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Tensor:
    """X in A @ X = B with the factors of A; X @ A = B unless `left`; A^H in place of A if `adjoint`."""
    check("lu_solve", LU)
    _check_sizes("linalg.lu_solve", LU, B, left)
    if pivots._array.shape != LU._array.shape[:-1]:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} and LU with shape {list(LU.shape)}"
        )
    return factors.lu_solve(LU, pivots, B, left, adjoint)


def _check_sizes(name: str, A: Tensor, B: Tensor, left: bool = True) -> None:
    """Raises RuntimeError for rows (columns unless `left`), and for batches, that do not fit."""
    a, b = A._array.shape, B._array.shape
    if b[-2 if left else -1] != a[-1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
        )
    broadcasting.broadcast_shapes(a[:-2], b[:-2])


_TWO = " should have at least 2 dimensions, but has {ndim} dimensions instead"


@public(method=True)
@takes_out
def cholesky_solve(
    input: Annotated[Tensor, RankAtLeast(2, "cholesky_solve: b" + _TWO)],
    input2: Annotated[Tensor, RankAtLeast(2, "cholesky_solve: u" + _TWO), OF_ONE_TYPE],
    upper: bool = False,
) -> Tensor:
    """X in A @ X = input, with the Cholesky factor input2 of A."""
    check("cholesky_solve", input2)
    _check_sizes("cholesky_solve", input2, input)
    return factors.cholesky_solve.record(input, input2, upper=upper)


@public(method=True)
@takes_out
@of_stacks
def cholesky_inverse(input: Annotated[Tensor, INEXACT], upper: bool = False) -> Tensor:
    """The inverse of A, with its Cholesky factor input; LinAlgError for a zero on its diagonal."""
    check("cholesky_inverse", input)
    zero = input._array.diagonal(axis1=-2, axis2=-1) == 0
    info = new_tensor((zero.argmax(-1) + 1) * zero.any(-1)) if zero.size else new_tensor(zero)
    _raise_where("cholesky_inverse", _SINGULAR, info)
    return factors.cholesky_inverse.record(input, upper=upper)


@takes_out
@of_stacks
def inv_ex(A: Tensor, *, check_errors: bool = False) -> InvExResult:
    """The inverse, NaN where a matrix is singular; `info` says at which pivot."""
    return InvExResult(
        *_guarded("inv", A, kernel.first_zero_pivot, linalg_functions.inv, check_errors)
    )


@takes_out
@of_stacks
def cholesky_ex(
    input: Tensor, *, upper: bool = False, check_errors: bool = False
) -> CholeskyExResult:
    """The Cholesky factor, NaN where a matrix is not positive definite; `info` says at which minor."""
    found = _guarded(
        "cholesky",
        input,
        lambda a: kernel.first_bad_minor(a.swapaxes(-1, -2).conj() if upper else a),
        lambda a: linalg_functions.cholesky(a, upper=upper),
        check_errors,
    )
    return CholeskyExResult(*found)


@takes_out
@of_examples
def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False
) -> SolveExResult:
    """The solution of A @ X = B, NaN where a matrix is singular; `info` says at which pivot."""
    check("solve", A)
    info = new_tensor(kernel.first_zero_pivot(A._array))
    if check_errors:
        _raise_where("solve", _SINGULAR, info)
    if not bool(raw(info).any()):
        return SolveExResult(linalg_functions.solve(A, B, left=left), info)
    safe, bad = _without(A, info)
    solution = linalg_functions.solve(safe, B, left=left)
    vectors = solution._array.ndim < A._array.ndim
    failed = bad[..., 0, :1] if vectors else bad[..., :1, :1]
    return SolveExResult(where_clamp.where(failed, float("nan"), solution), info)


_SINGULAR = "the diagonal element {0} is zero: the matrix is singular"


def _guarded(
    name: str,
    A: Tensor,
    failing: Callable[[Any], Any],
    compute: Callable[[Tensor], Tensor],
    check_errors: bool,
) -> tuple[Tensor, Tensor]:
    check(name, A)
    info = new_tensor(failing(A._array))
    if check_errors:
        _raise_where(name, _SINGULAR, info)
    if not bool(raw(info).any()):
        return compute(A), info
    safe, bad = _without(A, info)
    return where_clamp.where(bad, float("nan"), compute(safe)), info


def _without(A: Tensor, info: Tensor) -> tuple[Tensor, Tensor]:
    """Unit matrices in the place of those that failed, and where that is."""
    bad: Any = (info != 0)[..., None, None].expand(A.shape)
    eye = creation.eye(A._array.shape[-1], dtype=A.dtype, device=A.device)
    return where_clamp.where(bad, eye, A), bad


def _raise_where(name: str, why: str, info: Tensor) -> None:
    failed = raw(info).reshape(-1)
    if failed.any():
        index = int((failed != 0).argmax())
        batch = f"(Batch element {index}): " if raw(info).ndim else ""
        raise LinAlgError(f"linalg.{name}: {batch}" + why.format(int(failed[index])))


def _need_pivot(name: str, pivot: bool) -> None:
    if not pivot:
        raise RuntimeError(f"linalg.{name}: LU without pivoting is not implemented on the CPU")


@takes_out
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of reflections I - tau_i v_i v_i^H; v_i in the columns of `input`."""
    _check_reflections(input, tau)
    check_matrix_type("householder_product", input)
    return reflections.householder_product.record(input, tau)


def _check_reflections(input: Tensor, tau: Tensor) -> None:
    a, t = input._array, tau._array
    wrong = ""
    if a.ndim < 2:
        wrong = f"input must have at least 2 dimensions, but its shape is {list(a.shape)}"
    elif a.shape[-2] < a.shape[-1]:
        wrong = (
            "input.shape[-2] must be greater than or equal to input.shape[-1], but they are "
            f"{a.shape[-2]} and {a.shape[-1]}"
        )
    elif a.ndim != t.ndim + 1 or a.shape[:-2] != t.shape[:-1]:
        wrong = (
            f"Expected batch dimensions of tau to be equal to input.shape[:-2], {list(a.shape[:-2])}, but "
            f"tau has the shape {list(t.shape)}"
        )
    elif a.shape[-1] < t.shape[-1]:
        wrong = (
            "input.shape[-1] must be greater than or equal to tau.shape[-1], but they are "
            f"{a.shape[-1]} and {t.shape[-1]}"
        )
    elif a.dtype != t.dtype:
        wrong = f"tau dtype {tau.dtype.name} does not match input dtype {input.dtype.name}"
    if wrong:
        raise RuntimeError(f"linalg.householder_product: {wrong}")


@takes_out
def tensorinv(
    input: Tensor,
    ind: Annotated[
        int, Above(0, "Expected a strictly positive integer for 'ind', got {value}")
    ] = 2,
) -> Tensor:
    """The inverse for `tensordot(input, X, ind)`."""
    shape = input._array.shape
    first, rest = shape[:ind], shape[ind:]
    size = _product(first)
    if size != _product(rest):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {_product(rest)} != {size}"
        )
    return linalg_functions.inv(input.reshape(size, size)).reshape(*rest, *first)


@takes_out
def tensorsolve(input: Tensor, other: Tensor, dims: Any = None) -> Tensor:
    """X in tensordot(input, X) = other."""
    if dims is not None:
        input = dimensions.movedim(input, tuple(dims), tuple(range(-len(dims), 0)))
    rest = input._array.shape[other._array.ndim :]
    size = _product(rest)
    if _product(other._array.shape) != size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {size} != {_product(other._array.shape)}"
        )
    return linalg_functions.solve(input.reshape(size, size), other.reshape(size)).reshape(rest)


@takes_tensors
@of_examples
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The powers 0 ... N - 1 of each element, along a new last dimension."""
    if x._array.dtype.kind == "b" or x.dtype.name in ("float16", "bfloat16"):
        raise RuntimeError(
            "linalg.vander supports floating point, complex, and integer tensors, but got "
            f"{x.dtype.name}"
        )
    if not x._array.ndim:
        x = x[None]  # a number is the vector of it
    count = x._array.shape[-1] if N is None else N
    if count < 2:
        raise RuntimeError(f"N must be greater than 1, got {count}")
    ones = from_values.ones_like(x)[..., None]
    powers: Any = x[..., None].expand(*x.shape, count - 1).cumprod(-1)
    return joining.cat([ones, powers], -1)


def _product(sizes: tuple[int, ...]) -> int:
    out = 1
    for n in sizes:
        out *= n
    return out
