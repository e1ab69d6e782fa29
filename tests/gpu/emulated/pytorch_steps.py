"""What PyTorch asks of a device for the steps of `steps.py`, counted by its own dispatcher: a table.

    python -m tests.gpu.emulated.pytorch_steps [--names]

No GPU and no PyTorch for CUDA is needed: tensors are on the device "meta", and what is counted is which
operations arrive below autograd. One that is no view is a kernel, or more: what it launches inside is not
seen. `_foreach_` is one launch for some hundred tensors. Products (cuBLAS, cuDNN) are counted apart. On CUDA
an LSTM is a call of cuDNN's, which is in no table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.nn.utils import clip_grad
from torch.utils._python_dispatch import TorchDispatchMode

PRODUCTS = ("aten.mm.", "aten.addmm.", "aten.bmm.", "aten.baddbmm.", "aten.convolution")
#: Without a kernel of the device.
NONE = (
    "aten.empty", "aten.detach", "aten._unsafe_view", "aten.new_empty", "aten.unsafe_split", "profiler.",
    "aten._local_scalar_dense",  # of the numbers of steps, which the host keeps
)  # fmt: skip


class Counting(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        if not (func.is_view or name.startswith(NONE)):
            self.asked[name] += 1
        return func(*args, **(kwargs or {}))


def models() -> dict[str, tuple[Callable[[], Any], tuple[int, ...]]]:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells, self.last = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 10)

        def forward(self, x: Any) -> Any:
            return self.last(self.cells(x)[0][:, -1])

    def mlp() -> Any:
        return nn.Sequential(
            nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
        )

    def transformer() -> Any:
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        return nn.Sequential(layer, nn.Flatten(), nn.Linear(64, 10))

    def conv() -> Any:
        return nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(128, 10),
        )  # fmt: skip

    return {
        "MLP": (mlp, (16, 32)),
        "transformer": (transformer, (16, 4, 16)),
        "conv": (conv, (16, 3, 8, 8)),
        "LSTM": (Recurrent, (16, 5, 8)),
    }


def counted(model: str, way: str) -> Counter[str]:
    build, shape = models()[model]
    network, x = build().to("meta"), torch.empty(shape, device="meta")
    target = torch.empty(16, dtype=torch.int64, device="meta")
    optimizer = torch.optim.Adam(network.parameters(), foreach=True)
    if way == "SGD":
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1, foreach=True)

    def backward() -> None:
        nn.functional.cross_entropy(network(x), target).backward()

    backward()
    optimizer.step()
    optimizer.zero_grad()
    if way != "backward":
        backward()
    with Counting() as counting:
        if way == "backward":
            backward()
        elif way == "clip":
            with mock.patch.object(clip_grad, "_device_has_foreach_support", return_value=True):
                clip_grad.clip_grad_norm_(network.parameters(), 1.0, foreach=True)
        else:
            optimizer.step()
    return counting.asked


def main() -> None:
    verbose = "--names" in sys.argv
    ways = ("backward", "Adam", "SGD", "clip")
    print(f"| model | {' | '.join(ways)} |")
    print("|---" * (len(ways) + 1) + "|")
    for model in models():
        cells = []
        for way in ways:
            asked = counted(model, way)
            products = sum(n for name, n in asked.items() if name.startswith(PRODUCTS))
            cells.append(f"{asked.total() - products} + {products}")
            if verbose:
                print(model, way, dict(asked))
        print(f"| {model} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
