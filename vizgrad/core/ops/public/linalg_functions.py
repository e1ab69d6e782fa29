"""Functions of matrices, as torch.linalg has them (spec T-39, T-83)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import linalg as kernels
from vizgrad.core.arrays.kernels.linalg import LinAlgError as LinAlgError
from vizgrad.core.function.transform_tensor import of_examples, of_stacks
from vizgrad.core.ops import decompositions
from vizgrad.core.ops import linalg as ops
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.least_squares import LinalgLstsqBackward0
from vizgrad.core.ops.public import (
    broadcasting,
    conversion,
    dimensions,
    from_values,
    matrix_products,
    reduction,
    slicing,
)
from vizgrad.core.ops.public.arguments import check_kind, takes_out, takes_tensors, written
from vizgrad.core.ops.public.complexes import conj
from vizgrad.core.ops.public.matrix_products import cross as _cross
from vizgrad.core.ops.public.reshape import view
from vizgrad.core.ops.public.statistics import vector_norm as vector_norm
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.requirements import OneOf, RankAtLeast, SameDtype, all_tensors
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Checks of the arguments of functions of matrices.


def check_matrix_type(name: str, A: Tensor) -> None:
    """NotImplementedError for what LAPACK does not compute with."""
    if A.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise NotImplementedError(f'"{name}" not implemented for {A.dtype.name}')


#: Functions made of products alone, or written here: they take half precision, too.
_OF_HALVES = frozenset({"matrix_power", "matrix_exp", "matrix_norm", "vecdot", "lu", "lu_factor"})

#: Arguments that PyTorch checks only in its kernels.
_BY_TYPE = frozenset({"lu", "lu_factor", "solve_triangular", "cholesky_solve", "eigh"})


def check(
    name: str, A: Tensor, square: bool = True, least: int = 2, any_type: bool = False
) -> None:
    """Raises RuntimeError unless A holds (square) matrices of floating point or complex numbers."""
    shape = A._array.shape
    if A.dtype.name in ("float16", "bfloat16") and name not in _OF_HALVES:
        raise NotImplementedError(
            f"linalg.{name}: Low precision dtypes not supported. Got {A.dtype.name}: convert with .float()"
        )
    if A._array.dtype.kind not in ("biufcV" if any_type else "fcV"):
        raise (NotImplementedError if name in _BY_TYPE else RuntimeError)(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got "
            f"{A.dtype.name}"
        )
    if len(shape) < least:
        raise RuntimeError(
            f"linalg.{name}: The input tensor A must have at least 2 dimensions, got {len(shape)}"
        )
    if square and shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {shape[-2]} by "
            f"{shape[-1]} matrices"
        )


#: The matrix, where the right-hand side is the first argument.
OF_ONE_TYPE = SameDtype(
    "",
    "{function}: Expected b and A to have the same dtype, but found b of type {other} and A of type "
    "{dtype} instead: convert one with .to(dtype)",
)


# Eigenvalues and singular values of matrices (spec T-83).


class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


class EigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


@takes_out
@of_stacks
def eigh(
    input: Tensor,
    UPLO: Annotated[
        str,
        OneOf(("L", "U", "l", "u"), "Expected UPLO argument to be 'L' or 'U', but got {value!r}"),
    ] = "L",
) -> EighResult:
    """Eigenvalues in rising order and eigenvectors (columns) of symmetric matrices."""
    check("eigh", input)
    return EighResult(
        *decompositions.record(
            decompositions.LinalgEighBackward0, input, kernels.eigh(input._array, UPLO)
        )
    )


@takes_out
@of_stacks
def eig(input: Tensor) -> EigResult:
    """Complex eigenvalues and eigenvectors (columns) of square matrices, in no particular order."""
    check("eig", input)
    return EigResult(
        *decompositions.record(decompositions.LinalgEigBackward0, input, kernels.eig(input._array))
    )


@takes_out
def eigvals(input: Tensor) -> Tensor:
    """Complex eigenvalues of square matrices."""
    return eig(input).eigenvalues


@takes_out
def eigvalsh(input: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric matrices, in rising order."""
    return eigh(input, UPLO).eigenvalues


@takes_out
@of_stacks
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> SVDResult:
    """U, S, Vh with A = U @ diag(S) @ Vh.

    With full_matrices=True the columns of U and rows of Vh beyond the singular values have no derivative:
    what arrives at them is left out.
    """
    check("svd", A, square=False)
    m, n = A._array.shape[-2:]
    parts = kernels.svd(A._array, full_matrices and m != n)
    return SVDResult(*decompositions.record(decompositions.LinalgSvdBackward0, A, parts))


@takes_out
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Singular values in falling order."""
    return svd(A, full_matrices=False).S


class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


class LstsqResult(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


@takes_out
def inv(A: Tensor) -> Tensor:
    """The inverse of square matrices; LinAlgError if singular."""
    check("inv", A)
    return ops.inv.record(A)


inverse = inv


@takes_out
def det(A: Tensor) -> Tensor:
    """The determinant. The gradient of a singular matrix is the cofactor matrix (PyTorch's is 0)."""
    check("det", A)
    return ops.det.record(A)


@takes_out
def slogdet(A: Tensor) -> SlogdetResult:
    """Sign and log |det|."""
    check("slogdet", A)
    return SlogdetResult(*decompositions.slogdet(A))


@public(method=True)
@takes_tensors
def logdet(input: Tensor) -> Tensor:
    """log det: -inf for singular matrices, NaN for negative determinants."""
    if input.is_complex():
        return det(input).log()
    sign, size = slogdet(input)
    return where(sign == -1, math.nan, size)


@takes_out
def solve(
    A: Tensor,
    B: Annotated[
        Tensor, RankAtLeast(1, "linalg.solve: The input tensor B must have at least 1 dimension.")
    ],
    *,
    left: bool = True,
) -> Tensor:
    """X in A @ X = B (`left`; B may be a vector, or a stack of vectors), or in X @ A = B.

    A is (*, n, n), B (*, n, k), or (*, k, n) unless `left`. Raises RuntimeError for shapes that do not fit,
    and LinAlgError for a singular matrix.
    """
    check("solve", A)
    if not B._array.ndim:
        raise RuntimeError(
            "linalg.solve: The input tensor B must have at least 1 dimension, but it has none"
        )
    vector = B._array.ndim == 1 or B._array.shape == A._array.shape[:-1]
    if left:
        A, B = _same_batch(A, B, 1 if vector else 2)
        return ops.solve.record(A, B, vector=vector)
    if vector:
        raise RuntimeError(
            "linalg.solve: Incompatible shapes of A and B for the equation XA = B: B is read as vectors of "
            f"{B._array.shape[-1]} elements, which have a place with left=True alone; B.unsqueeze(-2) is a "
            f"matrix. A is {list(A._array.shape)}, B {list(B._array.shape)}"
        )
    A, B = _same_batch(dimensions.mT(A), dimensions.mT(B))
    return dimensions.mT(ops.solve.record(A, B, vector=False))


def _same_batch(A: Tensor, B: Tensor, dims: int = 2) -> tuple[Tensor, Tensor]:
    """Both with the same leading dimensions; `dims`: the last ones of B, that do not count."""
    a, b = A._array.shape, B._array.shape
    cut = len(b) - dims
    if a[:-2] == b[:cut]:
        return A, B
    batch = tuple(broadcasting.broadcast_shapes(a[:-2], b[:cut]))
    return broadcasting.expand(A, (*batch, *a[-2:])), broadcasting.expand(B, (*batch, *b[cut:]))


@takes_out
def solve_triangular(
    input: Tensor,
    B: Annotated[
        Tensor,
        RankAtLeast(
            2, "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."
        ),
    ],
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Tensor:
    """X in A @ X = B (X @ A = B unless `left`), reading only the upper or lower triangle of input.

    B is converted to the type of A.
    """
    check("solve_triangular", input)
    n, size = input._array.shape[-1], B._array.shape[-2 if left else -1]
    if n != size:
        rows, columns = B._array.shape[-2:]
        raise RuntimeError(
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation "
            f"{'AX' if left else 'XA'} = B ({n}x{n} and {rows}x{columns})"
        )
    B = B.to(input.dtype)
    if not left:
        turned = solve_triangular(
            dimensions.mT(input), dimensions.mT(B), upper=not upper, unitriangular=unitriangular
        )
        return dimensions.mT(turned)
    input, B = _same_batch(input, B)
    return ops.solve_triangular.record(input, B, upper=upper, unitriangular=unitriangular)


@takes_out
def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    """L with L @ L.mT = input (or U with U.mT @ U = input).

    LinAlgError where a matrix is not positive definite.
    """
    check("cholesky", input)
    return ops.cholesky.record(input, upper=upper)


@takes_out
@of_stacks
def qr(
    A: Tensor,
    mode: Annotated[
        str,
        OneOf(
            ("reduced", "complete", "r"),
            "qr received unrecognized mode '{value}' but expected one of 'reduced' (default), 'r', or "
            "'complete'",
        ),
    ] = "reduced",
) -> QRResult:
    """Q, R with A = Q @ R. `mode`: "reduced", "complete" or "r" (Q empty, not differentiable)."""
    check("qr", A, square=False)
    m, n = A._array.shape[-2:]
    if mode == "r":
        _, r = kernels.qr(A._array, "reduced")
        nothing = xp.empty_like(r, shape=(0,))
        return QRResult(*decompositions.record(decompositions.LinalgQrBackward0, A, (nothing, r)))
    if mode == "complete" and m > n:
        parts = kernels.qr(A._array, "complete")
        return QRResult(*decompositions.record(decompositions.LinalgQrBackward0, A, parts))
    return QRResult(
        *decompositions.record(decompositions.LinalgQrBackward0, A, kernels.qr(A._array, "reduced"))
    )


@takes_out
@of_stacks
def pinv(
    input: Tensor,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """The Moore-Penrose inverse; singular values up to max(atol, rtol * the largest) count as 0.

    `rcond` is the older name of `rtol`. `hermitian` promises that the matrices are: only the lower triangle
    is read.
    """
    if not input._array.size:
        hermitian = False  # of nothing, whatever its shape
    check("eigh" if hermitian else "pinv", input, square=hermitian)
    atol, rtol = _plain("pinv", atol, rcond if rtol is None else rtol)
    return ops.pinv.record(input, rtol=rtol, atol=atol, hermitian=hermitian)


def _plain(function: str, atol: Any, rtol: Any) -> list[Any]:
    """Both tolerances, tensors (of one number for each matrix) as arrays; RuntimeError for complex ones."""
    for name, given in (("atol", atol), ("rtol", rtol)):
        if isinstance(given, Tensor) and given._array.dtype.kind == "c":
            raise RuntimeError(
                f"torch.linalg.{function}: {name} tensor of complex type is not supported. Got "
                f"{given.dtype.name}"
            )
    return [given._array if isinstance(given, Tensor) else given for given in (atol, rtol)]


def _abs_squared(value: Tensor) -> Tensor:
    return (value * conj(value)).real if value.is_complex() else value * value


@takes_tensors
@of_examples
def lstsq(
    input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> LstsqResult:
    """X that makes the 2-norm of input @ X - b smallest; solution and residuals are differentiable.

    `driver` decides, as LAPACK's routines do, what comes beside the solution: "gelsy" (the default) finds the
    rank, "gels" the residuals of matrices with more rows than columns, "gelsd" and "gelss" both and the
    singular values. Results that are not found are empty.
    """
    check("lstsq", input, square=False)
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), not "
            f"{driver}"
        )
    if input._array.dtype != b._array.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{input.dtype.name} and other's dtype {b.dtype.name}"
        )
    vector = b._array.ndim == 1 or b._array.shape == input._array.shape[:-1]
    matrix, sides = input.detach(), b.detach()
    if vector:
        sides = dimensions.unsqueeze(sides, -1)
    found = matrix_products.matmul(pinv(matrix, rtol=rcond), sides)
    m, n = input._array.shape[-2:]
    rank = matrix_rank(matrix, rtol=rcond)
    if not sides._array.size:
        rank = from_values.zeros_like(rank)  # no right side, nothing was solved
    s = svdvals(matrix)
    tall = m > n and driver in ("gels", "gelsd", "gelss") and bool((rank == n)._array.all())
    if tall:
        rest = _abs_squared(matrix_products.matmul(matrix, found) - sides)
        residuals = reduction.sum(rest, -2)._array
    else:
        residuals = found._array.real.reshape(-1)[:0].copy()
    solution, residuals = decompositions.record(
        LinalgLstsqBackward0,
        (input, b),
        (found._array[..., 0] if vector else found._array, residuals),
        _self=input,
        _b=b,
        rcond=rcond,
        vector=vector,
        tall=tall,
    )
    return LstsqResult(
        solution,
        residuals,
        rank if driver != "gels" else rank.new_empty((0,)),
        s if driver in ("gelsd", "gelss") else s.new_empty((0,)),
    )


@takes_out
def matrix_power(input: Tensor, n: int) -> Tensor:
    """A multiplied by itself; the inverse for negative n."""
    check("matrix_power", input, any_type=n >= 0)
    if n < 0:
        return inv(input) if n == -1 else matrix_power(inv(input), -n)
    if n == 0:
        return ops.identity_like.record(input)
    if n == 1:
        return conversion.clone(input)
    result: Tensor | None = None
    power = input
    while True:
        if n % 2:
            result = power if result is None else matrix_products.matmul(result, power)
        n //= 2
        if not n:
            return result
        power = matrix_products.matmul(power, power)


@public(method=True)
@takes_tensors
def matrix_exp(input: Tensor) -> Tensor:
    """e to the power of square matrices."""
    check("matrix_exp", input)
    return ops.matrix_exp.record(input)


@public
@takes_tensors
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices, in the cheapest order."""
    for position, each in enumerate(matrices):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"chain_matmul(): expected Tensor as element {position} in argument 0, but got "
                f"{type(each).__name__}"
            )
    for position, each in enumerate(matrices):
        matrix_products.check_rank("chain_matmul", f"tensor {position} must be a matrix", (each, 2))
        check_kind("chain_matmul", each, "iufcV")
    if len(matrices) == 1:
        return matrices[0].clone()
    return matrix_products.mm(*matrices) if len(matrices) == 2 else multi_dot(matrices)


@takes_tensors
def multi_dot(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """The product of several matrices (the first and last may be vectors), in the cheapest order."""
    given = all_tensors(tensors)
    if len(given) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got " + str(len(given)))
    for position, each in enumerate(given):
        ranks = (1, 2) if position in (0, len(given) - 1) else (2,)
        if each._array.ndim not in ranks:
            raise RuntimeError(
                f"multi_dot(): tensor {position} must be {'1D or 2D' if 1 in ranks else '2D'} but got "
                f"{each._array.ndim}D"
            )
        check_kind("multi_dot", each, "iufcV")
    for a, b in pairwise(given):
        if a._array.shape[-1] != b._array.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors of shapes {list(a.shape)} and {list(b.shape)} cannot be multiplied"
            )
    first, last = given[0]._array.ndim == 1, given[-1]._array.ndim == 1
    matrices = list(given)
    if first:
        matrices[0] = dimensions.unsqueeze(matrices[0], 0)
    if last:
        matrices[-1] = dimensions.unsqueeze(matrices[-1], 1)
    result = _chain(
        matrices, _splits([m._array.shape[0] for m in matrices] + [matrices[-1]._array.shape[1]])
    )
    ends = ((not first, matrices[0]._array.shape[0]), (not last, matrices[-1]._array.shape[1]))
    result = view(result, tuple(size for kept, size in ends if kept))
    return result if out is None else written(out, result, "multi_dot", *given)


def _splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to split the product of matrices i to j, each sizes[i] by sizes[i + 1], for the least work.

    T. Cormen et al., Introduction to Algorithms: matrix-chain multiplication.
    """
    count = len(sizes) - 1
    work = {(i, i): 0 for i in range(count)}
    best: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [
                work[i, k] + work[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            ]
            work[i, j] = min(costs)
            best[i, j] = i + costs.index(work[i, j])
    return best


def _chain(matrices: list[Tensor], splits: dict[tuple[int, int], int]) -> Tensor:
    """The product of the matrices in the order that `splits` says."""

    def product(i: int, j: int) -> Tensor:
        if i == j:
            return matrices[i]
        k = splits[i, j]
        return matrix_products.mm(product(i, k), product(k + 1, j))

    return product(0, len(matrices) - 1)


@takes_out
@of_stacks
def matrix_rank(
    input: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Tensor:
    """How many singular values exceed the larger of atol and rtol times the largest.

    Without `rtol` it is the rounding error of the type, or 0 when there is a positive `atol`.
    `tol` is `atol` under its older name. `hermitian` promises that the matrices are: only the lower triangle
    is read.
    """
    check("eigh" if hermitian else "matrix_rank", input, square=hermitian)
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = _plain("matrix_rank", atol, rtol)
    return new_tensor(kernels.matrix_rank(input._array, rtol, atol, hermitian))


@takes_out
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The vector product along a dimension of size 3."""
    return _cross(input, other, dim)


@takes_tensors
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, as a view."""
    return slicing.diagonal(A, offset, dim1, dim2)


def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    return matrix_products.matmul(input, other, out=out)


@takes_out
def vecdot(
    x: Tensor,
    y: Annotated[
        Tensor,
        SameDtype(
            "x",
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {other} and y of "
            "type {dtype} instead",
        ),
    ],
    *,
    dim: int = -1,
) -> Tensor:
    """Sums of products along `dim`, of the conjugates of `x`."""
    check("vecdot", x, square=False, least=0)
    return reduction.sum(conj(x) * y, dim)
