"""Reductions: values, which elements get the gradient, empty and one-element ends."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_INF, _NAN = float("inf"), float("nan")
_SMOOTH = ("sum", "mean", "prod", "var", "std", "logsumexp", "amax", "amin")
_WAYS = {"dim": {"dim": 1}, "negative dim": {"dim": -2}, "keepdim": {"dim": 0, "keepdim": True}}


@program(rules="T-36", each=_SMOOTH)
def over_one_dim(torch, see, name):
    reduce = getattr(torch, name)
    for way, options in _WAYS.items():
        see.derivatives(way, lambda x, o=options: reduce(x, **o), wave(2, 3, low=0.5, high=2))


@program(rules="T-36", each=("sum", "mean", "prod", "var", "std"))
def over_everything(torch, see, name):
    see.derivatives(name, getattr(torch, name), wave(2, 3, low=0.5, high=2))
    see.derivatives("float32", getattr(torch, name), wave(2, 3, low=0.5, high=2), dtype="float32")


@program(rules="T-36 T-14", each=("sum", "mean", "var", "std", "logsumexp", "amax", "amin"))
def over_several_dims(torch, see, name):
    reduce = getattr(torch, name)
    see.derivatives("two", lambda x: reduce(x, dim=(0, 2)), wave(2, 3, 2, low=0.5, high=2))
    see.derivatives(
        "kept", lambda x: reduce(x, dim=(0, -1), keepdim=True), wave(2, 3, 2, low=0.5, high=2)
    )


@program(rules="T-14")
def an_empty_list_of_dims_means_all(torch, see):
    x = torch.tensor(wave(2, 3))
    see("sum", x.sum(dim=()))
    see("sum kept", x.sum(dim=[], keepdim=True))
    see("mean", x.mean(dim=()))


@program(rules="T-14")
def dims_out_of_range(torch, see):
    x = torch.ones(2, 3)
    phrase = "expected to be in range of [-2, 1]"
    for name in ("sum", "mean", "prod", "softmax", "cumsum", "argmax"):
        see.raises(name, lambda n=name: getattr(x, n)(dim=2), phrase=phrase)


@program(rules="T-72")
def max_and_min_of_everything_share_ties(torch, see):
    for name in ("max", "min", "amax", "amin"):
        x = torch.tensor([1.0, 3.0, 3.0, 1.0], dtype=torch.float64, requires_grad=True)
        value = getattr(x, name)()
        see(f"{name}", value)
        see(f"{name}: gradient", torch.autograd.grad(value, x)[0])
    x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
    see("gradient", torch.autograd.grad(x.max(), x)[0], expect=[0, 0.5, 0.5])


@program(rules="T-72")
def max_and_min_over_a_dim_take_one_index(torch, see):
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    for name in ("max", "min"):
        values, indices = getattr(x, name)(dim=1)
        see(f"{name}: values", values)
        see(f"{name}: indices", indices)
        see(f"{name}: gradient", torch.autograd.grad(values.sum(), x)[0])
    result = x.max(dim=0, keepdim=True)
    see("named fields", (result.values, result.indices))
    see("first of equals", x.max(dim=1).indices, expect=[1, 0])


@program(rules="T-72 T-84")
def argmax_takes_the_first_and_has_no_history(torch, see):
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 0.0, 2.0]], requires_grad=True)
    see("over everything", x.argmax(), expect=1)
    see("over a dim", x.argmax(dim=1), expect=[1, 0])
    see("kept", x.argmin(dim=0, keepdim=True))
    see("requires grad", x.argmax().requires_grad, expect=False)


@program(rules="T-75")
def prod_is_exact_at_zeros(torch, see):
    def slope(values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(x.prod(), x)[0]

    see("one zero", slope([0.0, 2.0, 3.0]), expect=[6, 0, 0])
    see("two zeros", slope([0.0, 0.0, 3.0]), expect=[0, 0, 0])
    x = torch.tensor([[0.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    see("over a dim", torch.autograd.grad(x.prod(dim=0).sum(), x)[0], expect=[[3, 4], [0, 2]])
    x = torch.tensor([2.0, 0.0, 3.0], dtype=torch.float64, requires_grad=True)
    see("cumprod", torch.autograd.grad(x.cumprod(0).sum(), x)[0], expect=[1, 8, 0])


@program(rules="T-81")
def var_and_std_of_few_elements(torch, see):
    def both(fn, values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        y = fn(x)
        return y.item(), torch.autograd.grad(y, x)[0].tolist()

    see("one element", both(torch.var, [2.0]), expect=(_NAN, [_NAN]))
    see("one, correction 0", both(lambda x: x.var(correction=0), [2.0]), expect=(0, [0]))
    see("equal values", both(torch.std, [2.0, 2.0]), expect=(0, [0, 0]))
    see("unbiased off", both(lambda x: x.var(unbiased=False), [1.0, 3.0]))
    see.warns(
        "degrees of freedom", lambda: torch.tensor([1.0]).var(), phrase="degrees of freedom is <= 0"
    )


@program(rules="T-81")
def reductions_of_nothing(torch, see):
    nothing = torch.tensor([])
    see("sum", nothing.sum(), expect=0)
    see("prod", nothing.prod(), expect=1)
    see("mean", nothing.mean(), expect=_NAN)
    see("all and any", (nothing.bool().all(), nothing.bool().any()))
    see.raises("max", nothing.max)
    see.raises("argmax", nothing.argmax)
    see("sum of rows", torch.zeros(0, 3).sum(dim=0), expect=[0, 0, 0])


@program(rules="T-73", each=(2, 1, 3, float("inf"), "fro"))
def norms(torch, see, order):
    see.derivatives("all", lambda x: torch.norm(x, p=order), wave(2, 3), twice=order in (2, "fro"))
    see.derivatives("rows", lambda x: torch.norm(x, p=order, dim=1), wave(2, 3), twice=False)


@program(rules="T-72 T-73")
def norms_at_zero_and_ties(torch, see):
    def slope(fn, values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(fn(x), x)[0]

    see("2-norm at 0", slope(torch.norm, [0.0, 0.0]), expect=[0, 0])
    see("1-norm at 0", slope(lambda x: x.norm(p=1), [0.0, 1.0]), expect=[0, 1])
    see("3-norm at 0", slope(lambda x: x.norm(p=3), [0.0, 0.0]), expect=[0, 0])
    see("inf-norm tie", slope(lambda x: x.norm(p=_INF), [2.0, -2.0, 1.0]), expect=[0.5, -0.5, 0])
    see("vector_norm", slope(torch.linalg.vector_norm, [3.0, 4.0]), expect=[0.6, 0.8])


@program(rules="T-78")
def logsumexp_at_infinities(torch, see):
    def both(values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        y = torch.logsumexp(x, dim=0)
        return y.item(), torch.autograd.grad(y, x)[0].tolist()

    see("far out", both([1000.0, 1000.0]))
    see("one -inf", both([-_INF, 0.0]), expect=(0, [0, 1]))
    see("all -inf", both([-_INF, -_INF]), expect=(-_INF, [_NAN, _NAN]))


@program(rules="T-36", each=("cumsum", "cumprod"))
def running_totals(torch, see, name):
    see.derivatives("rows", lambda x: getattr(torch, name)(x, dim=1), wave(2, 3, low=0.5, high=2))
    see.derivatives(
        "columns", lambda x: getattr(torch, name)(x, dim=0), wave(2, 3, low=0.5, high=2)
    )


@program(rules="T-36", each=("median", "cummax", "cummin"))
def choices_of_one_element(torch, see, name):
    x = torch.tensor(
        [[3.0, 1.0, 2.0, 5.0], [0.0, 4.0, 9.0, 8.0]], dtype=torch.float64, requires_grad=True
    )
    values, indices = getattr(x, name)(dim=1)
    see("values", values)
    see("indices", indices)
    see("gradient", torch.autograd.grad(values.sum(), x)[0])


@program(rules="T-36")
def counting_without_history(torch, see):
    x = torch.tensor([[0.0, 1.0], [2.0, 0.0]], requires_grad=True)
    see("count_nonzero", torch.count_nonzero(x))
    see("count over a dim", torch.count_nonzero(x, dim=0))
    see("any", x.any())
    see("trace", torch.trace(x))
