"""Conversions between element types, and to the shape and type of a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, check_type, device_of, is_on_device, to_device
from vizgrad.core.arrays.dtypes import NARROW, from_numpy
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.sparse import is_sparse


@quiet
def cast(self: Array, dtype: Any) -> Array:
    """A copy in `dtype`, with the same strides if `self` is dense; of complex numbers the real part."""
    if self.dtype.kind == "c" and np.dtype(dtype).kind not in "cb":
        self = self.real
    if type(self) is not np.ndarray and dtype in NARROW and is_on_device(self):
        check_type(np.dtype(dtype))
    return saturated(self, dtype).astype(dtype, order="K")


def saturated(values: Array, dtype: Any) -> Array:
    """`values` within the range of a type without infinity, as PyTorch converts them; NaN stays."""
    if dtype not in NARROW or from_numpy(dtype).name != "float8_e4m3fn":
        return values
    return np.clip(values, -448, 448)


@quiet
def fit(target: Array, source: Array) -> Array:
    """`source` broadcast to the shape of `target`, in its type: a copy, as the two may overlap."""
    if source.dtype.name.startswith("float8") and is_on_device(target):
        source = source.astype(target.dtype)  # there are no such arrays where it goes
    source = to_device(source, device_of(target))
    if is_sparse(target) and is_sparse(source):
        return source.astype(target.dtype)
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        source = source.real
    out = np.empty_like(target, order="C")
    np.copyto(out, saturated(source, target.dtype), casting="unsafe")
    return out
