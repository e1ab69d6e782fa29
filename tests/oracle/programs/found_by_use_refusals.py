"""Refusals that were missing or of another class, and dropout of unusual shapes."""

import warnings
from functools import partial

from tests.oracle.registry import program

_OF_TENSORS = [
    "atan2",
    "arctan2",
    "fmax",
    "fmin",
    "maximum",
    "minimum",
    "hypot",
    "nextafter",
    "logaddexp",
    "logaddexp2",
    "igamma",
    "igammac",
    "gcd",
    "lcm",
]


@program(rules="X-33", each=_OF_TENSORS)
def functions_of_two_tensors_want_two(torch, see, name):
    x = torch.tensor([1, 2]) if name in ("gcd", "lcm") else torch.ones(2)
    for other in (2, 2.0, True):
        see.raises(
            f"{other!r}",
            lambda other=other: getattr(torch, name)(x, other),
            phrase="must be Tensor",
        )
        see.raises(f"{other!r} first", lambda other=other: getattr(torch, name)(other, x))
        see.raises(f"{other!r}, method", lambda other=other: getattr(x, name)(other))
    see("two tensors", getattr(torch, name)(x, x))


_FIRST = ["eq", "ne", "lt", "le", "gt", "ge", "copysign", "fmod", "ldexp"]


@program(rules="X-33", each=_FIRST)
def comparisons_want_a_tensor_first(torch, see, name):
    see.raises("a number", lambda: getattr(torch, name)(2.0, torch.ones(2)))


_BAD = {
    "aminmax of nothing": lambda t: t.aminmax(t.ones(0)),
    "aminmax, dim": lambda t: t.aminmax(t.ones(2, 3), dim=5),
    "cat of mixed ranks": lambda t: t.cat([t.ones(2, 2), t.ones(2)]),
    "cat of numbers": lambda t: t.cat([t.tensor(1.0), t.tensor(2.0)]),
    "complex of mixed types": lambda t: t.complex(t.ones(2), t.ones(2).double()),
    "complex of integers": lambda t: t.complex(t.tensor([1]), t.tensor([2])),
    "masked_select by bytes": lambda t: t.masked_select(t.ones(2), t.tensor([1, 0], dtype=t.uint8)),
    "masked_fill by integers": lambda t: t.ones(2).masked_fill(t.tensor([1, 0]), 1.0),
    "masked_scatter by floats": lambda t: t.ones(2).masked_scatter(t.ones(2), t.ones(2)),
    "kthvalue 0": lambda t: t.kthvalue(t.ones(3), 0),
    "kthvalue 4": lambda t: t.kthvalue(t.ones(3), 4),
    "cross of 2": lambda t: t.linalg.cross(t.ones(2), t.ones(2)),
    "cross of ranks": lambda t: t.linalg.cross(t.ones(3), t.ones(2, 3)),
    "narrow": lambda t: t.ones(3).narrow(0, 2, 2),
    "narrow by a vector": lambda t: t.ones(3).narrow(0, t.tensor([1, 1]), 1),
    "narrow by a float": lambda t: t.ones(3).narrow(0, t.tensor(1.0), 1),
    "roll of a number": lambda t: t.tensor(1.0).roll(1, 0),
    "conv1d, paddings": lambda t: t.nn.functional.conv1d(
        t.ones(1, 1, 3), t.ones(1, 1, 2), padding=(1, 1)
    ),
    "conv2d, strides": lambda t: t.nn.functional.conv2d(
        t.ones(1, 1, 3, 3), t.ones(1, 1, 2, 2), stride=(1, 1, 1)
    ),
    "conv2d, no stride": lambda t: t.nn.functional.conv2d(
        t.ones(1, 1, 3, 3), t.ones(1, 1, 2, 2), stride=None
    ),
    "conv_transpose2d, output_padding": lambda t: t.nn.functional.conv_transpose2d(
        t.ones(1, 1, 3, 3), t.ones(1, 1, 2, 2), output_padding=(0, 0, 0)
    ),
    "max_pool2d, sizes": lambda t: t.nn.functional.max_pool2d(t.ones(1, 1, 4, 4), (2, 2, 2)),
    "max_pool2d, dilation": lambda t: t.nn.functional.max_pool2d(t.ones(1, 1, 4, 4), 2, dilation=0),
    "max_pool1d, None": lambda t: t.nn.functional.max_pool1d(t.ones(1, 1, 4), None),
    "avg_pool3d, ()": lambda t: t.nn.functional.avg_pool3d(t.ones(1, 1, 4, 4, 4), ()),
    "adaptive_avg_pool1d, two": lambda t: t.nn.functional.adaptive_avg_pool1d(
        t.ones(1, 1, 4), (2, 2)
    ),
    "adaptive_avg_pool1d, float": lambda t: t.nn.functional.adaptive_avg_pool1d(
        t.ones(1, 1, 4), 2.5
    ),
    "adaptive_max_pool1d, None": lambda t: t.nn.functional.adaptive_max_pool1d(
        t.ones(1, 1, 4), None
    ),
    "adaptive_max_pool1d, ()": lambda t: t.nn.functional.adaptive_max_pool1d(t.ones(1, 1, 4), ()),
    "adaptive_max_pool2d, None": lambda t: t.nn.functional.adaptive_max_pool2d(
        t.ones(1, 1, 4, 4), None
    ),
    "hstack": lambda t: t.hstack([]),
    "vstack": lambda t: t.vstack([]),
    "dstack": lambda t: t.dstack([]),
    "nll_loss of floats": lambda t: t.nn.functional.nll_loss(t.ones(2, 3), t.ones(2)),
    "cross_entropy of int32": lambda t: t.nn.functional.cross_entropy(
        t.ones(2, 3), t.ones(2, dtype=t.int32)
    ),
    "multi_margin_loss of floats": lambda t: t.nn.functional.multi_margin_loss(
        t.ones(2, 3), t.ones(2)
    ),
    "where of floats": lambda t: t.where(2.0, t.ones(2), t.ones(2)),
    "where of two": lambda t: t.where(t.tensor([True]), t.ones(1)),
    "put by int32": lambda t: t.ones(3).put(t.tensor([0], dtype=t.int32), t.ones(1)),
    "put outside": lambda t: t.ones(3).put(t.tensor([5]), t.ones(1)),
    "padding with a value": lambda t: t.nn.functional.pad(
        t.ones(1, 4), (1, 1), mode="reflect", value=1.0
    ),
}


@program(rules="X-33 X-46", each=_BAD)
def bad_calls(torch, see, name):
    see.raises(name, lambda: _BAD[name](torch))


@program(rules="X-34")
def dropout_of_whole_channels_of_any_shape(torch, see):
    F = torch.nn.functional
    for dims in (1, 2, 3):
        dropped = getattr(F, f"dropout{dims}d")
        for shape in [(), (8,), (8, 8), (8, 8, 8), (4, 8, 3, 3), (4, 8, 2, 2, 2)]:
            usual = len(shape) in {1: (2, 3), 2: (4,), 3: (4, 5)}[dims]
            call = partial(dropped, torch.ones(shape), 0.5)
            if not shape or (dims == 1 and not usual) or (dims == 2 and len(shape) == 1):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    see.raises(f"{dims} {shape}", call)
                continue
            torch.manual_seed(3)
            if usual:
                made = see.silent(f"{dims} {shape}", call)
            else:
                made = see.warns(f"{dims} {shape}", call, phrase=f"dropout{dims}d")
            varies = [bool((made != made.narrow(d, 0, 1)).any()) for d in range(made.dim())]
            see(f"{dims} {shape}: varies along", varies)
            see(f"{dims} {shape}: values", sorted(set(made.reshape(-1).tolist())))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                see(f"{dims} {shape}: evaluated", dropped(torch.ones(shape), training=False))
    see.warns("module", lambda: torch.nn.Dropout2d()(torch.ones(3, 3)), phrase="2-D input")
    see.raises(
        "features",
        lambda: F.feature_alpha_dropout(torch.ones(3), 0.5, True),
        phrase="at least 2 dim",
    )


_DROPOUTS = [
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "alpha_dropout",
    "feature_alpha_dropout",
]


@program(rules="X-34 X-41", each=_DROPOUTS)
def what_dropout_returns_is_the_input_a_view_of_it_or_new(torch, see, name):
    drop = getattr(torch.nn.functional, name)
    for ndim in range(6):
        for p, training in ((0.0, True), (0.5, False), (1.0, True), (0.5, True)):
            for inplace in (False, True):
                x = torch.ones((2,) * ndim, requires_grad=True) * 1

                def seen(x=x, p=p, training=training, inplace=inplace):
                    y = drop(x, p, training, inplace)
                    torch.autograd.grad(y.sum(), y)
                    return [
                        y is x, y._is_view(), y._base is x, y.data_ptr() == x.data_ptr(), x._version,
                        list(y.shape), y.requires_grad,
                    ]  # fmt: skip

                see.attempt(f"{ndim} dims, {p}, training {training}, inplace {inplace}", seen)
