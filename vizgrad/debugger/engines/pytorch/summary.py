"""From PyTorch's tensors to `model.TensorSummary`."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, sqrt
from typing import Any

import torch

from vizgrad.core.arrays.statistics import SMALLEST_SQUARES, Statistics, quick, statistics
from vizgrad.debugger.engines.pytorch.device_statistics import device_statistics, on_device
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


#: Magnitudes below this are squared as float64.
_TINY = 1e-12
#: Elements that are read at once: they stay in the cache for all statistics.
_PIECE = 1 << 16
_HALVES = {torch.float16: torch.float32, torch.bfloat16: torch.float32}


def sum_of_pieces(flat: torch.Tensor) -> Any:
    """The sum of all elements of a vector, always in the same order."""
    if not flat.is_cpu:
        return flat.sum(dtype=_HALVES.get(flat.dtype)).item()
    total = 0.0
    for piece in flat.split(_PIECE):
        total += piece.sum(dtype=_HALVES.get(flat.dtype)).item()
    return total


def summarize_at_once(
    flat: torch.Tensor, summand: torch.Tensor | None = None
) -> tuple[TensorSummary, Any]:
    """The summary of a large vector, in a third of the time of `summarize`, and `sum_of_pieces`; with
    `summand` those of the sum of both, which is never there as a whole.
    """
    dtype, total = _HALVES.get(flat.dtype, flat.dtype), 0.0
    squares, low, high, zeros = 0.0, inf, -inf, 0
    if flat.is_cpu and dtype in (torch.float32, torch.float64):
        others = None if summand is None else iter(summand.split(_PIECE))
        for piece in flat.split(_PIECE):
            data = (piece if others is None else next(others) + piece).to(dtype)
            least, most = (bound.item() for bound in data.aminmax())
            low, high, total = min(low, least), max(high, most), total + data.sum().item()
            if 0 < max(-least, most) < _TINY:  # its squares would be nothing
                data = data.double()
            squares += data.dot(data).item()
            if least <= 0 <= most:
                zeros += data.numel() - int(data.count_nonzero())
        nothing = low == high == 0
        if (nothing or SMALLEST_SQUARES < squares < inf) and isfinite(total):
            found = Statistics(sqrt(squares), low, high, total / flat.numel(), zeros)
            return _as_told(flat, found), total
    whole = flat if summand is None else summand + flat
    found = summarize(whole)
    assert found is not None
    return found, sum_of_pieces(whole)


def _as_told(tensor: torch.Tensor, found: Statistics, nnz: int | None = None) -> TensorSummary:
    return TensorSummary(
        shape_of(tensor), dtype_of(tensor), str(tensor.device), bytes_of(tensor), *found,
        layout=str(tensor.layout).removeprefix("torch."), nnz=nnz,
    )  # fmt: skip


def _told(
    tensor: torch.Tensor | None, statistics_of: Callable[[Any], Statistics]
) -> TensorSummary | None:
    if tensor is None:
        return None
    tensor = tensor.detach()
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce()
    kept = stored(tensor)
    if not has_elements(kept):
        found = Statistics()
    elif statistics_of is quick and on_device(kept):
        found = device_statistics(kept)
    else:
        found = statistics_of(elements_of(kept))
    nnz = None
    if tensor.layout in SPARSE:
        nnz, absent = tensor._nnz(), tensor.numel() - kept.numel()
        found = found._replace(zeros=found.zeros + absent, heat=None, values=None)
    elif kept is not tensor and tensor.is_nested:
        found = found._replace(heat=None, values=None)
    return _as_told(tensor, found, nnz)
