"""Sparse tensors: made, taken apart, multiplied, summed.

A gradient for a sparse operand has its layout and is computed where it stores a value; elsewhere it is
zero, as in PyTorch ("masked"). Operations that are not here (negation, products by numbers,
`mm`...) are those for dense tensors, whose kernels take sparse arrays where that makes sense.
"""

from __future__ import annotations

from vizgrad.core.arrays.kernels import linalg as dense_products
from vizgrad.core.arrays.sparse import compressed, coo, functions, gradients, products
from vizgrad.core.arrays.sparse.base import is_sparse
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.matrix_products import mm, scaled
from vizgrad.core.ops.shape import t

# --- places and values --------------------------------------------------------------------------------


@primitive(linear=True, node="SparseCooTensorWithDimsAndTensorsBackward0")
class placed:
    """`values` at the places of `pattern`."""

    def forward(values, pattern):
        return pattern.with_values(values)

    def grad_values(grad, pattern):
        return entries(grad, pattern)


@primitive(linear=True, node="SparseCompressedTensorBackward0")
class placed_compressed:
    """`placed` of the compressed layouts."""

    def forward(values, pattern):
        return pattern.with_values(values)

    def grad_values(grad, pattern):
        return entries(grad, pattern)


@primitive(linear=True)
class values:
    """The stored values."""

    def forward(self):
        return self.values

    def grad_self(grad, self):
        return placed(grad, self)


@primitive(linear=True, node="SparseMaskBackward0")
class entries_of_sparse:
    """The elements of a sparse tensor at the places of `pattern`: dense, one row for each."""

    def forward(self, pattern):
        return coo.take(self, compressed.places(pattern))

    def grad_self(grad, pattern):
        return placed(grad, pattern)


@primitive(linear=True, node="SparseMaskBackward0")
class entries_of_dense:
    """The same of a dense tensor, whose gradient is dense."""

    def forward(self, pattern):
        return coo.take(self, compressed.places(pattern))

    def grad_self(grad, pattern):
        return to_dense(placed(grad, pattern))


def entries(value, pattern):
    """For formulas: the elements of a tensor of any layout at the places of `pattern`."""
    return (entries_of_sparse if is_sparse(raw(value)) else entries_of_dense)(value, pattern)


@primitive(linear=True, node="SparseMaskBackward0")
class masked_sparse:
    """The elements of a sparse tensor where `mask` stores a value, in the layout of `mask`."""

    def forward(self, mask):
        return compressed.masked(self, mask)

    def grad_self(grad, mask):
        return masked(grad, mask)


@primitive(linear=True, node="SparseMaskBackward0")
class masked_dense:
    """The same of a dense tensor, whose gradient is dense."""

    def forward(self, mask):
        return compressed.masked(self, mask)

    def grad_self(grad, mask):
        return to_dense(masked(grad, mask))


def masked(value, mask):
    """For formulas: the elements of a tensor of any layout where `mask` stores a value."""
    return (masked_sparse if is_sparse(raw(value)) else masked_dense)(value, mask)


@primitive(linear=True)
class coalesce:
    """Each place once, in order."""

    def forward(self):
        return self.coalesce()

    def grad_self(grad):
        return grad


# --- layouts ------------------------------------------------------------------------------------------


@primitive(linear=True)
class to_dense:
    """All elements."""

    def forward(self):
        return self.dense() if is_sparse(self) else self

    def grad_self(grad, self):
        return masked(grad, self) if is_sparse(raw(self)) else grad


@primitive(linear=True, node="ToSparseBackward1")
class to_sparse:
    """The elements that are not zero."""

    def forward(self):
        return coo.from_dense(self)

    def grad_self(grad):
        return to_dense(grad)


@primitive(linear=True, node="ToSparseBackward0")
class to_sparse_dim:
    """The blocks that are not zero: `sparse_dim` leading dimensions are sparse."""

    def forward(self, *, sparse_dim):
        return coo.from_dense(self, sparse_dim)

    def grad_self(grad):
        return to_dense(grad)


def _in_layout(self, layout):
    return compressed.as_coo(self) if layout == "sparse_coo" else compressed.compress(self, layout)


def _back(grad, source):
    return to_dense(grad) if source == "strided" else to_coo(grad, layout=source, source="")


@primitive(linear=True, node="ToSparseBackward1")
class to_coo:
    """The same elements as COO, or (for gradients) in any sparse layout."""

    def forward(self, *, layout, source):
        return _in_layout(self, layout)

    def grad_self(grad, source):
        return _back(grad, source) if source else grad


@primitive(linear=True, node="ToSparseCsrBackward0")
class to_csr:
    """The same elements by rows."""

    def forward(self, *, layout, source):
        return _in_layout(self, layout)

    def grad_self(grad, source):
        return _back(grad, source)


@primitive(linear=True, node="ToSparseCscBackward0")
class to_csc:
    """The same elements by columns."""

    def forward(self, *, layout, source):
        return _in_layout(self, layout)

    def grad_self(grad, source):
        return _back(grad, source)


# --- products ------------------------------------------------------------------------------------------


@primitive(typing="same", node="SparseAddmmBackward0")
class sparse_mm:
    """A sparse matrix times a dense one; the gradient for the sparse one is masked."""

    def forward(self, mat2):
        return dense_products.mm(self, mat2)

    def grad_self(grad, self, mat2):
        return sampled(grad, mat2, self)

    def grad_mat2(grad, self):
        return mm(t(self), grad)


@primitive(typing="same", node="SparseAddmmBackward0")
class sparse_addmm:
    """beta * self + alpha * (mat1 @ mat2), `mat1` being sparse."""

    def forward(self, mat1, mat2, *, beta, alpha):
        return dense_products.add_product(self, dense_products.mm(mat1, mat2), beta, alpha)

    def grad_self(grad, beta):
        return scaled(grad, beta)

    def grad_mat1(grad, mat1, mat2, alpha):
        return scaled(sampled(grad, mat2, mat1), alpha)

    def grad_mat2(grad, mat1, alpha):
        return scaled(mm(t(mat1), grad), alpha)


@primitive(node="MmBackward0")
class sampled:
    """self @ other.T, where `pattern` stores a value."""

    def forward(self, other, pattern):
        return products.sampled(self, other, pattern)

    def grad_self(grad, other):
        return mm(grad, other)

    def grad_other(grad, self):
        return mm(t(grad), self)


@primitive(typing="same", node="SparseSparseMatmulBackward0")
class sparse_sparse_mm:
    """The product of two sparse matrices, which is sparse."""

    def forward(self, other):
        return products.matmul(self, other)

    def grad_self(grad, self, other):
        return masked(mm(grad, t(other)), self)

    def grad_other(grad, self, other):
        return masked(mm(t(self), grad), other)


# --- sums ------------------------------------------------------------------------------------------


@primitive(linear=True)
class sparse_sum:
    """The sum over `dims`; dense when no sparse dimension is left."""

    def forward(self, *, dims):
        return functions.reduce_sum(self, dims)

    def grad_self(grad, self, dims):
        return spread_sums(grad, self, dims=dims)


@primitive(linear=True, node="SparseSumBackward0")
class spread_sums:
    """The transpose of `sparse_sum`, for the entries of `pattern`."""

    def forward(self, pattern, *, dims):
        return functions.spread_sum(self, pattern, dims)

    def grad_self(grad, dims):
        return sparse_sum(grad, dims=dims)


@primitive(linear=True, node="SparseSumBackward0")
class sum_along:
    """For each entry the sum of those that differ in coordinate `dim` only."""

    def forward(self, *, dim):
        return functions.sum_along(self, dim)

    def grad_self(grad, self, dim):
        return sum_along(masked(grad, self), dim=dim)


@primitive(node="ExpBackward0")
class exp_values:
    """The exponentials of what is stored."""

    def forward(self):
        return self.with_values(functions.exp(self.values))

    def grad_self(grad, result):
        return grad * result


@primitive
class sparse_softmax:
    """Softmax along `dim` over what is stored: all else counts as minus infinity."""

    def forward(self, *, dim):
        return functions.softmax(self, dim, log=False)

    def grad_self(grad, result, dim):
        weighted = masked(grad, result) * result
        return weighted - result * sum_along(weighted, dim=dim)


@primitive
class sparse_log_softmax:
    """The logarithm of `sparse_softmax`."""

    def forward(self, *, dim):
        return functions.softmax(self, dim, log=True)

    def grad_self(grad, result, dim):
        arrived = masked(grad, result)
        return arrived - exp_values(result) * sum_along(arrived, dim=dim)


# --- tables ------------------------------------------------------------------------------------------


@primitive(node="EmbeddingBackward0")
class embedding_sparse:
    """weight[indices], whose gradient stores the rows that were used."""

    def forward(weight, indices, *, padding_idx):
        return gradients.lookup(weight, indices)

    def grad_weight(grad, indices, padding_idx, weight_meta):
        return used_rows(grad, indices, rows=weight_meta.shape[0], padding_idx=padding_idx)


@primitive(linear=True, node="SparseCooTensorWithDimsAndTensorsBackward0")
class used_rows:
    """A table of which the rows at `indices` are stored, one entry for each use; none for `padding_idx`."""

    def forward(self, indices, *, rows, padding_idx):
        return gradients.used_rows(self, indices, rows, padding_idx)

    def grad_self(grad, indices, padding_idx):
        return rows_at(grad, indices, padding_idx=padding_idx)


@primitive(linear=True, node="EmbeddingBackward0")
class rows_at:
    """The transpose of `used_rows`."""

    def forward(self, indices, *, padding_idx):
        return gradients.rows_at(self, indices, padding_idx)

    def grad_self(grad, indices, padding_idx, self_meta):
        return used_rows(grad, indices, rows=self_meta.shape[0], padding_idx=padding_idx)
