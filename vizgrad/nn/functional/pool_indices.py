"""Pools that always give the places of their results, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.functional import pooling, windows


def _both(pool: Callable[..., Any]) -> Callable[..., tuple[Tensor, Tensor]]:
    taken = signature(pool)

    @wraps(pool)
    def both(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        given = taken.bind(*args, **kwargs)
        given.arguments["return_indices"] = True
        return pool(*given.args, **given.kwargs)

    both.__name__ = both.__qualname__ = f"{pool.__name__}_with_indices"
    both.__doc__ = f"`{pool.__name__}` with `return_indices`: (results, places)."
    return both


max_pool1d_with_indices = _both(pooling.max_pool1d)
max_pool2d_with_indices = _both(pooling.max_pool2d)
max_pool3d_with_indices = _both(pooling.max_pool3d)
adaptive_max_pool1d_with_indices = _both(windows.adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _both(windows.adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _both(windows.adaptive_max_pool3d)
fractional_max_pool2d_with_indices = _both(pooling.fractional_max_pool2d)
fractional_max_pool3d_with_indices = _both(pooling.fractional_max_pool3d)
