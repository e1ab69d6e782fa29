"""Every layer of nn once: how it prints, what it keeps, what it computes, and all its gradients.

A row is a name, how the layer is made, and its inputs: a tuple is the shape of a tensor that requires grad,
anything else is taken as it is (a list becomes a tensor of integers).
"""

from tests.oracle.data import wave
from tests.oracle.programs.modules import fill, gradients
from tests.oracle.registry import program

SHORT, LINE, IMAGE, BLOCK = (3, 4), (2, 4, 6), (2, 4, 6, 5), (2, 4, 4, 5, 4)

_ACTIVATIONS = tuple(
    (name, lambda nn, name=name, args=args: getattr(nn, name)(*args), SHORT)
    for name, *args in (
        ("CELU", 1.3),
        ("ELU", 0.7),
        ("GELU",),
        ("GELU", "tanh"),
        ("GLU", 1),
        ("Hardshrink", 0.3),
        ("Hardsigmoid",),
        ("Hardswish",),
        ("Hardtanh", -0.4, 0.5),
        ("Identity",),
        ("LeakyReLU", 0.2),
        ("LogSigmoid",),
        ("LogSoftmax", 1),
        ("Mish",),
        ("PReLU", 4),
        ("ReLU",),
        ("ReLU6",),
        ("SELU",),
        ("SiLU",),
        ("Sigmoid",),
        ("Softmax", 1),
        ("Softmin", 0),
        ("Softplus", 2, 1),
        ("Softshrink", 0.2),
        ("Softsign",),
        ("Tanh",),
        ("Tanhshrink",),
        ("Threshold", 0.1, 20),
    )
)

_LINEAR = (
    ("Linear", lambda nn: nn.Linear(4, 3), SHORT),
    ("Linear without bias", lambda nn: nn.Linear(4, 3, bias=False), (2, 3, 4)),
    ("Bilinear", lambda nn: nn.Bilinear(4, 2, 3), (3, 4), (3, 2)),
    ("Conv1d", lambda nn: nn.Conv1d(4, 6, 3, padding=1), LINE),
    ("Conv1d circular", lambda nn: nn.Conv1d(4, 6, 3, padding=1, padding_mode="circular"), LINE),
    ("Conv1d same", lambda nn: nn.Conv1d(4, 2, 2, padding="same", dilation=2), LINE),
    ("Conv2d", lambda nn: nn.Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0)), IMAGE),
    ("Conv2d grouped", lambda nn: nn.Conv2d(4, 6, 3, groups=2, bias=False, dilation=2), IMAGE),
    ("Conv2d depthwise", lambda nn: nn.Conv2d(4, 4, 3, groups=4, padding=1), IMAGE),
    ("Conv2d pointwise", lambda nn: nn.Conv2d(4, 3, 1), IMAGE),
    ("Conv2d reflect", lambda nn: nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), IMAGE),
    ("Conv2d of one image", lambda nn: nn.Conv2d(4, 2, 3), IMAGE[1:]),
    ("Conv3d", lambda nn: nn.Conv3d(4, 2, 2, stride=(1, 2, 1)), BLOCK),
    ("ConvTranspose1d", lambda nn: nn.ConvTranspose1d(4, 3, 3, stride=2, output_padding=1), LINE),
    (
        "ConvTranspose2d",
        lambda nn: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2),
        IMAGE,
    ),
    ("ConvTranspose3d", lambda nn: nn.ConvTranspose3d(4, 2, 2), BLOCK),
    ("Embedding", lambda nn: nn.Embedding(7, 3, padding_idx=2), [[1, 2], [6, 1]]),
    ("EmbeddingBag", lambda nn: nn.EmbeddingBag(7, 3, mode="mean"), [1, 2, 6, 1], [0, 3]),
    ("EmbeddingBag max", lambda nn: nn.EmbeddingBag(7, 3, mode="max"), [[1, 2], [6, 1]]),
)

_NORMALISING = (
    ("BatchNorm1d", lambda nn: nn.BatchNorm1d(4), SHORT),
    ("BatchNorm1d of lines", lambda nn: nn.BatchNorm1d(4, momentum=None), LINE),
    ("BatchNorm2d", lambda nn: nn.BatchNorm2d(4, affine=False), IMAGE),
    ("BatchNorm3d", lambda nn: nn.BatchNorm3d(4, track_running_stats=False), BLOCK),
    ("GroupNorm", lambda nn: nn.GroupNorm(2, 4), IMAGE),
    ("InstanceNorm1d", lambda nn: nn.InstanceNorm1d(4, affine=True), LINE),
    ("InstanceNorm2d", lambda nn: nn.InstanceNorm2d(4, track_running_stats=True), IMAGE),
    ("InstanceNorm3d", lambda nn: nn.InstanceNorm3d(4), BLOCK),
    ("LayerNorm", lambda nn: nn.LayerNorm((4, 6)), LINE),
    ("LayerNorm without bias", lambda nn: nn.LayerNorm(6, bias=False), LINE),
    ("LocalResponseNorm", lambda nn: nn.LocalResponseNorm(3), IMAGE),
    ("RMSNorm", lambda nn: nn.RMSNorm(6), LINE),
)

_POOLS = (
    ("AdaptiveAvgPool1d", lambda nn: nn.AdaptiveAvgPool1d(4), LINE),
    ("AdaptiveAvgPool2d", lambda nn: nn.AdaptiveAvgPool2d((4, None)), IMAGE),
    ("AdaptiveAvgPool3d", lambda nn: nn.AdaptiveAvgPool3d(3), BLOCK),
    ("AdaptiveMaxPool1d", lambda nn: nn.AdaptiveMaxPool1d(4), LINE),
    ("AdaptiveMaxPool2d", lambda nn: nn.AdaptiveMaxPool2d((4, 2), return_indices=True), IMAGE),
    ("AdaptiveMaxPool3d", lambda nn: nn.AdaptiveMaxPool3d(2), BLOCK),
    ("AvgPool1d", lambda nn: nn.AvgPool1d(3, stride=2, padding=1), LINE),
    ("AvgPool2d", lambda nn: nn.AvgPool2d(2, padding=1, count_include_pad=False), IMAGE),
    ("AvgPool3d", lambda nn: nn.AvgPool3d(2, divisor_override=3), BLOCK),
    ("LPPool1d", lambda nn: nn.LPPool1d(2, 3), LINE),
    ("LPPool2d", lambda nn: nn.LPPool2d(2, (3, 2), stride=2), IMAGE),
    ("LPPool3d", lambda nn: nn.LPPool3d(2, 2), BLOCK),
    ("MaxPool1d", lambda nn: nn.MaxPool1d(3, stride=2, return_indices=True), LINE),
    ("MaxPool2d", lambda nn: nn.MaxPool2d((3, 2), padding=1, ceil_mode=True), IMAGE),
    ("MaxPool3d", lambda nn: nn.MaxPool3d(2, dilation=2, stride=1), BLOCK),
)

_SHAPES = (
    ("ChannelShuffle", lambda nn: nn.ChannelShuffle(2), IMAGE),
    ("Flatten", lambda nn: nn.Flatten(1, 2), IMAGE),
    ("Unflatten", lambda nn: nn.Unflatten(1, (2, 2)), IMAGE),
    ("Fold", lambda nn: nn.Fold((4, 5), (2, 2)), (2, 8, 12)),
    ("Unfold", lambda nn: nn.Unfold((3, 2), padding=1, stride=2), IMAGE),
    ("PixelShuffle", lambda nn: nn.PixelShuffle(2), IMAGE),
    ("PixelUnshuffle", lambda nn: nn.PixelUnshuffle(2), (2, 1, 4, 6)),
    ("Upsample", lambda nn: nn.Upsample(scale_factor=2), IMAGE),
    ("Upsample bicubic", lambda nn: nn.Upsample(size=(7, 3), mode="bicubic"), IMAGE),
    ("Upsample bicubic corners", lambda nn: nn.Upsample(None, 1.7, "bicubic", True), IMAGE),
    ("Upsample linear", lambda nn: nn.Upsample(size=9, mode="linear", align_corners=True), LINE),
    ("UpsamplingBilinear2d", lambda nn: nn.UpsamplingBilinear2d(scale_factor=2), IMAGE),
    ("UpsamplingNearest2d", lambda nn: nn.UpsamplingNearest2d(size=(3, 7)), IMAGE),
    ("CircularPad1d", lambda nn: nn.CircularPad1d((1, 2)), LINE),
    ("CircularPad2d", lambda nn: nn.CircularPad2d(2), IMAGE),
    ("CircularPad3d", lambda nn: nn.CircularPad3d(1), BLOCK),
    ("ConstantPad1d", lambda nn: nn.ConstantPad1d((1, -2), 3.5), LINE),
    ("ConstantPad2d", lambda nn: nn.ConstantPad2d((1, 2, 0, 1), 3.5), IMAGE),
    ("ConstantPad3d", lambda nn: nn.ConstantPad3d(1, 0.5), BLOCK),
    ("ReflectionPad1d", lambda nn: nn.ReflectionPad1d(2), LINE),
    ("ReflectionPad2d", lambda nn: nn.ReflectionPad2d((1, 2, 0, 1)), IMAGE),
    ("ReflectionPad3d", lambda nn: nn.ReflectionPad3d(1), BLOCK),
    ("ReplicationPad1d", lambda nn: nn.ReplicationPad1d(2), LINE),
    ("ReplicationPad2d", lambda nn: nn.ReplicationPad2d((1, 2, 0, 1)), IMAGE),
    ("ReplicationPad3d", lambda nn: nn.ReplicationPad3d(1), BLOCK),
    ("ZeroPad1d", lambda nn: nn.ZeroPad1d(1), LINE),
    ("ZeroPad2d", lambda nn: nn.ZeroPad2d((1, 0, 2, 0)), IMAGE),
    ("ZeroPad3d", lambda nn: nn.ZeroPad3d(1), BLOCK),
    ("CosineSimilarity", lambda nn: nn.CosineSimilarity(dim=1), SHORT, SHORT),
    ("PairwiseDistance", lambda nn: nn.PairwiseDistance(p=3, keepdim=True), SHORT, SHORT),
    ("Softmax2d", lambda nn: nn.Softmax2d(), IMAGE),
)

#: Certain draws only, so that both sides compute the same.
_DRAWING = (
    ("AlphaDropout", lambda nn: nn.AlphaDropout(0.3).eval(), SHORT),
    ("Dropout", lambda nn: nn.Dropout(1.0), SHORT),
    ("Dropout1d", lambda nn: nn.Dropout1d(0.3).eval(), LINE),
    ("Dropout2d", lambda nn: nn.Dropout2d(0.0), IMAGE),
    ("Dropout3d", lambda nn: nn.Dropout3d(0.3).eval(), BLOCK),
    ("RReLU", lambda nn: nn.RReLU(0.1, 0.3).eval(), SHORT),
)

_RECURRENT = (
    ("RNN", lambda nn: nn.RNN(3, 4), (5, 2, 3)),
    ("RNN relu", lambda nn: nn.RNN(3, 4, nonlinearity="relu", bias=False), (5, 2, 3), (1, 2, 4)),
    ("RNN both ways", lambda nn: nn.RNN(3, 4, num_layers=2, bidirectional=True), (5, 2, 3)),
    ("LSTM", lambda nn: nn.LSTM(3, 4, batch_first=True), (2, 5, 3)),
    ("LSTM both ways", lambda nn: nn.LSTM(3, 4, num_layers=2, bidirectional=True), (5, 2, 3)),
    ("LSTM projected", lambda nn: nn.LSTM(3, 4, proj_size=2), (5, 2, 3)),
    ("LSTM of one sequence", lambda nn: nn.LSTM(3, 4), (5, 3)),
    ("GRU", lambda nn: nn.GRU(3, 4, num_layers=2, batch_first=True), (2, 5, 3), (2, 2, 4)),
    ("GRU both ways", lambda nn: nn.GRU(3, 4, bidirectional=True), (5, 2, 3)),
    ("RNNCell", lambda nn: nn.RNNCell(3, 4, nonlinearity="relu"), (2, 3), (2, 4)),
    ("LSTMCell", lambda nn: nn.LSTMCell(3, 4), (2, 3)),
    ("GRUCell", lambda nn: nn.GRUCell(3, 4, bias=False), (2, 3), (2, 4)),
)

_ATTENTION = (
    ("MultiheadAttention", lambda nn: nn.MultiheadAttention(4, 2), *[(5, 2, 4)] * 3),
    (
        "MultiheadAttention of other widths",
        lambda nn: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True),
        (2, 3, 4), (2, 6, 3), (2, 6, 5),
    ),
    (
        "MultiheadAttention with its own keys",
        lambda nn: nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True),
        *[(5, 2, 4)] * 3,
    ),
    ("TransformerEncoderLayer", lambda nn: nn.TransformerEncoderLayer(4, 2, 8, 0.0), (5, 2, 4)),
    (
        "TransformerEncoderLayer norm first",
        lambda nn: nn.TransformerEncoderLayer(
            4, 2, 8, 0.0, "gelu", norm_first=True, batch_first=True, bias=False
        ),
        (2, 5, 4),
    ),
    (
        "TransformerEncoder",
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 8, 0.0, norm_first=True, batch_first=True),
            2, norm=nn.LayerNorm(4), enable_nested_tensor=False,
        ),
        (2, 5, 4),
    ),
    (
        "TransformerDecoderLayer",
        lambda nn: nn.TransformerDecoderLayer(4, 2, 8, 0.0),
        (5, 2, 4), (3, 2, 4),
    ),
    (
        "TransformerDecoder",
        lambda nn: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2),
        (5, 2, 4), (3, 2, 4),
    ),
    (
        "Transformer",
        lambda nn: nn.Transformer(4, 2, 1, 1, 8, 0.0, batch_first=True),
        (2, 3, 4), (2, 5, 4),
    ),
)  # fmt: skip

_CONTAINERS = (
    ("Sequential", lambda nn: nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)), SHORT),
)

_LOSSES = (
    (
        "AdaptiveLogSoftmaxWithLoss",
        lambda nn: nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5], div_value=2.0, head_bias=True),
        (5, 4), [1, 8, 0, 3, 4],
    ),
    ("CTCLoss", lambda nn: nn.CTCLoss(), (5, 1, 3), [[1, 2]], [5], [2]),
    ("CosineEmbeddingLoss", lambda nn: nn.CosineEmbeddingLoss(0.2), SHORT, SHORT, [1, -1, 1]),
    ("CrossEntropyLoss", lambda nn: nn.CrossEntropyLoss(label_smoothing=0.1), SHORT, [1, 3, 0]),
    ("GaussianNLLLoss", lambda nn: nn.GaussianNLLLoss(), (3,), (3,), 0.5),
    ("HingeEmbeddingLoss", lambda nn: nn.HingeEmbeddingLoss(0.8), (3,), [1, -1, 1]),
    ("HuberLoss", lambda nn: nn.HuberLoss(delta=0.5), SHORT, SHORT),
    ("KLDivLoss", lambda nn: nn.KLDivLoss("batchmean", log_target=True), SHORT, SHORT),
    ("L1Loss", lambda nn: nn.L1Loss(), SHORT, SHORT),
    ("MSELoss", lambda nn: nn.MSELoss(reduction="none"), SHORT, SHORT),
    ("MarginRankingLoss", lambda nn: nn.MarginRankingLoss(0.1), (3,), (3,), [1, -1, 1]),
    ("MultiLabelMarginLoss", lambda nn: nn.MultiLabelMarginLoss(), (1, 4), [[3, 0, -1, 1]]),
    ("MultiLabelSoftMarginLoss", lambda nn: nn.MultiLabelSoftMarginLoss(), (1, 3), [[1, 0, 1]]),
    ("MultiMarginLoss", lambda nn: nn.MultiMarginLoss(p=2), SHORT, [1, 3, 0]),
    ("NLLLoss", lambda nn: nn.NLLLoss(ignore_index=3), SHORT, [1, 3, 0]),
    ("PoissonNLLLoss", lambda nn: nn.PoissonNLLLoss(full=True), (3,), [1, 4, 0]),
    ("SmoothL1Loss", lambda nn: nn.SmoothL1Loss(reduction="sum", beta=0.5), SHORT, SHORT),
    ("SoftMarginLoss", lambda nn: nn.SoftMarginLoss(), (3,), [1, -1, 1]),
    ("TripletMarginLoss", lambda nn: nn.TripletMarginLoss(swap=True), SHORT, SHORT, SHORT),
    (
        "TripletMarginWithDistanceLoss",
        lambda nn: nn.TripletMarginWithDistanceLoss(margin=0.5, swap=True),
        SHORT, SHORT, SHORT,
    ),
)  # fmt: skip

ROWS = (
    *_ACTIVATIONS, *_LINEAR, *_NORMALISING, *_POOLS, *_SHAPES, *_DRAWING, *_RECURRENT, *_ATTENTION,
    *_CONTAINERS, *_LOSSES,
)  # fmt: skip


def named_once(rows):
    """The rows, those of one name numbered."""
    seen = {}
    for name, *rest in rows:
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name} {seen[name]}", *rest)


def given(torch, one, seed):
    if isinstance(one, tuple):
        values = torch.tensor(wave(*one, seed=seed), dtype=torch.float64)
        return values.requires_grad_()
    if isinstance(one, list):
        return torch.tensor(one)
    return torch.tensor(one, dtype=torch.float64)


def tensors_of(outputs):
    """The tensors of a nest of tuples, in order."""
    if isinstance(outputs, tuple):
        return [tensor for one in outputs for tensor in tensors_of(one)]
    return [] if outputs is None else [outputs]


def watch(torch, see, layer, *inputs):
    """Says all of a layer that can be compared, in one call and one backward."""
    fill(torch, layer.double())
    # PyTorch gives this Linear inside attention a class of its own, for its quantization tool.
    see("printed", repr(layer).replace("NonDynamicallyQuantizableLinear", "Linear"))
    see("keys", [(key, tuple(value.shape)) for key, value in layer.state_dict().items()])
    see("parameters", [(name, p.requires_grad) for name, p in layer.named_parameters()])
    inputs = [given(torch, one, 3 * i) for i, one in enumerate(inputs)]
    outputs = tensors_of(layer(*inputs))
    see("outputs", outputs)
    see("recorded by", [one.grad_fn is not None for one in outputs])
    weighted = [
        (one * torch.tensor(wave(*one.shape, seed=5), dtype=one.dtype)).sum()
        for one in outputs
        if one.requires_grad
    ]
    sum(weighted).backward()
    see("gradients of inputs", [one.grad for one in inputs])
    see("gradients of parameters", gradients(layer))
    see("state after", dict(layer.state_dict()))
    layer.eval()
    see("in evaluation", tensors_of(layer(*inputs)))


@program(rules="T-53 T-55", each=named_once(ROWS))
def a_layer(torch, see, case):
    _, make, *inputs = case
    watch(torch, see, make(torch.nn), *inputs)


@program(rules="T-42 T-53")
def an_adaptive_softmax_knows_all_classes(torch, see):
    layer = fill(torch, torch.nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5], 1.5).double())
    x = torch.tensor(wave(3, 4), dtype=torch.float64)
    everything = layer.log_prob(x)
    see("all", everything)
    see("they are probabilities", everything.exp().sum(1))
    see("the likeliest", layer.predict(x))
    one = layer(x[0], torch.tensor(7))
    see("of one row", (one.output, one.loss))
    for name, bad in (
        ("not one a row", lambda: layer(x, torch.tensor([1, 2]))),
        ("not one class", lambda: layer(x, torch.tensor([[1, 2, 3]]))),
        ("too large", lambda: layer(x, torch.tensor([1, 9, 3]))),
    ):
        see.raises(name, bad, phrase="target")
    for cutoffs in ([], [5, 2], [0, 3], [3, 9], [2.5]):
        make = torch.nn.AdaptiveLogSoftmaxWithLoss
        see.raises(
            f"cutoffs {cutoffs}", lambda c=cutoffs: make(4, 9, c), phrase="cutoffs should be"
        )


@program(rules="T-41 T-72", each=("2d", "3d", "2d by ratio", "one window", "one image"))
def pooling_over_drawn_windows(torch, see, case):
    dims = 3 if case == "3d" else 2
    draws = torch.tensor(wave(2, 3, dims, low=0.02, high=0.98), dtype=torch.float64)
    layer = {
        "2d": lambda nn: nn.FractionalMaxPool2d((2, 3), (3, 4), None, True, draws),
        "3d": lambda nn: nn.FractionalMaxPool3d(2, (2, 4, 3), _random_samples=draws),
        "2d by ratio": lambda nn: nn.FractionalMaxPool2d(
            2, output_ratio=(0.5, 0.7), _random_samples=draws
        ),
        "one window": lambda nn: nn.FractionalMaxPool2d(2, 1, _random_samples=draws),
        "one image": lambda nn: nn.FractionalMaxPool2d(2, 3, _random_samples=draws),
    }[case](torch.nn)
    shape = {"3d": (2, 3, 5, 7, 6), "one image": (3, 7, 9)}.get(case, (2, 3, 7, 9))
    watch(torch, see, layer, shape)
    x = torch.tensor(wave(*shape), dtype=torch.float64, requires_grad=True)
    see.graph("history", tensors_of(layer(x))[0])


@program(rules="T-41")
def mistakes_with_drawn_windows(torch, see):
    nn, x = torch.nn, torch.ones(1, 1, 5, 5)
    see.raises("no size", lambda: nn.FractionalMaxPool2d(2), phrase="either an output size")
    see.raises("both", lambda: nn.FractionalMaxPool2d(2, 3, 0.5), phrase="only one of")
    see.raises("ratio", lambda: nn.FractionalMaxPool3d(2, None, 1.5), phrase="between 0 and 1")
    pool = nn.functional.fractional_max_pool2d
    see.raises("none", lambda: pool(x, 2), phrase="requires specifying")
    see.raises("large", lambda: pool(x, 6, 1), phrase="too large relative to input")
    see.raises("plane", lambda: pool(x[0, 0], 2, 2), phrase="Dimension out of range")


_MODES = [
    (f"{mode}{' aligned' * bool(corners)} {out}{' smooth' * smooth}", mode, corners, out, smooth)
    for mode in ("bilinear", "bicubic")
    for corners in (False, True)
    for out in ((3, 2), (9, 11), (1, 6))
    for smooth in (False, True)
]


@program(rules="T-41", each=_MODES)
def resizing_images(torch, see, case):
    _, mode, corners, out, smooth = case
    see.derivatives(
        "interpolate",
        lambda x: torch.nn.functional.interpolate(
            x, size=out, mode=mode, align_corners=corners, antialias=smooth
        ),
        wave(1, 2, 6, 5),
    )
