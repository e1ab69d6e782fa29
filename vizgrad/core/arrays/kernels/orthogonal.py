"""Orthogonal matrices for starting values."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.current_device import near
from vizgrad.core.arrays.kernels.memory import contiguous


@near
def orthonormal(x: Array) -> Array:
    """An orthonormal basis from the rows of `x` as a matrix (or of its columns, if there are fewer).

    From the QR decomposition, with signs such that normally distributed `x` gives uniformly
    distributed results.
    """
    matrix = x.reshape(x.shape[0], -1)
    flat = matrix.shape[0] < matrix.shape[1]
    q, r = np.linalg.qr(matrix.T if flat else matrix)
    q = q * np.sign(np.diagonal(r))
    return contiguous(q.T if flat else q).reshape(x.shape)
