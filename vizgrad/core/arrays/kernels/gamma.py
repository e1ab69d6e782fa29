"""Gamma numbers: how a sample moves with the shape parameter."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array, special_functions
from vizgrad.core.arrays.errstate import quiet


@quiet
def sample_slope(a: Array, z: Array) -> Array:
    """dz/da of the gamma number z of shape a that stays at its quantile: -(dP/da) / (dP/dx).

    dP/da is a difference of fourth order of whichever tail is the smaller, whose relative precision is that
    of the result; its step is a thousandth of the scale on which P changes.
    """
    library = special_functions(z)
    wide, x = a.astype(np.float64), z.astype(np.float64)
    step = 1e-3 * np.minimum(wide, np.sqrt(wide))

    def tail(shift: float) -> Array:
        lower = library.gammainc(wide + shift * step, x)
        return np.where(x < wide, lower, -library.gammaincc(wide + shift * step, x))

    change = (8 * (tail(1) - tail(-1)) - (tail(2) - tail(-2))) / (12 * step)
    log_density = (wide - 1) * np.log(x) - x - library.gammaln(wide)
    found = -change / np.exp(log_density)
    # far below all others, where P is z^a / Gamma(a + 1) and both parts underflow
    limit = -x / wide * (np.log(x) - library.psi(wide + 1))
    tiny = library.gammainc(wide, x) < 1e-200
    return np.where(x == 0, 0, np.where(tiny, limit, found)).astype(z.dtype)
