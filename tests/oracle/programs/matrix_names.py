"""Matrix functions under LAPACK's names, and some of many eigenvalues."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_SHAPES = {"tall": (4, 3), "square": (3, 3), "wide": (2, 4), "two": (2, 3, 2), "no columns": (3, 0)}


def _matrix(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64).reshape(shape)


def _complex(torch, *shape):
    return torch.complex(_matrix(torch, *shape), _matrix(torch, *shape, seed=3))


@program(rules="X-16", each=_SHAPES)
def a_qr_decomposition_as_reflections(torch, see, name):
    for make in (_matrix, _complex):
        a = make(torch, *_SHAPES[name])
        kind = "complex" if a.is_complex() else "real"
        found = torch.geqrf(a)
        see(f"{kind} a", found.a)
        see(f"{kind} tau", found.tau)
        see(f"{kind} method", list(a.geqrf()))
        if a.shape[-2] >= a.shape[-1]:
            see(f"{kind} Q", torch.orgqr(found.a, found.tau))


@program(rules="X-16", each=["left", "left, transposed", "right", "right, transposed"])
def a_product_with_reflections(torch, see, name):
    left, transpose = name.startswith("left"), name.endswith("transposed")
    for make in (_matrix, _complex):
        h, tau = torch.geqrf(make(torch, 4, 3))
        other = make(torch, 4, 2) if left else make(torch, 2, 4)
        leaves = [t.clone().requires_grad_() for t in (h, tau, other)]
        made = torch.ormqr(*leaves, left, transpose)
        kind = "complex" if other.is_complex() else "real"
        see(f"{kind} value", made)
        see(
            f"{kind} gradient",
            torch.autograd.grad(made.abs().pow(2).sum() + made.real.sum(), leaves),
        )
        see(
            f"{kind} of many",
            torch.ormqr(*(torch.stack([t, t]) for t in (h, tau, other)), left, transpose),
        )


@program(rules="X-16 X-33")
def what_reflections_refuse(torch, see):
    a = _matrix(torch, 4, 3)
    h, tau = torch.geqrf(a)
    other = _matrix(torch, 4, 2)
    for what, call in {
        "a vector": lambda: torch.geqrf(a[0]),
        "other a vector": lambda: torch.ormqr(h, tau, other[0]),
        "tau": lambda: torch.ormqr(h, tau[:1], other),
        "rows": lambda: torch.ormqr(h, tau, other[:2]),
        "types": lambda: torch.ormqr(h, tau, other.float()),
        "ranks": lambda: torch.ormqr(h, tau, other[None]),
    }.items():
        see.raises(what, call, phrase="torch." + ("geqrf" if what == "a vector" else "ormqr"))
    see.raises("integers", lambda: torch.geqrf(a.long()), phrase="geqrf")
    of_leaf = torch.geqrf(a.requires_grad_())
    see("requires grad", of_leaf.a.requires_grad, expect=True)
    see("tau requires grad", of_leaf.tau.requires_grad, expect=True)
    see("node", of_leaf.tau.grad_fn.name(), expect="GeqrfBackward0")
    see.raises("backward", lambda: of_leaf.a.sum().backward(), phrase="geqrf")


def _symmetric(torch, size):
    a = _matrix(torch, size, size)
    return a @ a.mT + torch.diag(torch.arange(1.0, size + 1)).double()


@program(rules="X-16")
def some_eigenvalues_of_a_symmetric_matrix(torch, see):
    a = _symmetric(torch, 9)
    b = torch.diag(torch.arange(1.0, 10.0)).double()
    for what, args, options in (
        ("one", (a,), {}),
        ("two", (a, 2), {}),
        ("least", (a, 2), {"largest": False}),
        ("of two matrices", (a, 2, b), {}),
        ("of many", (torch.stack([a, a + b]), 2), {}),
        ("of a sparse one", (a.to_sparse(), 1), {}),
        ("as many as X has", (a,), {"X": _matrix(torch, 9, 2)}),
    ):
        values, vectors = torch.lobpcg(*args, niter=-1, tol=1e-12, **options)
        see(f"{what}: values", values)
        see(f"{what}: planes", vectors.abs())
    x = a.clone().requires_grad_()
    see("gradient", torch.autograd.grad(torch.lobpcg(x, 2, niter=-1, tol=1e-12)[0].sum(), x))
    see.raises("too many", lambda: torch.lobpcg(a, 4), phrase="smaller than 3 x")


@program(rules="X-16 X-33")
def a_linear_map_and_cross_entropy_in_one(torch, see):
    loss = torch.nn.functional.linear_cross_entropy
    for what, x, w, target, options in (
        ("rows", (3, 4), (5, 4), [1, 0, 4], {}),
        ("sum", (3, 4), (5, 4), [1, 0, 4], {"reduction": "sum"}),
        ("none", (3, 4), (5, 4), [1, -100, 4], {"reduction": "none"}),
        ("ignored", (3, 4), (5, 4), [1, 0, 4], {"ignore_index": 4}),
        ("smooth", (3, 4), (5, 4), [1, 0, 4], {"label_smoothing": 0.25}),
        ("one", (4,), (5, 4), 3, {}),
        ("several dims", (2, 4), (3, 2, 4), [[1, 0], [2, 2]], {}),
    ):
        leaves = [_matrix(torch, *x), _matrix(torch, *w, seed=1), _matrix(torch, *w[:-1], seed=2)]
        leaves = [t.requires_grad_() for t in leaves]
        made = loss(leaves[0], leaves[1], torch.tensor(target), linear_bias=leaves[2], **options)
        see(what, made)
        see(f"{what}: gradient", torch.autograd.grad(made.sum(), leaves))
        see(f"{what}: no bias", loss(leaves[0], leaves[1], torch.tensor(target), **options))
    x, w = torch.ones(3, 4), torch.ones(5, 4)
    target = torch.tensor([1, 0, 4])
    shares = torch.full((3, 5), 0.2)
    see("probabilities", loss(x, w, shares, weight=torch.arange(5.0)))
    for what, call, phrase in (
        ("ignored share", lambda: loss(x, w, shares, ignore_index=1), "ignore_index"),
        ("rank of input", lambda: loss(x[None], w, target), "dimensionality"),
        ("rank of weight", lambda: loss(x, w[0], target), "dimensionality"),
        ("features", lambda: loss(x[:, :2], w, target), "in_features"),
        ("bias", lambda: loss(x, w, target, linear_bias=x), "linear_bias"),
        ("several dims of one", lambda: loss(x[0], w[None], target), "requires batched input"),
    ):
        see.raises(what, call, phrase=phrase)


@program(rules="X-16")
def copies_of_what_a_compressed_matrix_stores(torch, see):
    dense = torch.tensor([[1.0, 0, 2], [0, 3, 0]], dtype=torch.float64)
    rows = dense.to_sparse_csr().requires_grad_()
    made = torch.values_copy(rows)
    see("values", made)
    see("node", made.grad_fn.name())
    see("a view", made._is_view(), expect=False)
    see("crow", torch.crow_indices_copy(rows))
    see("col", torch.col_indices_copy(rows))
    columns = dense.to_sparse_csc()
    see("ccol", torch.ccol_indices_copy(columns))
    see("row", torch.row_indices_copy(columns))
    see.raises("crow of columns", lambda: torch.crow_indices_copy(columns), phrase="row compressed")
    see.raises("row of rows", lambda: torch.row_indices_copy(rows), phrase="column compressed")
    see.raises("indices of rows", lambda: torch.indices_copy(rows), phrase="sparse coordinate")
    see.raises("dense", lambda: torch.values_copy(dense), phrase="sparse tensor layout")
    see.raises("a number", lambda: torch.values_copy(1), phrase="must be Tensor")
