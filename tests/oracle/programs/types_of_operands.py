"""Operands of two types: what takes them, what refuses them, and of which type the result is."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_SPD = [[4.0, 1.0], [1.0, 3.0]]
_LOWER = [[2.0, 0.0], [1.0, 1.5]]
_SQUARE = [[1.0, 2.0], [-0.5, 3.0]]
_STACK = [_SQUARE, _SPD]

#: Name -> (call, operands): linear algebra of two operands.
_PRODUCTS = {
    "cholesky_solve": (lambda t, a, b: t.cholesky_solve(a, b), _SQUARE, _LOWER),
    "cholesky_solve, upper": (lambda t, a, b: t.cholesky_solve(a, b, upper=True), _SQUARE, _SPD),
    "triangular_solve": (lambda t, a, b: t.triangular_solve(a, b, upper=False)[0], _SQUARE, _LOWER),
    "solve_triangular": (lambda t, a, b: t.linalg.solve_triangular(a, b, upper=False), _LOWER, _SQUARE),
    "solve": (lambda t, a, b: t.linalg.solve(a, b), _SPD, _SQUARE),
    "lstsq": (lambda t, a, b: t.linalg.lstsq(a, b)[0], _SPD, _SQUARE),
    "lu_solve": (lambda t, a, b: t.linalg.lu_solve(*t.linalg.lu_factor(a), b), _SPD, _SQUARE),
    "householder_product": (lambda t, a, b: t.linalg.householder_product(a, b[0] / 4), _LOWER, _SQUARE),
    "ormqr": (lambda t, a, b: t.ormqr(a, a[0] / 4, b), _LOWER, _SQUARE),
    "mm": (lambda t, a, b: t.mm(a, b), _SQUARE, _SPD),
    "bmm": (lambda t, a, b: t.bmm(a, b), _STACK, _STACK),
    "mv": (lambda t, a, b: t.mv(a, b[0]), _SQUARE, _SPD),
    "dot": (lambda t, a, b: t.dot(a[0], b[0]), _SQUARE, _SPD),
    "vdot": (lambda t, a, b: t.vdot(a[0], b[0]), _SQUARE, _SPD),
    "inner": (lambda t, a, b: t.inner(a, b), _SQUARE, _SPD),
    "outer": (lambda t, a, b: t.outer(a[0], b[0]), _SQUARE, _SPD),
    "kron": (lambda t, a, b: t.kron(a, b), _SQUARE, _SPD),
    "tensordot": (lambda t, a, b: t.tensordot(a, b, 1), _SQUARE, _SPD),
    "einsum": (lambda t, a, b: t.einsum("ij,kj->ik", a, b), _SQUARE, _SPD),
    "chain_matmul": (lambda t, a, b: t.chain_matmul(a, b, a), _SQUARE, _SPD),
    "multi_dot": (lambda t, a, b: t.linalg.multi_dot([a, b]), _SQUARE, _SPD),
    "vecdot": (lambda t, a, b: t.linalg.vecdot(a, b), _SQUARE, _SPD),
    "addmm, addend": (lambda t, a, b: t.addmm(a, b, b), _SQUARE, _SPD),
    "addmm, factors": (lambda t, a, b: t.addmm(a, a, b), _SQUARE, _SPD),
    "addmv": (lambda t, a, b: t.addmv(a[0], b, b[0]), _SQUARE, _SPD),
    "addbmm": (lambda t, a, b: t.addbmm(a[0], b, b), _STACK, _STACK),
    "baddbmm": (lambda t, a, b: t.baddbmm(a, a, b), _STACK, _STACK),
    "addr": (lambda t, a, b: t.addr(a, b[0], b[1]), _SQUARE, _SPD),
    "addr, factors": (lambda t, a, b: t.addr(a, a[0], b[1]), _SQUARE, _SPD),
    "addcmul": (lambda t, a, b: t.addcmul(a, a, b), _SQUARE, _SPD),
    "addcdiv": (lambda t, a, b: t.addcdiv(a, a, b), _SQUARE, _SPD),
    "lerp": (lambda t, a, b: t.lerp(a, b, 0.5), _SQUARE, _SPD),
    "cdist": (lambda t, a, b: t.cdist(a, b), _SQUARE, _SPD),
    "linear": (lambda t, a, b: t.nn.functional.linear(a, b), _SQUARE, _SPD),
    "linear, bias": (lambda t, a, b: t.nn.functional.linear(a, a, b[0]), _SQUARE, _SPD),
    "bilinear": (lambda t, a, b: t.nn.functional.bilinear(a, a, b), _SQUARE, _STACK),
    "conv1d": (lambda t, a, b: t.nn.functional.conv1d(a, b), _STACK, _STACK),
    "embedding_bag": (
        lambda t, a, b: t.nn.functional.embedding_bag(
            t.tensor([[0, 1]]), a, per_sample_weights=b[:1], mode="sum"
        ),
        _SQUARE,
        _SPD,
    ),
}  # fmt: skip
_TYPES = [
    ("float32", "float64"), ("float64", "float32"), ("float32", "complex64"), ("complex64", "float32"),
    ("complex128", "float32"), ("complex64", "complex128"), ("float32", "int64"), ("int64", "float32"),
    ("float16", "float32"), ("float32", "float16"),
]  # fmt: skip


@program(rules="Y-5", each=list(_PRODUCTS))
def the_type_of_a_result_is_taken_from_all_operands(torch, see, case):
    call, *values = _PRODUCTS[case]
    for types in _TYPES:
        if types[0] == "float16" and case in ("cdist", "lu_solve"):
            continue  # PyTorch has neither for halves
        given = []
        for value, name in zip(values, types, strict=True):
            x = torch.tensor(value, dtype=getattr(torch, name))
            given.append(x * (1 + 0.5j) if name.startswith("complex") else x)
        see.attempt(f"{types}", lambda g=given: call(torch, *g))


@program(rules="Y-5", each=["cholesky_solve", "triangular_solve"])
def solvers_with_a_factor_want_one_type(torch, see, case):
    solve = getattr(torch, case)
    factor = torch.eye(2)
    for dtype in ("float64", "complex64", "int64"):
        b = torch.tensor([[1], [3]], dtype=getattr(torch, dtype))
        see.raises(
            dtype, lambda b=b: solve(b, factor), phrase="Expected b and A to have the same dtype"
        )
        see.raises(f"{dtype}, in batches", lambda b=b: solve(b.expand(3, 2, 1), factor),
                   phrase="Expected b and A to have the same dtype")  # fmt: skip
    see.raises("ranks", lambda: solve(torch.ones(2), factor))
    see.raises("ranks of the factor", lambda: solve(torch.ones(2, 1), torch.ones(2)))
    b = torch.tensor([[1 + 2j], [3j]]).requires_grad_()
    y = solve(b, factor.to(torch.complex64))
    y = y if case == "cholesky_solve" else y[0]
    see("complex", y, expect=[[1 + 2j], [3j]])
    see("gradient", torch.autograd.grad(y.abs().sum(), b)[0])


@program(rules="Y-5")
def masks_of_attention_are_of_the_type_of_the_query_or_single(torch, see):
    attend = torch.nn.functional.scaled_dot_product_attention
    for query in ("float32", "float64", "float16", "bfloat16"):
        q = torch.tensor([wave(3, 2)], dtype=getattr(torch, query))
        for mask in ("float32", "float64", "float16", "bfloat16", "int64", "complex64", "bool"):
            m = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]).to(getattr(torch, mask))
            see.attempt(f"{query} {mask}", lambda q=q, m=m: attend(q, q, q, m))


@program(rules="Y-5")
def tolerances_are_real(torch, see):
    a = torch.tensor(_SPD)
    for name in ("pinv", "matrix_rank"):
        call = getattr(torch.linalg, name)
        for which in ("atol", "rtol"):
            see.raises(f"{name} {which}", lambda c=call, w=which: c(a, **{w: torch.tensor(1j)}),
                       phrase="tensor of complex type is not supported")  # fmt: skip
            see(f"{name} {which}: real", call(a, **{which: torch.tensor(0.3)}))
    see("recorded", torch.linalg.matrix_rank(a, tol=torch.tensor(0.3, requires_grad=True)))
