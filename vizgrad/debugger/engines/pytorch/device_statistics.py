"""Statistics of tensors of a device, reduced there: a few numbers leave it, and it is waited for once."""

from __future__ import annotations

from math import inf, isfinite

import torch

from vizgrad.core.arrays.statistics import Statistics

#: Elements of a tensor that is copied to the host instead, which waits once, too, and gives its values.
FEW = 4096
#: Devices without numbers of double precision.
_SINGLE = {"mps"}


def on_device(tensor: torch.Tensor) -> bool:
    """Is it reduced where it is?"""
    return not tensor.is_cpu and tensor.numel() > FEW


@torch.no_grad()
def device_statistics(tensor: torch.Tensor) -> Statistics:
    """As `vizgrad.core.arrays.statistics.quick`, of more than `FEW` elements. It waits for the device, and a
    second time where some are not finite, or too large or small to be squared.
    """
    wide = torch.float32 if tensor.device.type in _SINGLE else torch.float64
    plain = tensor.detach()
    if plain.is_complex():
        plain = plain.to(torch.complex128 if wide is torch.float64 else torch.complex64).abs()
    elif (
        not plain.is_floating_point() or plain.element_size() == 1
    ):  # numbers of 8 bits have no reductions
        plain = plain.to(wide)
    count = plain.numel()
    norm, total, low, high, filled = _told(plain, wide)
    if isfinite(norm) and isfinite(total) and (norm or not filled):
        return Statistics(norm, low, high, total / count, count - int(filled))
    nans, infs = (
        int(found) for found in torch.stack([plain.isnan().sum(), plain.isinf().sum()]).tolist()
    )
    plain = plain[plain.isfinite()].to(wide)
    if not plain.numel():
        return Statistics(torch.nan if nans else inf, nans=nans, infs=infs)
    largest = plain.abs().max()
    norm, total, low, high, filled = _told(plain / largest if largest else plain, wide)
    scale = float(largest) or 1.0
    norm = torch.nan if nans else inf if infs else norm * scale
    mean = total / plain.numel() * scale
    zeros = plain.numel() - int(filled)
    return Statistics(norm, low * scale, high * scale, mean, zeros, nans, infs)


def _told(plain: torch.Tensor, wide: torch.dtype) -> list[float]:
    """Norm, sum, least and largest element, and how many are not zero."""
    low, high = plain.aminmax()
    found = (
        torch.linalg.vector_norm(plain, dtype=wide), plain.sum(dtype=wide), low, high,
        plain.count_nonzero(),
    )  # fmt: skip
    return torch.stack([each.to(wide) for each in found]).tolist()
