"""Special functions, against scipy."""

from __future__ import annotations

import numpy as np
import scipy.special

import vizgrad as vg

from .row import Row, one

_ORDER = 1.7

ROWS = [
    *(
        Row(
            f"special {name}",
            getattr(vg.special, name),
            one(0.1, 0.9),
            getattr(scipy.special, name),
        )
        for name in ("entr", "i0", "i0e", "i1", "i1e", "erfcx", "ndtri", "log_ndtr")
    ),
    Row(
        "special zeta",
        lambda x: vg.special.zeta(_ORDER, x),
        one(0.5, 3),
        lambda x: scipy.special.zeta(_ORDER, x),
    ),
    Row(
        "special gammainc",
        lambda x: vg.special.gammainc(vg.full_like(x, _ORDER).detach(), x),
        one(0.5, 3),
        lambda x: scipy.special.gammainc(_ORDER, x),
    ),
    Row(
        "special gammaincc",
        lambda x: vg.special.gammaincc(vg.full_like(x, _ORDER).detach(), x),
        one(0.5, 3),
        lambda x: scipy.special.gammaincc(_ORDER, x),
    ),
    Row(
        "special multigammaln",
        lambda x: vg.special.multigammaln(x, 2),
        one(1.5, 4),
        np.vectorize(lambda v: scipy.special.multigammaln(v, 2), otypes=[float]),
    ),
]
