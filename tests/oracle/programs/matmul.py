"""The matrix product family."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_SHAPES = {
    "vectors": ((3,), (3,)),
    "matrix vector": ((2, 3), (3,)),
    "vector matrix": ((3,), (3, 2)),
    "matrices": ((2, 3), (3, 4)),
    "batch matrix": ((2, 2, 3), (3, 2)),
    "matrix batch": ((2, 3), (2, 3, 2)),
    "batch vector": ((2, 2, 3), (3,)),
    "vector batch": ((3,), (2, 3, 2)),
    "batches": ((2, 2, 3), (2, 3, 2)),
    "broadcast batches": ((2, 1, 2, 3), (3, 3, 2)),
}


@program(rules="T-16", each=_SHAPES.items())
def matmul_of_all_shapes(torch, see, case):
    name, (left, right) = case
    see.derivatives(name, torch.matmul, wave(*left), wave(*right, seed=1))
    see.derivatives("@", lambda a, b: a @ b, wave(*left), wave(*right, seed=1), twice=False)


@program(rules="T-39")
def named_products(torch, see):
    see.derivatives("mm", torch.mm, wave(2, 3), wave(3, 2, seed=1))
    see.derivatives("bmm", torch.bmm, wave(2, 2, 3), wave(2, 3, 2, seed=1))
    see.derivatives("mv", torch.mv, wave(2, 3), wave(3, seed=1))
    see.derivatives("dot", torch.dot, wave(3), wave(3, seed=1))
    see.derivatives("outer", torch.outer, wave(2), wave(3, seed=1))
    see.derivatives("float32", torch.mm, wave(2, 3), wave(3, 2, seed=1), dtype="float32")


@program(rules="T-39")
def products_with_addition(torch, see):
    a, b, c = wave(2, 2, seed=2), wave(2, 3), wave(3, 2, seed=1)
    see.derivatives("addmm", torch.addmm, a, b, c)
    see.derivatives("scaled", lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2), a, b, c)
    see.derivatives("broadcast bias", torch.addmm, wave(2, seed=2), b, c)
    see.derivatives("addmv", torch.addmv, wave(2), b, wave(3, seed=1))
    see.derivatives("baddbmm", torch.baddbmm, wave(2, 2, 2), wave(2, 2, 3), wave(2, 3, 2, seed=1))


@program(rules="T-39")
def transposed_operands(torch, see):
    see.derivatives("left", lambda a, b: a.t() @ b, wave(3, 2), wave(3, 2, seed=1))
    see.derivatives("right", lambda a, b: a @ b.t(), wave(2, 3), wave(2, 3, seed=1))
    see.derivatives("both", lambda a, b: a.T @ b.T, wave(3, 2), wave(2, 3, seed=1))
    see.derivatives("with itself", lambda a: a @ a.t(), wave(2, 3))
    see.derivatives("squared", lambda a: a @ a, wave(2, 2))


@program(rules="T-16")
def sizes_that_do_not_fit(torch, see):
    a, b = torch.ones(2, 3), torch.ones(2, 3)
    see.raises(
        "mm",
        lambda: torch.mm(a, b),
        phrase="mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    )
    see.raises("matmul", lambda: a @ b, phrase="cannot be multiplied (2x3 and 2x3)")
    see.raises("mv", lambda: torch.mv(a, torch.ones(2)))
    see.raises("dot", lambda: torch.dot(torch.ones(2), torch.ones(3)))
    see.raises("bmm", lambda: torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 2, 3)))
    see.raises("mm of vectors", lambda: torch.mm(torch.ones(2), a))
    see.raises("0-dim", lambda: torch.tensor(1.0) @ a)


@program(
    rules="T-39",
    each=("i,i->", "ij,jk->ik", "bij,bjk->bik", "ij->ji", "ii->i", "i,j->ij", "bij,kj->bik"),
)
def einsum(torch, see, equation):
    sizes = {"i": 2, "j": 3, "k": 2, "b": 2}
    operands = [
        wave(*(sizes[letter] for letter in term), seed=n)
        for n, term in enumerate(equation.partition("->")[0].split(","))
    ]
    see.derivatives(equation, lambda *t: torch.einsum(equation, *t), *operands)


@program(rules="T-6 T-39")
def integer_products(torch, see):
    a = torch.arange(6).reshape(2, 3)
    see("mm", a @ a.t(), expect=[[5, 14], [14, 50]])
    see("dot", torch.dot(torch.tensor([1, 2]), torch.tensor([3, 4])), expect=11)
