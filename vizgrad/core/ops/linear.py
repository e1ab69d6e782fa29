"""What a linear layer records: products with the transpose of its weight.

As `addmm` and `mm` in `vizgrad.core.ops.matrix_products`, whose names their nodes bear, but for the
memory layout of one gradient: that of the weight's transpose is itself a transpose, so that the weight's
own gradient comes out in the weight's layout and is taken over without a copy.
"""

from __future__ import annotations

from vizgrad.core.arrays.kernels import products
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.matrix_products import bmm, mm, scaled
from vizgrad.core.ops.shape import t, transpose


@primitive(typing="same", node="AddmmBackward0")
class addmm_t:
    """beta * self + alpha * (mat1 @ mat2), where mat2 is a transpose."""

    def forward(self, mat1, mat2, *, beta, alpha):
        return products.add_product(self, products.mm(mat1, mat2), beta, alpha)

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
        return products.mm(self, mat2)

    def grad_self(grad, mat2):
        return mm(grad, t(mat2))

    def grad_mat2(grad, self):
        return t(mm(t(grad), self))


@primitive(typing="same", node="BmmBackward0")
class bmm_t:
    """The products of stacks of matrices, self @ transpose(weight)."""

    def forward(self, weight):
        return products.bmm(self, weight.swapaxes(1, 2))

    def grad_self(grad, weight):
        return bmm(grad, weight)

    def grad_weight(grad, self):
        return bmm(transpose(grad, dim0=1, dim1=2), self)
