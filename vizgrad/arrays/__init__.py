"""The only package that imports numpy or cupy. `xp` is the array namespace kernels are written in."""

import numpy as xp  # noqa: ICN001  kernels dispatch from it to any array's library

from vizgrad.arrays.backend import Array as Array

__all__ = ["Array", "xp"]
