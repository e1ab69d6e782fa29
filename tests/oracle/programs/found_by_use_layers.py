"""Layers and losses whose values or gradients were wrong in public programs and random calls."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.programs.found_by_use_operations import _f64
from tests.oracle.registry import program

_CIRCULAR = [
    ((1, 2, 4), p)
    for p in ((1, 2), (4, 4), (4, 0), (-1, 2), (2, -1), (-2, -1), (5, 5), (-1, 3), (-5, 0))
]


_CIRCULAR += [((1, 1, 3, 4), p) for p in ((4, 4, 3, 3), (-1, 2, -1, 2), (5, 0, 0, 0), (0, 0, 3, 1))]


@program(rules="X-32")
def circular_padding(torch, see):
    for shape, amounts in _CIRCULAR:
        x = _f64(torch, wave(*shape)).requires_grad_()
        pad = partial(torch.nn.functional.pad, x, amounts, mode="circular")
        see.attempt(f"{shape} {amounts}", pad)
        seen = see.outcome(pad)
        if not hasattr(seen, "kind"):
            see(f"{shape} {amounts}: gradient", torch.autograd.grad(pad().pow(2).sum(), x))


@program(rules="X-32")
def unpooling_with_repeated_indices(torch, see):
    F = torch.nn.functional
    x = _f64(torch, wave(1, 2, 5, 5)).requires_grad_()
    pooled, where = F.max_pool2d(x, 3, stride=1, return_indices=True)
    made = F.max_unpool2d(pooled, where, 3, stride=1)
    see("2d", made)
    see("2d: gradient", torch.autograd.grad(made.pow(2).sum(), x))
    v = _f64(torch, [[[1.0, 2.0, 3.0]]]).requires_grad_()
    made = F.max_unpool1d(v, torch.tensor([[[4, 4, 0]]]), 2)
    see("1d", made)
    see("1d: gradient", torch.autograd.grad(made.pow(2).sum(), v))
    see.raises(
        "size",
        lambda: F.max_unpool1d(v, torch.tensor([[[4, 4, 0]]]), 2, output_size=(9,)),
        phrase="invalid output_size",
    )


@program(rules="X-32")
def multi_margin_loss_of_one_sample(torch, see):
    loss = torch.nn.functional.multi_margin_loss
    for shape, target in [((4,), 2), ((4,), [2]), ((), 0), ((1, 4), 1), ((2, 4), [1, 3])]:
        for reduction in ("none", "mean", "sum"):
            x = _f64(torch, wave(*shape) if shape else 0.3).requires_grad_()
            made = loss(x, torch.tensor(target), p=2, reduction=reduction)
            see(f"{shape} {target} {reduction}", made)
            see(f"{shape} {target} {reduction}: gradient", torch.autograd.grad(made.sum(), x))


@program(rules="X-32")
def transposed_convolutions_with_a_remainder(torch, see):
    for dims in (1, 2, 3):
        for options in (
            {"output_padding": 1, "dilation": 2},
            {"output_padding": 1, "stride": 2, "padding": 1},
            {"output_padding": 2, "stride": 3},
            {"stride": 3, "padding": 1},
        ):
            x = _f64(torch, wave(1, 2, *[3] * dims)).requires_grad_()
            w = _f64(torch, wave(2, 2, *[2] * dims, seed=1)).requires_grad_()
            made = getattr(torch.nn.functional, f"conv_transpose{dims}d")(x, w, **options)
            see(f"{dims} {options}", made)
            first = torch.autograd.grad(made.pow(2).sum(), (x, w), create_graph=True)
            see(f"{dims} {options}: gradient", [g.detach() for g in first])
            second = torch.autograd.grad(sum(g.pow(2).sum() for g in first), (x, w))
            see(f"{dims} {options}: second", second)


@program(rules="X-32 X-31")
def bags_of_embeddings(torch, see):
    table = wave(5, 3)
    for mode in ("sum", "mean", "max"):
        for padding in (None, 0, -1):
            for last in (False, True):
                for dtype in (torch.int64, torch.int32):
                    w = _f64(torch, table).requires_grad_()
                    p = _f64(torch, wave(6, seed=3)).requires_grad_()
                    index = torch.tensor([1, 0, 0, 4, 1, 2], dtype=dtype)
                    starts = torch.tensor([0, 1, 3, 6] if last else [0, 1, 3], dtype=dtype)
                    made = torch.nn.functional.embedding_bag(
                        index,
                        w,
                        starts,
                        mode=mode,
                        padding_idx=padding,
                        include_last_offset=last,
                        per_sample_weights=p if mode == "sum" else None,
                    )
                    name = f"{mode} {padding} {last} {str(dtype)[-5:]}"
                    see(name, made)
                    leaves = (w, p) if mode == "sum" else (w,)
                    see(f"{name}: gradient", torch.autograd.grad(made.pow(2).sum(), leaves))
    bag = torch.nn.functional.embedding_bag
    w, index = torch.ones(5, 3), torch.tensor([[0, 1]])
    see.raises("outside", lambda: bag(torch.tensor([[0, 9]]), w))
    see.raises(
        "weights",
        lambda: bag(index, w, mode="sum", per_sample_weights=torch.ones(3)),
        phrase="same shape",
    )
    see.raises("offset", lambda: bag(index[0], w, torch.tensor([0, 5])), phrase="offsets[-1]")
    see.raises("max by frequency", lambda: bag(index, w, mode="max", scale_grad_by_freq=True))


@program(rules="X-32")
def triplet_loss_with_any_distance(torch, see):
    loss = torch.nn.functional.triplet_margin_with_distance_loss
    for what, options in {
        "plain": {},
        "swap": {"swap": True},
        "l1": {"distance_function": torch.nn.PairwiseDistance(1)},
        "none": {"reduction": "none", "margin": 0.3},
    }.items():
        leaves = [_f64(torch, wave(3, 4, seed=i)).requires_grad_() for i in range(3)]
        made = loss(*leaves, **options)
        see(what, made)
        see(f"{what}: gradient", torch.autograd.grad(made.sum(), leaves))
    x = torch.ones(3, 4)
    see.raises("margin", lambda: loss(x, x, x, margin=-1), phrase="margin must be greater than 0")
    see.raises("ranks", lambda: loss(x, x, x[0]), phrase="same number of dimensions")


@program(rules="T-95")
def rms_norm_takes_a_weight_of_any_type_and_keeps_the_inputs(torch, see):
    x = torch.tensor([[1.0, 2.0, -3.0], [0.5, 0.25, 4.0]])
    w = torch.tensor([1.0, 0.5, 2.0])
    for own in ("float64", "float16", "complex64"):
        for other in ("float32", "bfloat16"):
            a = x.to(getattr(torch, own)).requires_grad_()
            b = w.to(getattr(torch, other)).requires_grad_()
            y = torch.nn.functional.rms_norm(a, (3,), b)
            see(f"{own} {other}", (y, *torch.autograd.grad(y.abs().sum(), (a, b))))
    see.raises("a number", lambda: torch.nn.functional.rms_norm(x[0, 0], (3,)), phrase="at least 1")
    see.raises("of ints", lambda: torch.nn.functional.rms_norm(x.long(), (3,)), phrase="rms_norm")


@program(rules="T-88")
def transposed_convolution_with_room_for_more_windows_than_there_were(torch, see):
    for dims, kernel in ((1, 1), (2, 2), (3, 1)):
        convolve = getattr(torch, f"conv_transpose{dims}d")
        x = torch.tensor(wave(*(1, 2), *(3,) * dims), dtype=torch.float64)
        w = torch.tensor(wave(*(2, 1), *(kernel,) * dims), dtype=torch.float64)
        see.derivatives(f"{dims}", lambda a, b: convolve(a, b, dilation=3, output_padding=2), x, w)
