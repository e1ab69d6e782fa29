"""Points of Sobol's sequence as whole numbers of 30 bits, and their scrambling."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

#: Bits of a coordinate.
BITS = 30
#: Dimensions for which direction numbers are known (those of Joe and Kuo, in scipy).
MOST = 21201


class Points:
    """The points of a sequence in `dimension` dimensions, in order."""

    def __init__(self, dimension: int) -> None:
        from scipy.stats import qmc  # slow to import, and rarely asked for

        self._source: Any = qmc.Sobol(dimension, scramble=False, bits=BITS)

    def draw(self, n: int) -> Any:
        """The next `n` of them: (n, dimension), int64."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about numbers that are no powers of 2
            found = self._source.random(n)
        return (found * 2.0**BITS).astype(np.int64)

    def skip(self, n: int) -> None:
        """Leaves out the next `n`."""
        if n:
            self._source.fast_forward(n)

    def reset(self) -> None:
        """Back to the first."""
        self._source.reset()


def scrambled(points: Any, matrices: Any, shifts: Any) -> Any:
    """The points, each coordinate's bits times a matrix of bits, and then with some of them turned over.

    `matrices` (dimension, BITS, BITS) are lower triangular with ones on the diagonal, the highest bit first;
    `shifts` (dimension, BITS) says which bits are turned over.
    """
    weights = 1 << np.arange(BITS - 1, -1, -1, dtype=np.int64)
    bits = (points[..., None] & weights) != 0
    turned = np.einsum("dij,ndj->ndi", matrices.astype(np.int64), bits.astype(np.int64)) + shifts
    return ((turned & 1) * weights).sum(-1)
