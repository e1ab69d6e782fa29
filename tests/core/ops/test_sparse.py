"""Formulas of sparse operations against differences, twice, over the values of sparse tensors."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.autograd import gradcheck, gradgradcheck

PLACES = [[0, 1, 1, 0, 2], [2, 0, 2, 2, 1]]  # one of them twice


def coo(values: Any) -> Any:
    return vg.sparse_coo_tensor(PLACES, values, (3, 3))


def rows(values: Any) -> Any:
    return vg.sparse_csr_tensor([0, 1, 3, 4], [2, 0, 2, 1], values[:4], (3, 3))


OPERATIONS = {
    "to_dense": lambda s, d: s.to_dense().sin(),
    "mm": lambda s, d: s @ d,
    "sparse.mm": vg.sparse.mm,
    "from the left": lambda s, d: d.t() @ s,
    "addmm": lambda s, d: vg.sparse.addmm(d, s, d, beta=0.5, alpha=2),
    "values": lambda s, d: (s.coalesce() if s.is_sparse else s).values().sin(),
    "times dense": lambda s, d: (s * (d @ d.t())).to_dense(),
    "squared": lambda s, d: (s**2).to_dense(),
    "sum of two": lambda s, d: (s + s * 2).to_dense(),
    "transposed": lambda s, d: vg.sparse.mm(s.t(), d),
    "to other layouts": lambda s, d: s.to_sparse_coo().to_sparse_csc().to_sparse_csr().to_dense(),
}
OF_COO = {
    "softmax": lambda s, d: vg.sparse.mm(vg.sparse.softmax(s, 1), d),
    "softmax of columns": lambda s, d: vg.sparse.softmax(s, 0).to_dense(),
    "log_softmax": lambda s, d: vg.sparse.log_softmax(s, 1).to_dense(),
    "sum of rows": lambda s, d: vg.sparse.sum(s, 1).to_dense().sin(),
    "sum of all": lambda s, d: vg.sparse.sum(s).sin(),
    "sparse by sparse": lambda s, d: vg.sparse.mm(s, s.t()).to_dense(),
    "stacks": lambda s, d: s.to_dense().to_sparse().coalesce().values(),
}


@pytest.mark.parametrize(
    ("made", "name"),
    [(made, name) for made in (coo, rows) for name in OPERATIONS]
    + [(coo, name) for name in OF_COO],
)
def test_first_and_second_derivatives(made: Any, name: str) -> None:
    operation = {**OPERATIONS, **OF_COO}[name]
    values = vg.tensor([0.3, -1.2, 0.7, 0.5, 2.0], dtype=vg.float64, requires_grad=True)
    other = vg.tensor([[0.1, 1.0], [-0.4, 0.6], [0.9, -0.2]], dtype=vg.float64, requires_grad=True)

    def fn(v: Any, d: Any) -> Any:
        return operation(made(v), d)

    assert gradcheck(fn, (values, other))
    assert gradgradcheck(fn, (values, other))


def test_sparse_embedding_twice() -> None:
    weight = vg.arange(8.0, dtype=vg.float64).reshape(4, 2).div(5).requires_grad_()
    index = vg.tensor([[1, 3], [1, 0]])

    def fn(w: Any) -> Any:
        return vg.nn.functional.embedding(index, w * 1, padding_idx=3, sparse=True).sin()

    (first,) = vg.autograd.grad(fn(weight).sum(), weight, create_graph=True)
    (again,) = vg.autograd.grad((first.to_dense() ** 2).sum(), weight)
    plain = weight.detach().requires_grad_()
    out = vg.nn.functional.embedding(index, plain, padding_idx=3).sin().sum()
    (expected,) = vg.autograd.grad(out, plain, create_graph=True)
    (twice,) = vg.autograd.grad((expected**2).sum(), plain)
    assert vg.allclose(first.to_dense(), expected)
    assert vg.allclose(again.to_dense(), twice)
