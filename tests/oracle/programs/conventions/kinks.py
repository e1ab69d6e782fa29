"""Where a function has a corner (T-70), and clamp (T-71)."""

from tests.oracle.points import watch
from tests.oracle.registry import program

_NAN = float("nan")

#: function of (F, x), where, slopes there
_OF_ONE = {
    "abs": (lambda F, x: x.abs(), [0.0, -0.0], [0, 0]),
    "relu": (lambda F, x: F.relu(x), [0.0, -0.0], [0, 0]),
    "leaky_relu": (lambda F, x: F.leaky_relu(x, 0.125), [0.0], [0.125]),
    "rrelu": (lambda F, x: F.rrelu(x, 0.25, 0.5, training=False), [0.0], [0.375]),
    "elu": (lambda F, x: F.elu(x), [0.0], [1]),
    "elu, alpha 2": (lambda F, x: F.elu(x, 2.0), [0.0], [2]),
    "celu, alpha 2": (lambda F, x: F.celu(x, 2.0), [0.0], [1]),
    "selu": (lambda F, x: F.selu(x), [0.0], [1.7580993408473766]),
    "relu6": (lambda F, x: F.relu6(x), [0.0, 6.0], [0, 0]),
    "hardtanh": (lambda F, x: F.hardtanh(x), [-1.0, 1.0], [0, 0]),
    "hardtanh of its own bounds": (lambda F, x: F.hardtanh(x, -2, 0.5), [-2.0, 0.5], [0, 0]),
    "hardswish": (lambda F, x: F.hardswish(x), [-3.0, 3.0], [0, 1]),
    "softshrink": (lambda F, x: F.softshrink(x), [-0.5, 0.0, 0.5], [0, 0, 0]),
    "hardshrink": (lambda F, x: F.hardshrink(x), [-0.5, 0.0, 0.5], [0, 0, 0]),
    "threshold": (lambda F, x: F.threshold(x, 0.5, 3.0), [0.5], [0]),
    "sign": (lambda F, x: x.sign(), [0.0, 2.0], [0, 0]),
    "floor": (lambda F, x: x.floor(), [0.0, 1.0, 1.5], [0, 0, 0]),
    "ceil": (lambda F, x: x.ceil(), [0.0, 1.0, 1.5], [0, 0, 0]),
    "round": (lambda F, x: x.round(), [0.0, 0.5, 1.5], [0, 0, 0]),
    "trunc": (lambda F, x: x.trunc(), [0.0, 1.0, -1.5], [0, 0, 0]),
    "frac": (lambda F, x: x.frac(), [0.0, 1.0, -1.5], [1, 1, 1]),
    "softsign": (lambda F, x: F.softsign(x), [0.0], [1]),
    "tanhshrink": (lambda F, x: F.tanhshrink(x), [0.0], [0]),
}


@program(rules="T-70", each=_OF_ONE)
def corners_of_functions_of_one(torch, see, name):
    fn, at, slope = _OF_ONE[name]
    watch(torch, see, name, lambda x: fn(torch.nn.functional, x), at, slope=[slope])


@program(rules="T-70")
def hardsigmoid_is_flat_at_its_corners(torch, see):
    # PyTorch has no second derivative of it.
    F = torch.nn.functional
    watch(torch, see, "hardsigmoid", F.hardsigmoid, [-3.0, 3.0], slope=[[0, 0]], twice=False)


@program(rules="T-70")
def prelu_at_zero(torch, see):
    F = torch.nn.functional
    watch(
        torch,
        see,
        "one weight",
        F.prelu,
        [[0.0, -2.0]],
        [0.25],
        slope=[[[0.25, 0.25]], [-2]],
        twice=False,
    )
    watch(torch, see, "at zero alone", F.prelu, [[0.0]], [0.25], slope=[[[0.25]], [0]], twice=False)
    x = torch.tensor([[0.0]], dtype=torch.float64, requires_grad=True)
    grad = torch.ones(1, 1, dtype=torch.float64, requires_grad=True)
    weight = torch.tensor([0.25], dtype=torch.float64)
    (slope,) = torch.autograd.grad(F.prelu(x, weight), x, grad, create_graph=True)
    see.differs(
        "the slope for each gradient that arrives",
        torch.autograd.grad(slope, grad)[0],
        torch=[[1]],
        vizgrad=[[0.25]],
        because="T-70: PyTorch's second backward counts 0 among the positive, its first does not",
    )


@program(rules="T-70")
def losses_at_their_corners(torch, see):
    F = torch.nn.functional
    watch(torch, see, "l1", lambda a, b: F.l1_loss(a, b, reduction="none"), [1.0], [1.0],
          slope=[[0], [0]])  # fmt: skip

    def ranking(a, b):
        return F.margin_ranking_loss(a, b, torch.ones_like(a), margin=1.0, reduction="none")

    watch(torch, see, "margin ranking", ranking, [2.0], [1.0], slope=[[-1], [1]])


_WITHIN = [-2.0, -1.0, 0.0, 1.0, 2.0, _NAN]
_CLAMPS = {
    "both": (lambda x: x.clamp(-1, 1), [0, 1, 1, 1, 0, 0]),
    "low": (lambda x: x.clamp(min=-1), [0, 1, 1, 1, 1, 0]),
    "high": (lambda x: x.clamp(max=1), [1, 1, 1, 1, 0, 0]),
    "clamp_min": (lambda x: x.clamp_min(0), [0, 0, 1, 1, 1, 0]),
    "clamp_max": (lambda x: x.clamp_max(0), [1, 1, 1, 0, 0, 0]),
    "clip": (lambda x: x.clip(-1, 1), [0, 1, 1, 1, 0, 0]),
    "min above max": (lambda x: x.clamp(1, -1), [0, 0, 0, 0, 0, 0]),
    "in place": (lambda x: (x * 1).clamp_(-1, 1), [0, 1, 1, 1, 0, 0]),
}


@program(rules="T-71", each=_CLAMPS)
def clamp_by_numbers(torch, see, name):
    fn, slope = _CLAMPS[name]
    watch(torch, see, name, fn, _WITHIN, slope=[slope])


@program(rules="T-71")
def clamp_by_tensors(torch, see):
    clamp = torch.clamp
    watch(torch, see, "at the lower", clamp, [1.0], [1.0], [2.0], slope=[[1], [0], [0]])
    watch(torch, see, "at the upper", clamp, [2.0], [1.0], [2.0], slope=[[1], [0], [0]])
    watch(torch, see, "below", clamp, [0.0], [1.0], [2.0], slope=[[0], [1], [0]])
    watch(torch, see, "above", clamp, [3.0], [1.0], [2.0], slope=[[0], [0], [1]])
    watch(torch, see, "all equal", clamp, [1.0], [1.0], [1.0], slope=[[1], [0], [0]])
    watch(torch, see, "min above max", clamp, [0.0, 1.5, 3.0], [2.0] * 3, [1.0] * 3)
    watch(torch, see, "nan", clamp, [_NAN], [1.0], [2.0])
    watch(torch, see, "nan as bound", clamp, [1.0, 1.0], [_NAN, 0.0], [2.0, _NAN])
    watch(torch, see, "clamp_min", torch.clamp_min, [1.0, _NAN], [1.0, 1.0])
    watch(torch, see, "clamp_max", torch.clamp_max, [1.0, _NAN], [1.0, 1.0])
    watch(
        torch, see, "bounds that broadcast", clamp, [[0.0, 1.0], [2.0, 3.0]], [1.0], [[2.0], [2.5]]
    )
