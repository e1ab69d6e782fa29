"""Shifts, which PyTorch has for integers alone."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array


def left_shift(self: Array, other: Array) -> Array:
    _refuse_bools("bitwise_left_shift", self)
    return np.left_shift(self, other)


def right_shift(self: Array, other: Array) -> Array:
    _refuse_bools("bitwise_right_shift", self)
    return np.right_shift(self, other)


def _refuse_bools(name: str, array: Array) -> None:
    if array.dtype.kind == "b":
        raise NotImplementedError(f'"{name}" not implemented for bool')
