"""The rest of the verified conventions at kinks, ties and ends (T-70 to T-86)."""

from tests.oracle.registry import program

_INF, _NAN = float("inf"), float("nan")


def _slope(torch, fn, at):
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    y = fn(x)
    return torch.autograd.grad(y.sum(), x)[0].tolist()


@program(rules="T-70")
def further_kinks(torch, see):
    F = torch.nn.functional
    see("hardswish", [_slope(torch, F.hardswish, v) for v in (-3.0, 3.0)], expect=[0, 1])
    see("hardsigmoid", [_slope(torch, F.hardsigmoid, v) for v in (-3.0, 3.0)], expect=[0, 0])
    see("hardshrink", _slope(torch, F.hardshrink, 0.5), expect=0.0)
    see("softshrink", _slope(torch, F.softshrink, 0.5), expect=0.0)
    see("threshold", _slope(torch, lambda x: F.threshold(x, 0.5, 0.0), 0.5), expect=0.0)
    weight = torch.tensor([0.25], dtype=torch.float64)
    see("prelu", _slope(torch, lambda x: F.prelu(x, weight), [0.0]), expect=[0.25])
    zero = torch.zeros(1, dtype=torch.float64)
    see("l1_loss", _slope(torch, lambda x: F.l1_loss(x, zero), [0.0]), expect=[0])


@program(rules="T-72")
def further_ties(torch, see):
    see("median", _slope(torch, torch.median, [1.0, 2.0, 2.0]), expect=[0, 0.5, 0.5])
    see(
        "aminmax",
        _slope(torch, lambda x: torch.aminmax(x)[1], [1.0, 2.0, 2.0]),
        expect=[0, 0.5, 0.5],
    )
    see(
        "cummax",
        _slope(torch, lambda x: torch.cummax(x, 0)[0][-1], [2.0, 2.0, 1.0]),
        expect=[0, 1, 0],
    )
    see("median of an even count", torch.median(torch.tensor([1.0, 2.0, 3.0, 4.0])), expect=2)
    see("topk", _slope(torch, lambda x: torch.topk(x, 1)[0], [2.0, 2.0]))
    see("kthvalue", _slope(torch, lambda x: torch.kthvalue(x, 2)[0], [2.0, 2.0, 1.0]))
    index = torch.tensor([0, 0])
    base = torch.zeros(1, dtype=torch.float64)
    see(
        "scatter_reduce amax",
        _slope(torch, lambda x: base.scatter_reduce(0, index, x, "amax"), [2.0, 2.0]),
        expect=[0.5, 0.5],
    )
    pair = torch.tensor([_NAN], dtype=torch.float64)
    see("fmax with nan", _slope(torch, lambda x: torch.fmax(x, pair), [1.0]), expect=[1])


@program(rules="T-73")
def further_norms_at_zero(torch, see):
    F = torch.nn.functional
    zero = torch.zeros(2, dtype=torch.float64)
    see("dist", _slope(torch, lambda x: torch.dist(x, zero), [0.0, 0.0]), expect=[0, 0])
    see("hypot", _slope(torch, lambda x: torch.hypot(x, zero[0]), 0.0), expect=_NAN)
    see(
        "normalize", _slope(torch, lambda x: F.normalize(x, dim=0), [0.0, 0.0]), expect=[1e12, 1e12]
    )


@program(rules="T-77")
def further_ends_of_domains(torch, see):
    zero = torch.zeros((), dtype=torch.float64)
    see("acosh(1)", _slope(torch, torch.acosh, 1.0), expect=_INF)
    see("erfinv(1)", _slope(torch, torch.erfinv, 1.0), expect=_INF)
    see("xlogy(0, 0) by x", _slope(torch, lambda x: torch.xlogy(x, zero), 0.0), expect=0.0)
    see("xlogy(0, 0) by y", _slope(torch, lambda y: torch.xlogy(zero, y), 0.0), expect=_NAN)
    see("sinc(0)", _slope(torch, torch.sinc, 0.0), expect=0.0)
    see("atan2(0, 0)", _slope(torch, lambda x: torch.atan2(x, zero), 0.0), expect=0.0)
    see("lgamma(0)", _slope(torch, torch.lgamma, 0.0), expect=-_INF)
    see("copysign at 0", _slope(torch, lambda x: torch.copysign(x, zero + 1), 0.0), expect=0.0)


@program(rules="T-75 T-82")
def zeros_nans_and_thresholds(torch, see):
    F = torch.nn.functional
    see("nansum", _slope(torch, torch.nansum, [1.0, _NAN]), expect=[1, 0])
    see("nan_to_num", _slope(torch, torch.nan_to_num, [1.0, _NAN]), expect=[1, 0])
    zero = torch.zeros(1, dtype=torch.float64)
    see("smooth_l1 at 0", _slope(torch, lambda x: F.smooth_l1_loss(x, zero), [0.0]), expect=[0])
    see(
        "huber at delta",
        _slope(torch, lambda x: F.huber_loss(x, zero, delta=2.0), [2.0]),
        expect=[2],
    )
    minus = -torch.ones(1, dtype=torch.float64)
    see("hinge at the margin", _slope(torch, lambda x: F.hinge_embedding_loss(x, minus), [1.0]))


@program(rules="T-85")
def duplicates(torch, see):
    index = torch.tensor([0, 0])
    base = torch.zeros(2, dtype=torch.float64)
    see("scatter", _slope(torch, lambda s: base.scatter(0, index, s), [1.0, 1.0]), expect=[1, 1])
    see(
        "repeat_interleave",
        _slope(torch, lambda x: x.repeat_interleave(3), [1.0, 2.0]),
        expect=[3, 3],
    )


@program(rules="T-84")
def not_differentiable(torch, see):
    x = torch.tensor([1.0, 2.0, 1.0], requires_grad=True)
    see.attempt("heaviside", lambda: torch.heaviside(x, torch.tensor([0.5])).sum().backward())
    see("argmax", x.argmax().requires_grad, expect=False)


@program(rules="T-86")
def normalisation_of_constants(torch, see):
    F = torch.nn.functional
    see(
        "layer_norm",
        _slope(torch, lambda x: F.layer_norm(x, (3,)) * x.detach(), [2.0, 2.0, 2.0]),
        expect=[0, 0, 0],
    )


@program(rules="T-70")
def the_slope_of_logit_at_and_beyond_its_ends(torch, see):
    """With `eps` below 0 nothing is moved into the domain, outside which value and slope are NaN."""
    for eps in (None, 0.0, 0.1, -7.0):
        x = torch.tensor([-0.0, 0.0, 1.0, 1.25, -0.5, 0.3], dtype=torch.float64, requires_grad=True)
        see(f"eps {eps}", torch.autograd.grad(torch.logit(x, eps).sum(), x))
