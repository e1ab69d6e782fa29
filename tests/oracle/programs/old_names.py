"""Names that PyTorch keeps for old programs, and warns of; numbers of numpy's in old and new ones."""

import numpy as np

from tests.oracle.data import wave
from tests.oracle.registry import program

_RANGES = {
    "up to the end": (0, 3),
    "halves": (1, 2.5, 0.5),
    "down": (3, 0, -1),
    "tenths": (0, 1, 0.1),
    "between": (0, 2.7),
    "one": (2, 2),
}


@program(rules="X-16", each=tuple(_RANGES))
def range_includes_its_end(torch, see, name):
    see.warns(
        "warning", lambda: see("range", torch.range(*_RANGES[name])), phrase="range is deprecated"
    )


@program(rules="X-16")
def range_has_a_type_and_an_out(torch, see):
    def all_of_it():
        see("int64", torch.range(0, 3, dtype=torch.int64))
        see("cut", torch.range(0.5, 3, dtype=torch.int32))
        see("half", torch.range(0, 3, dtype=torch.float16))
        see("leaf", torch.range(0, 3, requires_grad=True).requires_grad)
        see("out", torch.range(0, 3, out=torch.zeros(0)))
        see.raises(
            "bool", lambda: torch.range(0, 3, dtype=torch.bool), phrase="not implemented for"
        )
        see.raises("direction", lambda: torch.range(0, 3, -1), phrase="bound")
        see.raises("no step", lambda: torch.range(0, 3, 0), phrase="step must be nonzero")
        see.raises("no limit", lambda: torch.range(0, float("inf")), phrase="unsupported range")

    see.warns("warning", all_of_it, phrase="deprecated")
    see.raises("no end", lambda: torch.range(5))


@program(rules="X-16")
def resize_keeps_the_number_of_elements(torch, see):
    x = torch.tensor(wave(6), dtype=torch.float64, requires_grad=True)

    def resized():
        see("resize", x.resize(2, 3))
        see("like", x.resize_as(torch.zeros(3, 2)))
        see("gradient", torch.autograd.grad((x.resize(2, 3)[1] * 3).sum(), x)[0])
        see.raises("more", lambda: x.resize(7), phrase="requested resize to")
        see.raises("fewer", lambda: x.resize_as(torch.zeros(5)), phrase="requested resize to")

    see.warns("warning", resized, phrase="non-inplace resize")


@program(rules="X-16")
def clip_grad_norm_writes_in_place_without_its_underscore(torch, see):
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    (x * x).sum().backward()
    see.warns(
        "warning",
        lambda: see("norm", torch.nn.utils.clip_grad_norm([x], 1.0)),
        FutureWarning,
        phrase="is now deprecated in favor of",
    )
    see("clipped", x.grad)


_NUMBERS = {
    "full": lambda t, x, n: t.full((2,), n),
    "where": lambda t, x, n: t.where(x > 0, x, n),
    "where, first": lambda t, x, n: t.where(x > 0, n, x),
    "lerp": lambda t, x, n: t.lerp(x, x * 2, n),
    "addcmul": lambda t, x, n: t.addcmul(x, x, x, value=n),
    "huber": lambda t, x, n: t.nn.functional.huber_loss(x, x * 2, delta=n),
    "smooth": lambda t, x, n: t.nn.functional.smooth_l1_loss(x, x * 2, beta=n),
    "rsub": lambda t, x, n: t.rsub(x, n),
    "power": lambda t, x, n: n ** x.abs(),
    "type": lambda t, x, n: (x + n) * t.ones(1, dtype=t.result_type(x, n)),
}


@program(rules="X-16", each=tuple(_NUMBERS))
def numbers_of_numpy_are_numbers(torch, see, name):
    for number in (np.float64(1.5), np.float32(1.5), np.int64(2), np.int32(2), np.uint8(2)):
        for kind in ("float32", "float64", "int64"):
            if kind == "int64" and name in ("lerp", "huber", "smooth", "addcmul"):
                continue
            x = torch.tensor([2, -3, 1], dtype=getattr(torch, kind))
            see(f"{type(number).__name__} beside {kind}", _NUMBERS[name](torch, x, number))


@program(rules="X-16")
def ints_of_numpy_are_sizes_and_dims(torch, see):
    one, two = np.int64(1), np.int32(2)
    f, image = torch.nn.functional, torch.tensor(wave(1, 2, 4, 4))
    see("pool", f.max_pool2d(image, two, stride=two))
    see("resized", f.interpolate(image, size=two))
    see("adaptive", f.adaptive_avg_pool1d(image[0], two))
    see("padded", f.conv2d(image, torch.ones(1, 2, 3, 3), padding=one))
    see("layer", torch.nn.Conv2d(2, 3, two, padding=one)(image).shape)
    see("norm", torch.nn.LayerNorm(np.int64(4))(image))
    see("rolled", image.roll(one, two))
    see("moved", image.movedim(one, two))
    see("spectrum", torch.fft.fft(image, dim=one).real)
    see("split", image.tensor_split(two, two)[1])
    see("repeated", image.repeat_interleave(two, one))
