"""Matrix products with PyTorch's signatures, shape rules and graphs (spec T-16, T-39)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from vizgrad.core.arrays.dtypes import INTS, promote_types
from vizgrad.core.errors import wrap_dim
from vizgrad.core.ops import matrix_products as products
from vizgrad.core.ops import shape
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import broadcasting, dimensions, reduction, reshape
from vizgrad.core.ops.public.arguments import check_kind, element, takes_out, takes_tensors, written
from vizgrad.core.ops.public.broadcasting import broadcast_tensors
from vizgrad.core.ops.public.complexes import conj
from vizgrad.core.tensor.requirements import (
    Rank,
    not_a_tensor,
)
from vizgrad.core.tensor.tensor import Tensor


@public(method=True)
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product; vectors are rows or columns, leading dimensions are broadcast."""
    result = _matmul(input, other)
    return result if out is None else written(out, result, "matmul", input, other)


_mm = products.mm.record


def operator(self: Tensor, other: Any) -> Any:
    """`self @ other`."""
    try:
        if self._array.ndim == 2 and other._array.ndim == 2:
            return _mm(self, other)
    except AttributeError:
        return NotImplemented
    return _matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _matmul(input: Tensor, other: Tensor) -> Tensor:
    for position, each in enumerate((input, other), 1):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"matmul(): argument '{'input' if position == 1 else 'other'}' (position "
                f"{position}) must be Tensor, not {type(each).__name__}"
            )
    a, b = input._array, other._array
    if a.ndim == 0 or b.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D"
        )
    if b.ndim == 1:
        if a.ndim == 1:
            return products.dot.record(input, other)
        if a.ndim == 2:
            return products.mv.record(input, other)
        folded = products.mv.record(_as_rows(input), other)
        return shape.unsafe_view.record(folded, shape=a.shape[:-1])
    if b.ndim == 2:
        if a.ndim == 1:
            row = products.mm.record(shape.unsqueeze.record(input, dim=0), other)
            return shape.drop_dim.record(row, dim=0)
        if a.ndim == 2:
            return products.mm.record(input, other)
        folded = products.mm.record(_as_rows(input), other)
        return shape.unsafe_view.record(folded, shape=(*a.shape[:-1], b.shape[-1]))
    return _batched(input, other)


def _as_rows(input: Tensor) -> Tensor:
    """All dimensions but the last as one; also where the last is 0."""
    *lead, last = input._array.shape
    return reshape.reshape(input, (math.prod(lead), last))


def _batched(input: Tensor, other: Tensor) -> Tensor:
    """Stacks of matrices: both expanded to the common leading dimensions, then `bmm`."""
    vector = input._array.ndim == 1
    if vector:
        input = shape.unsqueeze.record(input, dim=0)
    a, b = input._array.shape, other._array.shape
    if a[-1] != b[-2]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied: {list(a)} and {list(b)} ({a[-1]} is "
            f"not {b[-2]})"
        )
    batch = a[:-2] if a[:-2] == b[:-2] else tuple(broadcasting.broadcast_shapes(a[:-2], b[:-2]))
    n = 1
    for length in batch:
        n *= length
    left = reshape.reshape(shape.expand.record(input, shape=(*batch, *a[-2:])), (n, *a[-2:]))
    right = reshape.reshape(shape.expand.record(other, shape=(*batch, *b[-2:])), (n, *b[-2:]))
    product = products.bmm.record(left, right)
    rows = () if vector else (a[-2],)
    return shape.unsafe_view.record(product, shape=(*batch, *rows, b[-1]))


def check_rank(name: str, wanted: str, *checks: tuple[Tensor, int]) -> None:
    """RuntimeError for a tensor that has another number of dimensions than is said beside it."""
    for tensor, ndim in checks:
        if tensor._array.ndim != ndim:
            raise RuntimeError(
                f"{name}: {wanted}; got a tensor of shape {list(tensor._array.shape)}"
            )


_MATRIX = Rank(2, "{function}: {argument} must be a matrix; got a tensor of shape {shape}")
_VECTOR = Rank(1, "{function}: {argument} must be a vector; got a tensor of shape {shape}")
_OF_MM = Rank(2, "mm: self must be a matrix; got a tensor of shape {shape}")
_OF_DOT = Rank(1, "dot: 1D tensors expected; got a tensor of shape {shape}")
_OF_OUTER = Rank(1, "outer: self and vec2 must be vectors; got a tensor of shape {shape}")


@public(method=True)
@takes_tensors
def mm(
    input: Annotated[Tensor, _OF_MM], mat2: Annotated[Tensor, _MATRIX], *, out: Tensor | None = None
) -> Tensor:
    """The product of two matrices; no broadcasting."""
    result = products.mm.record(input, mat2)
    return result if out is None else written(out, result, "mm", input, mat2)


@public(method=True)
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices."""
    try:
        a, b = input._array.shape, mat2._array.shape
    except AttributeError:
        first = not isinstance(input, Tensor)
        name, given = ("input", input) if first else ("mat2", mat2)
        raise not_a_tensor("bmm", name, 1 if first else 2, given) from None
    if len(a) != 3 or len(b) != 3 or a[0] != b[0] or a[2] != b[1]:
        check_rank("bmm", "batch1 must be a 3D tensor", (input, 3))
        check_rank("bmm", "batch2 must be a 3D tensor", (mat2, 3))
        _check_stacks(input, mat2)
    result = products.bmm.record(input, mat2)
    return result if out is None else written(out, result, "bmm", input, mat2)


def _check_stacks(batch1: Tensor, batch2: Tensor) -> None:
    a, b = batch1._array.shape, batch2._array.shape
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but "
            f"got: [{b[0]}, {b[1]}]."
        )


@public(method=True)
@takes_tensors
def mv(
    input: Annotated[Tensor, _MATRIX], vec: Annotated[Tensor, _VECTOR], *, out: Tensor | None = None
) -> Tensor:
    """A matrix times a vector."""
    result = products.mv.record(input, vec)
    return result if out is None else written(out, result, "mv", input, vec)


@public(method=True)
@takes_tensors
def dot(
    input: Annotated[Tensor, _OF_DOT],
    tensor: Annotated[Tensor, _OF_DOT],
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of products of two vectors."""
    result = products.dot.record(input, tensor)
    return result if out is None else written(out, result, "dot", input, tensor)


@public(method=True)
@takes_tensors
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of products of two vectors, the first one conjugated."""
    return dot(conj(input), other, out=out)


@public(method=True, aliases="ger")
@takes_tensors
def outer(
    input: Annotated[Tensor, _OF_OUTER],
    vec2: Annotated[Tensor, _OF_OUTER],
    *,
    out: Tensor | None = None,
) -> Tensor:
    """All products of the elements of two vectors."""
    result = reshape.reshape(input, (input._array.size, 1)) * vec2
    return result if out is None else written(out, result, "outer", input, vec2)


@public(method=True)
@takes_out
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last dimensions."""
    if input._array.ndim == 0 or other._array.ndim == 0:
        return input * other
    if input._array.shape[-1] != other._array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._array.shape)} and {list(other._array.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


@public
@takes_out
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over pairs of dimensions: the last n of `a` and first n of `b`, or two lists."""
    if isinstance(dims, Tensor) and dims._array.size == 1:
        dims = int(dims.item())
    if isinstance(dims, INTS):
        if not 0 <= dims <= min(a._array.ndim, b._array.ndim):
            raise RuntimeError(
                f"tensordot expects dims >= 0 and dims <= ndim_a or ndim_b, but got dims={dims} for "
                f"tensors of {a._array.ndim} and {b._array.ndim} dimensions"
            )
        left = list(range(a._array.ndim - dims, a._array.ndim))
        right = list(range(dims))
    else:
        lists = _dim_lists(dims)
        left = [wrap_dim(d, a._array.ndim) for d in lists[0]]
        right = [wrap_dim(d, b._array.ndim) for d in lists[1]]
    if len(left) != len(right):
        raise RuntimeError(f"both dimension lists should have same length, got {left} and {right}")
    for i, j in zip(left, right, strict=True):
        sizes = a._array.shape[i], b._array.shape[j]
        # a dimension of size 1 is multiplied with the sum of what it stands beside
        if sizes[0] == 1:
            b = b if sizes[1] == 1 else reduction.sum(b, j, keepdim=True, dtype=b.dtype)
        elif sizes[1] == 1:
            a = reduction.sum(a, i, keepdim=True, dtype=a.dtype)
        elif sizes[0] != sizes[1]:
            raise RuntimeError(
                "contracted dimensions need to match, but first has size "
                f"{sizes[0]} in dim {i} and second has size {sizes[1]} in dim {j}"
            )
    sizes = a._array.shape, b._array.shape
    rows = [d for d in range(a._array.ndim) if d not in left]
    columns = [d for d in range(b._array.ndim) if d not in right]
    shared = math.prod(sizes[0][d] for d in left)
    high, wide = math.prod(sizes[0][d] for d in rows), math.prod(sizes[1][d] for d in columns)
    first = reshape.reshape(dimensions.permute(a, (*rows, *left)), (high, shared))
    second = reshape.reshape(dimensions.permute(b, (*right, *columns)), (shared, wide))
    out = products.mm.record(first, second)
    return reshape.view(out, (*(sizes[0][d] for d in rows), *(sizes[1][d] for d in columns)))


def _dim_lists(dims: Any) -> tuple[list[int], list[int]]:
    """Dimensions of the first and of the second operand."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if not isinstance(dims, Sequence) or isinstance(dims, str) or len(dims) != 2:
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] "
            f"containing two lists, but got dims={dims}"
        )
    for position, each in enumerate(dims):
        if not isinstance(each, Sequence):
            raise TypeError(
                f"tensordot(): argument 'dims_{('self', 'other')[position]}' must be tuple of ints, not "
                f"{type(each).__name__}"
            )
    return list(dims[0]), list(dims[1])


@public(method=True)
@takes_out
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product."""
    n = max(input._array.ndim, other._array.ndim)
    a = (1,) * (n - input._array.ndim) + input._array.shape
    b = (1,) * (n - other._array.ndim) + other._array.shape
    left = reshape.reshape(input, tuple(v for m in a for v in (m, 1)))
    right = reshape.reshape(other, tuple(v for m in b for v in (1, m)))
    sizes = tuple(x * y for x, y in zip(a, b, strict=True))
    return shape.unsafe_view.record(left * right, shape=sizes)


@public(method=True)
@takes_out
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector product along a dimension of size 3 (the first such one)."""
    if input._array.ndim != other._array.ndim:
        raise RuntimeError(
            "linalg.cross: inputs must have the same number of dimensions. Got "
            f"{input._array.ndim} and {other._array.ndim}"
        )
    if dim is None:
        threes = [d for d, n in enumerate(input._array.shape) if n == 3]
        if not threes:
            raise RuntimeError(
                f"no dimension of size 3 in input of shape {list(input._array.shape)}"
            )
        dim = threes[0]
    at = wrap_dim(dim, input._array.ndim)
    sizes = input._array.shape[at], other._array.shape[at]
    if sizes != (3, 3):
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {sizes[0]} and {sizes[1]}"
        )
    a, b = broadcast_tensors(input, other)
    return products.cross.record(a, b, dim=at)


# Matrix products that are added to something (spec T-39).


@public(method=True)
@takes_tensors
def addmm(
    input: Tensor,
    mat1: Annotated[Tensor, _MATRIX],
    mat2: Annotated[Tensor, _MATRIX],
    *,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2); `input` is broadcast."""
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
    mat: Annotated[Tensor, _MATRIX],
    vec: Annotated[Tensor, _VECTOR],
    *,
    beta: float = 1,
    alpha: float = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
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
    check_rank("baddbmm", "batch1 must be a 3D tensor", (batch1, 3))
    check_kind("baddbmm", batch1, "iufcV")
    check_rank("baddbmm", "batch2 must be a 3D tensor", (batch2, 3))
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
    check_rank("addr", "vec1 and vec2 must be vectors", (vec1, 1), (vec2, 1))
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
    check_rank("addbmm", "batch1 must be a 3D tensor", (batch1, 3))
    check_rank("addbmm", "batch2 must be a 3D tensor", (batch2, 3))
    _check_stacks(batch1, batch2)
    _check_bias(input, (batch1._array.shape[1], batch2._array.shape[2]))
    return factors(batch1, beta, alpha)
