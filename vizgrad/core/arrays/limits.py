"""`finfo` and `iinfo`: the limits of number types, as PyTorch names them."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from vizgrad.core.arrays.dtypes import DType, NarrowDType, get_default_dtype, to_real


def _limits(dtype: DType) -> Any:
    """numpy's description of a floating type, or that of the library that has the type."""
    if isinstance(dtype, NarrowDType):
        return import_module("ml_dtypes").finfo(dtype.np)
    return np.finfo(dtype.np)


def _resolution(eps: float) -> float:
    """A one in the last decimal place that all numbers near 1 have."""
    return float(f"1e{math.ceil(math.log10(eps))}")


class finfo:
    """Limits of a floating-point type (of a complex one: of its parts); the default type without one.

    Raises TypeError for integers and bool.
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: DType | None = None) -> None:
        wanted = get_default_dtype() if type is None else type
        if wanted.category < 2:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                f"'{wanted!r}'"
            )
        limits = _limits(to_real(wanted))
        self.bits: int = limits.bits
        self.eps = float(limits.eps)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.tiny = self.smallest_normal = float(limits.smallest_normal)
        self.resolution = _resolution(self.eps)
        self.dtype: str = to_real(wanted).name

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        numbers = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({numbers}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """Limits of an integer type. Raises TypeError for bool, floating-point and complex types."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: DType) -> None:
        if type.category > 1:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'{type!r}'"
            )
        if type.category == 0:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(type.np)
        self.bits: int = limits.bits
        self.max = int(limits.max)
        self.min = int(limits.min)
        self.dtype: str = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)
