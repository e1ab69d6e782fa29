"""Numbers that tensors without dimensions say; and what is written from one's own memory."""

from tests.oracle.registry import program


def _each(torch, t):
    F = torch.nn.functional
    x, y = torch.tensor([1.0, 2.0, -3.0, 0.5]), torch.tensor([0.5, 0.5, 1.0, 2.0])
    i = torch.tensor([0, 2])
    return {
        "add": lambda: torch.add(x, y, alpha=t),
        "sub": lambda: torch.sub(x, y, alpha=t),
        "add_": lambda: x.clone().add_(y, alpha=t),
        "addcmul": lambda: torch.addcmul(x, y, y, value=t),
        "addcdiv_": lambda: x.clone().addcdiv_(y, y, value=t),
        "addmm": lambda: torch.addmm(x[None], y[None], torch.eye(4), beta=t, alpha=t),
        "index_add": lambda: torch.index_add(x, 0, i, y[:2], alpha=t),
        "scatter": lambda: x.scatter(0, i, value=t),
        "histc": lambda: torch.histc(y, 4, 0 * t, t),
        "full": lambda: torch.full((2,), t),
        "full_like": lambda: torch.full_like(x, t),
        "arange": lambda: torch.arange(t),
        "norm": lambda: torch.norm(x, t),
        "dist": lambda: torch.dist(x, y, t),
        "renorm": lambda: torch.renorm(x[None], t, 0, 1.0),
        "threshold": lambda: F.threshold(x, t, t),
        "smooth_l1_loss": lambda: F.smooth_l1_loss(x, y, beta=t),
        "nan_to_num": lambda: torch.nan_to_num(x, nan=t),
        "dropout": lambda: F.dropout(x, 0 * t),
    }


@program(rules="T-3")
def numbers_said_by_tensors(torch, see):
    for said in (torch.tensor(2.0), torch.tensor(2)):
        for name, call in _each(torch, said).items():
            see(f"{name} of {said.dtype.is_floating_point}", call())
    x = torch.arange(6.0)
    see("split", len(x.split(torch.tensor(4))))
    see("along", x.reshape(2, 3).sum(torch.tensor(1)))
    temperature = torch.tensor(2.0, requires_grad=True)
    torch.nn.functional.gumbel_softmax(x, tau=temperature)[0].backward()
    see("a temperature learns", temperature.grad is not None)


@program(rules="T-3")
def numbers_with_a_gradient_to_lose(torch, see):
    for name, call in _each(torch, torch.tensor(2.0, requires_grad=True)).items():
        see.raises(name, call)


@program(rules="X-14")
def gradients_of_quantiles_by_their_places(torch, see):
    x = torch.tensor(
        [[1.0, 3, 2, 9], [4, float("nan"), 1, 7]], dtype=torch.float64, requires_grad=True
    )
    for function in (torch.quantile, torch.nanquantile):
        for how in ("linear", "midpoint"):
            name = f"{function.__name__} {how}"
            q = torch.tensor([0.3, 0.9, 0.0], dtype=torch.float64, requires_grad=True)
            y = function(x, q, dim=1, interpolation=how)
            see(name, y)
            slopes = torch.autograd.grad(y.nansum(), (x, q), allow_unused=True)
            see(f"{name} by x", slopes[0])
            see(f"{name} by q", slopes[1])


@program(rules="V-7")
def one_s_own_memory_at_places(torch, see):
    def same(tensor):
        return (tensor.data[0], tensor[...][1], tensor.detach()[0], tensor[2])

    i = torch.arange(2)
    for k in range(4):
        for dtype in (torch.float32, torch.int64):
            x = torch.arange(1, 5).to(dtype)
            for name, write in {
                "fill_": lambda x, v: x.fill_(v),
                "index_fill_": lambda x, v: x.index_fill_(0, i, v),
                "masked_fill_": lambda x, v: x.masked_fill_(x > 1, v),
                "scatter_": lambda x, v: x.scatter_(0, i, value=v),
            }.items():
                y = x.clone()
                see(f"{name} {k} {x.element_size()}", write(y, same(y)[k]))
    x = torch.arange(4.0)
    for name, whole in {"data": x.data, "view": x[...].data, "detached": x.detach()}.items():
        there = torch.arange(4)
        for function in ("index_copy_", "index_add_", "scatter_", "scatter_add_"):
            see.raises(
                f"{function} {name}",
                lambda f=function, w=whole, at=there: getattr(x, f)(0, at, w),
                phrase="single memory location",
            )
