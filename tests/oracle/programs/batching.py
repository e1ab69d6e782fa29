"""vmap: dimensions, operations, modes and what it refuses (D-1 ... D-5)."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _point(torch, *shape, seed=0, low=-1.0, high=1.0):
    return torch.tensor(wave(*shape, seed=seed, low=low, high=high), dtype=torch.float64)


@program(rules="D-1", each=[0, 1, 2, -1, -2])
def in_dims(torch, see, case):
    vmap, x, w = torch.vmap, _point(torch, 3, 3, 3), _point(torch, 3, 3, seed=1)
    see("one", vmap(lambda t: t @ w, in_dims=case)(x))
    see("of two", vmap(lambda t, u: t * u, in_dims=(case, None))(x, w))
    see("both", vmap(lambda t, u: t.sum(0) @ u, in_dims=(case, 0))(x, w))
    see("nested", vmap(lambda d: d["a"][0] * d["b"], in_dims=({"a": [case], "b": 0},))(
        {"a": [x], "b": w}
    ))  # fmt: skip
    see("out", vmap(lambda t: t * 2, in_dims=case, out_dims=1)(x))


@program(rules="D-2", each=[0, 1, 2, -1])
def out_dims(torch, see, case):
    vmap, x = torch.vmap, _point(torch, 2, 3, 4)
    see("one", vmap(lambda t: t.exp(), out_dims=case)(x))
    see("several", vmap(lambda t: (t, t.sum(0).unsqueeze(0)), out_dims=(case, 0))(x))
    see("named", vmap(lambda t: {"a": t, "b": [t * 2]}, out_dims={"a": case, "b": [0]})(x))
    if case >= 0:  # PyTorch puts it nowhere from the end
        see("not batched", vmap(lambda t: torch.ones(2, 2), out_dims=case)(x))
    see("alone", vmap(lambda t: t, out_dims=(case,))(x))


@program(rules="D-1 D-2")
def what_does_not_fit(torch, see):
    vmap, x = torch.vmap, _point(torch, 2, 3)
    see.raises("none mapped", lambda: vmap(torch.sin, in_dims=None)(x))
    see.raises("all None", lambda: vmap(torch.mul, in_dims=(None, None))(x, x))
    see.raises("structure", lambda: vmap(torch.sin, in_dims=(0, 0))(x), phrase="in_dims")
    see.raises("a list", lambda: vmap(torch.sin, in_dims=[0])(x), phrase="in_dims")
    see.raises("a number", lambda: vmap(torch.mul)(x, 2.0), phrase="non-Tensor")
    see.raises("too large", lambda: vmap(torch.sin, in_dims=2)(x), phrase="dimensionality 2")
    see.raises("too small", lambda: vmap(torch.sin, in_dims=-3)(x), phrase="dimensionality 2")
    see.raises("no dimension", lambda: vmap(torch.sin)(x.sum()), phrase="dimensionality 0")
    see.raises("sizes", lambda: vmap(torch.mul, (0, 1))(x, x), phrase="same size")
    see.raises("no input", vmap(lambda: x), phrase="no inputs")
    see.raises("not a dim", lambda: vmap(torch.sin, in_dims=("a",))(x), phrase="in_dim")
    see.raises("output", lambda: vmap(lambda t: 3.0)(x), phrase="only return Tensors")
    see.raises("out_dims", lambda: vmap(lambda t: (t, t), out_dims=(0,))(x), phrase="out_dims")
    see.raises("None", lambda: vmap(torch.sin, out_dims=None)(x), phrase="out_dim is None")
    see.raises("chunk", lambda: vmap(torch.sin, chunk_size=0), phrase="chunk_size")
    see.raises("randomness", lambda: vmap(torch.sin, randomness="x")(x), phrase="randomness")
    see("kept apart", vmap(lambda t: torch.ones(2), out_dims=None)(x))


@program(rules="D-2", each=[1, 2, 3, 7])
def chunks(torch, see, case):
    vmap, x, w = torch.vmap, _point(torch, 5, 3), _point(torch, 3, seed=1)
    see("one", vmap(lambda t: t.cumsum(0), chunk_size=case)(x))
    see("dims", vmap(torch.dot, in_dims=(0, None), chunk_size=case)(x, w))
    see("several", vmap(lambda t: (t * 2, {"a": t.sum()}), out_dims=0, chunk_size=case)(x))
    see("out", vmap(lambda t: t * 2, in_dims=1, out_dims=1, chunk_size=case)(x))


def _written(torch, t):
    out = torch.zeros_like(t)
    out[1:, 0] = t[:-1, 1]
    out[torch.tensor([0, 3])] = t[1] * 2
    out += t
    out[0].mul_(3.0)
    out.masked_fill_(t > 0.5, 9.0)
    return out.clamp_(-3, 10)


def _convolved(torch, t, filters):
    return torch.nn.functional.conv1d(t.unsqueeze(0), filters)


#: Name, function of an example of shape (4, 3).
OPERATIONS = [
    ("softmax", lambda torch, t: t.softmax(-1)),
    ("norms", lambda torch, t: torch.stack([t.norm(), t.std(), t.var(0).sum(), t.logsumexp(1).sum()])),
    ("sorted", lambda torch, t: torch.cat([t.sort(0).values, t.topk(2, 0).values])),
    ("indices", lambda torch, t: t.sort(1).indices + t.argmax(1, keepdim=True)),
    ("picked", lambda torch, t: t.gather(1, torch.tensor([[0, 2], [1, 1], [2, 0], [0, 0]]))),
    ("rows", lambda torch, t: t[torch.tensor([0, 2, 2])]),
    ("places", lambda torch, t: t[torch.tensor([0, 1]), torch.tensor([2, 0])]),
    ("mask", lambda torch, t: t[torch.tensor([True, False, True, False])]),
    ("steps", lambda torch, t: t[1::2, ::2].flip(0)),
    ("new dims", lambda torch, t: t[:, None, ..., None]),
    ("by itself", lambda torch, t: t[t.argsort(0)[:, 0]]),
    ("pieces", lambda torch, t: torch.stack(t.unbind(1)) + torch.cat(t.split(2)).t()),
    ("joined", lambda torch, t: torch.cat([t, torch.zeros(1, 3, dtype=t.dtype)])),
    ("product", lambda torch, t: t @ t.t() @ torch.ones(4, dtype=t.dtype)),
    ("einsum", lambda torch, t: torch.einsum("ij,kj->ik", t, t)),
    ("inverse", lambda torch, t: torch.linalg.inv(t.t() @ t + torch.eye(3, dtype=t.dtype))),
    ("solved", lambda torch, t: torch.linalg.solve(t.t() @ t + torch.eye(3, dtype=t.dtype), t[0])),
    ("determinant", lambda torch, t: torch.linalg.det(t[:3]).exp()),
    ("singular", lambda torch, t: torch.linalg.svdvals(t)),
    ("triangle", lambda torch, t: torch.linalg.cholesky(t.t() @ t + torch.eye(3, dtype=t.dtype))),
    ("fourier", lambda torch, t: torch.fft.rfft(t, dim=0).abs()),
    ("layer", lambda torch, t: torch.nn.functional.linear(t, t[:2], t[0, :2])),
    ("image", lambda torch, t: _convolved(torch, t, t.reshape(2, 2, 3)[:, :, :2].repeat(1, 2, 1))),
    ("filters", lambda torch, t: _convolved(torch, t, torch.ones(2, 4, 2, dtype=t.dtype))),
    ("pool", lambda torch, t: torch.nn.functional.max_pool2d(t[None, None], (2, 1))),
    ("layer norm", lambda torch, t: torch.nn.functional.layer_norm(t, (3,), t[0], t[1])),
    ("batch norm", lambda torch, t: torch.nn.functional.batch_norm(t, None, None, training=True)),
    ("attention", lambda torch, t: torch.nn.functional.scaled_dot_product_attention(t, t, t)),
    ("loss", lambda torch, t: torch.nn.functional.cross_entropy(t, torch.tensor([0, 2, 1, 1]))),
    ("mse", lambda torch, t: torch.nn.functional.mse_loss(t, t.flip(0))),
    ("padded", lambda torch, t: torch.nn.functional.pad(t, (1, 2, 0, 1), value=3.0)),
    ("shifted", lambda torch, t: t.roll(1, 0).tril() + t.roll(2)),
    ("repeated", lambda torch, t: t.repeat(2, 1).repeat_interleave(2, 1)),
    ("number", lambda torch, t: 2.0 - t / 3 + t.sum() ** 2),
    ("types", lambda torch, t: (t.float() + t[0, 0]).to(torch.int32)),
    ("compared", lambda torch, t: (t > t.mean()) | (t < -0.5)),
    ("written", _written),
    ("scattered", lambda torch, t: torch.zeros_like(t).scatter_add(0, t.argsort(0), t)),
    ("diagonal", lambda torch, t: torch.diag_embed(t.diagonal()) + t[:3].tril().triu(-1)),
    ("runs", lambda torch, t: t.cumprod(0) + t.cummax(1).values + t.logcumsumexp(0)),
    ("median", lambda torch, t: torch.stack([t.median(), t.kthvalue(2, 0).values.sum()])),
]  # fmt: skip


@program(rules="D-1", each=OPERATIONS)
def operations(torch, see, case):
    _, function = case
    x = _point(torch, 2, 4, 3)
    see("batch", torch.vmap(lambda t: function(torch, t))(x))
    see("another dim", torch.vmap(lambda t: function(torch, t), in_dims=2)(_point(torch, 4, 3, 2)))
    deeper = torch.vmap(torch.vmap(lambda t: function(torch, t)))
    see("twice", deeper(_point(torch, 2, 2, 4, 3, seed=3)))


DIFFERENTIABLE = [
    case for case in OPERATIONS if case[0] not in ("indices", "types", "compared", "median")
]


@program(rules="D-1 C-5", each=DIFFERENTIABLE)
def gradients_of_operations(torch, see, case):
    _, function = case

    def number(t):
        return (function(torch, t) ** 2).sum()

    x = _point(torch, 2, 4, 3)
    see("of each", torch.vmap(torch.func.grad(number))(x))
    leaf = x.clone().requires_grad_()
    torch.vmap(number)(leaf).sum().backward()
    see("through", leaf.grad)
    see("rows", torch.func.jacrev(lambda t: function(torch, t))(x[0]))


@program(rules="D-3", each=["same", "different"])
def randomness(torch, see, case):
    x = _point(torch, 3, 40)
    draws = {
        "randn": lambda t: torch.randn(40),
        "rand_like": torch.rand_like,
        "randint": lambda t: torch.randint(0, 1000, (9,)),
        "randperm": lambda t: torch.randperm(30),
        "bernoulli": lambda t: torch.bernoulli(torch.full((40,), 0.5)),
        "filled": lambda t: t.clone().normal_(),
        "dropout": lambda t: torch.nn.functional.dropout(torch.ones_like(t)),
    }
    for name, draw in draws.items():
        found = torch.vmap(draw, randomness=case)(x)
        see(f"{name} shape", tuple(found.shape))
        see(name, bool((found[0] == found[1]).all()), expect=case == "same")


@program(rules="D-3")
def randomness_that_is_refused(torch, see):
    x = _point(torch, 3, 4, low=0.1, high=0.9)
    vmap = torch.vmap
    for name, draw in (
        ("randn", lambda t: torch.randn(4)),
        ("dropout", torch.nn.functional.dropout),
    ):
        see.raises(name, lambda d=draw: vmap(d)(x), phrase="randomness")
    see.raises(
        "one draw", lambda: vmap(torch.bernoulli, randomness="same")(x), phrase="same randomness"
    )
    see.raises(
        "into one", lambda: vmap(lambda t: torch.zeros(4).normal_(), randomness="different")(x),
        phrase="unbatched",
    )  # fmt: skip
    see("not drawn", vmap(lambda t: torch.nn.functional.dropout(t, training=False))(x))


@program(rules="D-4")
def what_depends_on_elements(torch, see):
    vmap, x = torch.vmap, _point(torch, 2, 3)

    def added(t):
        out = torch.zeros(3, dtype=t.dtype)
        return out.add_(t)

    def placed(t):
        out = torch.zeros(3, dtype=t.dtype)
        out[0] = t[0]
        return out

    see.raises("item", lambda: vmap(lambda t: t.sum().item())(x), phrase=".item()")
    see.raises("if", lambda: vmap(lambda t: t if t.sum() > 0 else -t)(x), phrase="control flow")
    see.raises("nonzero", lambda: vmap(torch.nonzero)(x))
    see.raises("a mask", lambda: vmap(lambda t: t[t > 0])(x), phrase="boolean mask")
    see.raises("masked_select", lambda: vmap(lambda t: t.masked_select(t > 0))(x))
    see.raises("unique", lambda: vmap(torch.unique)(x))
    see.raises("written", lambda: vmap(added)(x))
    see.raises("a part", lambda: vmap(placed)(x), phrase="inplace arithmetic")
    see("instead", vmap(lambda t: torch.where(t.sum() > 0, t, -t))(x))


@program(rules="D-5")
def an_empty_batch(torch, see):
    x = torch.zeros(0, 3)
    see("sin", tuple(torch.vmap(torch.sin)(x).shape))
    see("sum", tuple(torch.vmap(torch.sum)(x).shape))
    see("product", tuple(torch.vmap(lambda t: torch.ones(2, 3) @ t)(x).shape))


@program(rules="D-1")
def what_an_example_looks_like(torch, see):
    x = torch.ones(2, 3, 4, dtype=torch.float64)
    looks = []

    def look(t):
        looks.append([tuple(t.shape), t.ndim, t.numel(), str(t.dtype).split(".")[1], len(t)])
        looks.append([t.is_floating_point(), t.requires_grad, t.size(0), t.dim()])
        return t

    torch.vmap(look)(x)
    torch.vmap(torch.vmap(look), in_dims=1)(x)
    see("looks", looks)


@program(rules="D-1")
def keyword_arguments_are_the_same_for_all(torch, see):
    x = _point(torch, 2, 3)
    see("kept", torch.vmap(lambda t, scale: t * scale)(x, scale=_point(torch, 3, seed=1)))


@program(rules="C-9 D-1")
def an_ensemble(torch, see):
    torch.manual_seed(0)
    func = torch.func
    models = [torch.nn.Linear(3, 2) for _ in range(4)]
    for nr, model in enumerate(models):
        with torch.no_grad():
            model.weight.copy_(torch.tensor(wave(2, 3, seed=nr)))
            model.bias.copy_(torch.tensor(wave(2, seed=nr)))
    params, buffers = func.stack_module_state(models)

    def call(params, buffers, x):
        return func.functional_call(models[0], (params, buffers), (x,))

    x = torch.tensor(wave(5, 3))
    see("all", torch.vmap(call, in_dims=(0, 0, None))(params, buffers, x))
    each = func.vmap(func.grad(lambda p, b, x: call(p, b, x).sum()), (0, 0, None))
    see("gradients", each(params, buffers, x))
