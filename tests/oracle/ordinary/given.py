"""Numbers for both libraries alike: neither draws them itself."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(torch: Any, *shape: int, seed: int = 0) -> Any:
    """Normal numbers of a shape, float32."""
    drawn = np.random.RandomState(seed).standard_normal(shape)
    return torch.from_numpy(drawn.astype(np.float32))


def fill(module: Any, seed: int) -> None:
    """Gives a module small weights, the same on both sides."""
    draws = np.random.RandomState(seed)
    for parameter in module.parameters():
        drawn = draws.uniform(-0.5, 0.5, tuple(parameter.shape)).astype(np.float32)
        own = parameter.detach()
        own.copy_(own.new_tensor(drawn.tolist()).view(own.shape))
