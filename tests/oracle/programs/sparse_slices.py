"""Slices of sparse tensors: by number, by several numbers, with a new dimension."""

from tests.oracle.registry import program

_MADE = {
    "coo": lambda t: t.sparse_coo_tensor(
        t.tensor([[0, 2, 0, 1, 0], [3, 0, 1, 2, 1]]), t.tensor([-2.0, 0.5, 1.0, 3.0, 4.0]), (3, 4)
    ),
    "coalesced": lambda t: _MADE["coo"](t).coalesce(),
    "blocks": lambda t: t.sparse_coo_tensor(
        t.tensor([[0, 2, 2]]), t.tensor([[1.0, 2.0], [3.0, -4.0], [1.0, 1.0]]), (3, 2)
    ),
    "cube": lambda t: t.sparse_coo_tensor(
        t.tensor([[0, 1, 1], [2, 0, 2], [1, 1, 0]]), t.tensor([1.0, 2.0, 3.0]), (2, 3, 2)
    ),
    "nothing": lambda t: t.sparse_coo_tensor(size=(2, 3)),
}
_SLICES = {
    "[0]": lambda t, s: s[0], "[-1]": lambda t, s: s[-1], "[0, 1]": lambda t, s: s[0, 1],
    "[1, 0]": lambda t, s: s[1, 0], "[:, 1]": lambda t, s: s.select(1, 1), "[None]": lambda t, s: s[None],
    "select": lambda t, s: s.select(-1, 0), "unsqueeze": lambda t, s: s.unsqueeze(1),
    "unsqueeze last": lambda t, s: s.unsqueeze(-1), "first": lambda t, s: s.unbind(0)[0],
    "all": lambda t, s: t.stack([row.to_dense() for row in s]),
    "stacked": lambda t, s: t.stack([s, s], 1), "rows": lambda t, s: s.index_select(0, t.tensor([1, 0, 1])),
    "columns": lambda t, s: t.index_select(s, 1, t.tensor([1, 1, 0])),
    "none": lambda t, s: s.index_select(0, t.tensor([], dtype=t.int64)),
    "beyond": lambda t, s: s[7], "a row beyond": lambda t, s: s.index_select(0, t.tensor([7])),
    "no such dim": lambda t, s: s.index_select(5, t.tensor([0])), "range": lambda t, s: s[0:2],
    "steps": lambda t, s: s[::2], "by a tensor": lambda t, s: s[t.tensor([0, 1])],
    "narrow": lambda t, s: s.narrow(0, 0, 1), "abs": lambda t, s: s.abs(), "sign": lambda t, s: s.sign(),
}  # fmt: skip


@program(rules="S-18 S-11", each=list(_SLICES))
def slices_of_sparse_tensors(torch, see, name):
    for kind, make in _MADE.items():
        if (kind, name) in (("blocks", "a row beyond"), ("nothing", "a row beyond")):
            continue  # PyTorch's class depends on what is stored
        s = make(torch).requires_grad_()

        def sliced(s=s):
            out = _SLICES[name](torch, s)
            dense = out.to_dense() if out.is_sparse else out
            return [str(out.layout).rpartition(".")[2], list(out.shape), dense.detach()]

        see.attempt(f"{kind}: values", sliced)

        def gradient(s=s):
            out = _SLICES[name](torch, s)
            grad = torch.autograd.grad(out.sum(), s)[0]
            return [str(grad.layout).rpartition(".")[2], grad.to_dense()]

        see.attempt(f"{kind}: gradient", gradient)


@program(rules="S-18")
def rows_of_a_matrix_by_rows_are_coo(torch, see):
    s = torch.tensor([[0.0, 1, 0], [2, 0, 3]]).to_sparse_csr()
    for name, row in {
        "row": s[0],
        "column": s.select(-1, 2),
        "select": s.select(1, 0),
        "element": s[1, 2],
    }.items():
        see(name, row.to_dense())
        see(f"{name}, layout", str(row.layout).rpartition(".")[2])
    see.raises("rows", lambda: s.index_select(0, torch.tensor([0])))
