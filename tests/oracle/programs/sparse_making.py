"""Sparse tensors: made, taken apart, converted, printed."""

from tests.oracle.registry import program

PLACES, VALUES = [[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0]


def coo(torch, **options):
    return torch.sparse_coo_tensor(PLACES, VALUES, (2, 3), **options)


@program(rules="S-1")
def a_coo_tensor_has_places_and_values(torch, see):
    s = coo(torch)
    see("it", s)
    see("dense", s.to_dense(), expect=[[0, 0, 3], [4, 0, 5]])
    see("flags", [s.is_sparse, s.is_sparse_csr, s.layout is torch.sparse_coo, s.is_leaf])
    see("sizes", [s.sparse_dim(), s.dense_dim(), s._nnz(), s.numel(), s.dim(), len(s)])
    see(
        "of a dense one",
        [torch.ones(2).sparse_dim(), torch.ones(2).dense_dim(), torch.ones(2).is_sparse],
    )
    see("shape", tuple(s.shape))
    see("type", [s.type().rpartition("sparse.")[2], str(s.dtype).rpartition(".")[2]])


@program(rules="S-1")
def the_size_may_be_left_to_the_indices(torch, see):
    see("least", tuple(torch.sparse_coo_tensor(PLACES, VALUES).shape), expect=(2, 3))
    see("only a size", torch.sparse_coo_tensor((2, 3)))
    see("only a size, double", torch.sparse_coo_tensor(size=(2, 3), dtype=torch.float64))
    see("integers", torch.sparse_coo_tensor([[0, 1], [1, 0]], [1, 2]))
    see("dense dims", torch.sparse_coo_tensor(PLACES, [[1.0, 2], [3, 4], [5, 6]]))
    see("one dimension", torch.sparse_coo_tensor([[3, 1]], [1.0, 2.0]))
    see("nothing stored", torch.sparse_coo_tensor([[], []], [], (2, 2)))
    see("other type", coo(torch, dtype=torch.float64, requires_grad=True))


@program(rules="S-1")
def equal_places_add_up(torch, see):
    s = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 4.0], (2, 2))
    see("dense", s.to_dense(), expect=[[0, 3], [4, 0]])
    see("stored", [s._nnz(), s.coalesce()._nnz()], expect=[3, 2])
    rows = torch.sparse_coo_tensor([[2, 0, 2]], [[1.0, 2], [3, 4], [5, 6]], (3, 2))
    see("rows", rows.to_dense(), expect=[[3, 4], [0, 0], [6, 8]])
    see("coalesced rows", rows.coalesce().values(), expect=[[3, 4], [6, 8]])


@program(rules="S-1")
def what_does_not_fit_is_refused(torch, see):
    make = torch.sparse_coo_tensor
    see.raises("too few indices", lambda: make([[0], [1]], VALUES, (2, 3)), phrase="same nnz")
    see.raises(
        "too many dims", lambda: make(PLACES, VALUES, (2, 3, 4)), phrase="sparse_dim + dense_dim"
    )
    see.raises("one dim", lambda: make([0, 1], [1.0, 2.0], (2,)))


@program(rules="S-1")
def constructors_of_old(torch, see):
    i, v = torch.tensor(PLACES), torch.tensor(VALUES)
    see("float", torch.sparse.FloatTensor(i, v, torch.Size([2, 3])))
    see("long", torch.sparse.LongTensor(i, v.long()))
    see("sizes", torch.sparse.FloatTensor(2, 3))
    see("nothing", tuple(torch.sparse.FloatTensor().shape))


@program(rules="S-2")
def places_and_values_are_those_of_coalesced_tensors(torch, see):
    s = coo(torch)
    see("fresh", s.is_coalesced(), expect=False)
    see.raises("indices", s.indices, phrase="uncoalesced tensor, please call .coalesce() first")
    see.raises("values", s.values, phrase="uncoalesced tensor, please call .coalesce() first")
    c = s.coalesce()
    see("coalesced", [c.is_coalesced(), c.coalesce() is c])
    see("parts", [c.indices(), c.values(), s._indices(), s._values()])
    see("said so", coo(torch, is_coalesced=True).is_coalesced(), expect=True)
    see("by conversion", torch.eye(2).to_sparse().is_coalesced(), expect=True)
    leaf = coo(torch).requires_grad_()
    see("outside autograd", [leaf._values().requires_grad, leaf._indices().requires_grad])


@program(rules="S-3")
def by_rows_and_by_columns(torch, see):
    s = coo(torch)
    csr, csc = s.to_sparse_csr(), s.to_sparse_csc()
    see("csr", [csr.crow_indices(), csr.col_indices(), csr.values(), csr._nnz()])
    see("csc", [csc.ccol_indices(), csc.row_indices(), csc.values()])
    see(
        "flags",
        [csr.is_sparse, csr.is_sparse_csr, csr.layout is torch.sparse_csr, csc.is_sparse_csr],
    )
    see("dense", [csr.to_dense(), csc.to_dense()])
    see("transposed", csr.t())
    see("its layout", csr.t().layout is torch.sparse_csc, expect=True)
    see("back", csr.to_sparse_coo())
    see("from dense", torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse(layout=torch.sparse_csr))
    see("again", csr.to_sparse_csr() is csr, expect=True)
    see.raises(
        "rows of COO",
        s.crow_indices,
        phrase="expected sparse row compressed tensor layout",
    )
    see.raises(
        "indices of CSR", csr.indices, phrase="indices expected sparse coordinate tensor layout"
    )
    see.raises(
        "values of dense", torch.ones(2).values, phrase="values expected sparse tensor layout"
    )
    see.raises(
        "coalesce of dense", torch.ones(2).coalesce, phrase="coalesce expected sparse coordinate"
    )
    see.raises("_nnz of dense", torch.ones(2)._nnz)


@program(rules="S-3")
def compressed_tensors_from_their_parts(torch, see):
    starts, others = [0, 1, 3], [2, 0, 2]
    see("csr", torch.sparse_csr_tensor(starts, others, VALUES, (2, 3)))
    see("csr, no size", torch.sparse_csr_tensor(starts, others, VALUES))
    see("csc", torch.sparse_csc_tensor([0, 1, 1, 3], [1, 0, 1], VALUES, (2, 3)))
    see(
        "by layout",
        torch.sparse_compressed_tensor(starts, others, VALUES, (2, 3), layout=torch.sparse_csr),
    )
    see("unsorted", torch.sparse_csr_tensor([0, 0, 3], [2, 0, 1], VALUES, (2, 3)).to_dense())
    leaf = torch.sparse_csr_tensor(
        starts, others, VALUES, (2, 3), dtype=torch.float64, requires_grad=True
    )
    see("leaf", leaf)


@program(rules="S-2 S-3")
def conversions_keep_what_is_there(torch, see):
    dense = torch.tensor([[[0.0, 1.0], [0.0, 0.0]], [[2.0, 0.0], [3.0, 4.0]]])
    see("all dims sparse", dense.to_sparse())
    see("one", dense.to_sparse(1))
    see("two", dense.to_sparse(2))
    see("dense", dense.to_sparse(1).to_dense())
    see("transposed", dense.to_sparse().transpose(0, 2))
    see("permuted", dense.to_sparse().permute(2, 0, 1))
    see("to double", dense.to_sparse().double())
    see("clone", coo(torch).clone())
    see("zeros like", torch.zeros_like(coo(torch)))
    see("masked", torch.tensor([[1.0, 2, 3], [4, 5, 6]]).sparse_mask(coo(torch).coalesce()))
    see("diagonals", torch.sparse.spdiags(
        torch.tensor([[1.0, 2, 3], [4, 5, 6]]), torch.tensor([0, -1]), (3, 3)
    ))  # fmt: skip
    see("joined", torch.cat([coo(torch), coo(torch)], 1))


@program(rules="S-13")
def printing_shows_parts_and_layout(torch, see):
    def text(tensor):
        return str(tensor).replace(torch.__name__ + ".", "")

    see("coo", text(coo(torch)))
    see("leaf", text(coo(torch, dtype=torch.float64, requires_grad=True)))
    see("csr", text(coo(torch).to_sparse_csr()))
    see("csc", text(coo(torch).to_sparse_csc()))
    see("empty", text(torch.sparse_coo_tensor((2, 3))))
    see("rows", text(torch.sparse_coo_tensor([[2, 0]], [[1.0, 2], [3, 4]], (3, 2))))
    see("history", text(coo(torch).requires_grad_().to_sparse_csr()))
    see("long", text(torch.arange(3000.0).reshape(50, 60).to_sparse()))


@program(rules="S-14")
def indices_outside_are_refused(torch, see):
    for name, places in (("too large", [[0, 1], [2, 3]]), ("negative", [[0, -1], [2, 0]])):
        see.differs(
            name, see.outcome(lambda p=places: torch.sparse_coo_tensor(p, [1.0, 2.0], (2, 3)).shape),
            torch=(2, 3), vizgrad=RuntimeError, because="a later product would read other memory",
        )  # fmt: skip
    see.differs(
        "starts", see.outcome(lambda: torch.sparse_csr_tensor([0, 1, 2], [2, 0, 2], VALUES, (2, 3)).shape),
        torch=(2, 3), vizgrad=RuntimeError, because="a later product would read other memory",
    )  # fmt: skip


@program(rules="S-11")
def what_a_layout_has_not_is_refused_by_name(torch, see):
    s = coo(torch)
    see.raises("exp", s.exp, phrase="Could not run 'aten::exp'")
    see.raises("cos", s.cos, phrase="Could not run 'aten::cos'")
    see.raises("sigmoid", s.sigmoid)
    see.raises("equal elements", lambda: s == s, phrase="Could not run 'aten::eq")
    see.raises("a slice", lambda: s[:1], phrase="Could not run")
    see.raises("a view", lambda: s.view(3, 2), phrase="Could not run 'aten::view'")
    see.raises("ones like", lambda: torch.ones_like(s), phrase="Could not run 'aten::fill_")
    see.raises("softmax", lambda: torch.softmax(s, 1))
    see.raises("numpy", s.numpy, phrase="Use Tensor.to_dense() first")
    see.raises(
        "assignment", lambda: s.__setitem__(0, 1.0), phrase="Cannot assign to a sparse tensor"
    )
    see.raises(
        "address",
        s.data_ptr,
        phrase="Cannot access data pointer of Tensor that doesn't have storage",
    )
    see.raises("truth", lambda: bool(s))
