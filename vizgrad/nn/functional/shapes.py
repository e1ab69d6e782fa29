"""Reading sizes that may be given as one number or one per dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.errors import index_of


def per_dim(value: Any, dims: int, name: str) -> tuple[int, ...]:
    """`value` as a tuple of `dims` ints; RuntimeError when it has another length, TypeError for no ints."""
    if value.__class__ is tuple and len(value) == dims and all(v.__class__ is int for v in value):
        return value
    if isinstance(value, INTS) and value.__class__ is not bool:
        return (value,) * dims
    if value is None or isinstance(value, (str, float, bool)):
        raise TypeError(
            f"argument '{name}' must be int or tuple of ints, not {type(value).__name__}"
        )
    if isinstance(value, Sequence):
        sizes = tuple(map(index_of, value))
        if len(sizes) == 1:
            return sizes * dims
        if len(sizes) == dims:
            return sizes
    raise RuntimeError(
        f"expected {name} to be a single integer value or {dims} of them, got {value!r}"
    )


def whole_number(function: str, argument: str, position: int, value: Any) -> int:
    """`value` as an int; TypeError for fractions, bools and what is no number. `position` counts from 1."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        kind = "NoneType" if value is None else type(value).__name__
        raise TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be int, not {kind}"
        )
    return int(value.__index__())


def product(sizes: Sequence[int]) -> str:
    """For messages: "3 x 4"."""
    return " x ".join(map(str, sizes))
