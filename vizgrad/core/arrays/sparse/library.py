"""scipy.sparse, or cupyx's for arrays of a device: imported when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import namespace_of

Array = Any


def library(array: Array) -> Any:
    """The library of sparse matrices for arrays of this kind."""
    prefix = "" if namespace_of(array) is np else "cupyx."
    return import_module(prefix + "scipy.sparse")


def computed(array: Array) -> tuple[Array, Callable[[Array], Array]]:
    """The array in a type that the library computes in, and the way back: it has no short floats."""
    own = array.dtype
    if own.itemsize >= 4 or own.kind in "iu":
        return array, lambda result: result
    return array.astype(np.float32), lambda result: result.astype(own)
