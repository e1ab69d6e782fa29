"""Matrix products: where one side is the same in all examples, the batch is more rows or columns of one."""

from __future__ import annotations

from typing import Any

from vizgrad.core.batching.rules import Call, rule
from vizgrad.core.batching.values import filled, merged, reshaped, to_front, with_ndim
from vizgrad.core.ops import arithmetic, linalg, matrix_products, shape
from vizgrad.core.tensor.tensor import Tensor


def matrices(a: Tensor, of_a: bool, b: Tensor, of_b: bool) -> Tensor:
    """The products of matrices, of which one side, or both, are a batch."""
    if of_a and of_b:
        return matrix_products.bmm.record(a, b)
    if of_a:
        rows = matrix_products.mm.record(merged(a), b)
        return reshaped(rows, *a.shape[:2], b.shape[1])
    columns = matrix_products.mm.record(a, merged(to_front(b, 1), 1))
    return to_front(reshaped(columns, a.shape[0], b.shape[0], b.shape[2]), 1)


def by_weights(call: Call, a: Tensor, of_a: bool, b: Tensor) -> Tensor:
    """The products with a batch of transposes: the gradient of what was transposed lies in its own layout."""
    weights = shape.transpose.record(b, dim0=1, dim1=2)
    return matrix_products.bmm_t.record(filled(a, of_a, call.size), weights)


@rule("mm", "mm_t")
def mm(call: Call) -> Any:
    (a, b), (of_a, of_b) = call.values, call.batched
    if of_a and not of_b:  # the layout of the weight's gradient is that of the operation
        rows = call.op.record(merged(a), b)
        return reshaped(rows, *a.shape[:2], b.shape[1])
    if call.op.name == "mm_t":
        return by_weights(call, a, of_a, b)
    return matrices(a, of_a, b, of_b)


@rule("bmm", "bmm_t")
def bmm(call: Call) -> Any:
    a, b = (filled(v, on, call.size) for v, on in zip(call.values, call.batched, strict=True))
    found = call.op.record(merged(a), merged(b))
    return reshaped(found, call.size, a.shape[1], *found.shape[1:])


@rule("matmul")
def matmul(call: Call) -> Any:
    a, b = (filled(v, on, call.size) for v, on in zip(call.values, call.batched, strict=True))
    ndim = max(a.ndim, b.ndim) - 1
    return linalg.matmul.record(with_ndim(a, ndim), with_ndim(b, ndim))


@rule("trilinear")
def trilinear(call: Call) -> Any:
    pairs = zip(call.values[:2], call.batched[:2], strict=True)
    a, b = (filled(v, on, call.size) for v, on in pairs)
    weight, count = call.values[2], a.shape[1]
    if not call.batched[2]:
        rows = call.op.record(merged(a), merged(b), weight)
        return reshaped(rows, call.size, count, weight.shape[0])
    both = arithmetic.mul.record(shape.unsqueeze(a, dim=3), shape.unsqueeze(b, dim=2))
    flat = reshaped(weight, call.size, weight.shape[1], weight.shape[2] * weight.shape[3])
    columns = shape.transpose.record(flat, dim0=1, dim1=2)
    return matrix_products.bmm.record(reshaped(both, call.size, count, flat.shape[2]), columns)


@rule("mv")
def mv(call: Call) -> Any:
    (matrix, vector), (of_matrix, of_vector) = call.values, call.batched
    if not of_vector:
        return reshaped(matrix_products.mv.record(merged(matrix), vector), *matrix.shape[:2])
    if not of_matrix:
        return matrix_products.mm.record(vector, shape.t.record(matrix))
    column = shape.unsqueeze.record(vector, dim=2)
    return shape.squeeze_dim.record(matrix_products.bmm.record(matrix, column), dim=2)


@rule("dot")
def dot(call: Call) -> Any:
    (a, b), (of_a, of_b) = call.values, call.batched
    if not of_a or not of_b:
        return matrix_products.mv.record(a if of_a else b, b if of_a else a)
    row, column = shape.unsqueeze.record(a, dim=1), shape.unsqueeze.record(b, dim=2)
    return reshaped(matrix_products.bmm.record(row, column), call.size)


@rule("addmm", "addmm_t")
def addmm(call: Call, *, beta: Any, alpha: Any) -> Any:
    (bias, a, b), (of_bias, of_a, of_b) = call.values, call.batched
    if of_a and not of_b and not of_bias and bias.ndim < 2:  # a linear layer: more rows
        rows = call.op.record(bias, merged(a), b, beta=beta, alpha=alpha)
        return reshaped(rows, *a.shape[:2], b.shape[1])
    if of_b and call.op.name == "addmm_t":
        product = by_weights(call, a, of_a, b)
    elif of_a or of_b:
        product = matrices(a, of_a, b, of_b)
    else:
        product = filled(matrix_products.mm.record(a, b), False, call.size)
    return _sum(call, product, beta, alpha)


@rule("addmv")
def addmv(call: Call, *, beta: Any, alpha: Any) -> Any:
    factors = call.of(matrix_products.mv, call.values[1:], call.batched[1:])
    if any(factors.batched):
        product = mv(factors)
    else:
        product = filled(matrix_products.mv.record(*factors.values), False, call.size)
    return _sum(call, product, beta, alpha)


@rule("baddbmm")
def baddbmm(call: Call, *, beta: Any, alpha: Any) -> Any:
    product = bmm(call.of(matrix_products.bmm, call.values[1:], call.batched[1:]))
    return _sum(call, product, beta, alpha)


@rule("addbmm")
def addbmm(call: Call, *, beta: Any, alpha: Any) -> Any:
    a, b = (
        filled(v, on, call.size) for v, on in zip(call.values[1:], call.batched[1:], strict=True)
    )
    # the sum of products is one of wider matrices, in their own type: a sum of integers is int64
    wide = merged(shape.permute.record(a, dims=(0, 2, 1, 3)), 2)
    return _sum(call, matrix_products.bmm.record(wide, merged(b, 1)), beta, alpha)


@rule("addr")
def addr(call: Call, *, beta: Any, alpha: Any) -> Any:
    a, b = (
        filled(v, on, call.size) for v, on in zip(call.values[1:], call.batched[1:], strict=True)
    )
    column, row = shape.unsqueeze.record(a, dim=2), shape.unsqueeze.record(b, dim=1)
    return _sum(call, arithmetic.mul.record(column, row), beta, alpha)


def _sum(call: Call, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta * (the first operand) + alpha * product; with beta 0 what is NaN there does not count."""
    bias, batched = call.values[0], call.batched[0]
    if alpha != 1:
        product = product * alpha
    if batched:
        bias = with_ndim(bias, product.ndim - 1)
    if beta == 0:
        return product
    return arithmetic.add.record(product, bias if beta == 1 else bias * beta)


@rule(
    "inv",
    "det",
    "cofactors",
    "inverse_transposed",
    "cholesky",
    "pinv",
    "matrix_exp",
    "identity_like",
    "cholesky_inverse",
)
def of_matrices(call: Call, **attributes: Any) -> Any:
    return call.op.record(*call.values, **attributes)


@rule("solve")
def solve(call: Call, *, vector: bool) -> Any:
    a, b = (filled(v, on, call.size) for v, on in zip(call.values, call.batched, strict=True))
    ndim = max(a.ndim, b.ndim + vector) - 1
    return call.op.record(with_ndim(a, ndim), with_ndim(b, ndim - vector), vector=vector)


@rule("householder_product", "ormqr")
def of_reflections(call: Call, **attributes: Any) -> Any:
    given = (filled(v, on, call.size) for v, on in zip(call.values, call.batched, strict=True))
    return call.op.record(*given, **attributes)


@rule("solve_triangular", "cholesky_solve")
def solve_triangular(call: Call, **attributes: Any) -> Any:
    a, b = (filled(v, on, call.size) for v, on in zip(call.values, call.batched, strict=True))
    ndim = max(a.ndim, b.ndim) - 1
    return call.op.record(with_ndim(a, ndim), with_ndim(b, ndim), **attributes)
