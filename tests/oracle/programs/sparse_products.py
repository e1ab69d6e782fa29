"""Products, sums and arithmetic of sparse tensors, and their gradients."""

from tests.oracle.data import wave
from tests.oracle.registry import program

PLACES, VALUES = [[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0]


def leaf(torch, layout="coo", repeated=False):
    places, values = PLACES, VALUES
    if repeated:
        places, values = [[1, 0, 1, 1], [2, 2, 0, 2]], [2.0, 3.0, 4.0, 3.0]
    s = torch.sparse_coo_tensor(places, values, (2, 3), dtype=torch.float64)
    return (s if layout == "coo" else s.to_sparse_csr()).detach().requires_grad_()


def dense(torch, *shape):
    return torch.tensor(wave(*shape), dtype=torch.float64).requires_grad_()


def gradients(torch, see, name, out, **inputs):
    """The result and the gradients of a weighted sum of it."""
    see(name, out)
    see(f"{name}: node", out.grad_fn)
    whole = out.to_dense()
    weights = (
        torch.tensor(wave(*whole.shape), dtype=torch.float64) if whole.dim() else torch.tensor(2.0)
    )
    (whole * weights).sum().backward()
    for key, tensor in inputs.items():
        see(f"{name}: {key}", tensor.grad)
        tensor.grad = None


LAYOUTS = ("coo", "csr", "repeated")


def _leaf(torch, case):
    return leaf(torch, "csr" if case == "csr" else "coo", case == "repeated")


@program(rules="S-5", each=LAYOUTS)
def products_with_dense_matrices(torch, see, case):
    s, d, left, b = _leaf(torch, case), dense(torch, 3, 2), dense(torch, 4, 2), dense(torch, 2, 2)
    v = dense(torch, 3)
    gradients(torch, see, "mm", torch.mm(s, d), sparse=s, dense=d)
    gradients(torch, see, "operator", s @ d, sparse=s, dense=d)
    gradients(torch, see, "spmm", torch.spmm(s, d), sparse=s, dense=d)
    gradients(torch, see, "matmul", torch.matmul(s, d), sparse=s, dense=d)
    gradients(
        torch, see, "addmm", torch.addmm(b, s, d, beta=0.5, alpha=2), bias=b, sparse=s, dense=d
    )
    gradients(torch, see, "mv", s.mv(v), sparse=s, vector=v)
    gradients(torch, see, "by a vector", s @ v, sparse=s, vector=v)
    gradients(torch, see, "from the left", left @ s, sparse=s, dense=left)


@program(rules="S-5", each=LAYOUTS)
def sparse_mm_gives_the_sparse_operand_a_sparse_gradient(torch, see, case):
    s, d, b = _leaf(torch, case), dense(torch, 3, 2), dense(torch, 2, 2)
    gradients(torch, see, "mm", torch.sparse.mm(s, d), sparse=s, dense=d)
    gradients(
        torch,
        see,
        "addmm",
        torch.sparse.addmm(b, s, d, beta=0.5, alpha=2),
        bias=b,
        sparse=s,
        dense=d,
    )


@program(rules="S-5")
def an_adjacency_matrix_without_gradient(torch, see):
    s, d = leaf(torch).detach(), dense(torch, 3, 2)
    gradients(torch, see, "once", torch.spmm(s, d), dense=d)
    gradients(torch, see, "twice", torch.spmm(s.t(), torch.spmm(s, d)), dense=d)
    gradients(torch, see, "sparse.mm", torch.sparse.mm(s, d), dense=d)
    half = torch.sparse.mm(s.float(), torch.ones(3, 2))
    see("float32", half)


@program(rules="S-5")
def stacks_of_matrices(torch, see):
    stack = torch.tensor([[[1.0, 0.0], [0.0, 2.0]], [[0.0, 3.0], [4.0, 0.0]]], dtype=torch.float64)
    s, d = stack.to_sparse().requires_grad_(), dense(torch, 2, 2, 3)
    out = torch.bmm(s.detach(), d)
    see("value", out)
    gradients(torch, see, "dense", out, dense=d)


@program(rules="S-5")
def what_does_not_fit_is_refused(torch, see):
    s = leaf(torch)
    wrong = torch.ones(2, 2, dtype=torch.float64)
    see.raises("sizes", lambda: torch.mm(s, wrong))
    see.raises(
        "sizes of sparse.mm",
        lambda: torch.sparse.mm(s, wrong),
        phrase="Expected dim 0 size 3, got 2",
    )
    see.raises("types", lambda: torch.sparse.mm(s, torch.ones(3, 2)))


@program(rules="S-5")
def products_of_two_sparse_matrices(torch, see):
    a, b = leaf(torch), leaf(torch).detach().t().coalesce().requires_grad_()
    out = torch.sparse.mm(a, b)
    see("product", out)
    see("node", out.grad_fn)
    (out.to_dense() * torch.tensor(wave(2, 2), dtype=torch.float64)).sum().backward()
    see("gradients", [a.grad.to_dense(), b.grad.to_dense()])
    see("value of mm", torch.mm(a.detach(), b.detach()))


@program(rules="S-4")
def values_of_a_new_tensor_get_what_arrives_at_their_places(torch, see):
    i = torch.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
    v = dense(torch, 4)
    s = torch.sparse_coo_tensor(i, v, (2, 3))
    see("history", [s.requires_grad, s.is_leaf])
    gradients(torch, see, "through to_dense", s, values=v)
    d = dense(torch, 3, 2)
    gradients(
        torch, see, "through sparse.mm", torch.sparse.mm(torch.sparse_coo_tensor(i, v, (2, 3)), d),
        values=v, dense=d,
    )  # fmt: skip
    gradients(torch, see, "through coalesce", s.detach().requires_grad_().coalesce())
    rows = dense(torch, 2, 2)
    gradients(torch, see, "rows", torch.sparse_coo_tensor([[2, 0]], rows, (3, 2)), values=rows)
    gradients(
        torch,
        see,
        "by rows",
        torch.sparse_csr_tensor([0, 1, 3], [2, 0, 2], v[:3], (2, 3)),
        values=v,
    )


@program(rules="S-4", each=LAYOUTS)
def conversions(torch, see, case):
    s = _leaf(torch, case)
    gradients(torch, see, "to_dense", s.to_dense(), sparse=s)
    if case == "coo":
        gradients(torch, see, "coalesced values", s.coalesce().values() * 2, sparse=s)
        gradients(torch, see, "to_sparse_csr", s.to_sparse_csr(), sparse=s)
    if case == "csr":
        gradients(torch, see, "values", s.values() * 2, sparse=s)
    gradients(torch, see, "double", s.detach().float().requires_grad_().double())
    d = dense(torch, 2, 3)
    gradients(torch, see, "from dense", d.to_sparse(), dense=d)
    gradients(torch, see, "from dense, rows", d.to_sparse(1), dense=d)
    gradients(torch, see, "from dense, csr", d.to_sparse_csr(), dense=d)
    mask = leaf(torch).detach().coalesce()
    gradients(torch, see, "masked", d.sparse_mask(mask), dense=d)


@program(rules="S-6")
def arithmetic(torch, see):
    s, d = leaf(torch), dense(torch, 2, 3)
    gradients(torch, see, "times a number", s * 2, sparse=s)
    gradients(torch, see, "a number times", 2 * s, sparse=s)
    gradients(torch, see, "over a number", s / 4, sparse=s)
    gradients(torch, see, "negated", -s, sparse=s)
    gradients(torch, see, "squared", s**2, sparse=s)
    gradients(torch, see, "sum", s + s, sparse=s)
    gradients(torch, see, "difference", s - s * 3, sparse=s)
    gradients(torch, see, "product", s * s, sparse=s)
    gradients(torch, see, "times dense", s * d, sparse=s, dense=d)
    gradients(torch, see, "dense times", d * s, sparse=s, dense=d)
    gradients(torch, see, "dense plus", d + s, sparse=s, dense=d)
    gradients(torch, see, "transposed", s.t(), sparse=s)
    gradients(torch, see, "transpose(0, 1)", s.transpose(0, 1), sparse=s)
    gradients(torch, see, "clone", s.clone(), sparse=s)
    gradients(torch, see, "sum of all", s.sum(), sparse=s)
    see("sqrt", s.detach().sqrt())
    see("relu", s.detach().relu())
    see("abs", (-s.detach()).abs())


@program(rules="S-6")
def sparse_before_dense_is_refused(torch, see):
    s, d = leaf(torch), dense(torch, 2, 3)
    see.raises(
        "plus dense",
        lambda: s + d,
        phrase="add(sparse, dense) is not supported",
    )
    see.raises("plus a number", lambda: s + 1, phrase="add(sparse, dense) is not supported")
    see.raises(
        "over dense",
        lambda: s / d,
        phrase="Sparse division requires a scalar",
    )
    see.raises("to the 0", lambda: s**0, phrase="cannot raise to zeroth power on sparse tensor")


@program(rules="S-6")
def in_place(torch, see):
    s = leaf(torch).detach()
    other = s * 2
    see("mul_", s.mul_(2))
    see("version", s._version)
    see("add_", s.add_(s.clone()))
    see("copy_", s.copy_(other))
    see("zero_", s.zero_())
    d = torch.ones(2, 3, dtype=torch.float64)
    see("dense add_", d.add_(other, alpha=2))
    see("dense sub_", d.sub_(other))
    see("dense version", d._version)


@program(rules="S-7", each=("once", "repeated"))
def sums(torch, see, case):
    s = leaf(torch, repeated=case == "repeated")
    gradients(torch, see, "all", torch.sparse.sum(s), sparse=s)
    gradients(torch, see, "columns", torch.sparse.sum(s, 0), sparse=s)
    gradients(torch, see, "rows", torch.sparse.sum(s, dim=1), sparse=s)
    gradients(torch, see, "both", torch.sparse.sum(s, (0, 1)), sparse=s)
    see("in double", torch.sparse.sum(s.detach().float(), 0, dtype=torch.float64))
    blocks = torch.sparse_coo_tensor(
        [[2, 0, 2]], dense(torch, 3, 2).detach(), (3, 2)
    ).requires_grad_()
    gradients(torch, see, "dense dims", torch.sparse.sum(blocks, 1), sparse=blocks)
    gradients(torch, see, "sparse dims", torch.sparse.sum(blocks, 0), sparse=blocks)


@program(rules="S-7", each=("softmax", "log_softmax"))
def softmaxes(torch, see, name):
    of = getattr(torch.sparse, name)
    i = [[0, 0, 1, 1, 1, 2], [0, 2, 0, 1, 2, 1]]
    v = dense(torch, 6)
    for dim in (0, 1):
        s = torch.sparse_coo_tensor(i, v.detach() * 3, (4, 3)).requires_grad_()
        gradients(torch, see, f"dim {dim}", of(s, dim), sparse=s)
    made = torch.sparse_coo_tensor(i, v, (4, 3))
    d = dense(torch, 3, 2)
    gradients(torch, see, "attention", torch.sparse.mm(of(made, 1), d), values=v, dense=d)
    blocks = torch.sparse_coo_tensor(
        [[1, 0, 2]], dense(torch, 3, 2).detach(), (3, 2)
    ).requires_grad_()
    gradients(torch, see, "rows", of(blocks, 0), sparse=blocks)
    gradients(torch, see, "columns", of(blocks, 1), sparse=blocks)


@program(rules="S-17", each=("softmax", "log_softmax"))
def a_negative_dim_counts_from_the_last(torch, see, name):
    of = getattr(torch.sparse, name)
    weights = torch.tensor(wave(4, 3), dtype=torch.float64)

    def gradient(dim):
        s = torch.sparse_coo_tensor(
            [[0, 0, 1, 1, 1, 2], [0, 2, 0, 1, 2, 1]], dense(torch, 6).detach(), (4, 3)
        ).requires_grad_()
        out = of(s, dim)
        see(f"value, {dim}", out)
        (out.to_dense() * weights).sum().backward()
        return s.grad.to_dense()

    see.differs(
        "the same as from the first", bool((gradient(1) - gradient(-1)).abs().max() < 1e-12),
        torch=False, vizgrad=True, because="PyTorch sums gradients over the wrong groups",
    )  # fmt: skip


@program(rules="S-17")
def second_derivatives_go_through_to_dense(torch, see):
    v, d = dense(torch, 3), dense(torch, 3, 2)

    def first(made):
        s = made([[0, 1, 1], [2, 0, 2]], v)
        return torch.autograd.grad((s @ d).pow(2).sum(), (v, d), create_graph=True)

    def sparse(i, v):
        return torch.sparse_coo_tensor(i, v, (2, 3)).to_dense()

    def plain(i, v):
        return torch.zeros(2, 3, dtype=torch.float64).index_put(tuple(map(torch.tensor, i)), v)

    see("first", [g.detach() for g in first(sparse)])
    see.differs(
        "connected", [g.requires_grad for g in first(sparse)], torch=[False, True], vizgrad=[True, True],
        because="PyTorch loses the history of values",
    )  # fmt: skip
    see("dense", torch.autograd.grad(sum(g.pow(2).sum() for g in first(plain)), (v, d)))
    if torch.__name__ == "vizgrad":
        expected = torch.autograd.grad(sum(g.pow(2).sum() for g in first(plain)), (v, d))
        found = torch.autograd.grad(sum(g.pow(2).sum() for g in first(sparse)), (v, d))
        assert all(torch.allclose(a, b) for a, b in zip(expected, found, strict=True))


@program(rules="S-15")
def gradcheck_refuses_sparse_inputs(torch, see):
    s = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    fn = lambda x: torch.sparse.mm(x, torch.ones(2, 2, dtype=torch.float64))  # noqa: E731
    see.differs(
        "sparse", see.outcome(lambda: torch.autograd.gradcheck(fn, s, masked=True)),
        torch=True, vizgrad=NotImplementedError, because="values can be checked instead",
    )  # fmt: skip
    v = dense(torch, 2)
    made = lambda v: torch.sparse.mm(  # noqa: E731
        torch.sparse_coo_tensor([[0, 1], [1, 0]], v, (2, 2)), torch.ones(2, 2, dtype=torch.float64)
    )
    see("its values", torch.autograd.gradcheck(made, v), expect=True)
