"""Networks that once differed, made small."""

from __future__ import annotations

from tests.fuzz.networks import Network

FOUND = (
    # hooks of a module whose operands require grad, where nothing is recorded: a StopIteration
    Network(
        (2, 3, 2),
        (("Flatten()", "x = checkpoint({m}, x, use_reentrant=True)"),),
        before=("net.m0.register_full_backward_hook(lambda m, gi, go: None)",),
    ),
    Network(
        (2, 3),
        (("Linear(3, 2)", "x = x[:, :2] + checkpoint({m}, x, use_reentrant=True)"),),
        before=("net.m0.register_full_backward_pre_hook(lambda m, go: None)",),
    ),
    # a pool of rows was a view of one of images, also where nothing is recorded
    Network(
        (2, 2, 3),
        (
            ("MaxPool1d(2, stride=1)", "x = checkpoint({m}, x, use_reentrant=True)"),
            ("SELU(inplace=True)", "x = {m}(x)"),
        ),
    ),
    Network(
        (2, 3),
        (
            ("MaxPool1d(2, stride=1, padding=1)", "x = checkpoint({m}, x, use_reentrant=True)"),
            ("", "x = x.mul_(0.9)"),
            ("", "x = torch.tanh_(x)"),
        ),
    ),
    # NaN of neighbours with the weight 0
    Network(
        (1, 1, 6, 2),
        (
            ("LPPool2d(3, 2)", "x = {m}(x)"),
            ("Upsample(size=(3, 4), mode='bicubic', align_corners=False)", "x = {m}(x)"),
        ),
    ),
    # the derivative of hardtanh at NaN, of many elements: PyTorch's is another than that of few
    Network(
        (1, 1, 2, 4, 2),
        (
            ("LPPool3d(3, 2)", "x = {m}(x)"),
            ("ReplicationPad3d((1, 2, -1, 1, 1, 2))", "x = {m}(x)"),
            ("Hardtanh(-1.5, 1.25)", "x = {m}(x)"),
        ),
    ),
    # the nearest pixel by a factor
    Network(
        (2, 2, 6, 7),
        (
            ("Upsample(scale_factor=1.2)", "x = {m}(x)"),
            ("Upsample(scale_factor=(1.1, 2.2))", "x = {m}(x)"),
        ),
    ),
    # the derivative of softshrink at NaN
    Network(
        (1, 2, 2, 2),
        (
            ("LPPool2d(3, 2)", "x = {m}(x)"),
            ("ConvTranspose2d(2, 2, 3, stride=2, output_padding=1, groups=2)", "x = {m}(x)"),
            ("Softshrink(0.25)", "x = {m}(x)"),
        ),
    ),
    # padding, and what follows it, keep the channels innermost: the flat tensor is a copy, which may be written
    Network(
        (1, 2, 1, 2),
        (
            ("ReplicationPad2d((0, 0, 1, 0))", "x = {m}(x)"),
            ("ReLU()", "x = {m}(x)"),
            ("Flatten()", "x = {m}(x)"),
            ("Threshold(0.125, 0.5, inplace=True)", "x = {m}(x)"),
        ),
        before=("x = last(x)",),
    ),
    # of equal elements a normalization makes their last digit over the root of its eps
    Network(
        (1, 1, 5, 6),
        (
            ("Softmax2d()", "x = {m}(x)"),
            ("Sigmoid()", "x = {m}(x)"),
            ("LayerNorm([1, 5, 6])", "x = {m}(x)"),
        ),
        dtype="float32",
    ),
    # the first step moves apart what has no gradient but rounding, and the second output shows it
    Network(
        (2, 1, 3, 7),
        (
            ("PReLU()", "x = {m}(x)"),
            ("Flatten()", "x = {m}(x) + {m}(x.flip(0))"),
            ("", "x = x[:, ::2]"),
            ("Linear(11, 1, bias=True)", "x = x + {m}(x)"),
            ("", "x = x.flip(1)"),
        ),
        loss="F.multi_margin_loss(y.flatten(1), labels(y.flatten(1)))",
        optimizer="NAdam(parts, lr=0.01)",
    ),
)
