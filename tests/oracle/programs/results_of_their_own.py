"""Results that share no memory with an operand, and results that are outputs of one node."""

from tests.oracle.registry import program

#: name -> (function of (torch, x), shape of x): settings that leave every element where it is
IDENTITIES = {
    "matrix_power": (lambda torch, x: torch.matrix_power(x, 1), (2, 2)),
    "linalg.matrix_power": (lambda torch, x: torch.linalg.matrix_power(x, 1), (2, 2)),
    "chain_matmul": (lambda torch, x: torch.chain_matmul(x), (2, 2)),
    "pixel_shuffle": (lambda torch, x: torch.pixel_shuffle(x, 1), (1, 2, 2)),
    "pixel_unshuffle": (lambda torch, x: torch.pixel_unshuffle(x, 1), (1, 2, 2)),
    "channel_shuffle": (lambda torch, x: torch.channel_shuffle(x, 1), (1, 2, 2)),
    "diff": (lambda torch, x: torch.diff(x, 0), (3,)),
    "sum_to_size of a number": (lambda torch, x: x.sum_to_size(()), ()),
    "flip": (lambda torch, x: torch.flip(x, []), (3,)),
    "roll": (lambda torch, x: torch.roll(x, 0), (3,)),
    "rot90": (lambda torch, x: torch.rot90(x, 0), (2, 2)),
    "repeat": (lambda torch, x: x.repeat(1), (3,)),
    "tile": (lambda torch, x: torch.tile(x, (1,)), (3,)),
    "repeat_interleave": (lambda torch, x: torch.repeat_interleave(x, 1), (3,)),
    "pad": (lambda torch, x: torch.nn.functional.pad(x, (0, 0)), (1, 3)),
    "circular pad": (lambda torch, x: torch.nn.functional.pad(x, (0, 0), mode="circular"), (1, 3)),
    "reflect pad": (lambda torch, x: torch.nn.functional.pad(x, (0, 0), mode="reflect"), (1, 3)),
    "cat": (lambda torch, x: torch.cat([x]), (3,)),
    "cumsum": (lambda torch, x: x.cumsum(0), (1,)),
    "tril": (lambda torch, x: x.tril(5), (2, 2)),
    "triu": (lambda torch, x: x.triu(-5), (2, 2)),
    "diagflat": (lambda torch, x: torch.diagflat(x), (1,)),
    "interpolate": (lambda torch, x: torch.nn.functional.interpolate(x, scale_factor=1), (1, 1, 3)),
    "avg_pool1d": (lambda torch, x: torch.nn.functional.avg_pool1d(x, 1), (1, 1, 3)),
    "unfold of images": (lambda torch, x: torch.nn.functional.unfold(x, 1), (1, 1, 1, 3)),
    "narrow_copy": (lambda torch, x: x.narrow_copy(0, 0, 3), (3,)),
    "sum of nothing": (lambda torch, x: x.sum(), ()),
    "max": (lambda torch, x: x.max(), ()),
    "sort": (lambda torch, x: x.sort(0)[0], ()),
    "softshrink of 0": (lambda torch, x: torch.nn.functional.softshrink(x, 0.0), (3,)),
    "lerp": (lambda torch, x: x.lerp(x, 0.0), (3,)),
    "fftn over no dims": (lambda torch, x: torch.fft.fftn(x + 0j, dim=(0,), s=(3,)), (3,)),
    "kron": (lambda torch, x: torch.kron(torch.ones(1), x), (3,)),
    "power": (lambda torch, x: x**1, (3,)),
    "nan_to_num": (lambda torch, x: torch.nan_to_num(x), (3,)),
    "masked_fill": (lambda torch, x: x.masked_fill(x < 0, 0.0), (3,)),
    "index_add of nothing": (
        lambda torch, x: x.index_add(0, torch.tensor([], dtype=torch.int64), torch.empty(0)),
        (3,),
    ),
}


@program(rules="X-41", each=tuple(IDENTITIES))
def an_identity_gives_a_copy(torch, see, name):
    fn, shape = IDENTITIES[name]
    x = torch.arange(4.0)[: 3 if shape == (3,) else 4]
    x = x.reshape(shape) if x.numel() == _size(shape) else torch.ones(shape)
    before = x.clone()
    y = fn(torch, x)
    y.add_(1)
    see("the operand", torch.equal(x, before), expect=True)
    leaf = before.clone().requires_grad_()
    made = fn(torch, leaf * 1)
    (g,) = torch.autograd.grad(
        (made * made.conj()).real.sum() if made.is_complex() else (made * made).sum(), leaf
    )
    see("gradient", g)


def _size(shape):
    count = 1
    for n in shape:
        count *= n
    return count


@program(rules="X-41", each=("ij->ij", "ij->ji", "...->...", "i...->...i"))
def an_einsum_that_only_renames(torch, see, equation):
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    y = torch.einsum(equation, x)
    see("the operand itself", y is x, expect=False)
    see("a view of it", y._base is x, expect=True)
    y.mul_(2)
    see("operand", x)


@program(rules="X-12")
def operations_with_several_outputs_are_one_node(torch, see):
    x = torch.tensor([[1.5, 2.0, 4.0], [0.5, 3.0, 1.0], [2.0, 1.0, 6.0]], dtype=torch.float64)
    x.requires_grad_()
    for name, fn in {
        "var_mean": lambda: torch.var_mean(x),
        "var_mean of a dim": lambda: torch.var_mean(x, 1, keepdim=True),
        "var_mean, biased": lambda: torch.var_mean(x, False),
        "std_mean": lambda: torch.std_mean(x, 0, correction=0),
        "aminmax": lambda: torch.aminmax(x),
        "aminmax of a dim": lambda: torch.aminmax(x, dim=1),
        "slogdet": lambda: torch.linalg.slogdet(x),
        "complex slogdet": lambda: torch.linalg.slogdet(x + 1j * x.mT),
    }.items():
        outputs = [y for y in fn() if y.requires_grad]
        see(f"{name}: nodes", [(y.grad_fn.name(), y.output_nr) for y in outputs])
        see(f"{name}: one", len({id(y.grad_fn) for y in outputs}))
        see(f"{name}: values", [y.detach() for y in outputs])
        for which, chosen in (("both", outputs), ("first", outputs[:1]), ("second", outputs[1:])):
            total = sum(
                ((y * y.conj()).real if y.is_complex() else y * y).sum() * (i + 1)
                for i, y in enumerate(chosen)
            )
            (g,) = torch.autograd.grad(total, x, create_graph=True, allow_unused=True)
            see(f"{name}: {which}", None if g is None else g.detach())
            if g is not None and g.requires_grad:
                see(
                    f"{name}: {which}, again",
                    torch.autograd.grad((g * g).sum(), x, retain_graph=True)[0],
                )


@program(rules="X-12")
def several_outputs_and_saved_tensors(torch, see):
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=torch.float64, requires_grad=True)
    for name, fn in {
        "var_mean": torch.var_mean,
        "std_mean": torch.std_mean,
        "aminmax": torch.aminmax,
        "eigh": torch.linalg.eigh,
        "svd": torch.linalg.svd,
        "qr": torch.linalg.qr,
    }.items():
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
            first = next(y for y in fn(x) if y.requires_grad)
        see(f"{name}: packed", len(packed) > 0, expect=True)
        first.abs().sum().backward()
        see.raises(
            f"{name}: again",
            first.abs().sum().backward,
            phrase="backward through the graph a second time",
        )
        y = fn(x * 1)[0]
        base = x * 1
        y = fn(base)[0]
        if name in ("var_mean", "std_mean", "aminmax"):
            base.add_(1)
            see.raises(
                f"{name}: written", y.sum().backward, phrase="modified by an inplace operation"
            )
