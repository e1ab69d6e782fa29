"""From PyTorch's tensors to `model.TensorSummary`, and a gradient as it was at one moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from vizgrad.core.arrays.statistics import Statistics, quick, statistics
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.new_values import CapturedValue
from vizgrad.debugger.engines.pytorch.elements import (
    SPARSE,
    bytes_of,
    elements_of,
    has_elements,
    shape_of,
    stored,
)
from vizgrad.debugger.engines.pytorch.torch_nodes import dtype_of
from vizgrad.debugger.model import TensorSummary


def summarize(tensor: torch.Tensor | None) -> TensorSummary | None:
    """The result of one pass; None for an undefined gradient."""
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
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce()
    kept = stored(tensor)
    found = statistics_of(elements_of(kept)) if has_elements(kept) else Statistics()
    nnz = None
    if tensor.layout in SPARSE:
        nnz, absent = tensor._nnz(), tensor.numel() - kept.numel()
        found = found._replace(zeros=found.zeros + absent, heat=None, values=None)
    elif kept is not tensor and tensor.is_nested:
        found = found._replace(heat=None, values=None)
    return TensorSummary(
        shape_of(tensor), dtype_of(tensor), str(tensor.device), bytes_of(tensor), *found,
        layout=str(tensor.layout).removeprefix("torch."), nnz=nnz,
    )  # fmt: skip


class CapturedTensor(CapturedValue):
    __slots__ = ()

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        found = summarize_closely(self.array) if closely else summarize(self.array)
        assert found is not None  # of a tensor there is one
        return found
