"""Half sentences of the rules about shapes, modules and optimizers (T-10 to T-16, T-51 to T-63)."""

from tests.oracle.data import count_up
from tests.oracle.registry import program


@program(rules="T-11 T-12")
def sizes_of_views(torch, see):
    x = torch.tensor(count_up(2, 6), dtype=torch.float32)
    see("-1", [tuple(x.view(*s).shape) for s in ((-1,), (3, -1), (-1, 2, 2))])
    see.raises("two -1", lambda: x.view(-1, -1), phrase="only one dimension can be inferred")
    see.raises("does not divide", lambda: x.view(5, -1), phrase="invalid for input of size 12")
    see.raises("other count", lambda: x.reshape(5), phrase="invalid for input of size 12")
    see.raises("strides", lambda: x.t().view(12), phrase="stride")
    see.raises("-2", lambda: x.view(-2, 6), phrase="invalid shape dimension")
    see("reshape copies", x.t().reshape(12)._is_view(), expect=False)
    see(
        "flatten is a view",
        (x.flatten()._is_view(), x.t().flatten()._is_view()),
        expect=(True, False),
    )
    empty = torch.zeros(0, 3)
    see("empty", [tuple(empty.view(*s).shape) for s in ((3, 0), (-1, 3), (0,))])
    see.raises("-1 beside 0", lambda: empty.view(-1, 0), phrase="unspecified dimension size -1")
    one = torch.ones(1, 2, 1)
    see("squeeze", [tuple(one.squeeze(d).shape) for d in (0, 1, (0, 2), (0, 1))])
    see("expand", (one.expand(4, -1, 3).shape, one.expand(4, -1, 3).stride()))
    see("new dims", one.expand(5, 1, 2, 3).shape)
    see.raises("expand of 2", lambda: one.expand(1, 3, 1), phrase="must match the existing size")
    see.raises("fewer dims", lambda: one.expand(2, 1), phrase="number of sizes provided")
    see.raises("-1 in front", lambda: one.expand(-1, 1, 2, 1), phrase="isn't allowed in a leading")


@program(rules="T-13")
def what_is_given_back_itself(torch, see):
    x = torch.ones(2, 3)
    same = [
        x.contiguous() is x,
        x.to(torch.float32) is x,
        x.float() is x,
        x.cpu() is x,
        x.to("cpu") is x,
    ]
    see("self", [*same, x.type_as(x) is x, x.expand_as(x) is x, x.to(x) is x])
    other = [
        x.clone() is x,
        x.to(torch.float32, copy=True) is x,
        x.t().contiguous() is x,
        x.double() is x,
    ]
    see("another", other, expect=[False] * 4)
    see("transposed", (x.T.shape, x.mT.shape, torch.ones(2, 3, 4).mT.shape))
    see.warns("T of three dims", lambda: torch.ones(2, 3, 4).T, phrase="deprecated")
    see.silent("T of two", lambda: x.T)
    see.raises("mT of one", lambda: torch.ones(2).mT)


@program(rules="T-10 T-14 T-15 T-16")
def shapes_that_do_not_fit(torch, see):
    a, b = torch.ones(2, 3), torch.ones(2, 4)
    for name in ("add", "eq", "maximum", "where", "atan2", "lerp"):
        fn = getattr(torch, name)
        more = {"where": (a > 0, a, b), "lerp": (a, b, 0.5)}.get(name, (a, b))
        see.raises(name, lambda f=fn, m=more: f(*m), phrase="must match the size of tensor b (4)")
    for name in (
        "sum",
        "softmax",
        "unbind",
        "cumsum",
        "flip",
        "squeeze",
        "unsqueeze",
        "argsort",
        "amax",
        "norm",
    ):
        fn = getattr(torch, name)
        call = {"flip": lambda f=fn: f(a, (5,)), "norm": lambda f=fn: f(a, dim=5)}.get(
            name, lambda f=fn: f(a, dim=5)
        )
        if name == "flip":
            see.raises(name, call)
        else:
            see.raises(name, call, phrase="Dimension out of range (expected to be in range of [-")
    see("negative", (a.sum(-1).shape, a.unsqueeze(-1).shape, a.unsqueeze(-3).shape))
    see("split", [[p.shape[0] for p in torch.ones(5).split(n)] for n in (2, 5, 7)])
    see("chunk", [[p.shape[0] for p in torch.ones(5).chunk(n)] for n in (1, 2, 4, 9)])
    see("tensor_split", [[p.shape[0] for p in torch.ones(5).tensor_split(n)] for n in (2, 4, 7)])
    see.raises("split sizes", lambda: torch.ones(5).split([2, 2]), phrase="sum exactly to 5")
    see.raises("split of 0", lambda: torch.ones(5).split(-1))
    see.raises("chunk of 0", lambda: torch.ones(5).chunk(0), phrase="greater than 0")
    see.raises("stack", lambda: torch.stack([a, b]), phrase="equal size")
    see.raises("stack of nothing", lambda: torch.stack([]))
    see.raises("cat of nothing", lambda: torch.cat([]))
    see.raises("cat", lambda: torch.cat([a, b]), phrase="Sizes of tensors must match")
    see("cat skips", torch.cat([torch.zeros(0), a]).shape)
    for one, two in (
        ((2, 3), (2, 3)),
        ((3,), (4,)),
        ((2, 3), (2,)),
        ((5, 2, 3), (4, 3, 2)),
        ((), (2,)),
    ):
        see.raises(f"matmul {one} {two}", lambda s=one, t=two: torch.ones(s) @ torch.ones(t))


@program(rules="T-51 T-52")
def modules_that_are_misused(torch, see):
    nn = torch.nn
    layer = nn.Linear(2, 3)
    see.raises("train(3)", lambda: layer.train(3), phrase="boolean")
    see.raises("buffer of no tensor", lambda: layer.register_buffer("b", 3))
    see.raises("no parameter", lambda: layer.register_parameter("p", torch.ones(1)))
    see.raises(
        "of a result", lambda: layer.register_parameter("p", nn.Parameter(torch.ones(1)) * 1)
    )
    see.raises(
        "empty name", lambda: layer.register_buffer("", torch.ones(1)), phrase="empty string"
    )
    see.raises("a number as child", lambda: layer.add_module("c", 3))
    see.raises("taken child", lambda: layer.add_module("weight", nn.Identity()), phrase="exists")
    see.raises("submodule", lambda: layer.get_submodule("a.b"))
    see.raises("parameter", lambda: layer.get_parameter("nothing"))
    state = {"weight": torch.ones(2, 2), "bias": torch.ones(3)}
    for strict in (True, False):
        see.raises(f"size, strict={strict}", lambda s=strict: layer.load_state_dict(state, strict=s),
                   phrase="size mismatch for weight")  # fmt: skip
    found = layer.load_state_dict({"bias": torch.ones(3), "more": torch.ones(1)}, strict=False)
    see("not strict", (found.missing_keys, found.unexpected_keys), expect=(["weight"], ["more"]))
    see("in place", (layer.bias, layer.bias.requires_grad))
    see.raises(
        "strict", lambda: layer.load_state_dict({"more": torch.ones(1)}), phrase="Unexpected key(s)"
    )


@program(rules="T-55 T-56")
def norms_of_gradients_and_batches(torch, see):
    nn = torch.nn
    clip = nn.utils.clip_grad_norm_

    def leaf(*grad):
        p = torch.zeros(len(grad), dtype=torch.float64, requires_grad=True)
        p.grad = torch.tensor(grad, dtype=torch.float64)
        return p

    p = leaf(3.0, 4.0)
    see("too large", (clip([p], 1.0), p.grad))
    p = leaf(0.3, 0.4)
    see("small enough", (clip([p], 1.0), p.grad))
    p = leaf(float("inf"), 1.0)
    see("infinite", (clip([p], 1.0), p.grad))
    see.raises(
        "asked for",
        lambda: clip([leaf(float("nan"))], 1.0, error_if_nonfinite=True),
        phrase="non-finite",
    )
    for order in (1.0, float("inf")):
        p = leaf(3.0, -4.0)
        see(f"{order}", (clip([p], 1.0, norm_type=order), p.grad))
    see("none", clip([torch.zeros(1, requires_grad=True)], 1.0))
    norm = nn.BatchNorm1d(1, momentum=0.1).double()
    norm(torch.tensor([[1.0], [3.0]], dtype=torch.float64))
    see("running", (norm.running_mean, norm.running_var, norm.num_batches_tracked))
    see.raises(
        "one value",
        lambda: nn.BatchNorm1d(2)(torch.ones(1, 2)),
        phrase="more than 1 value per channel",
    )


@program(rules="T-60 T-62")
def options_that_contradict(torch, see):
    optim = torch.optim
    p = torch.ones(1, requires_grad=True)
    for name, make in (
        (
            "nesterov and dampening",
            lambda: optim.SGD([p], lr=0.1, momentum=0.9, dampening=0.1, nesterov=True),
        ),
        ("negative momentum", lambda: optim.SGD([p], lr=0.1, momentum=-1)),
        ("negative decay", lambda: optim.SGD([p], lr=0.1, weight_decay=-1)),
        ("beta", lambda: optim.Adam([p], betas=(1.0, 0.9))),
        ("eps", lambda: optim.Adam([p], eps=-1)),
        ("rate", lambda: optim.Adam([p], lr=-1)),
        ("rho", lambda: optim.Adadelta([p], rho=2)),
        ("alpha", lambda: optim.RMSprop([p], alpha=-1)),
        ("etas", lambda: optim.Rprop([p], etas=(1.5, 1.2))),
    ):
        see.raises(name, make, phrase="Nesterov" if "nesterov" in name else "Invalid")
    see.raises("no leaf", lambda: optim.SGD([p * 1], lr=0.1), phrase="non-leaf")
    see.raises("a number", lambda: optim.SGD([1.0], lr=0.1))
    sgd = optim.SGD([p], lr=0.1)
    p.grad = torch.ones(1)
    sgd.zero_grad(set_to_none=False)
    see("zeros", p.grad, expect=[0])
    sgd.zero_grad()
    see("none", p.grad, expect=None)
    sgd.step()
    see("skipped", p, expect=[1])
    up = optim.SGD([p], lr=0.1, maximize=True)
    p.grad = torch.ones(1)
    up.step()
    see("maximize", p, expect=[1.1])
