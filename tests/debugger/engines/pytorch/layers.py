"""Every layer and loss of `torch.nn`, with something to call it on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.debugger.engines.pytorch.models import Made

#: Not layers: containers, bases, what is given its shapes later (as the layer that it becomes), and what
#: computes nothing.
NO_LAYERS = {
    "Container", "Module", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential",
    "RNNBase", "RNNCellBase", "Parameter", "UninitializedParameter", "Buffer", "UninitializedBuffer",
    "DataParallel", "Transformer", "TransformerEncoder", "TransformerDecoder",
}  # fmt: skip

Make = Callable[[], Any]


def _x(*shape: int, dtype: Any = torch.float32) -> Any:
    return torch.randn(shape, dtype=dtype, requires_grad=True)


def _positive(*shape: int) -> Any:
    return torch.rand(shape).add(0.1).requires_grad_()


_IMAGE = (2, 4, 6, 6)
#: By name: its arguments, and shapes of what it is called on.
_SHAPES: dict[str, tuple[tuple[Any, ...], tuple[tuple[int, ...], ...]]] = {
    "AdaptiveAvgPool1d": ((3,), ((2, 4, 6),)),
    "AdaptiveAvgPool2d": ((3,), (_IMAGE,)),
    "AdaptiveAvgPool3d": ((2,), ((1, 2, 4, 4, 4),)),
    "AdaptiveMaxPool1d": ((3,), ((2, 4, 6),)),
    "AdaptiveMaxPool2d": ((3,), (_IMAGE,)),
    "AdaptiveMaxPool3d": ((2,), ((1, 2, 4, 4, 4),)),
    "AlphaDropout": ((0.3,), ((4, 5),)),
    "AvgPool1d": ((2,), ((2, 4, 6),)),
    "AvgPool2d": ((2,), (_IMAGE,)),
    "AvgPool3d": ((2,), ((1, 2, 4, 4, 4),)),
    "BatchNorm1d": ((4,), ((5, 4),)),
    "BatchNorm2d": ((4,), (_IMAGE,)),
    "BatchNorm3d": ((2,), ((2, 2, 3, 3, 3),)),
    "Bilinear": ((3, 4, 2), ((5, 3), (5, 4))),
    "ChannelShuffle": ((2,), (_IMAGE,)),
    "CircularPad1d": ((1,), ((2, 4, 6),)),
    "CircularPad2d": ((1,), (_IMAGE,)),
    "CircularPad3d": ((1,), ((1, 2, 3, 3, 3),)),
    "ConstantPad1d": ((1, 2.0), ((2, 4, 6),)),
    "ConstantPad2d": ((1, 2.0), (_IMAGE,)),
    "ConstantPad3d": ((1, 2.0), ((1, 2, 3, 3, 3),)),
    "Conv1d": ((4, 3, 2), ((2, 4, 6),)),
    "Conv2d": ((4, 3, 2), (_IMAGE,)),
    "Conv3d": ((2, 3, 2), ((1, 2, 4, 4, 4),)),
    "ConvTranspose1d": ((4, 3, 2), ((2, 4, 6),)),
    "ConvTranspose2d": ((4, 3, 2), (_IMAGE,)),
    "ConvTranspose3d": ((2, 3, 2), ((1, 2, 4, 4, 4),)),
    "CosineSimilarity": ((), ((5, 4), (5, 4))),
    "Dropout": ((0.3,), ((4, 5),)),
    "Dropout1d": ((0.3,), ((2, 4, 6),)),
    "Dropout2d": ((0.3,), (_IMAGE,)),
    "Dropout3d": ((0.3,), ((1, 2, 4, 4, 4),)),
    "FeatureAlphaDropout": ((0.3,), (_IMAGE,)),
    "Flatten": ((), (_IMAGE,)),
    "Fold": (((4, 4), (2, 2)), ((1, 8, 9),)),
    "FractionalMaxPool2d": ((2, 3), (_IMAGE,)),
    "FractionalMaxPool3d": ((2, 2), ((1, 2, 5, 5, 5),)),
    "GRUCell": ((3, 4), ((2, 3), (2, 4))),
    "GroupNorm": ((2, 4), (_IMAGE,)),
    "InstanceNorm1d": ((4,), ((2, 4, 6),)),
    "InstanceNorm2d": ((4,), (_IMAGE,)),
    "InstanceNorm3d": ((2,), ((1, 2, 3, 3, 3),)),
    "LPPool1d": ((2, 2), ((2, 4, 6),)),
    "LPPool2d": ((2, 2), (_IMAGE,)),
    "LPPool3d": ((2, 2), ((1, 2, 4, 4, 4),)),
    "LayerNorm": ((4,), ((3, 4),)),
    "Linear": ((4, 3), ((5, 4),)),
    "LocalResponseNorm": ((2,), (_IMAGE,)),
    "MaxPool1d": ((2,), ((2, 4, 6),)),
    "MaxPool2d": ((2,), (_IMAGE,)),
    "MaxPool3d": ((2,), ((1, 2, 4, 4, 4),)),
    "PairwiseDistance": ((), ((5, 4), (5, 4))),
    "PixelShuffle": ((2,), (_IMAGE,)),
    "PixelUnshuffle": ((2,), (_IMAGE,)),
    "RMSNorm": ((4,), ((3, 4),)),
    "RNNCell": ((3, 4), ((2, 3), (2, 4))),
    "ReflectionPad1d": ((1,), ((2, 4, 6),)),
    "ReflectionPad2d": ((1,), (_IMAGE,)),
    "ReflectionPad3d": ((1,), ((1, 2, 3, 3, 3),)),
    "ReplicationPad1d": ((1,), ((2, 4, 6),)),
    "ReplicationPad2d": ((1,), (_IMAGE,)),
    "ReplicationPad3d": ((1,), ((1, 2, 3, 3, 3),)),
    "Softmax2d": ((), (_IMAGE,)),
    "Threshold": ((0.1, 2.0), ((4, 5),)),
    "TransformerEncoderLayer": ((4, 2, 8), ((3, 2, 4),)),
    "TransformerDecoderLayer": ((4, 2, 8), ((3, 2, 4), (5, 2, 4))),
    "Unflatten": ((1, (2, 2)), ((3, 4),)),
    "Unfold": ((2,), (_IMAGE,)),
    "Upsample": ((None, 2.0), (_IMAGE,)),
    "UpsamplingBilinear2d": ((None, 2.0), (_IMAGE,)),
    "UpsamplingNearest2d": ((None, 2.0), (_IMAGE,)),
    "ZeroPad1d": ((1,), ((2, 4, 6),)),
    "ZeroPad2d": ((1,), (_IMAGE,)),
    "ZeroPad3d": ((1,), ((1, 2, 3, 3, 3),)),
    "GLU": ((), ((4, 6),)),
}
#: What is called on one matrix.
_POINTWISE = """CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh Identity LeakyReLU LogSigmoid
LogSoftmax Mish PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmin Softplus Softshrink Softsign Tanh
Tanhshrink"""
#: Losses of (input, target of its shape).
_LOSSES = [
    "HuberLoss",
    "L1Loss",
    "MSELoss",
    "SmoothL1Loss",
    "MultiLabelSoftMarginLoss",
    "SoftMarginLoss",
]


def _classes() -> Any:
    return torch.tensor([0, 2, 1])


def _recurrent(kind: Any) -> Make:
    return lambda: kind(3, 4, num_layers=2, bidirectional=True)(_x(5, 2, 3))[0]


#: What is called in a way of its own.
_SPECIAL: dict[str, Make] = {
    "AdaptiveLogSoftmaxWithLoss": lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4], div_value=1.0)(
        _x(3, 4), torch.tensor([0, 3, 5])
    ).loss,
    "BCELoss": lambda: nn.BCELoss()(_x(3).sigmoid(), torch.rand(3)),
    "BCEWithLogitsLoss": lambda: nn.BCEWithLogitsLoss()(_x(3), torch.rand(3)),
    "CTCLoss": lambda: nn.CTCLoss()(
        _x(6, 2, 5).log_softmax(-1), torch.tensor([[1, 2], [3, 3]]), torch.tensor([6, 6]),
        torch.tensor([2, 2]),
    ),
    "CosineEmbeddingLoss": lambda: nn.CosineEmbeddingLoss()(_x(3, 4), _x(3, 4), torch.tensor([1, -1, 1])),
    "CrossEntropyLoss": lambda: nn.CrossEntropyLoss(label_smoothing=0.1)(_x(3, 4), _classes()),
    "CrossMapLRN2d": lambda: nn.CrossMapLRN2d(2)(_x(*_IMAGE)),
    "Embedding": lambda: nn.Embedding(5, 3, padding_idx=0)(torch.tensor([0, 2, 2])),
    "EmbeddingBag": lambda: nn.EmbeddingBag(5, 3)(torch.tensor([[0, 2], [2, 4]])),
    "GRU": _recurrent(nn.GRU),
    "GaussianNLLLoss": lambda: nn.GaussianNLLLoss()(_x(3, 4), torch.randn(3, 4), _positive(3, 4)),
    "HingeEmbeddingLoss": lambda: nn.HingeEmbeddingLoss()(_x(3), torch.tensor([1.0, -1.0, 1.0])),
    "KLDivLoss": lambda: nn.KLDivLoss(reduction="batchmean")(
        _x(3, 4).log_softmax(-1), torch.rand(3, 4).softmax(-1)
    ),
    "LSTM": _recurrent(nn.LSTM),
    "LSTMCell": lambda: sum(nn.LSTMCell(3, 4)(_x(2, 3), (_x(2, 4), _x(2, 4)))),
    "LinearCrossEntropyLoss": lambda: nn.LinearCrossEntropyLoss(4, 5)(_x(3, 4), _classes()),
    "MarginRankingLoss": lambda: nn.MarginRankingLoss()(_x(3), _x(3), torch.tensor([1.0, -1.0, 1.0])),
    "MaxUnpool1d": lambda: _unpooled(nn.MaxPool1d, nn.MaxUnpool1d, 2, 3, 4),
    "MaxUnpool2d": lambda: _unpooled(nn.MaxPool2d, nn.MaxUnpool2d, 2, 3, 4, 4),
    "MaxUnpool3d": lambda: _unpooled(nn.MaxPool3d, nn.MaxUnpool3d, 1, 2, 4, 4, 4),
    "MultiLabelMarginLoss": lambda: nn.MultiLabelMarginLoss()(_x(1, 4), torch.tensor([[3, 0, -1, 1]])),
    "MultiMarginLoss": lambda: nn.MultiMarginLoss()(_x(3, 4), _classes()),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2)(_x(3, 2, 4), _x(5, 2, 4), _x(5, 2, 4))[0],
    "NLLLoss": lambda: nn.NLLLoss()(_x(3, 4).log_softmax(-1), _classes()),
    "NLLLoss2d": lambda: nn.NLLLoss()(_x(1, 4, 2, 2).log_softmax(1), torch.zeros(1, 2, 2).long()),
    "PoissonNLLLoss": lambda: nn.PoissonNLLLoss()(_x(3, 4), torch.rand(3, 4)),
    "RNN": _recurrent(nn.RNN),
    "SyncBatchNorm": lambda: nn.SyncBatchNorm(4).eval()(_x(*_IMAGE)),
    "TripletMarginLoss": lambda: nn.TripletMarginLoss()(_x(3, 4), _x(3, 4), _x(3, 4)),
    "TripletMarginWithDistanceLoss": lambda: nn.TripletMarginWithDistanceLoss()(_x(3, 4), _x(3, 4), _x(3, 4)),
}  # fmt: skip


def _unpooled(pool: Any, unpool: Any, *shape: int) -> Any:
    return unpool(2)(*pool(2, return_indices=True)(_x(*shape)))


def names() -> list[str]:
    """Of the layers that this PyTorch has, and has a derivative of."""
    found = [
        name
        for name, kind in vars(nn).items()
        if isinstance(kind, type) and issubclass(kind, nn.Module) and not name.startswith("Lazy")
    ]
    return sorted(set(found) - NO_LAYERS - _without_derivative())


def _without_derivative() -> set[str]:
    try:
        nn.ChannelShuffle(2)(_x(*_IMAGE)).sum().backward()
    except RuntimeError:  # PyTorch 2.4 says that it has none
        return {"ChannelShuffle"}
    return set()


def makes(name: str) -> Make | None:
    """What calls the layer; None of a layer that nobody has thought of here."""
    kind = getattr(nn, name)
    if name in _SPECIAL:
        return _SPECIAL[name]
    if name in _SHAPES:
        arguments, shapes = _SHAPES[name]
        return lambda: kind(*arguments)(*(_x(*shape) for shape in shapes))
    if name in _POINTWISE.split():
        needs = {"Softmax", "Softmin", "LogSoftmax"}
        return lambda: (kind(-1) if name in needs else kind())(_x(4, 5))
    if name in _LOSSES:
        return lambda: kind()(_x(3, 4), torch.rand(3, 4).round())
    return None


def loss_of(name: str) -> Callable[[], Made]:
    """Of a layer: its leaves, and what its result is worth."""
    make = makes(name)
    assert make is not None, f"nothing is known to call nn.{name} on: add it to layers.py"

    def made() -> Made:
        out = make() * 1
        nodes = {out.grad_fn: None}
        queue = list(nodes)
        for node in queue:
            new = dict.fromkeys(
                n for n, _ in node.next_functions if n is not None and n not in nodes
            )
            queue += new
            nodes |= new
        found = {str(i): node.variable for i, node in enumerate(queue) if hasattr(node, "variable")}
        return found, (out.abs() if out.is_complex() else out).pow(2).sum(), {}

    return made
