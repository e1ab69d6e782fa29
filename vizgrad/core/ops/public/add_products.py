"""Matrix products that are added to something (spec T-39)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.dtypes import promote_types
from vizgrad.core.ops import matrix_products as products
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import check_kind, element, written
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.ops.public.matrix_products import _check, _check_stacks
from vizgrad.core.tensor.tensor import Tensor


@public(method=True)
@takes_tensors
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2); `input` is broadcast."""
    _check("addmm", "mat1 must be a matrix", (mat1, 2))
    _check("addmm", "mat2 must be a matrix", (mat2, 2))
    _check_bias(input, (mat1._array.shape[0], mat2._array.shape[1]))
    beta, alpha = factors(mat1, beta, alpha)
    result = products.addmm.record(input, mat1, mat2, beta=beta, alpha=alpha)
    return result if out is None else written(out, result, "addmm", input, mat1, mat2)


def factors(matrix: Tensor, beta: Any, alpha: Any) -> tuple[Any, Any]:
    """Both as numbers of the type of the product; RuntimeError for what it does not hold."""
    if beta == 1 == alpha:
        return beta, alpha
    dtype = matrix._array.dtype
    return element(beta, dtype), element(alpha, dtype)


def _check_bias(bias: Tensor, shape: tuple[int, ...]) -> None:
    have = bias._array.shape
    extra = len(shape) - len(have)
    if extra < 0 or any(
        n not in (1, m) for n, m in zip(have, shape[max(extra, 0) :], strict=False)
    ):
        raise RuntimeError(
            f"The expanded size of the tensor must match the existing size: {list(have)} is not "
            f"expandable to {list(shape)}"
        )


@public(method=True)
@takes_tensors
def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
    _check("addmv", "mat must be a matrix", (mat, 2))
    _check("addmv", "vec must be a vector", (vec, 1))
    _check_bias(input, (mat._array.shape[0],))
    beta, alpha = factors(mat, beta, alpha)
    result = products.addmv.record(input, mat, vec, beta=beta, alpha=alpha)
    return result if out is None else written(out, result, "addmv", input, mat, vec)


def _check_ranks(name: str, batch1: Tensor, batch2: Tensor) -> None:
    """IndexError where there is no such size to read, which PyTorch says first."""
    if batch1._array.ndim < 2 or batch2._array.ndim < 3:
        raise IndexError(
            f"Dimension out of range: {name} takes stacks of matrices, got the shapes "
            f"{list(batch1.shape)} and {list(batch2.shape)}"
        )


@public(method=True)
@takes_tensors
def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for stacks of matrices."""
    _check_ranks("baddbmm", batch1, batch2)
    _check("baddbmm", "batch1 must be a 3D tensor", (batch1, 3))
    check_kind("baddbmm", batch1, "iufcV")
    _check("baddbmm", "batch2 must be a 3D tensor", (batch2, 3))
    _check_stacks(batch1, batch2)
    _check_bias(input, (*batch1._array.shape[:2], batch2._array.shape[2]))
    beta, alpha = factors(batch1, beta, alpha)
    result = products.baddbmm.record(input, batch1, batch2, beta=beta, alpha=alpha)
    return result if out is None else written(out, result, "baddbmm", input, batch1, batch2)


@public(method=True)
@takes_tensors
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """beta * input + alpha * (all products of the elements of two vectors)."""
    beta, alpha = factors_of_vectors(input, vec1, vec2, beta, alpha)
    result = products.addr.record(input, vec1, vec2, beta=beta, alpha=alpha)
    return result if out is None else written(out, result, "addr", input, vec1, vec2)


def factors_of_vectors(
    input: Tensor, vec1: Tensor, vec2: Tensor, beta: Any, alpha: Any
) -> tuple[Any, Any]:
    """Both factors of `addr` as numbers of the type of the result, after all its operands are checked."""
    _check("addr", "vec1 and vec2 must be vectors", (vec1, 1), (vec2, 1))
    types = input.dtype, vec1.dtype, vec2.dtype
    if any(dtype.np.kind != "b" for dtype in types):
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, bool):
                raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if all(dtype.np.kind in "iub" for dtype in types):
        for name, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, (float, complex)):
                raise RuntimeError(
                    f"For integral input tensors, argument {name} must not be a floating point number"
                )
    _check_bias(input, (vec1._array.shape[0], vec2._array.shape[0]))
    common = promote_types(promote_types(types[0], types[1]), types[2]).np
    # of bools, sums and products are "or" and "and"
    return element(beta, common), element(alpha, common)


@public(method=True)
@takes_tensors
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """beta * input + alpha * (the sum of the products of two stacks of matrices)."""
    beta, alpha = factors_of_stacks(input, batch1, batch2, beta, alpha)
    result = products.addbmm.record(input, batch1, batch2, beta=beta, alpha=alpha)
    return result if out is None else written(out, result, "addbmm", input, batch1, batch2)


def factors_of_stacks(
    input: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any
) -> tuple[Any, Any]:
    """Both factors of `addbmm` as numbers of its type, after all its operands are checked."""
    _check_ranks("addbmm", batch1, batch2)
    if not input._array.dtype == batch1._array.dtype == batch2._array.dtype and batch1._array.size:
        raise RuntimeError(
            f"addbmm: self and batches must have the same dtype, but got {input.dtype.name}, "
            f"{batch1.dtype.name} and {batch2.dtype.name}"
        )
    _check("addbmm", "batch1 must be a 3D tensor", (batch1, 3))
    _check("addbmm", "batch2 must be a 3D tensor", (batch2, 3))
    _check_stacks(batch1, batch2)
    _check_bias(input, (batch1._array.shape[1], batch2._array.shape[2]))
    return factors(batch1, beta, alpha)
