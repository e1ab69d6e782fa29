"""Settings of how products are computed, and constructors by element type."""

from tests.oracle.registry import program


@program(rules="X-16")
def threads_are_set_and_asked(torch, see):
    before = torch.get_num_threads()
    for number in (1, 2):
        torch.set_num_threads(number)
        see(f"{number}", torch.get_num_threads(), expect=number)
        a = torch.ones(300, 300)
        see(f"a product by {number}", (a @ a).sum().item())
    torch.set_num_threads(before)
    for name in ("set_num_threads", "set_num_interop_threads"):
        setting = getattr(torch, name)
        for wrong in (0, -1):
            see.raises(
                f"{name}({wrong})", lambda n=wrong, s=setting: s(n), phrase="a positive integer"
            )
        for wrong in (1.5, "2", True, None):
            see.raises(
                f"{name}({wrong!r})", lambda n=wrong, s=setting: s(n), phrase="expects an int"
            )
    see.raises("a keyword", lambda: torch.set_num_threads(num=1))
    see("between", torch.get_num_interop_threads() >= 1)


@program(rules="X-16")
def precision_of_matrix_products(torch, see):
    matmul = torch.backends.cuda.matmul
    see("at first", [torch.get_float32_matmul_precision(), matmul.allow_tf32])
    for name in ("high", "medium", "highest"):
        torch.set_float32_matmul_precision(name)
        see(name, [torch.get_float32_matmul_precision(), matmul.allow_tf32])
    for allowed in (True, False):
        matmul.allow_tf32 = allowed
        see(f"allow_tf32 {allowed}", torch.get_float32_matmul_precision())
    see.warns(
        "a wrong word", lambda: torch.set_float32_matmul_precision("bad"), phrase="not one of"
    )
    see("nothing changed", torch.get_float32_matmul_precision(), expect="highest")
    see.raises("no word", lambda: torch.set_float32_matmul_precision(1), phrase="expects a str")


_TYPES = [
    "BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short",
]  # fmt: skip


@program(rules="X-16", each=_TYPES)
def tensors_are_made_by_type(torch, see, name):
    cls = getattr(torch, f"{name}Tensor")
    for what, x in {
        "list": cls([1, 0, 2]), "nothing": cls(), "of a tensor": cls(torch.ones(2).to(cls.dtype)),
    }.items():  # fmt: skip
        see(what, x.double())
        see(f"{what}, type", [x.type().partition(".")[2], isinstance(x, cls)])
    see("sizes", list(cls(2, 3).shape))
    see("no other", isinstance(torch.ones(1, dtype=torch.complex64), cls))
    see("converted", torch.tensor([1.5, 0.0]).type(cls).double())
    if name != "Bool":
        sparse = getattr(torch.sparse, f"{name}Tensor")
        made = sparse(torch.tensor([[0, 2]]), cls([3, 4]), (3,))
        see("sparse", made.to_dense().double())
        see("sparse, type", [made.type().partition(".")[2], isinstance(made, sparse)])
        see("sparse sizes", sparse(2, 3).to_dense().double())
