"""Sparse tensors: products with dense batches, and what PyTorch gives of a batch of sparse ones.

A batch of sparse tensors is one COO tensor with a coordinate more. An operation that would make a
sparse tensor from something else for each example is refused, as in PyTorch, whose fallback cannot
stack them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.sparse.compressed import as_coo, places
from vizgrad.core.batching.rules import REFUSING, Call, rule
from vizgrad.core.batching.values import filled, marked, merged, reshaped, to_front, with_ndim
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.ops import indexing
from vizgrad.core.ops.indices import Indices
from vizgrad.core.ops.matrix_products import scaled
from vizgrad.core.ops.public.sparse import declared
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# --- products ------------------------------------------------------------------------------------------


@rule("sparse_mm")
def sparse_mm(call: Call) -> Any:
    (first, second), (of_first, of_second) = call.values, call.batched
    if of_first:
        return _by_entries(first, filled(second, of_second, call.size))
    columns = declared().sparse_mm.record(first, merged(to_front(second, 1), 1))
    return to_front(reshaped(columns, columns.shape[0], call.size, second.shape[2]), 1)


def _by_entries(first: Tensor, second: Tensor) -> Tensor:
    """The products of a batch of sparse matrices: each entry takes a row of its dense one to its place."""
    example, row, column = (new_tensor(part) for part in _plain(first)._array.indices)
    taken = indexing.index.record(second, indices=Indices([example, column]))
    moved = taken * reshaped(declared().values.record(first), -1, 1)
    sizes = (first.shape[0], first.shape[1], second.shape[2])
    return indexing.index_add_into.record(moved, indices=Indices([example, row]), shape=sizes)


@rule("sparse_addmm")
def sparse_addmm(call: Call, *, beta: Any, alpha: Any) -> Any:
    bias = filled(call.values[0], call.batched[0], call.size)
    factors = call.of(declared().sparse_mm, call.values[1:], call.batched[1:])
    if any(factors.batched):
        product = sparse_mm(factors)
    else:
        product = filled(declared().sparse_mm.record(*factors.values), False, call.size)
    product = scaled(product, alpha)
    return product if beta == 0 else product + scaled(with_ndim(bias, 2), beta)


# --- all elements, some elements, sums -------------------------------------------------------------------


@rule("to_dense")
def to_dense(call: Call) -> Any:
    return call.op.record(call.values[0])


@rule("entries_of_dense")
def entries_of_dense(call: Call) -> Any:
    (source, pattern), (of_source, of_pattern) = call.values, call.batched
    if of_pattern or not of_source:
        _no_rule(call)
    rows = [new_tensor(row) for row in places(_plain(pattern)._array)]
    return indexing.index.record(source, indices=Indices([None, *rows]))


@rule("sparse_sum")
def sparse_sum(call: Call, *, dims: Any) -> Any:
    value = call.values[0]
    sparse_dim = as_coo(_plain(value)._array).sparse_dim - 1
    if any(d not in dims for d in range(sparse_dim)):
        _sparse_result(call, dims=dims)
    sums = call.op.record(value, dims=tuple(d + 1 for d in dims))
    return declared().to_dense.record(sums)


@rule("embedding_sparse")
def embedding_sparse(call: Call, *, padding_idx: int) -> Any:
    """The rows of one table; of several tables those of all, one below the other."""
    (weight, indices), (of_weight, of_indices) = call.values, call.batched
    if of_weight:
        rows = weight.shape[1]
        indices = filled(indices, of_indices, call.size)
        first = xp.arange(call.size, dtype=indices._array.dtype) * rows
        starts = new_tensor(first.reshape(call.size, *(1,) * (indices.ndim - 1)))
        if padding_idx >= 0:
            _no_rule(call)
        weight, indices = marked(call.level, merged(weight), 0, rows), indices + starts
    return call.op.record(weight, indices, padding_idx=padding_idx)


def _plain(value: Any) -> Tensor:
    """The operand that has an array; RuntimeError if that is a batch of batches, whose places lie in
    two coordinates.
    """
    if stands_for_others(value):
        raise wrong_call(
            RuntimeError("Batching rule not implemented for sparse tensors under two vmaps"),
            "batch the sparse tensor once, or call .to_dense() first",
        )
    return value


# --- what is refused -------------------------------------------------------------------------------------

_LAYOUTS = {"to_csr": "CSR", "to_csc": "CSC", "placed_compressed": "CSR"}


@rule(
    "placed", "placed_compressed", "masked_dense", "masked_sparse", "to_sparse", "to_sparse_dim", "to_coo",
    "to_csr", "to_csc", "sampled", "sparse_sparse_mm", "spread_sums", "sum_along", "exp_values",
    "sparse_softmax", "sparse_log_softmax", "used_rows",
)  # fmt: skip
def _sparse_result(call: Call, **_: Any) -> NoReturn:
    layout = _LAYOUTS.get(call.op.name)
    why = (
        f"vmap: `{call.op.name}` gives a sparse tensor for each example, and these can't be stacked as a "
        "batch."
    )
    fix = "do it outside of vmap, or use the dense operation"
    if layout is not None:
        raise wrong_call(
            RuntimeError(f"Sparse {layout} tensors do not have is_contiguous. {why}"), fix
        )
    raise wrong_call(
        NotImplementedError(
            f"Could not run 'aten::view' with arguments from the 'SparseCPU' backend. {why}"
        ),
        fix,
    )


@rule("coalesce", "values", "entries_of_sparse", "rows_at")
def _no_rule(call: Call, **_: Any) -> NoReturn:
    raise wrong_call(
        RuntimeError(
            f"Batching rule not implemented for aten::{call.op.name}: how many values are stored differs "
            "between examples."
        ),
        "call .to_dense() first, or do it outside of vmap",
    )


REFUSING.update((_sparse_result, _no_rule))
