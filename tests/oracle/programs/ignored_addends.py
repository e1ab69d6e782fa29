"""Sums of an addend and a product of which one has the factor 0."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")

#: Name -> the shapes of the addend and of both factors.
_SHAPES = {
    "addr": ((2, 3), (2,), (3,)),
    "addmv": ((2,), (2, 3), (3,)),
    "addmm": ((2, 3), (2, 4), (4, 3)),
    "addbmm": ((2, 3), (4, 2, 5), (4, 5, 3)),
    "baddbmm": ((4, 2, 3), (4, 2, 5), (4, 5, 3)),
}
#: Those of the small products that PyTorch leaves out where alpha is 0.
_LEFT_OUT = ("addmv", "addmm", "addbmm")


def _given(torch, name, bad=None, dtype="float64"):
    given = []
    for number, shape in enumerate(_SHAPES[name]):
        x = torch.tensor(wave(*shape, seed=number), dtype=getattr(torch, dtype))
        given.append(x if number != bad else torch.full_like(x, _NAN))
    return given


def _seen(torch, see, name, call, given):
    leaves = [x.requires_grad_() for x in given]
    y = call(*leaves)
    see(name, y)
    first = torch.autograd.grad(y, leaves, torch.ones_like(y), create_graph=True)
    see(f"{name}: gradients", [g.detach() for g in first])
    second = sum(g.pow(2).sum() for g in first if g.requires_grad)
    see(f"{name}: second", torch.autograd.grad(second, leaves[1:]))


@program(rules="Y-6", each=list(_SHAPES))
def beta_zero_ignores_the_addend(torch, see, case):
    for beta in (0, 0.0):
        for value in (_NAN, _INF):
            given = _given(torch, case)
            given[0].fill_(value)
            _seen(
                torch,
                see,
                f"{beta} {value}",
                lambda *x, b=beta: getattr(torch, case)(*x, beta=b, alpha=2),
                given,
            )
            out = torch.empty_like(given[0])
            detached = [x.detach() for x in given]
            getattr(torch, case)(*detached, beta=beta, out=out)
            see(f"{beta} {value}: out", out)
            row = detached[0].reshape(-1)[: _SHAPES[case][0][-1]]
            see(f"{beta} {value}: broadcast", getattr(torch, case)(row, *detached[1:], beta=beta))
            written = detached[0].clone()
            see(f"{beta} {value}: in place", getattr(written, case + "_")(*detached[1:], beta=beta))


@program(rules="Y-6", each=list(_SHAPES))
def beta_zero_in_place_with_history(torch, see, case):
    given = _given(torch, case, bad=0)

    def written(a, b, c):
        return getattr(a.clone(), case + "_")(b, c, beta=0, alpha=3)

    _seen(torch, see, "in place", written, given)
    y = written(*given)
    see("node", y.grad_fn.name())


@program(rules="Y-6", each=_LEFT_OUT)
def alpha_zero_ignores_a_product_of_matrices(torch, see, case):
    for bad in (1, 2):
        given = _given(torch, case, bad)
        see(f"{bad}", getattr(torch, case)(*given, alpha=0))
        see(f"{bad}: beta", getattr(torch, case)(*given, alpha=0, beta=2))
        see(f"{bad}: both", getattr(torch, case)(*given, alpha=0, beta=0))
        see(f"{bad}: in place", getattr(given[0].clone(), case + "_")(*given[1:], alpha=0))


@program(rules="Y-6", each=["addr", "addcmul", "addcdiv", "add", "sub", "baddbmm"])
def what_is_multiplied_by_zero_elsewhere_is_nan(torch, see, case):
    nan, one = torch.full((2, 3), _NAN), torch.ones(2, 3)
    if case == "addr":
        see("value", torch.addr(one, nan[:, 0], one[0], alpha=0))
    elif case == "baddbmm":
        see("value", torch.baddbmm(one[None], nan[None, :, :2], torch.ones(1, 2, 3), alpha=0))
    elif case in ("add", "sub"):
        see("value", getattr(torch, case)(one, nan, alpha=0))
    else:
        see("value", getattr(torch, case)(one, nan, one, value=0))


@program(rules="Y-6", each=["addr", "addbmm"])
def sums_of_products_are_one_node(torch, see, case):
    given = [x.requires_grad_() for x in _given(torch, case)]
    see.graph("history", getattr(torch, case)(*given, beta=2, alpha=3))
    see.derivatives("derivatives", lambda *x: getattr(torch, case)(*x, beta=2, alpha=3),
                    *[wave(*s, seed=n) for n, s in enumerate(_SHAPES[case])])  # fmt: skip
    inputs, tangents = _given(torch, case), _given(torch, case, dtype="float64")
    call = getattr(torch, case)
    see("tangent", torch.func.jvp(lambda *x: call(*x, beta=0), tuple(inputs), tuple(tangents)))
    stacked = [torch.stack([x, x * 2]) for x in inputs]
    for dims in [(0, 0, 0), (None, 0, None), (0, None, None), (None, None, 0)]:
        one = [s if d == 0 else x for s, x, d in zip(stacked, inputs, dims, strict=True)]
        see(f"batched {dims}", torch.func.vmap(lambda *x: call(*x, beta=2), dims)(*one))
        see(f"batched {dims}, 0", torch.func.vmap(lambda *x: call(*x, beta=0), dims)(*one))


@program(rules="Y-6")
def sums_of_products_of_other_types(torch, see):
    i = torch.tensor([1, 2])
    f = torch.tensor([0.5, 2.0])
    b = torch.tensor([True, False])
    for name, (x, y, z) in {
        "whole": (torch.ones(2, 2, dtype=torch.int64), i, i),
        "mixed": (torch.ones(2, 2), i, f),
        "flags": (torch.zeros(2, 2, dtype=torch.bool), b, b),
        "a number": (torch.tensor(3.0), f, f),
        "double": (torch.ones(2, 2), f.double(), f),
        "complex": (torch.ones(2, 2), f * 1j, f),
        "half": (torch.ones(2, 2).half(), f.half(), f.half()),
    }.items():
        see(name, torch.addr(x, y, z))
        see(f"{name}, 0", torch.addr(x, y, z, beta=False if name == "flags" else 0))
        see.attempt(f"{name}, in place", lambda x=x, y=y, z=z: x.clone().addr_(y, z))
    see.raises("ranks", lambda: torch.addr(f, f, torch.ones(2, 2)))
    see.raises("sizes", lambda: torch.addr(torch.ones(3, 2), f, f))
    see.raises(
        "shapes", lambda: torch.addbmm(torch.ones(3, 2), torch.ones(1, 2, 2), torch.ones(1, 2, 2))
    )
    see.raises(
        "leaf", lambda: torch.ones(2, 2, requires_grad=True).addr_(f, f), phrase="leaf Variable"
    )
