"""Results of pools that are written in place before the backward."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_POOLS = {
    "max_pool1d": ((2, 3, 8), lambda F, x: F.max_pool1d(x, 2)),
    "max_pool2d": ((2, 3, 6, 4), lambda F, x: F.max_pool2d(x, 2)),
    "max_pool3d": ((1, 2, 4, 4, 4), lambda F, x: F.max_pool3d(x, 2)),
    "windows that overlap": ((2, 3, 7, 7), lambda F, x: F.max_pool2d(x, 3, 2, 1)),
    "dilation": ((2, 3, 7, 7), lambda F, x: F.max_pool2d(x, 2, 1, 1, 2, ceil_mode=True)),
    "indices, 1d": ((2, 3, 8), lambda F, x: F.max_pool1d(x, 2, return_indices=True)[0]),
    "indices, 2d": ((2, 3, 6, 4), lambda F, x: F.max_pool2d(x, 2, return_indices=True)[0]),
    "indices, 3d": ((1, 2, 4, 4, 4), lambda F, x: F.max_pool3d(x, 2, return_indices=True)[0]),
    "adaptive, 1d": ((2, 3, 8), lambda F, x: F.adaptive_max_pool1d(x, 3)),
    "adaptive, 2d": ((2, 3, 6, 4), lambda F, x: F.adaptive_max_pool2d(x, (4, 3))),
    "adaptive, 3d": ((1, 2, 4, 4, 4), lambda F, x: F.adaptive_max_pool3d(x, 3)),
    "adaptive mean": ((2, 3, 6, 4), lambda F, x: F.adaptive_avg_pool2d(x, (4, 3))),
    "mean": ((2, 3, 6, 4), lambda F, x: F.avg_pool2d(x, 3, 2, 1)),
}


@program(rules="Y-1", each=list(_POOLS))
def a_pool_does_not_need_its_result(torch, see, case):
    shape, pool = _POOLS[case]
    x = torch.tensor(wave(*shape), dtype=torch.float64).requires_grad_()
    y = pool(torch.nn.functional, x)
    y.mul_(2).relu_()
    see("value", y)
    (g,) = torch.autograd.grad(y.pow(2).sum(), x, create_graph=True)
    see("gradient", g)
    see("second", torch.autograd.grad(g.pow(2).sum(), x)[0])


@program(rules="Y-1", each=["max_pool1d", "max_pool2d", "max_pool3d"])
def a_pool_needs_its_input(torch, see, case):
    shape, pool = _POOLS[case]
    x = torch.tensor(wave(*shape)).requires_grad_()
    a = x * 1
    y = pool(torch.nn.functional, a)
    a.mul_(2)
    see.raises("written", y.sum().backward, phrase="modified by an inplace operation")


@program(rules="Y-1", each=["2d", "3d"])
def windows_drawn_do_not_need_their_result(torch, see, case):
    dims = int(case[0])
    x = torch.tensor(wave(1, 2, *[6] * dims), dtype=torch.float64).requires_grad_()
    draws = torch.full((1, 2, dims), 0.4, dtype=torch.float64)
    pool = getattr(torch.nn.functional, f"fractional_max_pool{case}")
    y = pool(x, 2, output_size=3, _random_samples=draws)
    y.mul_(2)
    see("gradient", torch.autograd.grad(y.pow(2).sum(), x)[0])


@program(rules="Y-1", each=["MaxPool1d", "MaxPool2d", "MaxPool3d", "LPPool2d", "AdaptiveMaxPool2d"])
def an_activation_in_place_may_follow_a_pool(torch, see, case):
    dims = int(case[-2])
    nn = torch.nn
    conv = getattr(nn, f"Conv{dims}d")(1, 2, 2)
    with torch.no_grad():
        conv.weight.copy_(torch.tensor(wave(*conv.weight.shape)))
        conv.bias.fill_(0.3)
    kind = getattr(nn, case)
    net = nn.Sequential(conv, kind(2, 2) if case == "LPPool2d" else kind(2), nn.ReLU(inplace=True))
    net(torch.tensor(wave(2, 1, *[7] * dims))).sum().backward()
    see("gradient", conv.weight.grad)


@program(rules="Y-1")
def infinities_ties_and_nan_in_pools_whose_result_is_written(torch, see):
    inf, nan = float("inf"), float("nan")
    rows = [
        [-inf, -inf, 1.0, 1.0],
        [-inf, -inf, 1.0, nan],
        [0.0, 0.0, nan, 2.0],
        [0.0, 0.0, inf, nan],
    ]
    for options in ({}, {"stride": 1}, {"stride": 2, "padding": 1}):
        x = torch.tensor([[rows]]).requires_grad_()
        y = torch.nn.functional.max_pool2d(x, 2, **options)
        y.zero_().add_(1)
        y = torch.nn.functional.max_pool2d(x, 2, **options)
        y.mul_(3)
        see(f"{options}", torch.autograd.grad(y, x, torch.ones_like(y))[0])


@program(rules="Y-1", each=["max_pool1d", "max_pool2d", "windows that overlap"])
def tangents_and_batches_of_pools_whose_result_is_written(torch, see, case):
    shape, pool = _POOLS[case]
    F = torch.nn.functional
    x = torch.tensor(wave(*shape), dtype=torch.float64)
    t = torch.tensor(wave(*shape, seed=1), dtype=torch.float64)

    def written(x):
        return pool(F, x).mul_(2)

    see("tangent", torch.func.jvp(written, (x,), (t,)))
    see("batched", torch.func.vmap(torch.func.grad(lambda x: written(x).pow(2).sum()))(x))
    jacobian = torch.autograd.functional.jacobian(written, x[:1], vectorize=True)
    see("jacobian", jacobian)
