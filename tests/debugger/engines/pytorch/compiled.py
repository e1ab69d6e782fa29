"""Functions that `torch.compile` has made, by backends that need no compiler of C++."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tests.debugger.engines.pytorch.models import Made


def _loss(backend: str) -> Made:
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    run: Any = torch.compile(model, backend=backend)
    return dict(model.named_parameters()), run(torch.randn(5, 3)).exp().sum(), {}


def compiled_to_operations() -> Made:
    return _loss("eager")


def compiled_to_one_node() -> Made:
    return _loss("aot_eager")


COMPILED = [compiled_to_operations, compiled_to_one_node]
