"""From PyTorch's tensors to `model.TensorSummary`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from vizgrad.arrays.quick_statistics import Statistics, quick
from vizgrad.arrays.statistics import statistics
from vizgrad.inspection.model import TensorSummary
from vizgrad.pytorch.effects import bytes_of
from vizgrad.pytorch.words import dtype_of


def summarize(tensor: torch.Tensor | None) -> TensorSummary | None:
    """What one pass tells; None for an undefined gradient."""
    return _told(tensor, quick)


def summarize_closely(tensor: torch.Tensor | None) -> TensorSummary | None:
    """With histogram, heat map and values."""
    return _told(tensor, statistics)


def _told(
    tensor: torch.Tensor | None, statistics_of: Callable[[Any], Statistics]
) -> TensorSummary | None:
    if tensor is None:
        return None
    tensor = tensor.detach()
    stored, nnz = tensor, None
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce()
        stored, nnz = tensor.values(), tensor._nnz()
    found = statistics_of(elements(stored))
    if nnz is not None:
        absent = tensor.numel() - stored.numel()
        found = found._replace(zeros=found.zeros + absent, heat=None, values=None)
    return TensorSummary(
        tuple(tensor.shape), dtype_of(tensor), str(tensor.device), bytes_of(tensor), *found,
        layout=str(tensor.layout).removeprefix("torch."), nnz=nnz,
    )  # fmt: skip


def stored(tensor: torch.Tensor) -> torch.Tensor:
    """What a sparse tensor keeps, where it is; of others all elements. The same place may be there twice."""
    tensor = tensor.detach()
    if tensor.layout == torch.strided:
        return tensor
    return tensor._values() if tensor.layout == torch.sparse_coo else tensor.values()


def elements(tensor: torch.Tensor) -> Any:
    """Of a tensor that is not sparse, as an array of numpy's."""
    values = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (values.float() if values.dtype == torch.bfloat16 else values).numpy()
