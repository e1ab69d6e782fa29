"""Formulas that compute float16 in float32 and round once (T-87), as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from vizgrad.arrays.backend import Array

P = ParamSpec("P")


def in_single(kernel: Callable[P, Array]) -> Callable[P, Array]:
    """`kernel`, float16 in float32: squares, powers and exponentials of what fits need not fit.

    The first argument, an array, says whether; other arrays of its type are widened with it.
    """

    @wraps(kernel)
    def run(*args: P.args, **options: P.kwargs) -> Array:
        x: Any = args[0]
        if x.dtype != np.float16:
            return kernel(*args, **options)
        given: Any = args
        wide: Any = [a.astype(np.float32) if _is_half(a) else a for a in given]
        return kernel(*wide, **options).astype(np.float16)

    return run


def _is_half(argument: Any) -> bool:
    return getattr(argument, "dtype", None) == np.float16
