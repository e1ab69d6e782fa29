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


def redraw(module: Any, seed: int) -> None:
    """Gives a module's drawn weights other values, the same on both sides; what is constant stays.

    So zeros, ones and other constants of `nn.init` are compared, and only the draws are replaced.
    """
    draws = np.random.RandomState(seed)
    for parameter in module.parameters():
        own = parameter.detach()
        first = own.flatten()[0].item()
        if bool((own == first).all()) and (own.numel() > 1 or first in (0.0, 1.0)):
            continue
        incoming = own.numel() // own.size(0) if own.dim() > 1 else 100
        drawn = draws.standard_normal(tuple(own.shape)) / np.sqrt(incoming)
        own.copy_(torch_like(own, drawn))


def torch_like(tensor: Any, values: np.ndarray) -> Any:
    """The values as a tensor of the kind of another one."""
    return tensor.new_tensor(values.tolist()).view(tensor.shape)


def dropout(torch: Any, p: float, seed: int) -> Any:
    """`nn.Dropout` with masks that are given: another one each call, the same on both sides."""
    draws = np.random.RandomState(seed)

    class Dropout(torch.nn.Dropout):
        def forward(self, x: Any) -> Any:
            if not self.training:
                return x
            keep = draws.uniform(size=tuple(x.shape)) >= self.p
            return x * torch_like(x, keep.astype(float)).div_(1 - self.p)

    return Dropout(p)
