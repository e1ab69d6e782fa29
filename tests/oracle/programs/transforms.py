"""torch.func: grad, vjp, jvp, vmap and their compositions."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _point(torch, seed=0):
    return torch.tensor(wave(3, seed=seed), dtype=torch.float64)


@program(rules="C-1")
def grad_and_value(torch, see):
    func, x, y = torch.func, _point(torch), _point(torch, 1)

    def f(a, b):
        return (a.sin() * b).sum()

    see("grad", func.grad(f)(x, y))
    see("argnums", func.grad(f, argnums=(0, 1))(x, y))
    see("value", func.grad_and_value(f)(x, y))
    see("aux", func.grad(lambda a: (a.sum(), a * 2), has_aux=True)(x))
    see("unused", func.grad(lambda a, b: a.sum(), argnums=1)(x, y))
    see.raises("not a scalar", lambda: func.grad(torch.sin)(x), phrase="scalar")
    see.raises("int", lambda: func.grad(lambda t: t.sum())(torch.tensor([1])))


@program(rules="C-2 C-3")
def vjp_and_jvp(torch, see):
    func, x, v = torch.func, _point(torch), _point(torch, 1)
    out, pull = func.vjp(lambda t: {"a": t.exp(), "b": t.sum()}, x)
    see("out", out)
    see("pulled", pull({"a": v, "b": torch.tensor(2.0, dtype=torch.float64)}))
    see("jvp", func.jvp(lambda t: t.exp() * t.sum(), (x,), (v,)))
    out, push = func.linearize(torch.exp, x)
    see("linearized", push(v))


@program(rules="C-4 C-5")
def jacobians_and_compositions(torch, see):
    func, x = torch.func, _point(torch)

    def f(t):
        return t.cumprod(0) * t.sum()

    see("jacrev", func.jacrev(f)(x))
    see("jacfwd", func.jacfwd(f)(x))
    see("hessian", func.hessian(lambda t: f(t).sum())(x))
    see("grad of grad", func.grad(func.grad(lambda t: t**3))(torch.tensor(2.0)), expect=12)
    see(
        "perturbations stay apart",
        func.grad(lambda t: t * func.grad(lambda s: s + t)(torch.tensor(1.0)))(torch.tensor(1.0)),
        expect=1,
    )


@program(rules="C-6")
def modes_and_outer_graphs(torch, see):
    func = torch.func
    x, w = _point(torch), _point(torch, 1).requires_grad_()
    with torch.no_grad():
        see("no_grad outside", func.grad(lambda t: (t**2).sum())(x))

    def cut(t):
        with torch.no_grad():
            constant = t * 2
        return (t * constant).sum()

    see("no_grad inside", func.grad(cut)(x))
    see("outer", func.grad(lambda t: (t * w).sum())(x))


@program(rules="D-1 D-2")
def vmap_over_dims(torch, see):
    vmap = torch.vmap
    a, b = torch.tensor(wave(2, 3)), torch.tensor(wave(3, seed=1))
    see("one", vmap(torch.sin)(a))
    see("not mapped", vmap(torch.dot, in_dims=(0, None))(a, b))
    see("columns", vmap(torch.sum, in_dims=1)(a))
    see("out_dims", vmap(lambda t: t * 2, out_dims=1)(a))
    see("unbatched output", vmap(lambda t: torch.ones(2))(a))
    see("nested", vmap(vmap(torch.mul, in_dims=(None, 0)), in_dims=(0, None))(b, b))
    see("in chunks", vmap(torch.sin, chunk_size=1)(a))
    see.raises("nothing mapped", lambda: vmap(torch.sin, in_dims=None)(a))
    see.raises("sizes", lambda: vmap(torch.mul)(a, b), phrase="size")
    see.raises("item", lambda: vmap(lambda t: t.sum().item())(a))


@program(rules="C-5 E-34")
def per_sample_gradients(torch, see):
    w = torch.tensor(wave(3), dtype=torch.float64)
    x = torch.tensor(wave(4, 3, seed=1), dtype=torch.float64)

    def loss(w, row):
        return torch.tanh(row @ w) ** 2

    see("vmap of grad", torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x))
    leaf = w.clone().requires_grad_()
    out = torch.tanh(x @ leaf)
    batch = torch.eye(4, dtype=torch.float64)
    see("batched grad", torch.autograd.grad(out, leaf, batch, is_grads_batched=True)[0])


@program(rules="C-9")
def modules_without_state(torch, see):
    layer = torch.nn.Linear(3, 2).double()
    params = {
        "weight": torch.tensor(wave(2, 3), dtype=torch.float64),
        "bias": torch.tensor(wave(2), dtype=torch.float64),
    }
    x = _point(torch)
    see("call", torch.func.functional_call(layer, params, (x,)))
    see(
        "gradient",
        torch.func.grad(lambda p: torch.func.functional_call(layer, p, (x,)).sum())(params),
    )
