"""Sparse tensors under vmap and in forward mode: what PyTorch gives, and what it refuses (D-5, S-5)."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _matrix(torch):
    return torch.sparse_coo_tensor(
        [[0, 0, 1], [0, 2, 1]], [1.0, 2.0, 3.0], (2, 3), dtype=torch.float64
    )


def _several(torch):
    dense = _matrix(torch).to_dense()
    return torch.stack([dense, dense * 2, dense - 1]).to_sparse()


def _dense(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64)


@program(rules="D-5 S-5", each=["coo", "csr"])
def products_of_one_sparse_matrix_with_a_batch(torch, see, case):
    s = _matrix(torch) if case == "coo" else _matrix(torch).to_sparse_csr()
    vmap, d, b = torch.vmap, _dense(torch, 4, 3, 2), _dense(torch, 4, 2, 2, seed=1)
    see("mm", vmap(lambda x: torch.sparse.mm(s, x))(d))
    see(
        "elsewhere",
        vmap(lambda x: torch.sparse.mm(s, x), in_dims=2, out_dims=1)(d.permute(1, 2, 0)),
    )
    see("addmm", vmap(lambda x: torch.sparse.addmm(b[0], s, x, beta=2.0, alpha=3.0))(d))
    see("of a batch", vmap(lambda x, y: torch.sparse.addmm(y, s, x))(d, b))
    see("added alone", vmap(lambda y: torch.sparse.addmm(y, s, d[0]))(b))
    see("two vmaps", vmap(vmap(lambda x: torch.sparse.mm(s, x)))(torch.stack([d, d + 1])))
    see("by vectors", vmap(s.mv)(d[:, :, 0]))
    d.requires_grad_()
    vmap(lambda x: torch.sparse.mm(s, x))(d).sin().sum().backward()
    see("gradient", d.grad)


@program(rules="D-5 S-5")
def a_sparse_gradient_of_a_batch_of_products(torch, see):
    s, d = _matrix(torch).requires_grad_(), _dense(torch, 4, 3, 2)
    torch.vmap(lambda x: torch.sparse.mm(s, x))(d).sin().sum().backward()
    see("gradient", s.grad)


@program(rules="D-5 S-5")
def a_batch_of_sparse_tensors(torch, see):
    vmap, s, d = torch.vmap, _several(torch), _dense(torch, 3, 2)
    see(
        "what it is",
        vmap(lambda x: torch.ones(2) * x.is_sparse * (x.layout == torch.sparse_coo))(s),
    )
    see("to_dense", vmap(torch.Tensor.to_dense)(s))
    see("and on", vmap(lambda x: (x.to_dense() * x.to_dense()).sum(0))(s))
    see("pointwise", vmap(lambda x: -x.abs())(s))
    see("sum", vmap(torch.sparse.sum)(s))
    see("mm", vmap(lambda x: torch.sparse.mm(x, d))(s))
    see("mm of two batches", vmap(torch.sparse.mm)(s, torch.stack([d, d, -d])))
    see("addmm", vmap(lambda x: torch.sparse.addmm(d[:2], x, d, beta=0.5))(s))
    see("other dims", vmap(torch.Tensor.to_dense, in_dims=1, out_dims=1)(s))
    see("rows", vmap(lambda x: x.to_dense().sum())(_matrix(torch)))
    see("copies", vmap(lambda x: x.clone().detach().to_dense())(s))


@program(rules="D-5 S-5")
def a_sparse_tensor_times_a_batch(torch, see):
    vmap, s, d = torch.vmap, _matrix(torch), _dense(torch, 4, 2, 3)
    see("elements", vmap(lambda x: s * x)(d))
    see("to dense", vmap(lambda x: (s * x).to_dense())(d))
    see("numbers", vmap(lambda x: (s * x).to_dense())(d[:, 0, 0]))


@program(rules="D-5 S-5")
def what_would_make_a_sparse_tensor_for_each_example(torch, see):
    vmap, s, d = torch.vmap, _matrix(torch).coalesce(), _dense(torch, 4, 2, 3)
    many = _several(torch)
    for name, f, given in [
        ("to_sparse", torch.Tensor.to_sparse, d),
        ("of rows", lambda x: x.to_sparse(1).to_dense(), d),
        ("sparse_mask", lambda x: x.sparse_mask(s).to_dense(), d),
        ("made of values", lambda v: torch.sparse_coo_tensor(s.indices(), v, (2, 3)), d[:, 0]),
        ("product", lambda x: torch.sparse.mm(x, s.t()), many),
        ("sum over some", lambda x: torch.sparse.sum(x, 0).to_dense(), many),
        ("softmax", lambda x: torch.sparse.softmax(x, 1).to_dense(), many),
    ]:
        see.raises(name, lambda f=f, given=given: vmap(f)(given), phrase="'SparseCPU' backend")
    for name in ("to_sparse_csr", "to_sparse_csc"):
        f = getattr(torch.Tensor, name)
        see.raises(name, lambda f=f: vmap(f)(d), phrase="tensors do not have is_contiguous")
    for name in ("coalesce", "indices", "_values", "_nnz", "is_coalesced"):
        see.raises(
            name, lambda name=name: vmap(lambda x: getattr(x, name)())(many),
            phrase="Batching rule not implemented for aten::",
        )  # fmt: skip
    see.raises(
        "csr", lambda: vmap(lambda x: x * 2)(s.to_sparse_csr()), phrase="do not have strides"
    )


@program(rules="D-5", each=[False, True])
def lookups_with_sparse_gradients(torch, see, case):
    embedding, table, at = (
        torch.nn.functional.embedding,
        _dense(torch, 5, 3),
        torch.tensor([[0, 4], [4, 1]]),
    )
    tables = torch.stack([table, table * 2])
    see("indices", torch.vmap(lambda i: embedding(i, table, sparse=case))(at))
    see("tables", torch.vmap(lambda w: embedding(at[0], w, sparse=case))(tables))
    see("both", torch.vmap(lambda i, w: embedding(i, w, sparse=case))(at, tables))
