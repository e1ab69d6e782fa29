"""The only package that imports numpy or cupy. `xp` is the array namespace kernels are written in."""

import numpy as xp  # noqa: ICN001  kernels dispatch from it to any array's library

from vizgrad.core.arrays.backend import Array as Array
from vizgrad.core.interpreter import refuse_without_gil

__all__ = ["Array", "xp"]

refuse_without_gil()
