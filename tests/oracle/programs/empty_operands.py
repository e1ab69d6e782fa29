"""Operands without elements, and without dimensions: products, decompositions, layers, indexing."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.derive import weights
from tests.oracle.registry import program


def _leaf(torch, *shape, seed=0):
    """Of any shape, also without elements."""
    made = torch.tensor(wave(*shape, low=0.3, high=1.4, seed=seed), dtype=torch.float64)
    return made.reshape(shape).requires_grad_()


def _derivatives(torch, see, fn, *leaves):
    """Values, what requires grad, gradients."""
    made = fn(*leaves)
    results = list(made) if isinstance(made, tuple) else [made]
    see("value", results)
    see("requires grad", [r.requires_grad for r in results])
    roots = [r for r in results if r.requires_grad]
    if roots:
        incoming = [weights(torch, r, seed=3 + i) for i, r in enumerate(roots)]
        see("gradient", torch.autograd.grad(roots, leaves, incoming, materialize_grads=True))


_SIZES = [(m, k, n) for m in (0, 2) for k in (0, 3) for n in (0, 4)]
_PRODUCTS = {
    "mm": (lambda t, a, b: t.mm(a, b), "mk", "kn"),
    "mv": (lambda t, a, b: t.mv(a, b), "mk", "k"),
    "dot": (lambda t, a, b: t.dot(a, b), "k", "k"),
    "outer": (lambda t, a, b: t.outer(a, b), "m", "n"),
    "inner": (lambda t, a, b: t.inner(a, b), "mk", "nk"),
    "kron": (lambda t, a, b: t.kron(a, b), "mk", "kn"),
    "bmm": (lambda t, a, b: t.bmm(a, b), "2mk", "2kn"),
    "matmul, stack and matrix": (lambda t, a, b: a @ b, "2mk", "kn"),
    "matmul, matrix and stack": (lambda t, a, b: a @ b, "mk", "2kn"),
    "matmul, stack and vector": (lambda t, a, b: a @ b, "2mk", "k"),
    "matmul, vector and stack": (lambda t, a, b: a @ b, "k", "2kn"),
    "matmul of no stacks": (lambda t, a, b: a @ b, "0mk", "kn"),
    "addmm": (lambda t, c, a, b: t.addmm(c, a, b, beta=2, alpha=3), "n", "mk", "kn"),
    "addmm, beta 0": (lambda t, c, a, b: t.addmm(c, a, b, beta=0), "mn", "mk", "kn"),
    "addmv": (lambda t, c, a, b: t.addmv(c, a, b, beta=2), "m", "mk", "k"),
    "addr": (lambda t, c, a, b: t.addr(c, a, b, beta=2, alpha=3), "mn", "m", "n"),
    "addr, one row": (lambda t, c, a, b: t.addr(c, a, b), "n", "m", "n"),
    "addr, a number": (lambda t, c, a, b: t.addr(c, a, b), "", "m", "n"),
    "addbmm": (lambda t, c, a, b: t.addbmm(c, a, b, alpha=2), "mn", "2mk", "2kn"),
    "baddbmm": (lambda t, c, a, b: t.baddbmm(c, a, b, beta=2), "2mn", "2mk", "2kn"),
    "tensordot": (lambda t, a, b: t.tensordot(a, b, ([0], [1])), "km", "nk"),
    "tensordot of none": (lambda t, a, b: t.tensordot(a, b, 0), "mk", "kn"),
    "einsum": (lambda t, a, b: t.einsum("ij,jk->ki", a, b), "mk", "kn"),
    "cdist": (lambda t, a, b: t.cdist(a, b, p=1), "mk", "nk"),
    "cdist, largest": (lambda t, a, b: t.cdist(a, b, p=float("inf")), "mk", "nk"),
    "linear": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), "2mk", "nk", "n"),
    "linear of one": (lambda t, x, w, b: t.nn.functional.linear(x, w, b), "k", "nk", "n"),
    "linear, no bias": (lambda t, x, w: t.nn.functional.linear(x, w), "mk", "nk"),
    "multi_dot": (lambda t, a, b, c: t.linalg.multi_dot([a, b, c]), "mk", "kn", "n2"),
    "cosine_similarity": (lambda t, a, b: t.nn.functional.cosine_similarity(a, b), "mk", "mk"),
}  # fmt: skip


def _shape(letters, m, k, n):
    return tuple({"m": m, "k": k, "n": n}.get(c) if c in "mkn" else int(c) for c in letters)


@program(rules="X-30 X-46", each=_PRODUCTS)
def products_with_nothing(torch, see, name):
    call, *shapes = _PRODUCTS[name]
    for sizes in _SIZES:
        leaves = [_leaf(torch, *_shape(s, *sizes), seed=i) for i, s in enumerate(shapes)]
        result = call(torch, *leaves)
        see(f"{sizes}: value", result)
        see(f"{sizes}: has a node", result.grad_fn is not None, expect=True)
        grads = torch.autograd.grad(result, leaves, weights(torch, result, seed=5))
        see(f"{sizes}: gradient", grads)


_SQUARE = {
    "det": lambda t, a: t.linalg.det(a),
    "slogdet": lambda t, a: tuple(t.linalg.slogdet(a)),
    "inv": lambda t, a: t.linalg.inv(a),
    "inv_ex": lambda t, a: tuple(t.linalg.inv_ex(a)),
    "solve": lambda t, a: t.linalg.solve(a, a),
    "solve_ex": lambda t, a: tuple(t.linalg.solve_ex(a, a)),
    "solve_triangular": lambda t, a: t.linalg.solve_triangular(a, a, upper=True),
    "cholesky": lambda t, a: t.linalg.cholesky(a @ a.mT),
    "cholesky_ex": lambda t, a: tuple(t.linalg.cholesky_ex(a @ a.mT)),
    "eigh": lambda t, a: t.linalg.eigh(a)[0],
    "eigvalsh": lambda t, a: t.linalg.eigvalsh(a),
    "lu": lambda t, a: tuple(t.linalg.lu(a)),
    "lu_factor": lambda t, a: tuple(t.linalg.lu_factor(a)),
    "lu_factor_ex": lambda t, a: tuple(t.linalg.lu_factor_ex(a)),
    "lu_solve": lambda t, a: t.linalg.lu_solve(*t.linalg.lu_factor(a), a),
    "matrix_exp": lambda t, a: t.linalg.matrix_exp(a),
    "matrix_power 0": lambda t, a: t.linalg.matrix_power(a, 0),
    "matrix_power 3": lambda t, a: t.linalg.matrix_power(a, 3),
    "matrix_power -2": lambda t, a: t.linalg.matrix_power(a, -2),
    "cond": lambda t, a: t.linalg.cond(a),
    "cond, fro": lambda t, a: t.linalg.cond(a, "fro"),
}


@program(rules="X-30 X-46", each=_SQUARE)
def square_matrices_without_elements(torch, see, name):
    for shape in [(0, 0), (2, 0, 0), (0, 2, 2)]:
        leaf = _leaf(torch, *shape)
        made = _SQUARE[name](torch, leaf)
        results = list(made) if isinstance(made, tuple) else [made]
        see(f"{shape}: value", results)
        see(f"{shape}: requires grad", [r.requires_grad for r in results])
        roots = [r for r in results if r.requires_grad]
        if roots:
            ones = [torch.ones_like(r) for r in roots]
            grads = torch.autograd.grad(roots, leaf, ones, materialize_grads=True)
            see(f"{shape}: gradient", grads)


_ANY = {
    "svd": lambda t, a: tuple(t.linalg.svd(a, full_matrices=False)),
    "svd, full": lambda t, a: tuple(t.linalg.svd(a, full_matrices=True)),
    "svdvals": lambda t, a: t.linalg.svdvals(a),
    "qr": lambda t, a: tuple(t.linalg.qr(a)),
    "qr, complete": lambda t, a: tuple(t.linalg.qr(a.detach(), mode="complete")),
    "qr, r": lambda t, a: tuple(t.linalg.qr(a.detach(), mode="r")),
    "pinv": lambda t, a: t.linalg.pinv(a),
    "matrix_rank": lambda t, a: t.linalg.matrix_rank(a),
    "lstsq": lambda t, a: t.linalg.lstsq(a, a).solution,
    "lu": lambda t, a: tuple(t.linalg.lu(a)),
    "norm": lambda t, a: t.linalg.norm(a),
    "norm, nuc": lambda t, a: t.linalg.matrix_norm(a, "nuc"),
    "vector_norm": lambda t, a: t.linalg.vector_norm(a, 3, dim=-1),
}


@program(rules="X-30", each=_ANY)
def matrices_without_elements(torch, see, name):
    for shape in [(0, 0), (0, 3), (3, 0), (2, 0, 3), (2, 3, 0), (0, 2, 3)]:
        leaf = _leaf(torch, *shape)
        made = _ANY[name](torch, leaf)
        results = list(made) if isinstance(made, tuple) else [made]
        if name.startswith(("svd", "qr", "lu")):  # of nothing, bases are whatever they are
            see(f"{shape}: shapes", [(tuple(r.shape), str(r.dtype)[-7:]) for r in results])
        else:
            see(f"{shape}: value", results)
        see(f"{shape}: requires grad", [r.requires_grad for r in results])


@program(rules="X-30")
def vander_of_nothing_and_with_no_columns(torch, see):
    for size, columns in [(0, None), (0, 3), (3, 0), (3, 1), (0, 0)]:
        x = torch.arange(1.0, size + 1)
        see(f"{size}, {columns}", torch.vander(x, columns))
    see("integers", torch.vander(torch.tensor([1, 2], dtype=torch.int32), 1))
    see.raises("fewer", lambda: torch.vander(torch.ones(2), -1), phrase="non-negative")
    see.raises(
        "linalg.vander", lambda: torch.linalg.vander(torch.ones(2), N=1), phrase="greater than 1"
    )


_NORMALIZED = {
    "batch_norm": lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True),
    "batch_norm, evaluated": lambda t, x: t.nn.functional.batch_norm(
        x, t.zeros(3, dtype=x.dtype), t.ones(3, dtype=x.dtype)
    ),
    "instance_norm": lambda t, x: t.nn.functional.instance_norm(x),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, x.shape[-1:]),
    "group_norm": lambda t, x: t.nn.functional.group_norm(x, 3),
    "rms_norm": lambda t, x: t.nn.functional.rms_norm(x, x.shape[-1:]),
    "local_response_norm": lambda t, x: t.nn.functional.local_response_norm(x, 2),
    "normalize": lambda t, x: t.nn.functional.normalize(x),
}


@program(rules="X-30 X-46", each=_NORMALIZED)
def normalizing_nothing(torch, see, name):
    for shape in [(0, 3, 4), (2, 3, 0), (0, 3, 0), (1, 3, 1)]:
        x = _leaf(torch, *shape)
        seen = see.outcome(partial(_NORMALIZED[name], torch, x))
        see.attempt(f"{shape}", partial(_NORMALIZED[name], torch, x))
        if hasattr(seen, "kind"):
            continue
        made = _NORMALIZED[name](torch, x)
        see(f"{shape}: gradient", torch.autograd.grad(made, x, torch.ones_like(made)))
