"""From arrays and tensors to `model.TensorSummary`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

from vizgrad.arrays.backend import as_array, device_of
from vizgrad.arrays.sparse import is_sparse
from vizgrad.arrays.sparse.compressed import as_coo
from vizgrad.arrays.statistics import statistics
from vizgrad.inspection.model import TensorSummary


def outline(value: Any) -> TensorSummary | None:
    """Shape, type and size of a gradient or tensor; None for an undefined one. Costs next to nothing."""
    if value is None:
        return None
    array = as_array(getattr(value, "_array", value))
    plain = _outline(array.shape, array.dtype, device_of(array))
    if not is_sparse(array):
        return plain
    return replace(plain, bytes=array.nbytes, layout=array.layout, nnz=array.nnz)


@lru_cache(4096)
def _outline(shape: tuple[int, ...], dtype: Any, device: Any) -> TensorSummary:
    return TensorSummary(shape, str(dtype), str(device), prod(shape) * dtype.itemsize)


def summarize(value: Any) -> TensorSummary | None:
    """A gradient or tensor, summarised at once; None for an undefined one."""
    plain = outline(value)
    if plain is None:
        return None
    array = as_array(getattr(value, "_array", value))
    if is_sparse(array):
        return _of_stored(plain, array)
    s = statistics(array)
    return replace(
        plain,
        norm=s.norm,
        min=s.min,
        max=s.max,
        mean=s.mean,
        zeros=s.zeros,
        nans=s.nans,
        infs=s.infs,
        histogram=s.histogram,
        heat=s.heat,
        values=s.values,
    )


def _of_stored(plain: TensorSummary, array: Any) -> TensorSummary:
    """Of a sparse array: what is stored nowhere is only counted, and nothing is drawn by place."""
    once = as_coo(array).coalesce().values
    s = statistics(once)
    return replace(
        plain,
        norm=s.norm,
        min=s.min,
        max=s.max,
        mean=s.mean,
        zeros=array.size - once.size + s.zeros,
        nans=s.nans,
        infs=s.infs,
        histogram=s.histogram,
    )


summarize_closely = summarize
