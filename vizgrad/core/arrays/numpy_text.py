"""An array as the Python that makes it again: ``np.array([[1.0, 2.5]], dtype=np.float32)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, to_host

#: Elements that are written; of a larger array only a first part is.
MOST_WRITTEN = 1_000


def numpy_text(array: Array, most: int = MOST_WRITTEN) -> tuple[str, tuple[int, ...]]:
    """The text, and the shape of what is written: the array's own, unless it has more than `most` elements.

    Numbers are written with the digits that they need to be read as the same. numpy's own types only: one of
    another kind (bfloat16) becomes float32, which holds all of its numbers.
    """
    part = first_part(array.shape, most)
    data = to_host(array[tuple(map(slice, part))])
    if data.dtype.kind == "V" or not hasattr(np, str(data.dtype)):
        data = data.astype(np.float32)
    name = f"np.{data.dtype}" if data.dtype != np.bool_ else "bool"
    if not data.size:
        return f"np.empty({data.shape}, dtype={name})", part
    return f"np.array({_nested(data)}, dtype={name})", part


def first_part(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The first elements along each dimension, with `most` in all: whole rows, if there is room for one."""
    part: list[int] = []
    for length in reversed(shape):
        here = min(length, max(most, 1))
        part.append(here)
        most //= max(here, 1)
    return tuple(reversed(part))


def _nested(data: np.ndarray, indent: int = len("np.array(")) -> str:
    if data.ndim == 0:
        return _written(data[()])
    if data.ndim == 1:
        return "[" + ", ".join(map(_written, data)) + "]"
    joint = ",\n" + " " * (indent + 1)
    return "[" + joint.join(_nested(row, indent + 1) for row in data) + "]"


def _written(value: Any) -> str:
    """A number as Python reads it."""
    if isinstance(value, np.complexfloating):
        real, imaginary = _written(value.real), _written(value.imag)
        plain = np.isfinite(value.real) and np.isfinite(value.imag)
        return (
            f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
            if plain
            else (f"complex({real}, {imaginary})")
        )
    if isinstance(value, np.floating) and not np.isfinite(value):
        return "np.nan" if np.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return str(value)
