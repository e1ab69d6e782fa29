"""What is done inside of transforms: memory of their own, hooks, norms with statistics, complex numbers."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_MAKERS = ("new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided")


def _point(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64)


@program(
    rules="D-4 T-30", each=["new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided"]
)
def memory_made_beside_an_example_is_written_to(torch, see, case):
    """It is a batch: what differs between examples may be put there (of what is only made, it may not)."""
    given = {"new_full": ((3,), 2.0), "new_empty_strided": ((3,), (1,))}.get(case, ((3,),))

    def filled(x):
        made = getattr(x, case)(*given)
        made[:] = 1
        made[1:] += x[1:] ** 2
        return made

    x = _point(torch, 2, 3)
    see("vmap", torch.vmap(filled)(x))
    see("of a vmap", torch.vmap(torch.vmap(filled))(_point(torch, 2, 2, 3)))
    see("gradients", torch.vmap(torch.func.grad(lambda t: filled(t).sum()))(x))
    see("other shapes", torch.vmap(lambda t: t.new_full((2, 2), 3.0))(x))
    see.raises("plain memory", lambda: torch.vmap(lambda t: torch.zeros(3).copy_(t.float()))(x))


@program(rules="E-70 C-5", each=["grad", "vmap", "jacrev", "outside"])
def hooks_of_what_a_transform_computes(torch, see, case):
    seen = []

    def f(x):
        y = x.sin()
        y.register_hook(lambda g: seen.append(tuple(g.shape)))
        y.register_hook(lambda g: g * 2)
        return y.exp().sum()

    x = _point(torch, 2, 3)
    if case == "grad":
        see("doubled", torch.func.grad(f)(x))
    elif case == "vmap":
        see("doubled", torch.vmap(torch.func.grad(f))(x))
        see("twice", torch.vmap(torch.vmap(torch.func.grad(f)))(_point(torch, 2, 2, 3)))
    elif case == "jacrev":
        see("doubled", torch.func.jacrev(lambda t: f(t)[None])(x))
    else:  # what is seen inside of a vmap does not require grad
        x.requires_grad_()
        see.raises("refused", lambda: torch.vmap(f)(x), phrase="cannot register a hook")
    see("shapes", seen)


@program(rules="C-4", each=["jacrev", "jacfwd", "hessian"])
def jacobians_of_complex_numbers_are_refused(torch, see, case):
    jacobian, x = getattr(torch.func, case), _point(torch, 2)
    see.raises(
        "inputs", lambda: jacobian(lambda z: (z * z.conj()).real)(x + 1j * x), phrase="to be real"
    )
    see.raises("outputs", lambda: jacobian(lambda t: t * 1j)(x), phrase="to be real")
    see.raises("another", lambda: jacobian(lambda t, z: t * 2)(x, x + 1j), phrase="to be real")


@program(rules="C-7 C-9")
def norms_that_keep_statistics(torch, see):
    func, norm, x = torch.func, torch.nn.BatchNorm1d(3).double(), _point(torch, 4, 3)
    for name, call in {
        "grad": lambda: func.grad(lambda t: norm(t).exp().sum())(x),
        "vjp": lambda: func.vjp(norm, x)[0],
        "jvp": lambda: func.jvp(norm, (x,), (x,)),
    }.items():
        see.raises(name, call, phrase="would mutate a captured Tensor")
    see("nothing was written", [norm.running_mean, norm.num_batches_tracked])
    parameters = {name: p.detach() for name, p in norm.named_parameters()}
    buffers = {name: b.clone() for name, b in norm.named_buffers()}

    def loss(parameters, buffers):
        return func.functional_call(norm, (parameters, buffers), (x,)).exp().sum()

    see("given", func.grad(loss)(parameters, buffers))
    see("and moved", buffers)
    parameters, buffers = func.stack_module_state([norm, norm])
    see("an ensemble", func.vmap(func.grad(loss))(parameters, buffers))
    see("and moved, each", buffers)


@program(rules="C-6 M-20", each=["inference_mode", "no_grad"])
def modes_outside_change_nothing(torch, see, case):
    func, mode, x = torch.func, getattr(torch, case), _point(torch, 3)

    def values(t):
        return t.sin() * t[0]

    with mode():
        for name, given in (("of outside", x), ("made in it", _point(torch, 3, seed=1))):
            see(f"{name}: grad", func.grad(lambda t: values(t).sum())(given))
            see(f"{name}: vjp", func.vjp(values, given)[1](given))
            see(f"{name}: jvp", func.jvp(values, (given,), (given,)))
            see(f"{name}: jacrev", func.jacrev(values)(given))
            see(f"{name}: jacfwd", func.jacfwd(values)(given))
            see(f"{name}: hessian", func.hessian(lambda t: values(t).sum())(given))
            see(f"{name}: vmap", torch.vmap(func.grad(lambda t: values(t).sum()))(given[None]))
            found = func.grad(lambda t: values(t).sum())(given)
            see(f"{name}: what it is", [found.is_inference(), found.requires_grad])
        if case == "no_grad":  # in inference mode PyTorch's linearize gives zeros
            see("linearize", func.linearize(values, x)[1](x))
        see("the mode is as it was", [torch.is_inference_mode_enabled(), torch.is_grad_enabled()])


@program(rules="C-7", each=["grad", "vmap", "jvp"])
def nothing_retains_its_gradient(torch, see, case):
    def f(x):
        y = x.sin()
        y.retain_grad()
        return y.sum()

    x = _point(torch, 2, 3)
    calls = {
        "grad": lambda: torch.func.grad(f)(x),
        "vmap": lambda: torch.vmap(torch.func.grad(f))(x),
        "jvp": lambda: torch.func.jvp(f, (x,), (x,)),
    }
    see.raises(
        "refused",
        calls[case],
        phrase="can't retain_grad" if case == "jvp" else "Tensor.retain_grad()",
    )
