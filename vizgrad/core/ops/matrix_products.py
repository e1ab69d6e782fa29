"""Matrix products. Operand types must agree (T-6); shapes are checked by the public functions.

The operations of a linear layer: products with the transpose of its weight.

As `addmm` and `mm` in `vizgrad.core.ops.matrix_products`, whose names their nodes bear, but for the
memory layout of one gradient: that of the weight's transpose is itself a transpose, so that the weight's
own gradient comes out in the weight's layout and is taken over without a copy.
"""

from __future__ import annotations

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels import linalg
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.reduce import sum_dims
from vizgrad.core.ops.shape import expand, permute, reshape, t, transpose, unsqueeze


@primitive(typing="same")
class mm:
    """The product of two matrices."""

    forward = linalg.mm

    def grad_self(grad, mat2):
        return mm(grad, t(mat2))

    def grad_mat2(grad, self):
        return mm(t(self), grad)


@primitive(typing="same")
class bmm:
    """The products of two stacks of matrices."""

    forward = linalg.bmm

    def grad_self(grad, mat2):
        return bmm(grad, transpose(mat2, dim0=1, dim1=2))

    def grad_mat2(grad, self):
        return bmm(transpose(self, dim0=1, dim1=2), grad)


@primitive(typing="same")
class mv:
    """A matrix times a vector."""

    def forward(self, vec):
        return linalg.mm(self, vec)

    def grad_self(grad, vec):
        return unsqueeze(grad, dim=1) * vec

    def grad_vec(grad, self):
        return mv(t(self), grad)


@primitive(typing="same")
class dot:
    """The sum of products of two vectors."""

    def forward(self, tensor):
        return linalg.mm(self, tensor)

    def grad_self(grad, tensor):
        return grad * tensor

    def grad_tensor(grad, self):
        return grad * self


@primitive(typing="same")
class addmm:
    """beta * self + alpha * (mat1 @ mat2)."""

    def forward(self, mat1, mat2, *, beta, alpha):
        return linalg.add_product(self, linalg.mm(mat1, mat2), beta, alpha)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_mat1(grad, mat2, alpha):
        return scaled(mm(grad, t(mat2)), alpha)

    def grad_mat2(grad, mat1, alpha):
        return scaled(mm(t(mat1), grad), alpha)


@primitive(typing="same")
class addmv:
    """beta * self + alpha * (mat @ vec)."""

    def forward(self, mat, vec, *, beta, alpha):
        return linalg.add_product(self, linalg.mm(mat, vec), beta, alpha)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_mat(grad, vec, alpha):
        return scaled(unsqueeze(grad, dim=1) * vec, alpha)

    def grad_vec(grad, mat, alpha):
        return scaled(mv(t(mat), grad), alpha)


@primitive(typing="same")
class baddbmm:
    """beta * self + alpha * (batch1 @ batch2), for stacks of matrices."""

    def forward(self, batch1, batch2, *, beta, alpha):
        return linalg.add_product(self, threads.matmul(batch1, batch2), beta, alpha, True)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_batch1(grad, batch2, alpha):
        return scaled(bmm(grad, transpose(batch2, dim0=1, dim1=2)), alpha)

    def grad_batch2(grad, batch1, alpha):
        return scaled(bmm(transpose(batch1, dim0=1, dim1=2), grad), alpha)


@primitive(typing="same")
class addbmm:
    """beta * self + alpha * (the sum of the products of two stacks of matrices)."""

    def forward(self, batch1, batch2, *, beta, alpha):
        return linalg.add_product(self, linalg.summed_products(batch1, batch2), beta, alpha)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_batch1(grad, batch2, alpha):
        stack = expand(grad, shape=(batch2.shape[0], *grad.shape))
        return scaled(bmm(stack, transpose(batch2, dim0=1, dim1=2)), alpha)

    def grad_batch2(grad, batch1, alpha):
        stack = expand(grad, shape=(batch1.shape[0], *grad.shape))
        return scaled(bmm(transpose(batch1, dim0=1, dim1=2), stack), alpha)


@primitive(typing="promote")
class addr:
    """beta * self + alpha * (all products of the elements of two vectors)."""

    def forward(self, vec1, vec2, *, beta, alpha):
        return linalg.add_product(self, linalg.outer(vec1, vec2), beta, alpha, True)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_vec1(grad, vec2, alpha):
        return scaled(mv(grad, vec2), alpha)

    def grad_vec2(grad, vec1, alpha):
        return scaled(mv(t(grad), vec1), alpha)


def scaled(value, factor):
    return value if factor == 1 else value * factor


@primitive(typing="same", node="LinalgCrossBackward0")
class cross:
    """The vector product along a dimension of size 3."""

    def forward(self, other, *, dim):
        return linalg.cross(self, other, dim)

    def grad_self(grad, other, dim):
        return cross(other, grad, dim=dim)

    def grad_other(grad, self, dim):
        return cross(grad, self, dim=dim)


# The operations of a linear layer: products with the transpose of its weight.


@primitive(typing="same", node="AddmmBackward0")
class addmm_t:
    """beta * self + alpha * (mat1 @ mat2), where mat2 is a transpose."""

    def forward(self, mat1, mat2, *, beta, alpha):
        return linalg.add_product(self, linalg.mm(mat1, mat2), beta, alpha)

    def grad_self(grad, beta):
        return grad if beta == 1 else grad * beta

    def grad_mat1(grad, mat2, alpha):
        return scaled(mm(grad, t(mat2)), alpha)

    def grad_mat2(grad, mat1, alpha):
        return scaled(t(mm(t(grad), mat1)), alpha)


@primitive(typing="same", node="MmBackward0")
class mm_t:
    """self @ mat2, where mat2 is a transpose."""

    def forward(self, mat2):
        return linalg.mm(self, mat2)

    def grad_self(grad, mat2):
        return mm(grad, t(mat2))

    def grad_mat2(grad, self):
        return t(mm(t(grad), self))


@primitive(typing="same", node="BmmBackward0")
class bmm_t:
    """The products of stacks of matrices, self @ transpose(weight)."""

    def forward(self, weight):
        return linalg.bmm(self, weight.swapaxes(1, 2))

    def grad_self(grad, weight):
        return bmm(grad, weight)

    def grad_weight(grad, self):
        return bmm(transpose(grad, dim0=1, dim1=2), self)


@primitive(typing="same")
class trilinear:
    """Sums over i, j of input1[n, i] * weight[o, i, j] * input2[n, j].

    Shapes: input1 (N, I), input2 (N, J), weight (O, I, J) -> (N, O).
    """

    math_input1 = "einsum('no,oij,nj->ni', g, weight, input2)"
    math_input2 = "einsum('no,oij,ni->nj', g, weight, input1)"
    math_weight = "einsum('no,ni,nj->oij', g, input1, input2)"

    @quiet
    def forward(input1, input2, weight):
        found = _beside_rows(input1, weight, input2, (0, 2, 1))
        return found.astype(input1.dtype, copy=False)  # sums of small integers are wider

    def grad_input1(grad, input2, weight):
        return _beside_rows(grad, weight, input2, (1, 2, 0))

    def grad_input2(grad, input1, weight):
        return _beside_rows(grad, weight, input1, (2, 1, 0))

    def grad_weight(grad, input1, input2):
        pairs = unsqueeze(input1, dim=2) * unsqueeze(input2, dim=1)
        (rows, out), (_, i, j) = grad.shape, pairs.shape
        return reshape(mm(t(grad), reshape(pairs, shape=(rows, i * j))), shape=(out, i, j))


def _beside_rows(left, weight, right, order):
    """Sums over a, b of left[n, a] * w[c, b, a] * right[n, b]; w is `weight`, dimensions in that order."""
    turned = permute(weight, dims=order)
    c, b, a = turned.shape
    spread = mm(left, t(reshape(turned, shape=(c * b, a))))
    return sum_dims(
        reshape(spread, shape=(left.shape[0], c, b)) * unsqueeze(right, dim=1),
        dims=(2,),
        keepdim=False,
    )
