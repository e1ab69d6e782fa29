"""One step of each kind of recurrent cell, shared by the layers and the single cells.

`x` is what the input contributes, already projected (and with both biases, where they may be added);
`w` is the transposed hidden weight. One `addmm` then makes all gates of a step.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops import matrix_products

_addmm = matrix_products.addmm.record
_mm = matrix_products.mm.record


def tanh_step(x: Any, h: Any, w: Any) -> Any:
    """h' = tanh(x + h W)."""
    return _addmm(x, h, w, beta=1, alpha=1).tanh()


def relu_step(x: Any, h: Any, w: Any) -> Any:
    """h' = relu(x + h W)."""
    return _addmm(x, h, w, beta=1, alpha=1).relu()


def lstm_step(x: Any, h: Any, c: Any, w: Any) -> tuple[Any, Any]:
    """Gates i, f, g, o: c' = f c + i g, h' = o tanh(c').

    S. Hochreiter, J. Schmidhuber, Long Short-Term Memory (1997), with the forget gate of F. Gers et al.
    """
    gates: Any = _addmm(x, h, w, beta=1, alpha=1)
    i, f, g, o = gates.chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x: Any, h: Any, w: Any, b: Any) -> Any:
    """Gates r, z, n: n = tanh(x_n + r (h W_n + b_n)), h' = n + z (h - n). K. Cho et al. (2014)."""
    own: Any = _mm(h, w) if b is None else _addmm(b, h, w, beta=1, alpha=1)
    x_r, x_z, x_n = x.chunk(3, 1)
    h_r, h_z, h_n = own.chunk(3, 1)
    r = (x_r + h_r).sigmoid()
    z = (x_z + h_z).sigmoid()
    n = (x_n + r * h_n).tanh()
    return n + z * (h - n)
