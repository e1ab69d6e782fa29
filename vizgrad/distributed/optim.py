"""The public names of torch.distributed.optim.

The class is among the optimizers, which may import this package; this package imports no optimizer.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "ZeroRedundancyOptimizer":
        return import_module("vizgrad.optim.zero_redundancy_optimizer").ZeroRedundancyOptimizer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
