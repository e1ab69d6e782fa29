"""Convolution and pooling."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_WAYS = {
    "plain": {},
    "stride": {"stride": 2},
    "padding": {"padding": 1},
    "uneven padding": {"padding": (1, 0), "stride": (1, 2)},
    "dilation": {"dilation": 2},
    "same": {"padding": "same"},
    "valid": {"padding": "valid"},
}


@program(rules="T-41 T-88", each=_WAYS.items())
def conv2d_ways(torch, see, case):
    name, options = case
    conv = torch.nn.functional.conv2d
    see.derivatives(
        name,
        lambda x, w, b: conv(x, w, b, **options),
        wave(2, 2, 5, 5),
        wave(3, 2, 3, 3, seed=1),
        wave(3),
    )


@program(rules="T-88")
def conv2d_groups(torch, see):
    conv = torch.nn.functional.conv2d
    see.derivatives(
        "two", lambda x, w: conv(x, w, groups=2), wave(1, 4, 4, 4), wave(4, 2, 3, 3, seed=1)
    )
    see.derivatives(
        "depthwise", lambda x, w: conv(x, w, groups=2), wave(1, 2, 3, 3), wave(4, 1, 2, 2, seed=1)
    )


@program(rules="T-88")
def conv2d_computes_only_the_gradients_asked_for(torch, see):
    x = torch.tensor(wave(1, 1, 4, 4), dtype=torch.float64)
    w = torch.tensor(wave(1, 1, 3, 3, seed=1), dtype=torch.float64, requires_grad=True)
    y = torch.nn.functional.conv2d(x, w)
    see("edges", [node and node.name().rpartition("::")[2] for node, _ in y.grad_fn.next_functions])
    y.sum().backward()
    see("weight", w.grad)
    see("input", x.grad)


@program(rules="T-88")
def convolution_is_cross_correlation(torch, see):
    x = torch.arange(9.0).reshape(1, 1, 3, 3)
    w = torch.tensor([[[[1.0, 0.0], [0.0, 10.0]]]])
    see("value", torch.nn.functional.conv2d(x, w), expect=[[[[40, 51], [73, 84]]]])


@program(rules="T-41")
def conv1d(torch, see):
    conv = torch.nn.functional.conv1d
    see.derivatives("plain", conv, wave(2, 2, 5), wave(3, 2, 3, seed=1), wave(3))
    see.derivatives(
        "padded", lambda x, w: conv(x, w, padding=1, stride=2), wave(1, 2, 5), wave(3, 2, 3)
    )


@program(rules="T-88")
def convolutions_that_do_not_fit(torch, see):
    conv = torch.nn.functional.conv2d
    see.raises(
        "channels", lambda: conv(torch.ones(1, 2, 4, 4), torch.ones(1, 3, 3, 3)), phrase="channels"
    )
    see.raises(
        "kernel too large",
        lambda: conv(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3)),
        phrase="kernel size",
    )
    see(
        "without a batch", conv(torch.ones(1, 3, 3), torch.ones(2, 1, 3, 3)).shape, expect=(2, 1, 1)
    )


@program(rules="T-41 T-72")
def max_pool2d_takes_one_index_a_window(torch, see):
    F = torch.nn.functional
    see.derivatives("plain", lambda x: F.max_pool2d(x, 2), wave(1, 2, 4, 4))
    see.derivatives("stride 1", lambda x: F.max_pool2d(x, 2, stride=1), wave(1, 1, 3, 3))
    see.derivatives("padded", lambda x: F.max_pool2d(x, 3, stride=2, padding=1), wave(1, 1, 4, 4))
    x = torch.ones(1, 1, 2, 2, requires_grad=True)
    F.max_pool2d(x, 2).sum().backward()
    see("tie", x.grad, expect=[[[[1, 0], [0, 0]]]])
    value, index = F.max_pool2d(torch.tensor(wave(1, 1, 4, 4)), 2, return_indices=True)
    see("value", value)
    see("index", index)


@program(rules="T-41")
def avg_pool2d_spreads_evenly(torch, see):
    F = torch.nn.functional
    see.derivatives("plain", lambda x: F.avg_pool2d(x, 2), wave(1, 2, 4, 4))
    see.derivatives("padded", lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), wave(1, 1, 4, 4))
    see.derivatives(
        "padding not counted",
        lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
        wave(1, 1, 4, 4),
    )


@program(rules="T-41")
def adaptive_pooling(torch, see):
    F = torch.nn.functional
    see.derivatives("average", lambda x: F.adaptive_avg_pool2d(x, (2, 3)), wave(1, 1, 4, 5))
    see.derivatives("to one", lambda x: F.adaptive_avg_pool2d(x, 1), wave(1, 2, 3, 3))


@program(rules="T-41")
def padding(torch, see):
    F = torch.nn.functional
    see.derivatives("constant", lambda x: F.pad(x, (1, 2)), wave(2, 3))
    see.derivatives("two dims", lambda x: F.pad(x, (0, 1, 1, 0), value=2.0), wave(2, 3))
    see.derivatives("reflect", lambda x: F.pad(x, (1, 1), mode="reflect"), wave(1, 2, 3))
