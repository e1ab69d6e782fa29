"""Formulas that compute float16 in float32 and round once (T-87), as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from vizgrad.core.arrays.backend import Array

P = ParamSpec("P")


def in_single(kernel: Callable[P, Array]) -> Callable[P, Array]:
    """`kernel`, float16 in float32: squares, powers and exponentials of what fits need not fit."""

    @wraps(kernel)
    def run(*args: P.args, **options: P.kwargs) -> Array:
        given: Any = args
        named: Any = options  # a kernel that is traced is called by names
        if not (any(map(_is_half, given)) or any(map(_is_half, named.values()))):
            return kernel(*args, **options)
        wide: Any = [_wide(a) for a in given]
        return kernel(*wide, **{n: _wide(a) for n, a in named.items()}).astype(np.float16)

    return run


def _is_half(argument: Any) -> bool:
    return getattr(argument, "dtype", None) == np.float16


def _wide(argument: Any) -> Any:
    return argument.astype(np.float32) if _is_half(argument) else argument
