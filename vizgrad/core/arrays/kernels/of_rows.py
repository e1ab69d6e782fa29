"""Kernels of a device for the rows of a matrix: each reads a row once and is one launch.

The arithmetic is that of `softmax.py`, `normalization.py` and `losses.py`, which say where it comes from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.fusion.elements import count, index, largest, mean, over_rows, pick, total


@over_rows(x="elements")
def softmax(x: Any) -> Any:
    raised = np.exp(x - largest(x))
    return raised / total(raised)


@over_rows(grad="elements", result="elements")
def softmax_gradient(grad: Any, result: Any) -> Any:
    return result * (grad - total(grad * result))


@over_rows(x="elements")
def log_softmax(x: Any) -> Any:
    away = x - largest(x)
    return away - np.log(total(np.exp(away)))


@over_rows(grad="elements", result="elements")
def log_softmax_gradient(grad: Any, result: Any) -> Any:
    return grad - np.exp(result) * total(grad)


@over_rows(x="elements", weight="columns", bias="columns")
def layer_norm(x: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    """(result, mean, 1 / sqrt(var + eps))."""
    center = mean(x)
    away = x - center
    scale = np.reciprocal(np.sqrt(mean(away * away) + eps))
    out = away * scale
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out, center, scale


@over_rows(grad="elements", x="elements", weight="columns", center="rows", scale="rows")
def layer_norm_gradient(grad: Any, x: Any, weight: Any, center: Any, scale: Any) -> Any:
    hat = (x - center) * scale
    if weight is not None:
        grad = grad * weight
    return scale * (grad - mean(grad) - hat * mean(grad * hat))


@over_rows(x="elements", target="rows", weight="columns")
def nll(x: Any, target: Any, weight: Any, ignored: int) -> tuple[Any, Any]:
    """(minus the score of each target class, weighted; its weight). A target `ignored` has none.

    Nobody waits for the device to hear of a class that is not there: its loss is NaN.
    """
    counts = target != ignored
    there = (target >= 0) & (target < count(x))
    place = np.where(counts & there, target, 0)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    used = np.where(counts, one if weight is None else pick(weight, place), zero)
    loss = np.where(there, -pick(x, place) * used, x.dtype.type(np.nan))
    return np.where(counts, loss, zero), used


@over_rows(grad="rows", target="rows", weight="columns", over="one")
def nll_gradient(grad: Any, target: Any, weight: Any, over: Any, ignored: int) -> Any:
    """Minus `grad` (divided by `over`), weighted, at the target class; 0 elsewhere."""
    share = -grad if over is None else -grad / over
    if weight is not None:
        share = share * weight
    at = (index(grad) == target) & (target != ignored)
    return np.where(at, share, grad.dtype.type(0))
