"""From arrays and tensors to `model.TensorSummary`."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays.backend import as_array, device_of
from vizgrad.arrays.statistics import statistics
from vizgrad.inspection.model import TensorSummary


def summarize(value: Any, *, full: bool = True) -> TensorSummary | None:
    """A gradient or tensor, summarised at once; None for an undefined one.

    Without `full` only shape, type and size are taken, at no cost worth naming.
    """
    if value is None:
        return None
    array = as_array(getattr(value, "_array", value))
    shape = tuple(int(n) for n in array.shape)
    kind = shape, str(array.dtype), str(device_of(array)), int(array.nbytes)
    if not full:
        return TensorSummary(*kind)
    s = statistics(array)
    return TensorSummary(
        *kind,
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
