"""What random calls found: windows and padding, infinite neighbours, shared memory, refusals."""

from math import inf, nan

from tests.oracle.data import wave
from tests.oracle.registry import program

_SPREADS = {
    "adaptive mean": lambda F, x: F.adaptive_avg_pool2d(x, (3, 4)),
    "adaptive mean, one dimension": lambda F, x: F.adaptive_avg_pool1d(x[0], 4),
    "area": lambda F, x: F.interpolate(x, size=(3, 4), mode="area"),
}


@program(
    rules="T-41", each=[(f"{n} {s}", _SPREADS[n], s) for n in _SPREADS for s in (inf, -inf, nan)]
)
def what_is_not_finite_stays_in_its_windows(torch, see, case):
    _, spread, special = case
    x = torch.tensor(wave(1, 1, 5, 5), dtype=torch.float64)
    x[0, 0, 1, 3] = special
    x.requires_grad_()
    out = spread(torch.nn.functional, x)
    see("result", out)
    weight = torch.ones_like(out)
    weight.view(-1)[0] = special
    out.backward(weight)
    see("gradient", x.grad)


@program(rules="T-41 T-72", each=["max_pool1d", "max_pool2d", "max_pool3d"])
def the_largest_is_never_in_the_padding(torch, see, case):
    pool = getattr(torch.nn.functional, case)
    x = torch.full((1, 1, *(3,) * int(case[-2])), -inf, dtype=torch.float64, requires_grad=True)
    out, where = pool(x, 2, stride=2, padding=1, return_indices=True)
    see("where", where)
    out.backward(torch.ones_like(out))
    see("gradient", x.grad)


@program(rules="X-47")
def elements_that_share_memory_share_the_gradient(torch, see):
    for made in ((1, 3), (3, 1)):
        x = torch.tensor(wave(*made), dtype=torch.float64).expand(3, 3).requires_grad_()
        y = x.as_strided((2,), (1 if made[0] == 1 else 2,))
        y.backward(torch.tensor([1.0, 10.0], dtype=torch.float64))
        see(f"expanded from {made}", x.grad)
    x = torch.tensor(wave(6), dtype=torch.float64).unfold(0, 3, 1).detach().requires_grad_()
    x.as_strided((2, 2), (2, 1)).sum().backward()
    see("windows", x.grad)


@program(rules="T-42 T-55")
def arguments_without_a_derivative_are_refused(torch, see):
    F = torch.nn.functional
    x = torch.tensor(wave(2, 3), requires_grad=True)
    p, classes = x.detach().sigmoid(), torch.tensor([0, 1])

    def each(size):
        return torch.ones(size, requires_grad=True)

    calls = {
        "binary_cross_entropy": lambda: F.binary_cross_entropy(p, p, each((2, 3))),
        "with_logits": lambda: F.binary_cross_entropy_with_logits(x, p, each((2, 3))),
        "pos_weight": lambda: F.binary_cross_entropy_with_logits(x, p, pos_weight=each(3)),
        "nll_loss": lambda: F.nll_loss(x, classes, each(3)),
        "cross_entropy": lambda: F.cross_entropy(x, classes, each(3)),
        "multi_margin_loss": lambda: F.multi_margin_loss(x, classes, weight=each(3)),
        "soft_margin_loss": lambda: F.soft_margin_loss(x, each((2, 3))),
        "batch_norm": lambda: F.batch_norm(x, each(3), torch.ones(3)),
    }
    for name, call in calls.items():
        see.raises(name, call, phrase="not differentiable with respect to argument")
        with torch.no_grad():
            see(f"{name} without a graph", call())
    see.raises("one of two statistics", lambda: F.batch_norm(x, None, torch.ones(3), training=True))
    see.raises("one, of instances", lambda: F.instance_norm(x[None], torch.ones(2)))


@program(rules="T-30")
def words_of_calls(torch, see):
    see("split", torch.arange(5).split(split_size=2))
    see.raises("the function has another word", lambda: torch.split(torch.arange(5), split_size=2))
    see("randint", torch.randint(1, size=(2,)))
    see("randint from 0", torch.randint(0, 1, (2,)))
    see.raises("randint without size", lambda: torch.randint(0, 4))
    see.raises("randint of floats", lambda: torch.randint(2.5, (2,)))
    see.raises("randint too large", lambda: torch.randint(300, (2,), dtype=torch.uint8))
    see.raises("randint complex", lambda: torch.randint(3, (2,), dtype=torch.complex64))
    see("pool", torch.adaptive_max_pool1d(torch.arange(6.0).view(1, 6), 2))


@program(rules="T-7")
def asarray_shares_or_copies(torch, see):
    x = torch.ones(2)
    see("the same", torch.asarray(x) is x)
    see("a copy", torch.asarray(x, copy=True) is x)
    see.raises("cannot share", lambda: torch.asarray(x, dtype=torch.int32, copy=False))
    see.raises("a list shares nothing", lambda: torch.asarray([1.0], copy=False))
    array = x.numpy().copy()
    torch.asarray(array)[0] = 5
    torch.asarray(array, copy=True)[1] = 7
    see("written through", torch.asarray(array))
    y = torch.ones(2, requires_grad=True)
    see("detached", torch.asarray(y * 2, requires_grad=False).requires_grad)
    see("history", torch.asarray(y * 2, requires_grad=True).is_leaf)
    see("of a number", torch.asarray(1.0, requires_grad=True).requires_grad)
    see.raises("of an integer", lambda: torch.asarray(1, requires_grad=True))


@program(rules="T-83")
def norms_and_factors_say_what_they_need(torch, see):
    L = torch.linalg
    a = torch.tensor(wave(2, 3, 3), dtype=torch.float64)
    see.raises("three dimensions", lambda: L.norm(a, 2), phrase="1D or 2D")
    see.raises("no dimensions", lambda: L.norm(a, dim=[]), phrase="length 1 or 2")
    see.raises("a word for vectors", lambda: L.norm(a[0, 0], "fro"))
    see("all of it", L.norm(a))
    see.raises("wide", lambda: L.householder_product(a[:, :2], a[:, 0]))
    see.raises("too many", lambda: L.householder_product(a[:, :, :1], a[:, 0]))
    see.raises("types", lambda: L.householder_product(a, a[:, 0].float()))
    see.raises("powers of truth", lambda: L.vander(torch.tensor([True, False])))
    see.raises("of half", lambda: L.vander(torch.ones(2).half()))
