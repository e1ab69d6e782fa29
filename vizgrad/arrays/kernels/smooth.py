"""Stable forms of activation functions (spec T-78)."""

from __future__ import annotations

import numpy as np

from vizgrad.arrays.backend import Array


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x); tanh saturates where e^-x would overflow."""
    half = x.dtype.type(0.5)
    return half * np.tanh(half * x) + half


def relu(x: Array) -> Array:
    return np.maximum(x, x.dtype.type(0))
