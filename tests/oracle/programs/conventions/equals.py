"""Among equal elements, who gets the gradient (T-72), and repeated indices (T-85)."""

from tests.oracle.points import watch
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")
_SHARED = [1.0, 3.0, 3.0, 1.0]

_ALL = {
    "max": (lambda torch, x: x.max(), [0, 0.5, 0.5, 0]),
    "min": (lambda torch, x: x.min(), [0.5, 0, 0, 0.5]),
    "amax": (lambda torch, x: x.amax(), [0, 0.5, 0.5, 0]),
    "amin": (lambda torch, x: x.amin(), [0.5, 0, 0, 0.5]),
    "amax over a dim": (lambda torch, x: x.amax(0), [0, 0.5, 0.5, 0]),
    "amin over a dim": (lambda torch, x: x.amin(0, keepdim=True), [0.5, 0, 0, 0.5]),
    "aminmax": (lambda torch, x: sum(torch.aminmax(x)), [0.5, 0.5, 0.5, 0.5]),
    "aminmax over a dim": (lambda torch, x: sum(torch.aminmax(x, dim=0)), [0.5, 0.5, 0.5, 0.5]),
    "max over a dim": (lambda torch, x: x.max(0).values, [0, 1, 0, 0]),
    "min over a dim": (lambda torch, x: x.min(0).values, [1, 0, 0, 0]),
    "cummax": (lambda torch, x: x.cummax(0).values, [1, 1, 2, 0]),
    "cummin": (lambda torch, x: x.cummin(0).values, [3, 0, 0, 1]),
    "inf-norm": (lambda torch, x: x.norm(p=_INF), [0, 0.5, 0.5, 0]),
    "inf-norm of signs": (lambda torch, x: (x * torch.tensor([1.0, 1, -1, 1])).norm(p=_INF),
                          [0, 0.5, 0.5, 0]),
    "minus inf-norm": (lambda torch, x: torch.linalg.vector_norm(x, -_INF), [0.5, 0, 0, 0.5]),
}  # fmt: skip


@program(rules="T-72", each=_ALL)
def equals_in_a_reduction(torch, see, name):
    fn, slope = _ALL[name]
    watch(torch, see, name, lambda x: fn(torch, x), _SHARED, slope=[slope])


@program(rules="T-72")
def equals_of_rows(torch, see):
    rows = [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [3.0, 0.0, 3.0]]
    for name in ("amax", "amin"):
        for dim in (0, 1, (0, 1)):
            watch(torch, see, f"{name} {dim}", lambda x, n=name, d=dim: getattr(x, n)(dim=d), rows)
    for name in ("max", "min", "median", "cummax", "cummin", "mode"):
        for dim in (0, 1):
            watch(torch, see, f"{name} {dim}", lambda x, n=name, d=dim: getattr(x, n)(d)[0], rows)
    x = torch.tensor(rows)
    see("indices", [list(f(x, 1)) for f in (torch.max, torch.min, torch.cummax, torch.cummin)])
    see(
        "argmax",
        (x.argmax(), x.argmax(1), x.argmin(), x.argmin(0)),
        expect=(1, [1, 0, 0], 7, [0, 2, 1]),
    )


@program(rules="T-72")
def the_median_of_equals(torch, see):
    watch(torch, see, "shared", torch.median, [1.0, 2.0, 2.0], slope=[[0, 0.5, 0.5]])
    watch(torch, see, "even count", torch.median, [4.0, 1.0, 3.0, 2.0], slope=[[0, 0, 0, 1]])
    watch(torch, see, "nan", torch.median, [1.0, _NAN, 2.0])
    watch(torch, see, "nanmedian", torch.nanmedian, [1.0, _NAN, 2.0, 2.0])
    watch(torch, see, "nanmedian over a dim", lambda x: x.nanmedian(0)[0], [1.0, _NAN, 2.0, 3.0])
    watch(torch, see, "over a dim", lambda x: x.median(0)[0], [4.0, 1.0, 3.0, 2.0])


@program(rules="T-72", each=("maximum", "minimum", "fmax", "fmin"))
def equals_of_two_tensors(torch, see, name):
    fn = getattr(torch, name)
    halves = name in ("maximum", "minimum")  # fmax and fmin: all to the first
    slope = [[0.5, 0.5], [0.5, 0.5]] if halves else [[1, 1], [0, 0]]
    watch(torch, see, "tie", fn, [1.0, 2.0], [1.0, 2.0], slope=slope)
    watch(torch, see, "both infinite", fn, [_INF], [_INF])
    watch(torch, see, "nan on the right", fn, [1.0], [_NAN])
    watch(torch, see, "nan on the left", fn, [_NAN], [1.0])
    watch(torch, see, "nan on both", fn, [_NAN], [_NAN])
    if name.startswith("f"):
        watch(
            torch, see, "the number gets all", fn, [1.0, _NAN], [_NAN, 1.0], slope=[[1, 0], [0, 1]]
        )


@program(rules="T-72")
def one_index_is_chosen(torch, see):
    F = torch.nn.functional
    equal = [[[2.0, 2.0, 2.0, 2.0]]]
    image = [[[[2.0, 2.0], [2.0, 2.0]]]]
    watch(torch, see, "max_pool1d", lambda x: F.max_pool1d(x, 2), equal, slope=[[[[1, 0, 1, 0]]]])
    watch(
        torch, see, "overlapping", lambda x: F.max_pool1d(x, 2, 1), equal, slope=[[[[1, 1, 1, 0]]]]
    )
    watch(
        torch, see, "max_pool2d", lambda x: F.max_pool2d(x, 2), image, slope=[[[[[1, 0], [0, 0]]]]]
    )
    watch(torch, see, "adaptive", lambda x: F.adaptive_max_pool1d(x, 3), equal)
    watch(torch, see, "adaptive in two", lambda x: F.adaptive_max_pool2d(x, 1), image)
    for values in ([1.0, _NAN, _NAN, 1.0], [_NAN, 1.0, _NAN, 2.0], [_NAN, _NAN, 1.0, _NAN]):
        for k, step in ((2, 2), (4, 4), (2, 1)):
            watch(torch, see, f"{values} in {k} by {step}", lambda x, k=k, s=step: F.max_pool1d(x, k, s),
                  [[values]])  # fmt: skip
    for k in (1, 2):
        watch(torch, see, f"kthvalue {k}", lambda x, k=k: x.kthvalue(k)[0], [2.0, 2.0, 1.0])
        watch(torch, see, f"topk {k} sums", lambda x, k=k: x.topk(k)[0].sum(), [2.0, 3.0, 1.0])
    found = torch.autograd.grad(
        (t := torch.tensor([2.0, 2.0, 2.0], requires_grad=True)).topk(2)[0].sum(), t
    )[0]
    see("topk of equals takes that many", sorted(found.tolist()), expect=[0.0, 1.0, 1.0])


@program(rules="T-72")
def sorting_is_stable(torch, see):
    values = [2.0, 1.0, 2.0, 1.0, 2.0]
    for down in (False, True):
        watch(torch, see, f"down {down}",
              lambda x, d=down: x.sort(stable=True, descending=d)[0] * torch.arange(5.0), values)  # fmt: skip
        x = torch.tensor(values)
        see(f"order, down {down}", torch.argsort(x, stable=True, descending=down))
    watch(
        torch,
        see,
        "nan last",
        lambda x: x.sort(stable=True)[0] * torch.arange(3.0),
        [_NAN, 1.0, 0.0],
    )


@program(rules="T-72", each=("amax", "amin", "sum", "mean", "prod"))
def equals_that_are_scattered(torch, see, name):
    index = torch.tensor([0, 0, 1])

    def both(x, s):
        return x.scatter_reduce(0, index, s, name)

    twice = name != "prod" and not name.startswith("a")  # PyTorch has none of these
    watch(torch, see, "include self", both, [2.0, 1.0], [2.0, 2.0, 3.0], twice=twice)
    watch(torch, see, "none equal", both, [1.0, 5.0], [2.0, 3.0, 4.0], twice=twice)
    watch(torch, see, "without self", lambda x, s: x.scatter_reduce(0, index, s, name, include_self=False),
          [7.0, 1.0], [2.0, 4.0, 3.0], twice=twice)  # fmt: skip


_REPEATED = {
    "gather": (lambda torch, x: x.gather(0, torch.tensor([0, 0, 1])), [2, 1, 0]),
    "index": (lambda torch, x: x[torch.tensor([0, 0, 1])], [2, 1, 0]),
    "index by a list": (lambda torch, x: x[[2, 2, 2]], [0, 0, 3]),
    "index_select": (lambda torch, x: x.index_select(0, torch.tensor([0, 0, 1])), [2, 1, 0]),
    "take": (lambda torch, x: x.take(torch.tensor([[0, 0], [2, 0]])), [3, 0, 1]),
    "take_along_dim": (lambda torch, x: x.take_along_dim(torch.tensor([1, 1])), [0, 2, 0]),
    "embedding": (lambda torch, x: torch.nn.functional.embedding(torch.tensor([0, 0, 2]), x[:, None]),
                  [2, 0, 1]),
    "repeat_interleave": (lambda torch, x: x.repeat_interleave(2), [2, 2, 2]),
    "repeat_interleave by counts": (lambda torch, x: x.repeat_interleave(torch.tensor([0, 3, 1])),
                                    [0, 3, 1]),
    "repeat": (lambda torch, x: x.repeat(3), [3, 3, 3]),
    "expand": (lambda torch, x: x.expand(4, 3), [4, 4, 4]),
    "scatter, duplicates": (lambda torch, x: torch.zeros(2, dtype=x.dtype).scatter(
        0, torch.tensor([0, 0, 1]), x), [1, 1, 1]),
    "scatter_add": (lambda torch, x: torch.zeros(2, dtype=x.dtype).scatter_add(
        0, torch.tensor([0, 0, 1]), x), [1, 1, 1]),
    "index_add": (lambda torch, x: torch.zeros(2, dtype=x.dtype).index_add(
        0, torch.tensor([0, 0, 1]), x, alpha=2), [2, 2, 2]),
    "index_put, accumulate": (lambda torch, x: torch.zeros(2, dtype=x.dtype).index_put(
        (torch.tensor([0, 0, 1]),), x, accumulate=True), [1, 1, 1]),
}  # fmt: skip


@program(rules="T-85", each=_REPEATED)
def repeated_indices(torch, see, name):
    fn, slope = _REPEATED[name]
    x = [1.0, 2.0, 3.0]
    # Which of several values a scatter keeps is not said: the rule is about the gradient.
    if name == "scatter, duplicates":
        leaf = torch.tensor(x, requires_grad=True)
        out = fn(torch, leaf)
        see("one of them", out[0].item() in (1.0, 2.0), expect=True)
        see("gradient", torch.autograd.grad(out.sum(), leaf)[0], expect=slope)
    else:
        watch(torch, see, name, lambda x: fn(torch, x) ** 2, x)
        watch(torch, see, "plain", lambda x: fn(torch, x), x, slope=[slope])
