"""What forward mode refuses by name, and what it goes through: sparse tensors, checkpoints, module hooks."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _dense(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64)


def _tangent(torch, f, x):
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        return tuple(forward.unpack_dual(f(forward.make_dual(x, x.detach() * 2))))


@program(rules="A-6 S-5")
def sparse_results(torch, see):
    x, places = _dense(torch, 2, 3), torch.tensor([[0, 0, 1], [0, 2, 1]])
    pattern = torch.sparse_coo_tensor(places, torch.ones(3, dtype=torch.float64), (2, 3)).coalesce()
    rows = pattern.to_sparse_csr()
    for name, f in {
        "made of values": lambda t: torch.sparse_coo_tensor(places, t[0], (2, 3)),
        "and on": lambda t: torch.sparse_coo_tensor(places, t[0], (2, 3)).to_dense(),
        "by rows": lambda t: torch.sparse_csr_tensor(
            rows.crow_indices(), rows.col_indices(), t[0], (2, 3)
        ),
        "to_sparse": torch.Tensor.to_sparse,
        "of blocks": lambda t: t.to_sparse(1),
        "to_sparse_csr": torch.Tensor.to_sparse_csr,
        "to_sparse_csc": torch.Tensor.to_sparse_csc,
        "sparse_mask": lambda t: t.sparse_mask(pattern),
        "values": lambda t: t.to_sparse().values(),
    }.items():
        see.raises(name, lambda f=f: _tangent(torch, f, x), phrase="Trying to use forward AD with")
    for name, make in {"primal": lambda: (pattern, x), "tangent": lambda: (x, pattern)}.items():

        def dual(make=make):
            with torch.autograd.forward_ad.dual_level():
                torch.autograd.forward_ad.make_dual(*make())

        see.raises(f"a sparse {name}", dual, phrase="Cannot access storage of")


@program(rules="A-6")
def lookups_whose_gradient_is_sparse(torch, see):
    table, at = _dense(torch, 4, 3), torch.tensor([0, 3, 0])
    look_up = torch.nn.functional.embedding
    see("tangent", _tangent(torch, lambda w: look_up(at, w, sparse=True), table))


@program(rules="A-6 A-9 H-2 H-3", each=[False, True])
def checkpoints(torch, see, case):
    x, checkpoint = _dense(torch, 3), torch.utils.checkpoint.checkpoint

    def inner(t):
        return (t * 2).sin().exp()

    see("not reentrant", _tangent(torch, lambda t: checkpoint(inner, t, use_reentrant=False),
                                  x.clone().requires_grad_(case)))  # fmt: skip
    see("jvp", torch.func.jvp(lambda t: checkpoint(inner, t, use_reentrant=False), (x,), (x * 2,)))
    see("jacfwd", torch.func.jacfwd(lambda t: checkpoint(inner, t, use_reentrant=False))(x))
    see("vmap", torch.vmap(lambda t: checkpoint(inner, t, use_reentrant=False))(x))
    see.raises(
        "reentrant", phrase="implement the jvp function for custom autograd.Function",
        fn=lambda: _tangent(torch, lambda t: checkpoint(inner, t, use_reentrant=True),
                              x.clone().requires_grad_(case)),
    )  # fmt: skip
    for name, transform in {
        "jvp": lambda f: torch.func.jvp(f, (x,), (x,)),
        "vmap": lambda f: torch.vmap(f)(x),
    }.items():
        see.raises(
            f"{name} of a reentrant one", phrase="In order to use an autograd.Function with functorch",
            fn=lambda transform=transform: transform(lambda t: checkpoint(inner, t, use_reentrant=True)),
        )  # fmt: skip
    see.raises(
        "grad of one", phrase="don't yet support saved tensor hooks",
        fn=lambda: torch.func.grad(lambda t: checkpoint(inner, t, use_reentrant=False).sum())(x),
    )  # fmt: skip


class _Twice:
    """A module made for the case's library."""

    def __new__(cls, torch):
        module = torch.nn.Linear(3, 2, dtype=torch.float64)
        with torch.no_grad():
            module.weight.copy_(_dense(torch, 2, 3, seed=1))
            module.bias.copy_(_dense(torch, 2, seed=2))
        return module


@program(rules="A-6 A-9", each=["full", "pre", "forward", "before"])
def hooks_of_modules(torch, see, case):
    module, x = _Twice(torch), _dense(torch, 3)
    {
        "full": lambda: module.register_full_backward_hook(lambda m, given, found: (given[0] * 2,)),
        "pre": lambda: module.register_full_backward_pre_hook(lambda m, found: (found[0] * 2,)),
        "forward": lambda: module.register_forward_hook(lambda m, given, found: found * 2),
        "before": lambda: module.register_forward_pre_hook(lambda m, given: (given[0] * 2,)),
    }[case]()
    see("jvp", torch.func.jvp(module, (x,), (x * 2,)))
    see("jacfwd", torch.func.jacfwd(module)(x))
    see("vmap", torch.vmap(module)(torch.stack([x, -x])))
    if case in ("full", "pre"):
        phrase = "implement the jvp function for custom autograd.Function"
        see.raises("dual", lambda: _tangent(torch, module, x), phrase=phrase)
        see.raises(
            "grad", lambda: torch.func.grad(lambda t: module(t).sum())(x),
            phrase="In order to use an autograd.Function with functorch",
        )  # fmt: skip
        return
    see("dual", _tangent(torch, module, x.requires_grad_()))
    see("grad", torch.func.grad(lambda t: module(t).exp().sum())(x.detach()))
    see("jacrev", torch.func.jacrev(module)(x.detach()))
