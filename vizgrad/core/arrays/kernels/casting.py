"""Conversions between element types, and to the shape and type of a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.arrays.backend import Array, device_of, to_device
from vizgrad.arrays.dtypes import NARROW, from_numpy
from vizgrad.arrays.quiet import quiet
from vizgrad.arrays.sparse import is_sparse


@quiet
def cast(self: Array, dtype: Any) -> Array:
    """A copy in `dtype`, with the same strides if `self` is dense; of complex numbers the real part."""
    if self.dtype.kind == "c" and np.dtype(dtype).kind not in "cb":
        self = self.real
    return saturated(self, dtype).astype(dtype, order="K")


def saturated(values: Array, dtype: Any) -> Array:
    """`values` within the range of a type without infinity, as PyTorch converts them; NaN stays."""
    if dtype not in NARROW or from_numpy(dtype).name != "float8_e4m3fn":
        return values
    return np.clip(values, -448, 448)


@quiet
def fit(target: Array, source: Array) -> Array:
    """`source` broadcast to the shape of `target`, in its type: a copy, as the two may overlap."""
    source = to_device(source, device_of(target))
    if is_sparse(target) and is_sparse(source):
        return source.astype(target.dtype)
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        source = source.real
    out = np.empty_like(target, order="C")
    np.copyto(out, saturated(source, target.dtype), casting="unsafe")
    return out
